/** The steps of a scenario as a tree: blocks, and the steps in them. Steps are counted without blocks, wherever it is told how many there are. */

type Data = Readonly<Record<string, unknown>>;

/** The steps in a list of steps that are no blocks, those of blocks included. */
export function leavesIn(steps: unknown): Data[] {
  if (!Array.isArray(steps)) return [];
  return (steps as Data[]).flatMap((step) => {
    const inner = blocksOf(step);
    return inner.length === 0 ? [step] : inner.flatMap(leavesIn);
  });
}

/** The lists of steps of a block; none of a step that is no block. */
export function blocksOf(step: Data): (readonly Data[])[] {
  const branches = Array.isArray(step['parallel']) ? step['parallel'].map((branch: Data) => branch['steps']) : [];
  const repeated = (step['repeat'] as Data | undefined)?.['steps'];
  return [step['steps'], repeated, ...branches].filter((list) => Array.isArray(list));
}
