import { z } from 'zod';
import { type Knobs, knobBounds, type Range } from '../../topology/draw.ts';
import { duration } from './faults.ts';
import { sightSchema } from './observations.ts';
import { expectSchema, outside, path, requestSchema } from './requests.ts';
import { stepLimits, stepSchema } from './steps.ts';
import { workloadSchema } from './workloads.ts';

export type { Expectation } from './requests.ts';

/** The topology of a scenario: one by name, one with changes, or one that the seed draws. */

/** `3`, or `2..4`: from the least to the most, both included. */
function range(least: number, most: number, usual: Range) {
  const wanted = `expected a number from ${least} to ${most}, or a range such as ${usual.join('..')}`;
  return z
    .union([z.int(), z.string().regex(/^\d{1,3}\.\.\d{1,3}$/, wanted)], wanted)
    .transform((value): Range => {
      const [from = 0, to = from] = String(value).split('..').map(Number);
      return [from, to];
    })
    .refine(([from, to]) => least <= from && from <= to && to <= most, wanted)
    .default(usual);
}

const knobs = z.strictObject({
  sites: range(1, knobBounds.sites, [2, 4]).describe('The first are hq (the master), north, south, east, west'),
  nodes: range(1, knobBounds.nodes, [1, 3]).describe('Of each site: h1, h2 … at hq, n1 … at north'),
  domains: range(1, knobBounds.domains, [1, 2]).describe('acme.root.test, globex.root.test, initech.root.test'),
  phones: range(0, knobBounds.phones, [4, 8]).describe('SIP users of each domain: 1001, 1002 …'),
  providers: range(0, knobBounds.providers, [0, 1]).describe('Provider accounts of each domain'),
}) satisfies z.ZodType<Knobs>;

const base = z.string().describe('Name of one that ships, or a path relative to this file');

export const scenarioTopologySchema = z
  .union(
    [
      base,
      z.strictObject({
        from: base,
        set: z
          .record(z.string(), z.unknown())
          .describe(
            'What is different: merged into it, items of lists by their name (site, node, srvidx, login …); `remove: true` takes one away',
          ),
      }),
      z.strictObject({ draw: knobs }),
    ],
    'expected the name of a topology, { from, set } or { draw }',
  )
  .default('default');

export type ScenarioTopology = z.infer<typeof scenarioTopologySchema>;

/** What must hold over a whole run: rules, things that must become true, things that must be seen, promised times. */

const title = z.string().min(1).describe('What it is about; names it in reports');

export const alwaysSchema = z
  .union([z.literal('all'), z.array(z.string())], 'expected all, or a list of oracles')
  .describe('Oracles: each by name must have been exercised and never have failed; all (default): none may fail');

const eventually = z
  .strictObject({
    name: title,
    within: duration.describe('Since the cluster was ready'),
    request: requestSchema.optional(),
    look: outside.optional(),
    expect: expectSchema.optional(),
    seen: sightSchema.optional(),
  })
  .refine(
    ({ request, look, seen }) => [request, look, seen].filter((part) => part !== undefined).length === 1,
    'expected exactly one of request, look, seen',
  )
  .refine(
    ({ seen, expect }) => (seen === undefined) === (expect !== undefined),
    'expected "expect" beside a request or a look',
  );

const sometimes = z.strictObject({ name: title, seen: sightSchema });

const promise = z
  .strictObject({
    of: z.string().optional().describe('Name of the fault; default: each that breaks something'),
    detect: duration.optional().describe('From the fault until a node sees something as gone that it saw before'),
    failOver: duration.optional().describe('From the fault until "request" succeeds and goes on to'),
    recover: duration
      .optional()
      .describe('From the last mend, or the fault where nothing is mended, until all views and "agree" agree'),
    request: requestSchema.omit({ save: true }).optional().describe('Asked again and again; it succeeds below 400'),
    agree: z
      .strictObject({
        path,
        as: z.string().optional(),
        through: z.array(z.string()).min(2).optional().describe('Default: all sites that have a front'),
      })
      .optional()
      .describe('A list that all these sites must show alike'),
  })
  .refine(
    ({ detect, failOver, recover }) => [detect, failOver, recover].some((part) => part !== undefined),
    'expected detect, failOver or recover',
  )
  .refine(
    ({ failOver, request }) => failOver === undefined || request !== undefined,
    'expected "request" beside "failOver"',
  );

export const holdsShape = {
  always: alwaysSchema.optional(),
  atFailure: z
    .enum(['stop', 'goOn'])
    .default('stop')
    .describe('What the run does when an oracle fails, which fails the run in any case'),
  eventually: z.array(eventually).default([]).describe('What must become true once'),
  sometimes: z
    .array(sometimes)
    .default([])
    .describe(
      'What must be seen at least once, in this run or, in a sweep, with any of its seeds; else nothing was proved',
    ),
  promise: promise.optional().describe('Times that are promised; they are measured, and reported beside'),
};

export type Eventually = z.infer<typeof eventually>;
export type Promised = z.infer<typeof promise>;

/** Scenario files: what they may say. Published as JSON Schema (`docs/reference/scenario.schema.json`) for editors. */

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
