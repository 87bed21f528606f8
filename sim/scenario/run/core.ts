/** A part of the cluster that is whole, while faults stay active elsewhere: `converge` heals it. */
import type { ClusterMap, InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import { roles } from '../../../src/model/cluster/roles.ts';
import { isWilling, reactionOf } from '../../outside/behaviour.ts';
import { type PhoneEntry, phonesOf } from '../../outside/population.ts';
import { SeededRandom } from '../../ports/random.ts';
import type { World } from '../../world/world.ts';

/**
 * A core of the cluster: sites that `converge` heals while all other faults stay active. It always includes the master
 * site, because configuration changes need it, and it has all nodes of its sites.
 */
export interface Core {
  readonly sites: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly instances: readonly InstanceEntry[];
  /** Phones whose first gate is at one of its sites. */
  readonly phones: readonly PhoneEntry[];
}

export function coreOf(map: ClusterMap, sites: readonly string[]): Core {
  const within = new Set([map.masterSite.name, ...sites]);
  const instances = [...map.instances.values()].filter(({ site }) => within.has(site));
  const nodes = new Set([...map.nodes.values()].filter(({ site }) => within.has(site)).map(({ name }) => name));
  const phones = phonesOf(map).filter(({ gates: [first] }) => first !== undefined && within.has(first.site));
  return { sites: within, nodes, instances, phones };
}

/** The master site, and each other site with a chance of one half. A seed always draws the same core. */
export function drawCore(map: ClusterMap, seed: number): Core {
  const random = new SeededRandom(seed).fork('the core').stream('faults');
  return coreOf(
    map,
    [...map.sites.keys()].filter(() => random.float() < 0.5),
  );
}

/** Lifts all faults inside a core: traffic, full disks, nodes, role instances, phones. */
export async function heal(world: World, core: Core): Promise<void> {
  const { cluster, faults, map, outside } = world;
  cluster.rules.spare((from, to) => core.nodes.has(from.name) && core.nodes.has(to.name));
  const gates = new Set(core.instances.filter(isGate).map((instance) => map.endpointOf(instance)));
  outside.network.rules.spare((from, to) => gates.has(from) || gates.has(to));
  for (const name of core.nodes) {
    faults.makeRoom(name);
    faults.resumeNode(name);
  }
  await Promise.all(
    [...core.nodes].filter((name) => cluster.node(name) === undefined).map((name) => faults.restartNode(name)),
  );
  restartInstances(world, core);
  for (const { name, isSilent } of outside.phones()) {
    if (!core.phones.some((phone) => phone.name === name)) continue;
    if (isSilent) faults.revive(name);
    // The sr instance with its registration may have ended, and by itself a phone registers again only before that expires.
    else outside.register(name);
  }
}

/** Starts the role instances of a core that have crashed, also after they were given up. */
export function restartInstances(world: World, core: Core): void {
  for (const { name, node } of core.instances) if (isDown(world, name, node)) world.faults.restartInstance(name);
}

/** Reasons why the core is not connected; empty if each of its nodes sees all others at work. */
export function disconnectedIn({ cluster, map }: World, core: Core): string[] {
  return [...core.nodes].flatMap((name) => {
    const view = cluster.viewOf(name);
    if (view === undefined) return [`node ${name} does not run`];
    const unseen = [...core.nodes].filter((other) => !view.isReachable(other));
    if (unseen.length > 0) return [`node ${name} does not see ${unseen.join(', ')}`];
    const idle = core.instances.filter((instance) => {
      const members = roles[instance.role].redundancy === 'active-active' ? [instance] : map.groupOf(instance);
      return members.every((member) => view.statusOf(member) !== 'active');
    });
    return idle.length === 0 ? [] : [`node ${name} sees no active ${idle.map((instance) => instance.name).join(', ')}`];
  });
}

/** Pairs of a caller and a callee of the same domain, in which the callee answers calls. */
export function pairsIn({ map }: World, { phones }: Core): { from: PhoneEntry; to: PhoneEntry }[] {
  const answers = ({ domain, user }: PhoneEntry) =>
    isWilling(reactionOf(user.phonenumber, map.domains.get(domain)?.numbers[user.phonenumber]));
  return phones.flatMap((from) =>
    phones
      .filter((to) => to.domain === from.domain && to.user !== from.user && answers(to))
      .map((to) => ({ from, to })),
  );
}

export function isGate({ role }: InstanceEntry): boolean {
  return role === 'sg' || role === 'esg';
}

function isDown({ cluster, map }: World, name: string, node: string): boolean {
  const instance = map.instanceNamed(name);
  return instance !== undefined && cluster.viewOf(node)?.statusOf(instance) === 'stopped';
}
