/**
 * An artefact: one file with all that a virtual run needs to happen again, byte for byte, on another machine: the scenario,
 * its topology, the seed, and the journal of the run to compare with.
 */
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { webAppsSchema } from '../../src/services/web-apps.ts';
import { faultText, readValue } from '../input/read-value.ts';
import { readTopology, type Source } from '../topology/load.ts';
import { type LoadedScenario, readScenario } from './load.ts';
import type { RunReport } from './report.ts';

const sourceSchema = z.strictObject({ file: z.string(), text: z.string() });

const artefactSchema = z.strictObject({
  format: z.literal('strowger-artefact-2'),
  version: z.string(),
  /** Digest of the code that ran. */
  build: z.string(),
  seed: z.int(),
  scenario: sourceSchema,
  topology: sourceSchema,
  /** Web applications, by solution. */
  webApps: z.record(z.string(), webAppsSchema),
  /** Texts of the files of the metadata folder, by path. */
  metadataFiles: z.record(z.string(), z.string()).default({}),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  failures: z.array(z.string()),
  traceHash: z.string(),
  /** The lines of the journal: gzip, base64. */
  journal: z.string(),
  /** Of all the others: who edits one plays something else. */
  digest: z.string(),
});
export type Artefact = z.infer<typeof artefactSchema>;

/** What made an artefact. */
export interface Maker {
  readonly version: string;
  readonly build: string;
}

export function makeArtefact(
  loaded: LoadedScenario,
  { report, journal, maker }: { report: RunReport; journal: readonly string[]; maker: Maker },
): Artefact {
  const solutions = new Set(['master', ...loaded.map.topology.domains.map(({ solution }) => solution)]);
  const artefact: Omit<Artefact, 'digest'> = {
    format: 'strowger-artefact-2',
    ...maker,
    seed: report.seed,
    scenario: loaded.source,
    topology: loaded.topologySource,
    webApps: Object.fromEntries([...solutions].map((solution) => [solution, [...loaded.webApps(solution)]])),
    metadataFiles: { ...loaded.metadataFiles },
    verdict: report.verdict,
    failures: report.failures.map(({ kind, name, step, text }) =>
      kind === 'step' ? `step ${step}: ${text}` : `${kind} ${name}: ${text}`,
    ),
    traceHash: report.traceHash ?? '',
    journal: gzipSync(journal.join('')).toString('base64'),
  };
  return { ...artefact, digest: digestOf(artefact) };
}

/** Reads an artefact. Throws an error in one line when the text is none. */
export function readArtefact({ file, text }: Source): Artefact {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${file}: expected an artefact, got no JSON`);
  }
  const read = readValue(artefactSchema, value);
  if (!read.isSound) {
    const [first] = read.faults;
    throw new Error(`${file}: expected an artefact${first === undefined ? '' : `: ${faultText(first, 'file')}`}`);
  }
  if (read.value.digest === digestOf(value as object)) return read.value;
  throw new Error(`${file}: it was edited, or damaged, since it was kept: its digest is of something else`);
}

/** Of all fields but `digest`. */
export function digestOf(artefact: object): string {
  const fields = Object.entries(artefact).filter(([name]) => name !== 'digest');
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** The scenario in an artefact, with its topology. */
export function scenarioIn({ scenario, topology, webApps, metadataFiles }: Artefact): LoadedScenario {
  return readScenario(scenario, () => ({
    map: readTopology(topology),
    webApps: (solution) => webApps[solution] ?? [],
    metadataFiles,
    topologySource: topology,
  }));
}

/** A journal of a long run is some hundred megabytes; a small artefact must not unpack to more. */
const mostJournalBytes = 500 * 1024 * 1024;

/** Where the journal of a run first differs from that of an artefact; `undefined` where it does not. */
export interface Difference {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly was: string | undefined;
  readonly now: string | undefined;
}

export function firstDifference({ journal }: Artefact, lines: readonly string[]): Difference | undefined {
  const was = gunzipSync(Buffer.from(journal, 'base64'), { maxOutputLength: mostJournalBytes })
    .toString()
    .split('\n')
    .slice(0, -1);
  const now = lines.map((line) => line.slice(0, -1));
  const length = Math.max(was.length, now.length);
  for (let i = 0; i < length; i += 1) if (was[i] !== now[i]) return { line: i + 1, was: was[i], now: now[i] };
  return undefined;
}
