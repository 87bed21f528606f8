/** What the campaign does without a mutant: which mutants each seed executes, and its trace. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MutantRun } from './run.ts';

export interface CleanRun {
  readonly seed: number;
  readonly trace: string;
  readonly executed: ReadonlySet<string>;
}

interface Kept {
  readonly build: string;
  readonly trace: string;
  readonly executed: readonly string[];
}

/**
 * Each seed runs in a process of its own, because what a process computes once and keeps is executed by its first seed only.
 * Results are kept in files of `folder` for the next time with this build.
 */
export function cleanRuns(folder: string, build: string, runSeed: (seed: number) => Promise<MutantRun>) {
  mkdirSync(folder, { recursive: true });
  return async (seed: number): Promise<CleanRun> => {
    const file = join(folder, `${seed}.json`);
    const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined;
    const { trace, executed } = kept?.build === build ? kept : await runNow(seed);
    writeFileSync(file, JSON.stringify({ build, trace, executed } satisfies Kept));
    return { seed, trace, executed: new Set(executed) };
  };

  async function runNow(seed: number) {
    const { traces, executed, ...failed } = await runSeed(seed);
    const trace = traces?.[seed];
    if (trace === undefined || executed === undefined) {
      throw new Error(`seed ${seed} fails without a mutant: ${JSON.stringify(failed)}`);
    }
    return { trace, executed };
  }
}
