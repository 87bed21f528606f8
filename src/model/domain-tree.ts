/** The domain tree: a child's name extends its parent's on the left (`acme.root.test` under `root.test`). */

/** Whether `name` is `root` or lies below it. */
export function isWithin(name: string, root: string): boolean {
  return name === root || name.endsWith(`.${root}`);
}

/** The most specific of `roots` that covers `name`, if any. */
export function coverOf(name: string, roots: readonly string[]): string | undefined {
  let best: string | undefined;
  for (const root of roots) {
    if (isWithin(name, root) && (best === undefined || root.length > best.length)) best = root;
  }
  return best;
}
