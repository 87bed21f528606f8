/** A cluster for one test: it ends with the test, and what a failed test did to it is kept for `strowger replay`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '../data/make-folders.ts';
import { type StartOptions, startCluster, type TestCluster } from './test-cluster.ts';

export interface FixtureOptions extends StartOptions {
  /** Folder for the recordings of failed tests. Default: `strowger-artefacts`. */
  readonly artefacts?: string;
  /** Whether a broken rule fails the test (`cluster.assertRules`). Default true. */
  readonly rules?: boolean;
}

const usualFolder = 'strowger-artefacts';

export function startForTest({ artefacts: _, rules: __, ...options }: FixtureOptions): Promise<TestCluster> {
  return startCluster(options);
}

/** Checks the rules, keeps a recording if the test failed, and stops the cluster. Rejects if a rule was broken. */
export async function endOfTest(
  cluster: TestCluster,
  { title, hasPassed }: { readonly title: string; readonly hasPassed: boolean },
  { artefacts = usualFolder, rules = true }: FixtureOptions,
): Promise<void> {
  const broken = rules ? brokenRules(cluster) : undefined;
  try {
    const failure = broken?.message ?? (hasPassed ? undefined : `the test "${title}" failed`);
    if (failure !== undefined) keep(cluster, { title, failure, folder: artefacts });
  } finally {
    await cluster.stop();
  }
  if (broken !== undefined) throw broken;
}

function brokenRules(cluster: TestCluster): Error | undefined {
  try {
    cluster.assertRules();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function keep(
  cluster: TestCluster,
  { title, failure, folder }: { readonly title: string; readonly failure: string; readonly folder: string },
): void {
  const name = title.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 80);
  const file = join(folder, `${name}-${cluster.seed}.strowger.json`);
  makeFolders(folder);
  writeFileSync(file, JSON.stringify(cluster.recording(failure)));
  process.stderr.write(`kept: npx strowger replay ${file}\n`);
}
