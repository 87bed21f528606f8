/**
 * An artefact is one file with everything that another machine needs to repeat a virtual run byte for byte: the
 * scenario, its topology, the seed, and the journal of the run to compare with.
 */

import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { webAppsSchema } from '../../src/services/web-apps/web-apps.ts';
import { refuseOtherKind } from '../input/file-kind.ts';
import { type LoadedTopology, readTopology, type SourceFile } from '../topology/load-topology.ts';
import type { BuildInfo } from './build-info.ts';
import { type LoadedScenario, readScenario } from './load-scenario.ts';
import type { RunReport } from './report.ts';
import { digestOf, readSealed } from './sealed.ts';

const sourceSchema = z.strictObject({ file: z.string(), text: z.string() });

/** The platform of a run: its topology and its user-interface metadata. */
export const platformFields = {
  topology: sourceSchema,
  /** Web applications, by solution. */
  webApps: z.record(z.string(), webAppsSchema),
  /** Contents of the files of the metadata folder, by path. */
  metadataFiles: z.record(z.string(), z.string()).default({}),
};
type PlatformFields = z.infer<z.ZodObject<typeof platformFields>>;

const artefactSchema = z.strictObject({
  format: z.literal('strowger-artefact-2'),
  version: z.string(),
  /** Digest of the code that produced the run. */
  build: z.string(),
  seed: z.int(),
  scenario: sourceSchema,
  ...platformFields,
  verdict: z.enum(['pass', 'fail', 'unknown']),
  failures: z.array(z.string()),
  traceHash: z.string(),
  /** The lines of the journal: gzip, base64. */
  journal: z.string(),
  /** Digest of all other fields. An edited artefact fails this check. */
  digest: z.string(),
});
export type Artefact = z.infer<typeof artefactSchema>;

export function makeArtefact(
  loaded: LoadedScenario,
  { report, journal, maker }: { report: RunReport; journal: readonly string[]; maker: BuildInfo },
): Artefact {
  const artefact: Omit<Artefact, 'digest'> = {
    format: 'strowger-artefact-2',
    ...maker,
    seed: report.seed,
    scenario: loaded.source,
    ...platformOf(loaded),
    verdict: report.verdict,
    failures: report.failures.map(({ kind, name, step, text }) =>
      kind === 'step' ? `step ${step}: ${text}` : `${kind} ${name}: ${text}`,
    ),
    traceHash: report.traceHash ?? '',
    journal: gzipSync(journal.join('')).toString('base64'),
  };
  return { ...artefact, digest: digestOf(artefact) };
}

/** Parses an artefact. Throws a one-line error if the text is not a valid artefact. */
export function readArtefact(source: SourceFile): Artefact {
  refuseOtherKind(source.file, source.text, ['artefact']);
  return readSealed(source, artefactSchema, 'an artefact');
}

/** The scenario in an artefact, with its topology. */
export function scenarioIn(artefact: Artefact): LoadedScenario {
  return readScenario(artefact.scenario, () => platformIn(artefact));
}

export function platformOf({ map, webApps, metadataFiles, topologySource }: LoadedTopology): PlatformFields {
  const solutions = new Set(['master', ...map.topology.domains.map(({ solution }) => solution)]);
  return {
    topology: topologySource,
    webApps: Object.fromEntries([...solutions].map((solution) => [solution, [...webApps(solution)]])),
    metadataFiles: { ...metadataFiles },
  };
}

export function platformIn({ topology, webApps, metadataFiles }: PlatformFields): LoadedTopology {
  return {
    map: readTopology(topology),
    webApps: (solution) => webApps[solution] ?? [],
    metadataFiles,
    topologySource: topology,
  };
}

/** The journal of a long run is some hundred megabytes. A small artefact must not unpack to more. */
const mostJournalBytes = 500 * 1024 * 1024;

/** The first line where the journal of a run differs from that of an artefact; `undefined` if they are equal. */
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

const sealedSchema = z.strictObject({ scenario: sourceSchema, ...platformFields });

/** A scenario with its topology and metadata in one text, for machines that do not have its files. */
export function sealScenario(loaded: LoadedScenario): string {
  return JSON.stringify({ scenario: loaded.source, ...platformOf(loaded) });
}

export function unsealScenario(file: string): LoadedScenario {
  const { scenario, ...platform } = sealedSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return readScenario(scenario, () => platformIn(platform));
}
