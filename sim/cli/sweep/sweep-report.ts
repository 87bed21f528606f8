/** What a sweep prints at its end, and its exit code: the same for processes of this machine and for workers of a queue. */
import { join } from 'node:path';
import type { CoverageLedger } from '../../ledger/coverage-ledger.ts';
import { merged, type SeedOutcome, verdictOfAll } from '../../sweep/outcome.ts';
import { historyText, sweepJson, sweepText } from '../../sweep/sweep-text.ts';
import { exitCodes } from '../process.ts';

export interface EndedSweep {
  readonly outcomes: readonly SeedOutcome[];
  /** Of earlier builds, oldest first. */
  readonly before?: readonly SeedOutcome[];
  readonly ledger: CoverageLedger;
  readonly isCampaign: boolean;
  /** Some of the wanted runs are missing. */
  readonly isPart: boolean;
  /** Files that are invalid and were not run. */
  readonly invalidFiles: readonly string[];
  /** Runs that could not be carried out. */
  readonly errors: number;
  /** Folder of the artefacts. */
  readonly out: string;
  /** An artefact of a failure in `out`, if there is one. */
  readonly artefact: string | undefined;
  readonly json: boolean | undefined;
}

/** Prints the report, as text or as JSON with the rest on standard error. Returns the exit code. */
export function reportSweep(sweep: EndedSweep): number {
  const { outcomes, ledger, isPart, invalidFiles, errors, out, artefact, json } = sweep;
  // A campaign should reach everything, a scenario only what it is about.
  const isCampaign = sweep.isCampaign && ledger.runs > 0;
  const missed = isCampaign ? ledger.missed() : [];
  const left = invalidFiles.map((file) => `\n${file} is invalid and was not run\n`).join('');
  const reached = isCampaign ? ledger.text() + missed.map((line) => `\nnot reached: ${line}\n`).join('') : '';
  const all = merged(outcomes);
  const more = historyText(all, sweep.before ?? []) + left + reached + howToReplay(artefact, out);
  process.stdout.write(json ? sweepJson(all, { isPart }) : sweepText(all, { isPart }) + more);
  if (json) process.stderr.write(more);
  if (errors > 0 || invalidFiles.length > 0) return exitCodes.fail;
  const verdict = verdictOfAll(all, { isPart });
  return exitCodes[verdict === 'pass' && missed.length > 0 ? 'unknown' : verdict];
}

/** The commands that replay and shrink a failure, whose artefact is this file of `out`. */
function howToReplay(file: string | undefined, out: string): string {
  if (file === undefined) return '';
  const artefact = join(out, file);
  const name = file.replace(/\.strowger\.json$/, '');
  return `\nto see the first: npx strowger replay ${artefact} --report ${name}.html\nto make it small: npx strowger shrink ${artefact}\n`;
}
