/** What the campaign, a scenario or `check` does without a mutant: which mutants each executes, and its trace. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { MutantRun } from './run.ts';

export interface CleanRun {
  /** See `run.ts`. */
  readonly trial: string;
  /** Empty for `check`, which has none. */
  readonly trace: string;
  readonly executed: ReadonlySet<string>;
}

interface Kept {
  readonly build: string;
  readonly trace: string;
  readonly executed: readonly string[];
}

/**
 * Each trial runs in a process of its own, because what a process computes once and keeps is executed by its first one only.
 * Results are kept in files of `folder` for the next time with this build.
 */
export function cleanRuns(folder: string, build: string, runTrial: (trial: string) => Promise<MutantRun>) {
  mkdirSync(folder, { recursive: true });
  return async (trial: string): Promise<CleanRun> => {
    const file = join(folder, `${basename(trial)}.json`);
    const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
    const { trace, executed } = kept?.build === build ? kept : await runNow(trial);
    writeFileSync(file, JSON.stringify({ build, trace, executed } satisfies Kept));
    return { trial, trace, executed: new Set(executed) };
  };

  async function runNow(trial: string) {
    const { traces, executed, ...failed } = await runTrial(trial);
    if (executed === undefined) throw new Error(`${trial} fails without a mutant: ${JSON.stringify(failed)}`);
    return { trace: traces?.[trial] ?? '', executed };
  }
}
