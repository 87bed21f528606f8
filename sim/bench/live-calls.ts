/** Growth with the calls that are live: memory of a call, and the cost of one more, against a thousand live ones. */
import { CallBench, connect } from './call-bench.ts';
import { atMost, type BenchRow, cpuOf, heapBytes } from './measure.ts';

const few = 1_000;
/** So many calls more are begun at each size. */
const added = 500;
/** Largest cost at a size against that of few calls. (chosen) */
const most = 1.5;

interface Cost {
  readonly live: number;
  /** Of a live call. */
  readonly bytes: number;
  /** CPU of a call from its start until it is connected, without what the live ones cost meanwhile. */
  readonly callMs: number;
}

/** Measures at a thousand live calls, then at each of the larger sizes, in one cluster. */
export function liveCallRows(sizes: readonly number[]): () => Promise<BenchRow[]> {
  return async () => {
    const bench = new CallBench();
    await bench.start();
    // The first calls compile what the others run, and do not count.
    await connect(bench, added);
    const empty = { bytes: heapBytes(), live: await bench.count() };
    const small = await grown(bench, few, empty);
    const rows: BenchRow[] = [];
    for (const size of sizes) rows.push(...rowsOf(await grown(bench, size, empty), small));
    await bench.world.stop();
    return rows;
  };
}

async function grown(bench: CallBench, size: number, empty: { bytes: number; live: number }): Promise<Cost> {
  await connect(bench, size - (await bench.count()) - added);
  const start = bench.world.now();
  const busyMs = await cpuOf(() => connect(bench, added));
  const tookMs = bench.world.now() - start;
  const idleMs = await cpuOf(() => bench.world.wait(tookMs));
  const live = await bench.count();
  return { live, bytes: (heapBytes() - empty.bytes) / (live - empty.live), callMs: (busyMs - idleMs) / added };
}

function rowsOf(large: Cost, small: Cost): BenchRow[] {
  const name = `with ${large.live} live`;
  const floor = `with ${small.live} live`;
  const [largeKb, smallKb] = [large.bytes / 1_024, small.bytes / 1_024];
  return [
    atMost(most, {
      name: `memory of a call, ${name}`,
      floor,
      ratio: largeKb / smallKb,
      detail: `${largeKb.toFixed(1)} against ${smallKb.toFixed(1)} KB`,
    }),
    atMost(most, {
      name: `a call more, ${name}`,
      floor,
      ratio: large.callMs / small.callMs,
      detail: `${large.callMs.toFixed(2)} against ${small.callMs.toFixed(2)} ms of CPU`,
    }),
  ];
}
