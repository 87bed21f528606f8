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
    expect: expectation.optional(),
  })
  .refine(
    ({ fault: verb, wait, request }) => [verb, wait, request].filter((part) => part !== undefined).length === 1,
    'expected exactly one of fault, wait and request',
  )
  .refine(
    ({ request, expect }) => expect === undefined || request !== undefined,
    'expected "expect" only beside a request',
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
