/** Choices of an instance that every node makes alike: the esg of a provider account, and the one for a key. */
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

/**
 * The instance that draws highest for a key (rendezvous hashing): every instance that draws takes the same one, and only the keys of
 * an instance that goes away move.
 */
export function rendezvousChoice(key: string, instances: readonly InstanceEntry[]): InstanceEntry | undefined {
  let best: InstanceEntry | undefined;
  let bestDraw = -1;
  for (const instance of instances) {
    const draw = drawOf(`${instance.name}/${key}`);
    if (draw > bestDraw || (draw === bestDraw && best !== undefined && instance.name < best.name)) {
      best = instance;
      bestDraw = draw;
    }
  }
  return best;
}

/** FNV-1a with the last steps of MurmurHash3, so that every bit counts for every bit. */
function drawOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
