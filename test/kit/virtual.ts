/** The virtual world of the default topology, as tests of the whole cluster look at it: from outside, knowing everything. */
import { VirtualWorld } from '../../sim/world/virtual.ts';
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../src/model/cluster/states.ts';
import { defaultMap as map, webApps } from './maps.ts';

export const nodes = [...map.nodes.keys()];
export const sites = [...map.sites.keys()];

const byName = new Map([...map.instances.values()].map((instance) => [instance.name, instance]));
export const instances = [...byName.keys()];

/** The names of each group's members, by order. */
export const groups: readonly (readonly string[])[] = [...map.instances.values()]
  .filter((instance) => instance.group !== undefined && map.groupOf(instance)[0] === instance)
  .map((first) => map.groupOf(first).map((member) => member.name));

export function instanceNamed(name: string): InstanceEntry {
  return byName.get(name) as InstanceEntry;
}

/** Without phones and providers: these tests are about nodes. */
export function makeWorld(seed: number, options: { keepJournal?: boolean } = {}): VirtualWorld {
  return new VirtualWorld({ map, webApps, seed, outside: false, ...options });
}

export async function startWorld(seed = 1): Promise<VirtualWorld> {
  const world = makeWorld(seed, { keepJournal: true });
  await world.start();
  return world;
}

/** The actual status of an instance, independent of all views. `undefined`: it does not run. */
export function statusOf(world: VirtualWorld, name: string): InstanceStatus | undefined {
  return world.cluster.node(instanceNamed(name).node)?.instance(name)?.status;
}

/** Groups that do not have exactly one active member, and which those are. */
export function wrongGroups(world: VirtualWorld): Record<string, readonly string[]> {
  const actives = groups.map((group) => group.filter((name) => statusOf(world, name) === 'active'));
  return Object.fromEntries(
    groups.flatMap((group, index) => (actives[index]?.length === 1 ? [] : [[group.join('|'), actives[index] ?? []]])),
  );
}

/** Watches for `ms` whether more than one of `names` is active at any moment. Answers for how long that was so. */
export async function overlapMs(world: VirtualWorld, names: readonly string[], ms: number): Promise<number> {
  let total = 0;
  let sinceMs: number | undefined;
  await world.runUntil(() => {
    if (sinceMs !== undefined) total += world.now() - sinceMs;
    sinceMs = names.filter((name) => statusOf(world, name) === 'active').length > 1 ? world.now() : undefined;
    return false;
  }, ms);
  return total;
}

/** How long it takes until something is so, in virtual milliseconds. */
export async function msUntil(world: VirtualWorld, isDone: () => boolean, withinMs = 60_000): Promise<number> {
  const sinceMs = world.now();
  if (!(await world.runUntil(isDone, withinMs))) throw new Error(`it did not come to pass within ${withinMs} ms`);
  return world.now() - sinceMs;
}

/**
 * Lifts every fault, resumes and restarts all, and waits until the cluster has settled and each group has exactly one
 * active member; answers how long that took.
 */
export async function heal(world: VirtualWorld): Promise<number> {
  world.faults.mend();
  for (const node of nodes) world.faults.resumeNode(node);
  for (const node of nodes) void world.faults.restartNode(node);
  for (const name of instances) world.faults.restartInstance(name);
  return msUntil(world, () => world.cluster.isSettled && Object.keys(wrongGroups(world)).length === 0, 30_000);
}
