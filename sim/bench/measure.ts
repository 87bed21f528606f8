/**
 * Measures two works in turn, A B A B, so that a slowdown of the machine affects both; the median of the pairs counts.
 */
import { performance } from 'node:perf_hooks';

/** A row of the table of a bench: a measurement with its floor, the ratio, and the aim. */
export interface BenchRow {
  readonly name: string;
  /** The floor, measured in the same run. */
  readonly floor: string;
  /** Cost against the floor's cost: 1 is as cheap as the floor. Or a factor of speed where `aim` says "at least". */
  readonly ratio: number;
  readonly aim: string;
  readonly isMet: boolean;
  /** Figures behind the ratio; they mean little on another machine. */
  readonly detail: string;
}

export function atMost(limit: number, row: Omit<BenchRow, 'aim' | 'isMet'>): BenchRow {
  return { ...row, aim: `at most ${limit}`, isMet: row.ratio <= limit };
}

export function atLeast(limit: number, row: Omit<BenchRow, 'aim' | 'isMet'>): BenchRow {
  return { ...row, aim: `at least ${limit}`, isMet: row.ratio >= limit };
}

export function tableText(rows: readonly BenchRow[]): string {
  const cells = rows.map(({ name, floor, ratio, aim, isMet, detail }) => [
    name,
    floor,
    ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2),
    aim,
    isMet ? 'met' : 'missed',
    detail,
  ]);
  const all = [['what', 'against', 'ratio', 'aim', '', 'figures'], ...cells];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body.map(line)].join('\n');
}

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

/** Milliseconds of CPU time that this process took for `work`. */
export async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
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
