/** Which esg instance has a provider account now: what every node works out by itself, from its own view. */
import type { ClusterMap, InstanceEntry } from '../model/cluster-map.ts';
import type { View } from './view.ts';

/**
 * The esg that has an account: the one that it is pinned to while that is active, else the next active one of the same
 * site by order, beginning again at the first (choices, section 6). `undefined`: the account is lost for now.
 */
export function accountHome(
  map: ClusterMap,
  view: Pick<View, 'statusOf'>,
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
