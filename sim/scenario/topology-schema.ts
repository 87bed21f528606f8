/** The topology of a scenario: one by name, one with changes, or one that the seed draws. */
import { z } from 'zod';
import { type Knobs, knobBounds, type Range } from '../topology/draw.ts';

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
