/** Suggests the known name that a misspelt one probably means. */

/** The known name closest to `wanted`; `undefined` if none is close. */
export function nearest(wanted: string, known: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceOf(wanted.toLowerCase(), name.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  if (best === undefined) return undefined;
  return best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.name : beginningWith(wanted, known);
}

/** `(did you mean "north"? hq, north, south)`; a long list is cut. */
export function knownText(wanted: string, known: Iterable<string>, most = 50): string {
  const names = [...known];
  const near = nearest(wanted, names);
  const hint = near === undefined ? '' : `did you mean "${near}"? `;
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `(${hint}${names.slice(0, most).join(', ') || 'none'}${more})`;
}

/** An abbreviation counts as close: `hold` for `holding`. */
function beginningWith(wanted: string, known: Iterable<string>): string | undefined {
  const text = wanted.toLowerCase();
  const isLike = (name: string) => name.length > 2 && (name.startsWith(text) || text.startsWith(name));
  return text.length > 2 ? [...known].find((name) => isLike(name.toLowerCase())) : undefined;
}

/** Edit distance: letters changed, added, removed, or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const costs = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)];
      row.push(Math.min(...costs, isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
