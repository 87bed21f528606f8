/** The files that commands read: artefacts, and scenario files with their errors. */
import { Option } from 'commander';
import { YamlError } from '../input/yaml-error.ts';
import type { ReportData } from '../report/html/page-data.ts';
import { type Artefact, readArtefact } from '../scenario/artefact.ts';
import { type BuildInfo, ownBuildInfo } from '../scenario/build-info.ts';
import type { RunReport } from '../scenario/report.ts';
import { readText } from '../topology/load-topology.ts';
import { isWrongUsage, reportFailure, UsageError } from './process.ts';

export interface BuildOptions {
  readonly anyBuild?: boolean;
}

export function anyBuildOption(): Option {
  return new Option('--any-build', 'accept an artefact of another version or build; default: refuse it (exit code 64)');
}

/** Reads the artefact of a command. One of another build needs `--any-build`. */
export function artefactIn(file: string, { anyBuild = false }: BuildOptions): Artefact {
  return ofThisBuild(file, readArtefact({ file, text: readText(file) }), anyBuild);
}

/** Refuses what another build has written. */
export function ofThisBuild<M extends BuildInfo>(file: string, artefact: M, anyBuild = false): M {
  const here = ownBuildInfo();
  if (anyBuild || (artefact.version === here.version && artefact.build === here.build)) return artefact;
  const made = `${artefact.version} (build ${artefact.build})`;
  throw new UsageError(
    `${file}: kept by version ${made}, this is ${here.version} (build ${here.build}); see --any-build`,
  );
}

/** An invalid scenario file: its faults are printed, and reports show a run that failed before its begin. */
export function invalidFileReport(
  file: string,
  error: unknown,
  { mode, seed }: Pick<RunReport, 'mode' | 'seed'>,
): RunReport {
  if (isWrongUsage(error)) throw error;
  reportFailure(error, { debug: false });
  const texts = error instanceof YamlError ? error.faults.map(placed) : [messageOf(error)];
  const failures = texts.map((text) => ({ kind: 'step' as const, name: 'the file', step: 0, atMs: 0, text }));
  return { ...notRunReport(file, { mode, seed, unproved: [] }), verdict: 'fail', failures };
}

/** The report of a scenario that was not run: nothing failed, and nothing was exercised. */
export function notRunReport(name: string, about: Pick<RunReport, 'mode' | 'seed' | 'unproved'>): RunReport {
  const nothing = { steps: [], stepCount: 0, failures: [], oracles: [], sometimes: [], eventually: [] };
  const more = { promises: [], workload: [], traceHash: undefined, durationMs: 0 };
  return { name, ...about, verdict: 'unknown', ...nothing, ...more };
}

/** The page of an invalid file: its faults. */
export function invalidFilePage({ name, mode, seed, verdict, failures }: RunReport, maker: string): ReportData {
  const about = { scenario: name, why: 'The file is invalid; nothing was run.', mode, seed, verdict, maker };
  const nothing = {
    unproved: [],
    steps: [],
    stepGroups: [],
    stepsText: '',
    faults: [],
    oracles: [],
    promises: [],
    seen: [],
    workload: [],
    leftOut: [],
  };
  const unseen = { names: [], places: [], messages: [], said: 0, gaps: [], calls: [], states: [], stateGaps: [] };
  return { ...about, fromMs: 0, untilMs: 0, failures, ...nothing, ...unseen };
}

function placed({ line, column, message }: YamlError['faults'][number]): string {
  return `${line}:${column} ${message}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
