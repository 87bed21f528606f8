/** The scope of a request, and one ask of all role instances in it. */
import type { RoleScope } from '../cluster/role.ts';
import type { ClusterMap, InstanceEntry } from '../model/cluster/cluster-map.ts';
import type { RoleName } from '../model/cluster/roles.ts';
import { FaultError, failed, fault, type Outcome } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';

/**
 * The parameters of the scope of a request, which says what role instances it addresses. At most one of them; none means
 * all. (parameters documented; refusing several, and unknown names, chosen)
 */
export const scopeNames = ['site', 'sites', 'server', 'servers'] as const;
export type ScopeParams = { readonly [N in (typeof scopeNames)[number]]?: string | undefined };

/** The instances of `role` in scope, in the order of site, node, srvidx. */
export function resolveScope(map: ClusterMap, role: RoleName, params: ScopeParams): readonly InstanceEntry[] {
  const given = scopeNames.filter((name) => params[name] !== undefined);
  const [name] = given;
  if (given.length > 1) refuse(`${given.join(', ')}: expected at most one of them`);
  const all = map.rowsOf(role);
  if (name === undefined) return all;
  const texts = name.endsWith('s') ? (params[name] ?? '').split(',') : [params[name] ?? ''];
  const wanted = texts.map((text) => text.trim());
  if (name.startsWith('site')) {
    for (const site of wanted) if (!map.sites.has(site)) refuseUnknown(name, 'site', site, [...map.sites.keys()]);
    return all.filter((instance) => wanted.includes(instance.site));
  }
  const named = new Set<InstanceEntry>();
  for (const server of wanted) {
    const found = map.instancesOn(server);
    if (found.length === 0) {
      refuseUnknown(name, 'server with this address, number or name', server, [...map.nodes.keys()]);
    }
    for (const instance of found) named.add(instance);
  }
  return all.filter((instance) => named.has(instance));
}

function refuseUnknown(name: string, what: string, value: string, known: readonly string[]): never {
  refuse(`${name}: no ${what} "${value}"; there are ${known.join(', ')}`);
}

function refuse(message: string): never {
  throw new FaultError(fault('invalid', message));
}

export interface Answered<T extends AskType> {
  readonly instance: InstanceEntry;
  readonly outcome: Outcome<ReplyOf<T>>;
}

/**
 * Sends the same ask to all instances at once, with one deadline (`edgeWaitMs`). Returns an outcome for each, in their order: `unreachable`
 * at once where the view has no route (not executed); `timeout` or `crashed` where it may have been executed.
 */
export async function askAll<T extends AskType>(
  scope: RoleScope,
  instances: readonly InstanceEntry[],
  type: T,
  body: BodyOf<T>,
): Promise<Answered<T>[]> {
  const { ask, clock, counters, map, view } = scope;
  const deadlineMs = clock.now() + map.topology.timings.edgeWaitMs;
  const outcomes = await Promise.all(
    instances.map((instance) => {
      if (view.statusOf(instance) !== undefined) return ask(instance.address, type, body, { deadlineMs });
      const message = `${instance.address} is not reachable from site ${scope.instance.site}`;
      return failed(fault('unreachable', message, instance.address));
    }),
  );
  const unanswered = outcomes.filter(({ ok }) => !ok).length;
  counters.probe?.fannedOut(counters.address, type, outcomes.length, unanswered);
  return instances.map((instance, index) => ({ instance, outcome: outcomes[index] as Outcome<ReplyOf<T>> }));
}

/** The fields of an instance that every answer of an edge role has. (documented) */
export interface InstanceRow {
  readonly site: string;
  readonly node: string;
  readonly srvidx: number;
  readonly addr: string;
  readonly online: boolean;
}

export function rowOf<T extends AskType>({ instance, outcome }: Answered<T>): InstanceRow {
  const { site, node, srvidx, addr } = instance;
  return { site, node, srvidx, addr, online: outcome.ok };
}
