/**
 * Finds the first commit with a failure: git bisect in a worktree of its own chooses the commits, and each is installed, built and run. The
 * worktree is removed at the end, however that comes.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BuiltCommit, type Judgement } from './built-commit.ts';
import { type Finished, finished, lastLine } from './run-program.ts';

/** What the search cannot begin with. */
export class BadBisection extends Error {}

export interface BisectionOptions {
  /** In the repository. */
  readonly folder: string;
  readonly good: string;
  readonly bad: string;
  /** Default: the campaign. */
  readonly file?: string;
  readonly seed: number;
  readonly stopped: AbortSignal;
  /** A commit was judged. */
  readonly onJudged: (commit: GitCommit, judgement: Judgement, isBad: boolean | undefined) => void;
}

export interface GitCommit {
  readonly id: string;
  readonly subject: string;
}

export interface Bisected {
  /** The first commit with the failure; several where all that are left between them cannot be judged. */
  readonly first: readonly GitCommit[];
  readonly failure: string;
  readonly judged: number;
  readonly skipped: number;
}

/** Rejects with `BadBisection`, and with `Stopped` where it was stopped. */
export async function bisect(options: BisectionOptions): Promise<Bisected> {
  const repository = await repositoryOf(options);
  const git = new Git(repository, options.stopped);
  const [good, bad] = [await git.commit(options.good, 'GOOD'), await git.commit(options.bad, 'BAD')];
  if (!(await git.isAncestor(good, bad)))
    throw new BadBisection(`expected GOOD to be an ancestor of BAD: ${options.good} is none of ${options.bad}`);
  const scratch = mkdtempSync(join(tmpdir(), 'strowger-bisect-'));
  const tree = join(scratch, 'tree');
  try {
    await git.run('worktree', 'add', '--detach', tree, bad.id);
    return await new Search({ ...options, repository, tree, scratch }).between(good, bad);
  } finally {
    // It is to go also where the search was stopped.
    const cleaning = new Git(repository, new AbortController().signal);
    await cleaning.run('worktree', 'remove', '--force', '--force', tree).catch(() => {});
    rmSync(scratch, { recursive: true, force: true });
    await cleaning.run('worktree', 'prune');
  }
}

async function repositoryOf({ folder, stopped }: BisectionOptions): Promise<string> {
  let found: Finished;
  try {
    found = await finished(['git', 'rev-parse', '--show-toplevel'], { folder, stopped });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BadBisection('expected git in PATH, found none: install it');
  }
  if (found.code !== 0) throw new BadBisection(`expected a folder in a Git repository, got ${folder}`);
  return found.out.trim();
}

/** Git in one folder. */
class Git {
  readonly #folder: string;
  readonly #stopped: AbortSignal;

  constructor(folder: string, stopped: AbortSignal) {
    this.#folder = folder;
    this.#stopped = stopped;
  }

  /** What a command prints; rejects where it fails. */
  async run(...args: string[]): Promise<string> {
    const ended = await this.#ended(args);
    if (ended.code !== 0) throw new Error(`git ${args[0]} failed: ${lastLine(ended)}`);
    return ended.out.trim();
  }

  /** Runs a command that may fail. */
  async succeeds(...args: string[]): Promise<boolean> {
    return (await this.#ended(args)).code === 0;
  }

  async commit(name: string, what: string): Promise<GitCommit> {
    const ended = await this.#ended(['log', '-1', '--format=%H %s', `${name}^{commit}`, '--']);
    if (ended.code !== 0) throw new BadBisection(`${what}: expected a commit of the repository, got "${name}"`);
    return commitOf(ended.out.trim());
  }

  isAncestor(one: GitCommit, other: GitCommit): Promise<boolean> {
    return this.succeeds('merge-base', '--is-ancestor', one.id, other.id);
  }

  #ended(args: readonly string[]): Promise<Finished> {
    return finished(['git', ...args], { folder: this.#folder, stopped: this.#stopped });
  }
}

class Search {
  readonly #options: BisectionOptions & { readonly scratch: string };
  readonly #git: Git;
  readonly #built: BuiltCommit;
  #artefact = '';
  #counts = { judged: 0, skipped: 0 };

  constructor(
    options: BisectionOptions & { readonly repository: string; readonly tree: string; readonly scratch: string },
  ) {
    this.#options = options;
    this.#git = new Git(options.tree, options.stopped);
    this.#built = new BuiltCommit(options);
  }

  async between(good: GitCommit, bad: GitCommit): Promise<Bisected> {
    const { key, failure } = await this.#failureOf(bad);
    await this.#expectGood(good, key);
    await this.#git.run('bisect', 'start', bad.id, good.id);
    for (;;) {
      const first = firstBadIn(await this.#git.run('bisect', 'log'));
      if (first.length > 0) return { first, failure, ...this.#counts };
      const commit = await this.#git.commit('HEAD', 'HEAD');
      const judgement = await this.#judge();
      const isBad = isOfFailure(judgement, key);
      this.#options.onJudged(commit, judgement, isBad);
      this.#counts.judged += 1;
      if (isBad === undefined) this.#counts.skipped += 1;
      // A build may have changed files of the repository.
      await this.#git.run('reset', '--quiet', '--hard');
      // It fails where nothing is left but what was skipped; the log says so.
      await this.#git.succeeds('bisect', isBad === undefined ? 'skip' : isBad ? 'bad' : 'good');
    }
  }

  /** BAD draws the scenario, if it is one of the campaign: all others run the same one. */
  async #failureOf(bad: GitCommit): Promise<{ key: string; failure: string }> {
    const { file, seed, scratch, onJudged } = this.#options;
    const out = join(scratch, 'bad');
    const why = await this.#built.prepare();
    const judgement: Judgement =
      why === undefined ? await this.#built.sweep(file, { seed, out }) : { verdict: 'none', why };
    if (judgement.verdict === 'pass')
      throw new BadBisection(`BAD: expected ${nameOf(bad)} to fail with seed ${seed}, it passes`);
    if (judgement.verdict === 'none') throw new BadBisection(`BAD: ${nameOf(bad)} cannot be judged: ${judgement.why}`);
    const artefact = readdirSync(out).find((name) => name.endsWith('.strowger.json'));
    if (artefact === undefined) throw new BadBisection(`BAD: ${nameOf(bad)} has kept no artefact of its failure`);
    this.#artefact = join(out, artefact);
    onJudged(bad, judgement, true);
    return judgement;
  }

  async #expectGood(good: GitCommit, key: string): Promise<void> {
    await this.#git.run('checkout', '--quiet', '--force', '--detach', good.id);
    const judgement = await this.#judge();
    if (judgement.verdict === 'none')
      throw new BadBisection(`GOOD: ${nameOf(good)} cannot be judged: ${judgement.why}`);
    if (judgement.verdict === 'fail') {
      const how = judgement.key === key ? 'in the same way' : `in another way: ${judgement.failure}`;
      throw new BadBisection(`GOOD: expected ${nameOf(good)} to pass, it fails ${how}`);
    }
    this.#options.onJudged(good, judgement, false);
  }

  async #judge(): Promise<Judgement> {
    const why = await this.#built.prepare();
    return why === undefined ? this.#built.replay(this.#artefact) : { verdict: 'none', why };
  }
}

/** Whether a commit has the failure; another failure may hide it, so that it cannot be said. */
function isOfFailure(judgement: Judgement, key: string): boolean | undefined {
  if (judgement.verdict === 'pass') return false;
  return judgement.verdict === 'fail' && judgement.key === key ? true : undefined;
}

/** The first bad commit in the log of git bisect, or all that may be it; none as long as it goes on. */
function firstBadIn(log: string): GitCommit[] {
  return [...log.matchAll(/^# (?:possible )?first bad commit: \[([0-9a-f]+)\] (.*)$/gm)].map(
    ([, id = '', subject = '']) => ({
      id,
      subject,
    }),
  );
}

function commitOf(line: string): GitCommit {
  const [id = ''] = line.split(' ', 1);
  return { id, subject: line.slice(id.length + 1) };
}

/** A commit as it is printed. */
export function nameOf({ id, subject }: GitCommit): string {
  return `${id.slice(0, 8)} ${subject}`;
}
