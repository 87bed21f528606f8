/** `--otlp URL`: the traces of a command. The libraries are loaded for it alone. */
import { systemRandom } from '../../../src/adapters/system-random.ts';
import { SeededRandom } from '../../ports/random.ts';
import { version } from '../../scenario/build-info.ts';
import type { Traces } from '../../tracing/exporter.ts';

interface TracedProcess {
  /** Of the ids, so that a virtual run has the same ones again; default: random. */
  readonly seed?: number | undefined;
  /** The node of a process that runs one alone. */
  readonly node?: string;
}

/** Undefined without a URL. */
export async function tracesFor(
  url: string | undefined,
  { seed, node }: TracedProcess = {},
): Promise<Traces | undefined> {
  if (url === undefined) return undefined;
  const { startTraces } = await import('../../tracing/exporter.ts');
  const random = (seed === undefined ? systemRandom : new SeededRandom(seed).fork('traces')).stream('ids');
  const onFailure = (reason: string) =>
    process.stderr.write(`strowger: --otlp ${url}: spans could not be sent: ${reason}\n`);
  return startTraces({ url, version: version(), node, random, onFailure });
}

/** How long the last spans may take, at the end of a server and at the end of a run. */
export const lastSpansMs = { server: 300, run: 10_000 } as const;
