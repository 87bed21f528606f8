/** The audio matchers of the mware instances, standby instances included. */

import type { RoleScope } from '../cluster/role.ts';
import type { ClusterMap, InstanceEntry } from '../model/cluster/cluster-map.ts';
import { FaultError, fault, unwrap } from '../model/fault.ts';
import type { MatcherInfo } from '../model/protocol/messages/mware.ts';
import { askAll } from './fan-out.ts';

/** Sites and nodes by name; absent: all. With both, the matchers in both. (the parameters documented) */
export interface MatcherScope {
  readonly sites?: readonly string[] | undefined;
  readonly nodes?: readonly string[] | undefined;
}

/** The matchers that answered, by site. */
export type MatcherStatus = Readonly<Record<string, readonly { readonly info: MatcherInfo; readonly node: string }[]>>;

/**
 * Reloads the samples of the reachable matchers in scope, if requested; `missing` lists the sites of the others. Throws
 * when no matcher can have done it. (chosen)
 */
export async function reloadMatchers(
  scope: RoleScope,
  params: MatcherScope,
  action: 'reload' | undefined,
): Promise<{ missing: readonly string[] }> {
  const instances = matchersIn(scope.map, params);
  if (action === undefined) return { missing: [] };
  if (instances.length === 0) {
    throw new FaultError(
      fault('invalid', 'nodes: expected one with a mware instance, within the sites that are given'),
    );
  }
  const answers = await askAll(scope, instances, 'matcher.reload', {});
  const [first] = answers;
  if (first !== undefined && answers.every(({ outcome }) => !outcome.ok)) unwrap(first.outcome);
  return { missing: sitesOf(answers.filter(({ outcome }) => !outcome.ok).map(({ instance }) => instance)) };
}

/** The status of the matchers in scope. A matcher that does not answer is left out, and `missing` lists its site. */
export async function matcherStatus(
  scope: RoleScope,
  params: MatcherScope,
): Promise<{ readonly status: MatcherStatus; readonly missing: readonly string[] }> {
  const answers = await askAll(scope, matchersIn(scope.map, params), 'matcher.status', {});
  const found = answers.flatMap(({ instance, outcome }) =>
    outcome.ok ? [{ site: instance.site, entry: { info: outcome.value, node: instance.node } }] : [],
  );
  const sites = [...new Set(found.map(({ site }) => site))];
  const status = Object.fromEntries(
    sites.map((name) => [name, found.filter(({ site }) => site === name).map(({ entry }) => entry)] as const),
  );
  const silent = answers.filter(({ outcome }) => !outcome.ok).map(({ instance }) => instance);
  return { status, missing: sitesOf(silent) };
}

function matchersIn(map: ClusterMap, { sites, nodes }: MatcherScope): readonly InstanceEntry[] {
  refuseUnknown('sites', sites, [...map.sites.keys()]);
  refuseUnknown('nodes', nodes, [...map.nodes.keys()]);
  return map
    .rowsOf('mware')
    .filter(({ site, node }) => (sites?.includes(site) ?? true) && (nodes?.includes(node) ?? true));
}

function refuseUnknown(name: string, given: readonly string[] | undefined, known: readonly string[]): void {
  const strange = given?.find((each) => !known.includes(each));
  if (strange === undefined) return;
  const message = `${name}: expected some of ${known.join(', ')}, got ${JSON.stringify(strange)}`;
  throw new FaultError(fault('invalid', message));
}

function sitesOf(instances: readonly InstanceEntry[]): string[] {
  return [...new Set(instances.map(({ site }) => site))];
}
