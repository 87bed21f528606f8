/** Scenario files: what they may say. Published as JSON Schema (`docs/scenario.schema.json`) for editors. */
import { z } from 'zod';
import { holdsShape } from './holds-schema.ts';
import { stepLimits, stepSchema } from './step-schema.ts';
import { scenarioTopologySchema } from './topology-schema.ts';
import { workloadSchema } from './workload-schema.ts';

const whyWanted = 'expected at least a sentence: which failure of real clusters this is about';

export const scenarioSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]+$/, 'expected lower-case letters, digits and "-"'),
    why: z.string(whyWanted).min(20, whyWanted),
    topology: scenarioTopologySchema,
    seed: z.int().default(1),
    sessions: z
      .record(
        z.string(),
        z.strictObject({
          through: z.string().describe('Site whose front is asked'),
          domain: z.string().describe('Domain of the user'),
          login: z.string().describe('Login of a user of the domain'),
          pwd: z.string().describe('Password of the user'),
        }),
      )
      .default({})
      .describe('Sessions that are opened, by token, before the first step'),
    workload: workloadSchema.optional().describe('What goes on beside the steps, from the first one to the last'),
    faultPoints: z
      .boolean()
      .default(false)
      .describe('Unlikely things happen inside the platform too, at named places, by chance. In virtual time only'),
    ...holdsShape,
    steps: z.array(stepSchema).min(1).max(stepLimits.steps),
  })
  .meta({ title: 'Strowger scenario', description: 'Requests, faults and what must hold, over time' });

export type Scenario = z.infer<typeof scenarioSchema>;
export type { Expectation, ScenarioRequest } from './expect-schema.ts';
export type { ScenarioStep } from './step-schema.ts';
