/** Suggests the known name that a misspelt one probably means. */

/** The time of a comparison grows with the length: what is longer than any name is none that is misspelt. */
const longestName = 100;

/** The known name closest to `wanted`; `undefined` if none is close, or if it is so short that it is close to every other. */
export function nearest(wanted: string, known: Iterable<string>): string | undefined {
  if (wanted.length <= 2 || wanted.length > longestName) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceOf(wanted.toLowerCase(), name.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  if (best === undefined) return undefined;
  return best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.name : beginningWith(wanted, known);
}

/** `expected a site (hq, north, south), got "nort"; did you mean "north"?` */
export function expectedText(what: string, wanted: string, known: Iterable<string>): string {
  const names = [...known];
  return `expected ${what} ${knownText(wanted, names)}, got "${wanted}"${hintText(nearest(wanted, names))}`;
}

/** `(hq, north, south)`; of a long list the first names or, if one is close to the wanted one, the names most like it. */
export function knownText(wanted: string, known: Iterable<string>): string {
  const names = [...known];
  if (names.length <= mostNames) return `(${names.join(', ') || 'none'})`;
  const shown = nearest(wanted, names) === undefined ? names : byLikeness(wanted, names);
  return `(${shown.slice(0, mostNames).join(', ')} and ${names.length - mostNames} more)`;
}

function byLikeness(wanted: string, names: readonly string[]): string[] {
  const distances = new Map(names.map((name) => [name, distanceOf(wanted.toLowerCase(), name.toLowerCase())]));
  return names.toSorted((one, other) => (distances.get(one) ?? 0) - (distances.get(other) ?? 0));
}

/** `; did you mean "north"?`; empty without a name. */
export function hintText(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** There may be thousands of names. */
const mostNames = 12;

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
