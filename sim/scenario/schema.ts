/** Scenario files: what they may say. Published as JSON Schema (`docs/scenario.schema.json`) for editors. */
import { z } from 'zod';

/** `250ms`, `5s`, `1.5m`, `1h`; in milliseconds after reading. */
const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, 'expected a duration such as 250ms, 5s, 1.5m or 1h')
  .transform((text) => {
    const [, number = '0', unit = 'ms'] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
    return Number(number) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit as 'ms' | 's' | 'm' | 'h'];
  })
  .describe('Such as 250ms, 5s, 1.5m or 1h');

const place = z.string().describe('A site, a node, or * for all nodes');

const between = z.strictObject({
  from: place,
  to: place.optional().describe('Default: everywhere else'),
  oneWay: z.boolean().optional().describe('Only what goes from "from" to "to"'),
});

/** Faults by the names of the verbs of `sim/faults.ts`; one a step. */
const fault = z
  .strictObject({
    crash: z.string().optional().describe('A node or a role instance dies'),
    restart: z.string().optional().describe('A node or a role instance starts again'),
    pause: z.string().optional().describe('A node stops doing anything'),
    resume: z.string().optional().describe('A paused node goes on'),
    cut: between.optional().describe('Frames vanish'),
    hold: between.optional().describe('Frames wait until the hold is mended'),
    delay: between.extend({ by: duration }).optional().describe('Frames take longer'),
    lose: between.extend({ probability: z.number().min(0).max(1) }).optional(),
    duplicate: between.extend({ probability: z.number().min(0).max(1) }).optional(),
    mend: z.string().optional().describe('Name of a standing fault, or * for all'),
    name: z.string().optional().describe('To mend this fault by'),
  })
  .refine((value) => Object.keys(value).filter((key) => key !== 'name').length === 1, 'expected exactly one verb');

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
    fault: fault.optional(),
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
export type ScenarioFault = NonNullable<ScenarioStep['fault']>;
export type ScenarioRequest = NonNullable<ScenarioStep['request']>;
