/** `strowger sweep --bisect GOOD..BAD`: finds the first commit at which a seed fails. */
import { resolve } from 'node:path';
import { counted } from '../../report/run-text.ts';
import { scenarioFile } from '../../scenario/load-scenario.ts';
import { BadBisection, type Bisected, bisect, type GitCommit, nameOf } from '../../sweep/bisect/bisection.ts';
import type { Judgement } from '../../sweep/bisect/built-commit.ts';
import { Stopped } from '../../sweep/bisect/run-program.ts';
import { exitCodes, stoppedBySignal, UsageError } from '../process.ts';

export interface BisectOptions {
  readonly good: string;
  readonly bad: string;
  readonly seeds: { readonly from: number; readonly to: number };
  readonly nats?: string;
  readonly guided?: boolean;
  readonly json?: boolean;
}

/** `v1.0..main`. */
export function bisectArgument(text: string): { readonly good: string; readonly bad: string } {
  const [, good, bad] = /^([^.\s-](?:[^.\s]|\.(?!\.))*)\.\.([^.\s-][^\s]*)$/.exec(text) ?? [];
  if (good !== undefined && bad !== undefined && !bad.includes('..')) return { good, bad };
  throw new UsageError(`--bisect: expected two commits as GOOD..BAD, such as v1.0..main, got "${text}"`);
}

export async function bisectSweep(files: readonly string[], options: BisectOptions): Promise<void> {
  const { good, bad, seeds, json = false } = options;
  refuseOthers(files, options);
  const [file] = files;
  const stopped = stoppedBySignal();
  try {
    const found = await bisect({
      folder: process.cwd(),
      good,
      bad,
      seed: seeds.from,
      stopped,
      ...(file !== undefined && { file: resolve(scenarioFile(file)) }),
      onJudged: (commit, judgement, isBad) => void process.stderr.write(judgedText(commit, judgement, isBad)),
    });
    process.stdout.write(json ? `${JSON.stringify(found)}\n` : foundText(found));
    process.exitCode = found.first.length === 1 ? exitCodes.pass : exitCodes.unknown;
  } catch (error) {
    if (error instanceof BadBisection) throw new UsageError(`sweep --bisect: ${error.message}`);
    if (!(error instanceof Stopped)) throw error;
    process.stderr.write('stopped: the worktree is removed\n');
    process.exitCode = exitCodes.stopped;
  }
}

function refuseOthers(files: readonly string[], { seeds, nats, guided }: BisectOptions): void {
  if (files.length > 1)
    throw new UsageError(`--bisect: expected one scenario, or none for the campaign, got ${files.length}`);
  if (seeds.from !== seeds.to)
    throw new UsageError(`--bisect: expected one seed, such as --seeds 7..7, got ${seeds.from}..${seeds.to}`);
  if (nats !== undefined) throw new UsageError('--bisect: expected no --nats: commits are built on this machine');
  if (guided)
    throw new UsageError('--bisect: expected no --guided: a guided run is made of what earlier ones have reached');
}

function judgedText(commit: GitCommit, judgement: Judgement, isBad: boolean | undefined): string {
  const said = isBad === undefined ? `skipped (${whyOf(judgement)})` : isBad ? 'fails' : 'passes';
  return `${nameOf(commit)}: ${said}\n`;
}

function whyOf(judgement: Judgement): string {
  if (judgement.verdict === 'none') return judgement.why;
  return judgement.verdict === 'fail' ? `it fails in another way: ${judgement.failure}` : 'it passes';
}

function foundText({ first, failure, judged, skipped }: Bisected): string {
  const title = first.length === 1 ? 'first bad commit' : 'all between are skipped; the first bad commit is one of';
  const commits = first.map((commit) => `  ${nameOf(commit)}\n`).join('');
  return `${title}:\n${commits}it fails with\n  ${failure}\n${counted(judged, 'commit')} between GOOD and BAD judged, ${skipped} skipped\n`;
}
