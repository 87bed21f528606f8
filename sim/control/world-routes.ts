/** Worlds in the control interface: several clusters in one process, each with fronts of its own, and their pasts. */
import { z } from 'zod';
import { FaultError, fault } from '../../src/model/fault.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import type { HostedWorld, WorldClock, Worlds } from '../embed/hosting/worlds.ts';
import { snapshotSchema } from '../embed/recorded/input.ts';
import { withData } from '../scenario/initial-data.ts';
import { type ScenarioTopology, scenarioTopologySchema } from '../scenario/language/scenario.ts';
import { findTopology } from '../scenario/load-scenario.ts';
import { type LoadedTopology, shippedTopologies } from '../topology/load-topology.ts';
import { type ControlRoute, orRefuse, route, virtualOf, worldPath } from './route.ts';

const nameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected 1 to 64 lower-case letters, digits and "-"')
  .describe('A name of its own; default: w1, w2 …');
const seed = z
  .int()
  .min(0)
  .max(2 ** 31);
const createSchema = z.strictObject({
  name: nameSchema.optional(),
  topology: scenarioTopologySchema
    .removeDefault()
    .optional()
    .describe('The name of a topology that ships, { from, set } or { draw }; default: that of the main world'),
  initialData: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'Domains, users, rules, scripts, files and calls with which it begins, as `serve --initial-data` takes them',
    ),
  seed: seed.optional().describe('Seed of all that is random; default: that of the main world, or 1'),
  clock: z.enum(['virtual', 'real']).default('virtual').describe('Its time; default virtual'),
  snapshot: snapshotSchema.optional().describe('Its past: a snapshot of the same topology and seed; default: none'),
});
const worldSchema = z.object({
  name: z.string().describe('Its name'),
  topology: z.string().describe('The name of its topology'),
  seed: z.int().optional().describe('Its seed, if it has one'),
  clock: z.enum(['virtual', 'real']).describe('Its time'),
  nowMs: z.number().describe('The time of its cluster, in milliseconds since the epoch'),
  sites: z.record(z.string(), z.string()).describe('The base URL of the first front of each site'),
});

export function worldRoutes(worlds: Worlds): readonly ControlRoute[] {
  return [
    route({
      method: 'GET',
      path: '/worlds',
      isCommon: true,
      does: 'Lists the worlds of this process. The first one, main, is that of the command line.',
      gives: z.array(worldSchema),
      answer: () => worlds.all.map(shown),
    }),
    route({
      method: 'POST',
      path: '/worlds',
      isCommon: true,
      does: 'Starts a world. It shares nothing with the others: it has nodes, phones, time and fronts on free ports of its own.',
      body: createSchema,
      isLarge: true,
      gives: worldSchema,
      answer: ({ body: { topology, initialData, name, ...wanted } }) =>
        orRefuse(async () => {
          const given = wanted.seed ?? wanted.snapshot?.seed ?? worlds.main.seed;
          const base = topology === undefined ? worlds.main.loaded : shippedTopology(topology, given ?? 1);
          const loaded = initialData === undefined ? base : withData(base, initialData);
          return shown(await worlds.create({ ...wanted, seed: given, loaded, ...(name !== undefined && { name }) }));
        }),
    }),
    route({
      method: 'GET',
      path: worldPath,
      isCommon: true,
      does: 'Shows a world.',
      gives: worldSchema,
      answer: ({ world }) => shown(world),
    }),
    route({
      method: 'DELETE',
      path: worldPath,
      isCommon: true,
      does: 'Ends a world; main cannot be deleted.',
      answer: ({ world }) => worlds.delete(world.name),
    }),
    route({
      method: 'POST',
      path: '/fork',
      does: 'Starts a world with the same past, and a future of its own. It takes as long as the past took. Needs virtual time.',
      body: z.strictObject({ name: nameSchema.optional() }),
      gives: worldSchema,
      answer: async ({ world, body: { name } }) => shown(await orRefuse(() => worlds.fork(world, name))),
    }),
    route({
      method: 'POST',
      path: '/reset',
      does: 'Starts the world anew: same topology, same seed, no past. Its fronts keep their ports.',
      answer: ({ world }) => world.reset(),
    }),
    route({
      method: 'GET',
      path: '/snapshot',
      does: 'Returns the past of the cluster: its seed and its inputs. Needs virtual time.',
      gives: snapshotSchema,
      answer: ({ world }) => virtualOf(world).present.snapshot,
    }),
    route({
      method: 'PUT',
      path: '/snapshot',
      does: 'Returns the cluster to a snapshot of the same topology and seed. Needs virtual time.',
      body: snapshotSchema,
      isLarge: true,
      answer: ({ world, body }) => orRefuse(() => virtualOf(world).restore(body)),
    }),
  ];
}

function shown({ name, loaded, seed: given, virtual, present, urls }: HostedWorld): z.infer<typeof worldSchema> {
  const clock: WorldClock = virtual === undefined ? 'real' : 'virtual';
  const { topology } = loaded.map;
  const sites = Object.fromEntries(urls);
  return { name, topology: topology.name, seed: given, clock, nowMs: present.world.now(), sites };
}

/** A topology that ships: a client of the control interface names no files. */
export function shippedTopology(wanted: ScenarioTopology, seed: number): LoadedTopology {
  const name = typeof wanted === 'string' ? wanted : 'from' in wanted ? wanted.from : 'default';
  if (shippedTopologies().includes(name)) return findTopology(wanted, seed, '.');
  const problem = expectedText('the name of a topology that ships', name.slice(0, 100), shippedTopologies());
  throw new FaultError(fault('invalid', `topology: ${problem}`));
}
