/** Which nodes may be lost in a drill. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { SteadyUser } from '../../use-cases/kit/call.ts';
import type { Drill } from './drill.ts';

/** Whether a node may be lost, and what it serves is served by others of its site: also none of the instances with these names is on it. */
export function isSpare(drill: Drill, node: string, needed: readonly string[]): boolean {
  const { map } = drill.context;
  const at = map.node(node);
  const site = map.site(at.site);
  const others = site.nodes.filter((each) => each !== at);
  const hasQuorum = others.length > site.nodes.length / 2 || site.arbiters.length > 0;
  const isElsewhere = (name: string) => map.instanceNamed(name)?.node !== node;
  const roles = ['callstore', 'mware', 'sr', 'rpco', 'mdc'] as const;
  const isAsked = at.site !== drill.here || sitesWithout(drill, node).includes(at.site);
  const isServed = roles.every(
    (role) =>
      drill.activeOf(role, at.site).length === 0 ||
      map.serving(role, at.site, drill.domain).some((each) => each.node !== node),
  );
  return others.length > 0 && hasQuorum && isAsked && isServed && needed.every(isElsewhere);
}

/** Whether others have all that is on the disk of a node, once members of a group have compared it: records of calls, ends of sessions. */
export function isKeptElsewhere(drill: Drill, node: string): boolean {
  const { map } = drill.context;
  const elsewhere = (instances: readonly InstanceEntry[]) => instances.some((each) => each.node !== node);
  const stores = map.node(node).instances.filter(({ role }) => role === 'callstore');
  return stores.every((store) => elsewhere(map.groupOf(store))) && elsewhere(map.instancesOf('ws'));
}

/** Sites with a front that does not depend on a node, also where the domain is not served. */
export function sitesWithout({ sites, context: { map, statusOf } }: Drill, node: string): string[] {
  const isThere = (front: InstanceEntry) => front.node !== node && statusOf(front) === 'active';
  return sites.filter((site) => map.instancesOf('ws').some((front) => front.site === site && isThere(front)));
}

/** The gates of the phones of a user. */
export function gatesOf(drill: Drill, user: SteadyUser): string[] {
  return drill.phonesOf(user).flatMap(({ gate }) => gate ?? []);
}
