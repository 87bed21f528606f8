/** Which rows of a list by time stay when it has grown too long: the last ones, and of the others those nearest to what matters. */

interface NearestOptions<R> {
  /** How many stay. */
  readonly most: number;
  /** How far a row is from what matters. */
  readonly distance: (row: R) => number;
}

/** How much of what stays are simply the last rows. */
const lastPart = 1 / 3;

/** For each row whether it stays. Of rows that are equally far the later ones do. */
export function nearest<R>(rows: readonly R[], { most, distance }: NearestOptions<R>): boolean[] {
  if (rows.length <= most) return rows.map(() => true);
  const last = Math.floor(most * lastPart);
  const early = rows.slice(0, rows.length - last);
  const distances = Float64Array.from(early, distance);
  const room = most - last;
  const farthest = distances.toSorted()[room] ?? 0;
  let equal = room - distances.reduce((sum, each) => sum + (each < farthest ? 1 : 0), 0);
  const stays = rows.map((_, i) => i >= early.length || (distances[i] ?? 0) < farthest);
  for (let i = early.length - 1; i >= 0 && equal > 0; i -= 1) {
    if (distances[i] !== farthest) continue;
    stays[i] = true;
    equal -= 1;
  }
  return stays;
}
