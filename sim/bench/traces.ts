/** Cost of traces: a busy cluster in virtual time with `--otlp`, and without it against the same once more. */
import type { ExportResult } from '@opentelemetry/core';
import { SeededRandom } from '../ports/random.ts';
import { loadTopology } from '../topology/load-topology.ts';
import type { WorldTracing } from '../tracing/world-tracing.ts';
import { VirtualWorld } from '../world/virtual.ts';
import { atMost, type BenchRow, compare } from './measure.ts';

const [callsPerSecond, virtualSeconds, rounds] = [10, 60, 5];

export async function tracesRows(): Promise<BenchRow[]> {
  const { tracesTo } = await import('../tracing/exporter.ts');
  let spans = 0;
  const exporter = {
    export: (sent: readonly unknown[], done: (result: ExportResult) => void) => {
      spans += sent.length;
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const traced = async () => {
    const onFailure = (reason: string) => {
      throw new Error(reason);
    };
    const traces = tracesTo(exporter, { version: 'bench', random: new SeededRandom(1).stream('ids'), onFailure });
    await run(traces.tracing);
    await traces.end(10_000);
  };
  const on = await compare(traced, () => run(), rounds);
  const off = await compare(
    () => run(),
    () => run(),
    rounds,
  );
  const detail = `${callsPerSecond} calls/s, ${Math.round(spans / rounds)} spans a virtual minute`;
  return [
    atMost(3, { name: 'a cluster with traces', floor: 'the same without', ratio: on.ratio, detail }),
    atMost(1.1, {
      name: 'a cluster without traces',
      floor: 'the same again',
      ratio: off.ratio,
      detail: 'one comparison an envelope',
    }),
  ];
}

async function run(tracing?: WorldTracing): Promise<void> {
  const world = new VirtualWorld({ ...loadTopology('default'), seed: 1, tracing });
  await world.start();
  world.outside.traffic({ rate: callsPerSecond, holdingMs: 10_000 }).start();
  await world.wait(virtualSeconds * 1_000);
  await world.stop();
}
