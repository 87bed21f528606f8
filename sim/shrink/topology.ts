/** Makes the topology of a candidate smaller, part by part. */
import { at, type Data, type Path, put } from './data.ts';
import { shrinkList } from './shrink-list.ts';

type Holds = (topology: Data) => Promise<boolean>;

/** A topology from whose lists no item can be taken any more. `holds` is true of `topology`, and is asked of smaller ones. */
export async function smallerTopology(topology: Data, holds: Holds): Promise<Data> {
  let best = topology;
  const shrinkAt = async (path: Path) => {
    const items = at(best, path);
    if (!Array.isArray(items) || items.length === 0) return;
    const fewer = await shrinkList(items, (shorter) => holds(put(best, path, shorter) as Data));
    if (fewer.length < items.length) best = put(best, path, fewer) as Data;
  };
  await shrinkAt(['sites']);
  await shrinkAt(['domains']);
  for (const s of indices(at(best, ['sites']))) {
    await shrinkAt(['sites', s, 'nodes']);
    for (const n of indices(at(best, ['sites', s, 'nodes']))) await shrinkAt(['sites', s, 'nodes', n, 'instances']);
  }
  for (const d of indices(at(best, ['domains']))) {
    for (const part of ['sipusers', 'providers', 'features', 'users']) await shrinkAt(['domains', d, part]);
  }
  return best;
}

function indices(items: unknown): number[] {
  return Array.isArray(items) ? [...items.keys()] : [];
}
