/** Scenario files: what they may say. Published as JSON Schema (`docs/scenario.schema.json`) for editors. */
import { z } from 'zod';
import { duration, faultSchema } from './fault-schema.ts';

const expectation = z
  .strictObject({
    status: z.int().min(100).max(599).optional(),
    body: z.unknown().optional().describe('What the JSON body must contain: objects may have more fields, lists not'),
    count: z.int().min(0).optional().describe('How many items the list has'),
    items: z
      .array(
        z
          .strictObject({
            where: z.record(z.string(), z.unknown()).default({}),
            every: z.record(z.string(), z.unknown()).optional(),
            count: z.int().min(0).optional().describe('How many items "where" picks; default: at least one'),
          })
          .refine(({ every, count }) => every !== undefined || count !== undefined, 'expected "every" or "count"'),
      )
      .optional()
      .describe('What the items of a list must contain, picked by "where"'),
    within: duration.optional().describe('Ask again until it holds, at most for so long'),
  })
  .refine(
    ({ status, body, count, items }) => [status, body, count, items].some((part) => part !== undefined),
    'expected a status, a body, a count or items',
  );

const stepKinds = ['fault', 'wait', 'request', 'look', 'dial', 'hangUp', 'load'] as const;
const outside = z.string().describe('A phone (acme.root.test/1001) or a provider (sip.telecom.test)');

const step = z
  .strictObject({
    at: duration.optional().describe('Time since the cluster was ready; default: right after the step before'),
    note: z.string().optional(),
    fault: faultSchema.optional(),
    wait: duration.optional(),
    request: z
      .strictObject({
        through: z.string().describe('Site whose front is asked'),
        as: z.string().optional().describe('Name of a session'),
        method: z.string().default('GET'),
        path: z.string().regex(/^\//, 'expected a path that starts with /'),
        body: z.unknown().optional(),
        save: z
          .record(z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/, 'expected letters, digits and "_"'), z.string())
          .optional()
          .describe('Values to keep, by name, each from a path in the answer (0.dialogid); later texts say $name'),
      })
      .optional(),
    look: outside
      .optional()
      .describe('A phone or provider, to be looked at: what is expected is of its name, state and calls'),
    dial: z
      .strictObject({ from: outside, to: z.string().describe('A number, or number@domain') })
      .optional()
      .describe('A phone or provider calls by itself'),
    hangUp: outside.optional().describe('A phone or provider ends all its calls'),
    load: z
      .strictObject({
        rate: z.number().min(0).max(1_000).describe('Calls a second, in the mean; 0: no more'),
        holding: duration.optional().describe('How long a call lasts from its answer, in the mean; default 20s'),
      })
      .optional()
      .describe('A load of calls between phones, providers and rooms, in place of the one before'),
    expect: expectation.optional(),
  })
  .refine(
    (step) => stepKinds.filter((kind) => step[kind] !== undefined).length === 1,
    `expected exactly one of ${stepKinds.join(', ')}`,
  )
  .refine(
    ({ request, look, expect }) => expect === undefined || request !== undefined || look !== undefined,
    'expected "expect" only beside a request or a look',
  );

export const scenarioSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]+$/, 'expected lower-case letters, digits and "-"'),
    why: z.string().min(20, 'expected at least a sentence: which failure of real clusters this is about'),
    topology: z.string().default('default').describe('Name of one that ships, or a path relative to this file'),
    seed: z.int().default(1),
    sessions: z
      .record(
        z.string(),
        z.strictObject({ through: z.string(), domain: z.string(), login: z.string(), pwd: z.string() }),
      )
      .default({})
      .describe('Sessions that are opened, by token, before the first step'),
    steps: z.array(step).min(1),
  })
  .meta({ title: 'Strowger scenario', description: 'Requests, faults and what must hold, over time' });

export type Scenario = z.infer<typeof scenarioSchema>;
export type ScenarioStep = Scenario['steps'][number];
export type Expectation = NonNullable<ScenarioStep['expect']>;
export type ScenarioRequest = NonNullable<ScenarioStep['request']>;
