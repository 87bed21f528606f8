/** Measuring: two works in turn, A B A B, so that a machine that slows down slows both; the median of the pairs counts. */
import { performance } from 'node:perf_hooks';

export interface Compared {
  /** Median of A's time over B's time, pair by pair. */
  readonly ratio: number;
  /** Median times in milliseconds. */
  readonly aMs: number;
  readonly bMs: number;
}

type Work = () => unknown;

/** Runs both works `rounds` times in turn, after one round that does not count. */
export async function compare(a: Work, b: Work, rounds = 7): Promise<Compared> {
  const pairs: { aMs: number; bMs: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const aMs = await timed(a);
    const bMs = await timed(b);
    if (round > 0) pairs.push({ aMs, bMs });
  }
  return {
    ratio: median(pairs.map(({ aMs, bMs }) => aMs / bMs)),
    aMs: median(pairs.map(({ aMs }) => aMs)),
    bMs: median(pairs.map(({ bMs }) => bMs)),
  };
}

export async function timed(work: Work): Promise<number> {
  collectGarbage();
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Bytes of the heap after collecting garbage. Needs `node --expose-gc`. */
export function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}
