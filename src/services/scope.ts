/**
 * Scope: which role instances a request concerns. At most one of `site`, `sites`, `server`, `servers`; none means all.
 * (parameters documented; more than one, and names that do not exist, are refused: chosen)
 */
import type { ClusterMap, InstanceEntry } from '../model/cluster-map.ts';
import { FaultError, fault } from '../model/fault.ts';
import type { RoleName } from '../model/roles.ts';

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
  for (const server of wanted) {
    if (map.instancesOn(server).length > 0) continue;
    refuseUnknown(name, 'server with this address, number or name', server, [...map.nodes.keys()]);
  }
  const named = new Set(wanted.flatMap((server) => map.instancesOn(server)));
  return all.filter((instance) => named.has(instance));
}

function refuseUnknown(name: string, what: string, value: string, known: readonly string[]): never {
  refuse(`${name}: no ${what} "${value}"; there are ${known.join(', ')}`);
}

function refuse(message: string): never {
  throw new FaultError(fault('invalid', message));
}
