/** A commit that is checked out: installs and builds it, and runs a scenario with it. */
import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonOr } from '../../../src/model/json.ts';
import { groupKeyOf, readRecord } from '../outcome.ts';
import { type CommandOptions, finished, lastLine } from './run-program.ts';

/** What a run of a commit came to. */
export type Judgement =
  /** `key`: the same for failures of one cause (`groupKeyOf`). */
  | { readonly verdict: 'fail'; readonly key: string; readonly failure: string }
  | { readonly verdict: 'pass' }
  /** It cannot be installed or built, or does not understand the scenario. */
  | { readonly verdict: 'none'; readonly why: string };

const packageSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });
/** The part of a report that is judged. */
const reportSchema = z.object({
  name: z.string(),
  verdict: z.enum(['pass', 'fail', 'unknown']),
  failures: z.array(
    z.object({
      kind: z.enum(['step', 'oracle', 'eventually', 'promise']),
      name: z.string(),
      step: z.int(),
      text: z.string(),
    }),
  ),
});

export interface BuiltCommitOptions {
  /** The folder of the commit. */
  readonly tree: string;
  /** The folder of the repository, whose installed packages are used where they are the same. */
  readonly repository: string;
  readonly stopped: AbortSignal;
}

export class BuiltCommit {
  readonly #options: BuiltCommitOptions;
  readonly #running: CommandOptions;
  /** The package-lock.json whose packages were installed into the folder. */
  #installed: string | undefined;

  constructor(options: BuiltCommitOptions) {
    this.#options = options;
    this.#running = { folder: options.tree, stopped: options.stopped };
  }

  /** Installs and builds what is checked out now. Returns why that failed. */
  async prepare(): Promise<string | undefined> {
    const { tree } = this.#options;
    if (!existsSync(join(tree, 'package.json'))) return 'it has no package.json';
    const failed = await this.#install();
    if (failed !== undefined) return failed;
    // What an earlier commit has built must not stay.
    rmSync(join(tree, 'dist'), { recursive: true, force: true });
    const built = await finished(['npm', 'run', 'build', '--if-present'], this.#running);
    return built.code === 0 ? undefined : `npm run build failed: ${lastLine(built)}`;
  }

  /** Runs a scenario, by default the campaign, with a seed. An artefact of a failure is kept in `out`. */
  async sweep(file: string | undefined, { seed, out }: { seed: number; out: string }): Promise<Judgement> {
    const files = file === undefined ? [] : [file];
    const args = ['sweep', ...files, '--seeds', `${seed}..${seed}`, '--jobs', '1', '--out', out];
    const ended = await this.#strowger(args);
    const record = join(out, 'sweep.jsonl');
    const [outcome] = existsSync(record) ? readRecord(record) : [];
    if (outcome === undefined) return { verdict: 'none', why: `the scenario cannot be run: ${ended}` };
    if (outcome.verdict !== 'fail') return { verdict: 'pass' };
    return { verdict: 'fail', key: groupKeyOf(outcome), failure: outcome.failure ?? '' };
  }

  /** Repeats the run of an artefact. */
  async replay(artefact: string): Promise<Judgement> {
    const { program, why } = this.#program();
    if (program === undefined) return { verdict: 'none', why };
    const ended = await finished(
      [process.execPath, program, 'replay', '--any-build', '--json', artefact],
      this.#running,
    );
    const report = reportSchema.safeParse(jsonOr(ended.out, undefined));
    if (!report.success) return { verdict: 'none', why: `the scenario cannot be run: ${lastLine(ended)}` };
    const { name: scenario, verdict, failures } = report.data;
    const [first] = failures;
    if (verdict !== 'fail' || first === undefined) return { verdict: 'pass' };
    const { kind, step, name: what, text: failure } = first;
    return { verdict: 'fail', key: groupKeyOf({ scenario, kind, step, what, failure }), failure };
  }

  /** The last line that a command of the commit printed, or why there is none. */
  async #strowger(args: readonly string[]): Promise<string> {
    const { program, why } = this.#program();
    return program === undefined ? why : lastLine(await finished([process.execPath, program, ...args], this.#running));
  }

  #program(): { program: string; why: '' } | { program: undefined; why: string } {
    const { tree } = this.#options;
    const read = packageSchema.safeParse(jsonOr(readFileSync(join(tree, 'package.json'), 'utf8'), undefined));
    const bin = read.data?.bin;
    const path = typeof bin === 'string' ? bin : bin?.['strowger'];
    if (path === undefined) return { program: undefined, why: 'its package.json has no command strowger (bin)' };
    const program = join(tree, path);
    return existsSync(program) ? { program, why: '' } : { program: undefined, why: `its build has no ${path}` };
  }

  /** Uses the packages of the repository where its package-lock.json is the same. */
  async #install(): Promise<string | undefined> {
    const { tree, repository } = this.#options;
    const lock = textOf(join(tree, 'package-lock.json'));
    const packages = join(tree, 'node_modules');
    const isLink = lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const isShared =
      lock === textOf(join(repository, 'package-lock.json')) && existsSync(join(repository, 'node_modules'));
    if (lock === undefined || (isLink && isShared)) return undefined;
    if (!isLink && this.#installed === lock) return undefined;
    rmSync(packages, { recursive: true, force: true });
    this.#installed = undefined;
    if (isShared) {
      symlinkSync(join(repository, 'node_modules'), packages);
      return undefined;
    }
    const done = await finished(['npm', 'ci', '--no-audit', '--no-fund'], this.#running);
    if (done.code !== 0) return `npm ci failed: ${lastLine(done)}`;
    this.#installed = lock;
    return undefined;
  }
}

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
