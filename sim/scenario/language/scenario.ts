/** The schema of scenario files, published as JSON Schema (`docs/reference/scenario.schema.json`) for editors. */
import { z } from 'zod';
import { type Knobs, knobBounds, type NumberRange } from '../../topology/draw.ts';
import { matcherSchema } from './event-matcher.ts';
import { duration } from './fault-schema.ts';
import { expectSchema, looked, path, requestSchema } from './request-schema.ts';
import { stepLimits, stepSchema } from './steps.ts';
import { workloadSchema } from './workloads.ts';

export type { Expectation } from './request-schema.ts';

/** `3`, or a range such as `2..4` with both ends included. */
function range(least: number, most: number, usual: NumberRange) {
  const wanted = `expected a number from ${least} to ${most}, or a range such as ${usual.join('..')}`;
  return z
    .union([z.int(), z.string().regex(/^\d{1,3}\.\.\d{1,3}$/, wanted)], wanted)
    .transform((value): NumberRange => {
      const [from = 0, to = from] = String(value).split('..').map(Number);
      return [from, to];
    })
    .refine(([from, to]) => least <= from && from <= to && to <= most, wanted)
    .default(usual);
}

const knobs = z.strictObject({
  sites: range(1, knobBounds.sites, [2, 4]).describe('Number of sites: hq (the master), north, south, east, west'),
  nodes: range(1, knobBounds.nodes, [1, 3]).describe('Nodes at each site: h1, h2 … at hq, n1 … at north'),
  domains: range(1, knobBounds.domains, [1, 2]).describe(
    'Number of domains: Number of domains: acme.root.test, globex.root.test, initech.root.test',
  ),
  phones: range(0, knobBounds.phones, [4, 8]).describe('SIP users in each domain: 1001, 1002 …'),
  providers: range(0, knobBounds.providers, [0, 1]).describe('Provider accounts in each domain'),
}) satisfies z.ZodType<Knobs>;

const base = z.string().describe('Name of a topology that ships, or a path relative to this file');

/** The topology of a scenario: by name, by name with a patch, or drawn by the seed. */
export const scenarioTopologySchema = z
  .union(
    [
      base,
      z.strictObject({
        from: base,
        set: z
          .record(z.string(), z.unknown())
          .describe(
            'Patch: merged into the topology, list items by their name (site, node, srvidx, login …); `remove: true` removes an item',
          ),
      }),
      z.strictObject({ draw: knobs.describe('A topology that is drawn by the seed') }),
    ],
    'expected the name of a topology, { from, set } or { draw }',
  )
  .default('default');

export type ScenarioTopology = z.infer<typeof scenarioTopologySchema>;

const title = z.string().min(1).describe('Name of the goal in reports');

export const alwaysSchema = z
  .union([z.literal('all'), z.array(z.string())], 'expected all, or a list of oracles')
  .describe('Oracles: each listed one must be exercised and must never fail; all (default): none may fail');

const eventually = z
  .strictObject({
    name: title,
    within: duration.describe('Time since the cluster was ready'),
    request: requestSchema.optional(),
    look: looked.optional(),
    expect: expectSchema.optional(),
    seen: matcherSchema.optional(),
  })
  .refine(
    ({ request, look, seen }) => [request, look, seen].filter((part) => part !== undefined).length === 1,
    'expected exactly one of request, look, seen',
  )
  .refine(
    ({ seen, expect }) => (seen === undefined) === (expect !== undefined),
    'expected "expect" beside a request or a look',
  );

const sometimes = z.strictObject({ name: title, seen: matcherSchema });

const promise = z
  .strictObject({
    of: z.string().optional().describe('Name of the fault; default: each fault that breaks something'),
    detect: duration.optional().describe('From the fault until a node sees an instance as gone that it saw before'),
    failOver: duration.optional().describe('From the fault until "request" succeeds and keeps succeeding'),
    recover: duration
      .optional()
      .describe(
        'From the last repair, or the fault if there is none, until all views and the list under "agree" agree',
      ),
    request: requestSchema
      .omit({ save: true })
      .optional()
      .describe('Request that the runner repeats; a status below 400 is a success'),
    agree: z
      .strictObject({
        path,
        as: z.string().optional(),
        through: z.array(z.string()).min(2).optional().describe('Default: all sites that have a front'),
      })
      .optional()
      .describe('List that must be the same at all these sites'),
  })
  .refine(
    ({ detect, failOver, recover }) => [detect, failOver, recover].some((part) => part !== undefined),
    'expected detect, failOver or recover',
  )
  .refine(
    ({ failOver, request }) => failOver === undefined || request !== undefined,
    'expected "request" beside "failOver"',
  );

/** What must hold over a whole run: oracles, goals and promised times. */
export const holdsShape = {
  always: alwaysSchema.optional(),
  useCases: z
    .union([z.boolean(), z.int().min(0)], { error: 'expected true, false or how many are drawn' })
    .default(false)
    .describe(
      'Oracles that use the cluster themselves when it is quiescent, with calls and changes of data: how many the seed draws, or true for all; some in campaigns',
    ),
  drills: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'How many drills the seed draws, to be played when the cluster is quiescent: each breaks one thing, and uses the cluster meanwhile and after; some in campaigns',
    ),
  atFailure: z
    .enum(['stop', 'goOn'])
    .default('stop')
    .describe('Whether the run stops or goes on when an oracle fails; the run fails in both cases'),
  eventually: z.array(eventually).default([]).describe('Goals that must become true once'),
  sometimes: z
    .array(sometimes)
    .default([])
    .describe(
      'Goals that must be seen at least once, in this run or with any seed of a sweep; otherwise the verdict is unknown',
    ),
  promise: promise.optional().describe('Promised times; the report shows the measured ones'),
};

export type Eventually = z.infer<typeof eventually>;
export type Promised = z.infer<typeof promise>;

const whyWanted = 'expected at least a sentence that names the failure of real clusters that this is about';

export const scenarioSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9-]+$/, 'expected lower-case letters, digits and "-"'),
    why: z.string(whyWanted).min(20, whyWanted),
    topology: scenarioTopologySchema,
    seed: z.int().default(1),
    starts: z.iso
      .datetime({ offset: true, error: 'expected a date and time, such as 2026-03-01T23:55:00Z' })
      .optional()
      .describe('Date and time when a virtual run begins; default: 2026-01-01T00:00:00Z'),
    sessions: z
      .record(
        z.string(),
        z.strictObject({
          through: z.string().describe('Site whose front receives the request'),
          domain: z.string().describe('Domain of the user'),
          login: z.string().describe('Login of a user of the domain'),
          pwd: z.string().describe('Password of the user'),
        }),
      )
      .default({})
      .describe('Sessions that the runner opens, by token, before the first step'),
    workload: workloadSchema.optional().describe('Load that runs beside the steps, from the first one to the last'),
    faultPoints: z
      .boolean()
      .default(false)
      .describe(
        'Fault points: unlikely events inside the platform, at named places, drawn by the seed. Virtual runs only',
      ),
    ...holdsShape,
    steps: z.array(stepSchema).min(1).max(stepLimits.steps),
  })
  .meta({ title: 'Strowger scenario', description: 'Requests, faults and expectations over time' });

export type Scenario = z.infer<typeof scenarioSchema>;
