/**
 * The core of a cluster: sites that are healed while everything else stays as broken as it is. It always has the master site,
 * for without that nobody can change anything, and all nodes of its sites.
 */
import type { ClusterMap, InstanceEntry } from '../../src/model/cluster-map.ts';
import { roles } from '../../src/model/roles.ts';
import { isWilling, reactionOf } from '../outside/behaviour.ts';
import { type PhoneEntry, phonesOf } from '../outside/population.ts';
import { SeededRandom } from '../random.ts';
import type { World } from '../world/world.ts';

export interface Core {
  readonly sites: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly instances: readonly InstanceEntry[];
  /** Phones whose way to the platform begins at one of its sites. */
  readonly phones: readonly PhoneEntry[];
}

export function coreOf(map: ClusterMap, sites: readonly string[]): Core {
  const within = new Set([map.masterSite.name, ...sites]);
  const instances = [...map.instances.values()].filter(({ site }) => within.has(site));
  const nodes = new Set([...map.nodes.values()].filter(({ site }) => within.has(site)).map(({ name }) => name));
  const phones = phonesOf(map).filter(({ gates: [first] }) => first !== undefined && within.has(first.site));
  return { sites: within, nodes, instances, phones };
}

/** The master site, and each of the others with the chance of a coin. Of a seed it is always the same. */
export function drawCore(map: ClusterMap, seed: number): Core {
  const random = new SeededRandom(seed).fork('the core').stream('faults');
  return coreOf(
    map,
    [...map.sites.keys()].filter(() => random.float() < 0.5),
  );
}

/** Undoes within a core what was done to it: of the traffic, of nodes, of role instances, of phones. */
export async function heal(world: World, core: Core): Promise<void> {
  const { cluster, faults, map, outside } = world;
  cluster.rules.spare((from, to) => core.nodes.has(from.name) && core.nodes.has(to.name));
  const gates = new Set(core.instances.filter(isGate).map((instance) => map.endpointOf(instance)));
  outside.network.rules.spare((from, to) => gates.has(from) || gates.has(to));
  for (const name of core.nodes) faults.resumeNode(name);
  await Promise.all(
    [...core.nodes].filter((name) => cluster.node(name) === undefined).map((name) => faults.restartNode(name)),
  );
  for (const { name, node } of core.instances) if (isDown(world, name, node)) faults.restartInstance(name);
  for (const { name, isSilent } of outside.phones()) {
    if (!core.phones.some((phone) => phone.name === name)) continue;
    if (isSilent) faults.revive(name);
    // Who knew of it may have died; by itself it would tell only when its registration is about to expire.
    else outside.register(name);
  }
}

/** What keeps a core from being one: who is not seen by whom. Empty: each of its nodes sees all others at work. */
export function apart({ cluster, map }: World, core: Core): string[] {
  return [...core.nodes].flatMap((name) => {
    const view = cluster.node(name)?.view;
    if (view === undefined) return [`node ${name} does not run`];
    const unseen = [...core.nodes].filter((other) => !view.isReachable(other));
    if (unseen.length > 0) return [`node ${name} does not see ${unseen.join(', ')}`];
    const idle = core.instances.filter((instance) => {
      const members = roles[instance.role].redundancy === 'active-active' ? [instance] : map.groupOf(instance);
      return members.every((member) => view.statusOf(member) !== 'active');
    });
    return idle.length === 0
      ? []
      : [`node ${name} sees no ${idle.map((instance) => instance.name).join(', ')} at work`];
  });
}

/** Two phones of a core that can call each other: somebody, and somebody else of the domain who answers. */
export function pairsIn({ map }: World, { phones }: Core): { from: PhoneEntry; to: PhoneEntry }[] {
  const answers = ({ domain, user }: PhoneEntry) =>
    isWilling(reactionOf(user.phonenumber, map.domains.get(domain)?.numbers[user.phonenumber]));
  return phones.flatMap((from) =>
    phones
      .filter((to) => to.domain === from.domain && to.user !== from.user && answers(to))
      .map((to) => ({ from, to })),
  );
}

function isGate({ role }: InstanceEntry): boolean {
  return role === 'sg' || role === 'esg';
}

function isDown({ cluster, map }: World, name: string, node: string): boolean {
  const instance = map.instanceNamed(name);
  return instance !== undefined && cluster.node(node)?.view.statusOf(instance) === 'stopped';
}
