/** Moments of a run that matter, and how near to one of them something was. */

/** How much longer the time around a fault is worth keeping than that around a step. */
const faultWeight = 10;
/** What comes before a moment counts as so much farther from it than what comes after it. */
const beforeWeight = 3;

export class Moments {
  readonly #faults: number[] = [];
  readonly #steps: number[] = [];

  /** Something broke, or was mended. */
  fault(atMs: number): void {
    this.#faults.push(atMs);
  }

  /** A step is over. */
  step(atMs: number): void {
    this.#steps.push(atMs);
  }

  /** Milliseconds from the nearest, weighed by what it is; endless where there is none. */
  distance(atMs: number): number {
    return Math.min(distance(this.#faults, atMs) / faultWeight, distance(this.#steps, atMs));
  }
}

/** `moments` are in the order in which they came. */
function distance(moments: readonly number[], atMs: number): number {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((moments[middle] ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  const [last = Number.NEGATIVE_INFINITY, next = Number.POSITIVE_INFINITY] = [moments[low - 1], moments[low]];
  return Math.min(atMs - last, (next - atMs) * beforeWeight);
}
