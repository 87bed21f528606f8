/** Drawing one of several instances by hash: whoever draws for the same key takes the same one, and where one goes only its keys move. */
import type { InstanceEntry } from '../../model/cluster-map.ts';

/** The instance that draws highest for a key. */
export function highestFor(key: string, instances: readonly InstanceEntry[]): InstanceEntry | undefined {
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
