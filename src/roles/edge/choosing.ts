/** Which b2b instance takes a call or a registration that comes from outside, without anybody remembering it. */
import type { InstanceEntry } from '../../model/cluster-map.ts';
import type { RoleScope } from '../../runtime/role.ts';

/**
 * The active b2b for a Call-Id: of the own site, else of the first other site that has one. Each instance draws by hash
 * and the highest wins, so that a retry or a CANCEL finds the same one, and where an instance goes only its calls move.
 */
export function b2bFor({ map, view, instance }: RoleScope, callid: string): InstanceEntry | undefined {
  const seed = hashOf(callid);
  let best: InstanceEntry | undefined;
  let bestDraw = -1;
  for (const site of [instance.site, ...map.sites.keys()]) {
    for (const candidate of map.instancesOf('b2b')) {
      if (candidate.site !== site || view.statusOf(candidate) !== 'active') continue;
      const draw = mixed(seed ^ Math.imul(candidate.srvidx, 0x9e3779b1));
      if (draw > bestDraw) [best, bestDraw] = [candidate, draw];
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/** The last steps of MurmurHash3: every bit counts for every bit. */
function mixed(bits: number): number {
  let hash = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
