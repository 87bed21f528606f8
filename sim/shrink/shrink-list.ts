/** Makes a list as short as it can be while something about it stays true (delta debugging, Zeller and Hildebrandt). */

/** A list from which no single item can be taken any more. `holds` is true of `items`, and is asked of shorter lists. */
export async function shrinkList<T>(
  items: readonly T[],
  holds: (shorter: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let best = items;
  let size = Math.ceil(best.length / 2);
  while (best.length > 0 && size >= 1) {
    const shorter = await withoutOneChunk(best, size, holds);
    if (shorter !== undefined) best = shorter;
    else if (size === 1) break;
    else size = Math.ceil(size / 2);
    size = Math.min(size, best.length);
  }
  return best;
}

/** Chunks at the end first: what comes late has the least that depends on it. */
async function withoutOneChunk<T>(
  items: readonly T[],
  size: number,
  holds: (shorter: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  for (let end = items.length; end > 0; end -= size) {
    const shorter = [...items.slice(0, Math.max(0, end - size)), ...items.slice(end)];
    if (await holds(shorter)) return shorter;
  }
  return undefined;
}
