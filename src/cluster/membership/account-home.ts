/** Which esg instance has a provider account. */
import type { ClusterMap, InstanceEntry } from '../../model/cluster/cluster-map.ts';
import type { ClusterView } from './view.ts';

/**
 * The esg instance that has a provider account, computed by every node from its own view: the instance that the account is
 * pinned to while that is active, else the next active one of the same site by priority, wrapping around (chosen).
 * `undefined`: the account is unassigned.
 */
export function accountHome(
  map: ClusterMap,
  view: Pick<ClusterView, 'statusOf'>,
  account: { readonly esg: number },
): InstanceEntry | undefined {
  const gates = map.instancesOf('esg');
  const pinned = gates.find((each) => each.srvidx === account.esg);
  if (pinned === undefined || view.statusOf(pinned) === 'active') return pinned;
  const others = gates
    .filter((each) => each.site === pinned.site && each !== pinned && view.statusOf(each) === 'active')
    .sort((a, b) => a.order - b.order);
  return others.find((each) => each.order > pinned.order) ?? others[0];
}
