/**
 * The bench: every row against a floor measured in the same run. It reports without a verdict: no test depends on it.
 */
import { callRows } from './call-bench.ts';
import { collectionRows } from './collection.ts';
import { entityRows } from './entity-bench.ts';
import { growthRows } from './growth.ts';
import { httpRows } from './http.ts';
import { linkRows } from './link.ts';
import { liveCallRows } from './live-calls.ts';
import { type BenchRow, tableText } from './measure.ts';
import { queueRows } from './queue.ts';
import { tracesRows } from './traces.ts';
import { oracleRows, startRows, sweepRows, virtualRows } from './world-bench.ts';

const subjects: ReadonlyMap<string, () => Promise<BenchRow[]>> = new Map([
  ['link', linkRows],
  ['http', httpRows],
  ['entities', entityRows],
  ['collection', collectionRows],
  ['virtual', virtualRows],
  ['calls', callRows],
  ['oracles', oracleRows],
  ['traces', tracesRows],
  ['sweep', sweepRows],
  ['queue', queueRows],
  ['start', startRows],
  ['growth', growthRows],
  ['live-10k', liveCallRows([10_000])],
  ['live-50k', liveCallRows([50_000])],
]);

/** Measured only by their whole name: they take minutes. */
const slow: ReadonlySet<string> = new Set(['live-50k']);

/** Measures the subjects whose name contains `only`, the slow ones by their whole name, and prints the table. */
export async function runBench({ only }: { only: string }): Promise<void> {
  const rows: BenchRow[] = [];
  for (const [name, measure] of subjects) {
    if (slow.has(name) ? name !== only : !name.includes(only)) continue;
    process.stderr.write(`measuring ${name} …\n`);
    rows.push(...(await measure()));
  }
  if (rows.length === 0) throw new Error(`no subject "${only}"; there are ${[...subjects.keys()].join(', ')}`);
  process.stdout.write(`${tableText(rows)}\n`);
}
