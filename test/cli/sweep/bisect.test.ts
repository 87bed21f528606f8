/** `sweep --bisect`: a small repository whose program fails from one commit on. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type BisectionOptions, bisect, type GitCommit, nameOf } from '../../../sim/sweep/bisect/bisection.ts';
import { Stopped } from '../../../sim/sweep/bisect/run-program.ts';
import { scopedTest } from '../../kit/scoped.ts';
import { makeFolder } from '../../topology/edits.ts';
import { poll, Running } from '../command.ts';
import { strowger } from '../in-process.ts';

const test = scopedTest();

/** A folder for temporary files of their own: another run on this machine may make a search too. */
const ownTemporary = mkdtempSync(join(tmpdir(), 'strowger-test-'));
const { TMPDIR: shared } = process.env;
test.beforeEach(() => {
  process.env['TMPDIR'] = ownTemporary;
});
test.afterEach(() => {
  if (shared === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = shared;
});
test.after(() => rmSync(ownTemporary, { recursive: true }));

/** A program of which only what the search uses is there: it fails as the file `state` says. */
const program = `import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const [command, ...args] = process.argv.slice(2);
const state = readFileSync(new URL('state', import.meta.url), 'utf8').trim();
if (state === 'strange') {
  console.log('unknown option');
  process.exit(64);
}
const failure = { kind: 'oracle', step: 3, text: state + ': 1 call too many' };
const isBad = state !== 'good';
if (command === 'sweep') {
  const out = args[args.indexOf('--out') + 1];
  const seed = Number(args[args.indexOf('--seeds') + 1].split('..')[0]);
  mkdirSync(out, { recursive: true });
  const failed = isBad ? { kind: failure.kind, step: failure.step, what: 'calls-agree', failure: failure.text } : {};
  const outcome = { scenario: 'campaign', seed, build: 'b', source: 's', verdict: isBad ? 'fail' : 'pass', ...failed, virtualMs: 1 };
  writeFileSync(out + '/sweep.jsonl', JSON.stringify(outcome) + '\\n');
  if (isBad) writeFileSync(out + '/campaign-' + seed + '.strowger.json', '{}');
} else {
  const failures = isBad ? [{ kind: failure.kind, name: 'calls-agree', step: failure.step, atMs: 1, text: failure.text }] : [];
  console.log(JSON.stringify({ name: 'campaign', verdict: isBad ? 'fail' : 'pass', failures }));
}
process.exit(isBad ? 1 : 0);
`;

/** Its build copies the program, and fails where the state says so. In sh, which starts in a tenth of the time of Node. */
const build = `set -e
test "$(cat state)" != broken || { echo 'it does not compile' >&2; exit 1; }
mkdir dist
test "$(cat state)" != endless || exec node -e 'setInterval(() => {}, 1_000)'
cp program.mjs dist/main.mjs
cp state dist/state
`;

interface Fixture {
  readonly folder: string;
  readonly commits: readonly string[];
  git(...args: string[]): string;
}

/** A commit for each state, written by one process of Git: each commit by itself takes three. */
function repository(t: ExecutionContext, states: readonly string[]): Fixture {
  const folder = makeFolder(t);
  const git = (args: readonly string[], input?: string) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'], input }).trim();
  const packageText = { type: 'module', bin: { strowger: 'dist/main.mjs' }, scripts: { build: 'sh build.sh' } };
  const files = {
    ...{ 'package.json': JSON.stringify(packageText), 'program.mjs': program, 'build.sh': build },
    '.gitignore': 'dist/\n',
  };
  git(['init', '--quiet', '--initial-branch=main']);
  const commits = git(['fast-import', '--quiet'], historyOf(states, files)).split('\n');
  git(['reset', '--quiet', '--hard']);
  return { folder, commits, git: (...args) => git(args) };
}

/** The input of `git fast-import` for a commit for each state, which prints the id of each. */
function historyOf(states: readonly string[], files: Readonly<Record<string, string>>): string {
  const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const commit = (state: string, index: number) => {
    const changed = { ...(index === 0 && files), state: `${state}\n`, n: `${index}` };
    return [
      `commit refs/heads/main\nmark :${index + 1}\ncommitter t <t@t.test> ${1_900_000_000 + index} +0000\n`,
      data(`change ${index}: ${state}`),
      ...Object.entries(changed).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`),
      `get-mark :${index + 1}\n`,
    ].join('');
  };
  return states.map(commit).join('');
}

function optionsOf({ folder, commits }: Fixture, more: Partial<BisectionOptions> = {}): BisectionOptions {
  const [good = '', bad = ''] = [commits[0], commits.at(-1)];
  return { folder, good, bad, seed: 7, stopped: new AbortController().signal, onJudged: () => {}, ...more };
}

/** Nothing of the search is left: no worktree, no state of git bisect, no folder. */
function expectClean(t: ExecutionContext, { git }: Fixture, scratchBefore: readonly string[]): void {
  t.is(git('worktree', 'list').split('\n').length, 1);
  t.is(git('for-each-ref', 'refs/bisect'), '');
  t.deepEqual(scratch(), scratchBefore);
}

const scratch = () => readdirSync(tmpdir()).filter((name) => name.startsWith('strowger-bisect-'));
const failing = 'legs differ';

test('the first commit with the failure is found, past one that does not build and one with another failure', async (t) => {
  const states = ['good', 'good', 'broken', 'good', 'other', failing, failing, failing, failing];
  const fixture = repository(t, states);
  writeFileSync(join(fixture.folder, 'state'), 'not committed\n');
  const before = scratch();
  const judged: string[] = [];
  const found = await bisect(
    optionsOf(fixture, {
      onJudged: ({ subject }, { verdict }, isBad) => judged.push(`${subject} ${verdict} ${isBad}`),
    }),
  );
  t.true(
    found.first.some(({ id }) => id === fixture.commits[5]),
    JSON.stringify(found),
  );
  t.deepEqual(judged.slice(0, 2), [`change 8: ${failing} fail true`, 'change 0: good pass false']);
  t.is(found.failure, `${failing}: 1 call too many`);
  t.is(fixture.git('status', '--porcelain'), 'M state');
  expectClean(t, fixture, before);
});

test('the command prints the first bad commit, and each that was judged', async (t) => {
  const fixture = repository(t, ['good', 'good', failing, failing, failing]);
  const { commits } = fixture;
  const ended = new Running(
    t,
    ['sweep', '--seeds', '7..7', '--bisect', `${commits[0]}..HEAD`],
    {},
    { folder: fixture.folder },
  );
  t.is(await ended.ended, 0, ended.err);
  t.is(
    ended.out,
    `first bad commit:\n  ${commits[2]?.slice(0, 8)} change 2: ${failing}\nit fails with\n  ${failing}: 1 call too many\n2 commits between GOOD and BAD judged, 0 skipped\n`,
  );
  t.regex(ended.err, /^[0-9a-f]{8} change 4: legs differ: fails\n[0-9a-f]{8} change 0: good: passes\n/);
});

test('where only skipped commits are left all of them are named', async (t) => {
  const fixture = repository(t, ['good', 'broken', failing, failing]);
  const { first, skipped } = await bisect(optionsOf(fixture));
  t.deepEqual(first.map(({ id }) => id).sort(), fixture.commits.slice(1, 3).toSorted());
  t.is(skipped, 1);
});

const refused: [
  what: string,
  states: string[],
  more: (fixture: Fixture) => Partial<BisectionOptions>,
  message: RegExp,
][] = [
  [
    'a BAD that passes',
    ['good', 'good'],
    () => ({}),
    /^BAD: expected [0-9a-f]{8} change 1: good to fail with seed 7, it passes$/,
  ],
  [
    'a GOOD that fails',
    [failing, failing],
    () => ({}),
    /^GOOD: expected [0-9a-f]{8} change 0: legs differ to pass, it fails in the same way$/,
  ],
  ['a GOOD with another failure', ['other', failing], () => ({}), /it fails in another way: other: 1 call too many$/],
  ['a GOOD that does not build', ['broken', failing], () => ({}), /^GOOD: .* cannot be judged: npm run build failed: /],
  ['a BAD that does not build', ['good', 'broken'], () => ({}), /^BAD: .* cannot be judged: npm run build failed: /],
  [
    'a BAD that does not know the command',
    ['good', 'strange'],
    () => ({}),
    /^BAD: .* cannot be judged: .*unknown option$/,
  ],
  [
    'an unknown commit',
    ['good', failing],
    () => ({ bad: 'v9' }),
    /^BAD: expected a commit of the repository, got "v9"$/,
  ],
  [
    'a GOOD after BAD',
    ['good', failing],
    ({ commits }) => ({ good: commits[1] ?? '', bad: commits[0] ?? '' }),
    /^expected GOOD to be an ancestor of BAD/,
  ],
  [
    'a folder without a repository',
    ['good', failing],
    () => ({ folder: mkdtempSync(join(tmpdir(), 'none-')) }),
    /^expected a folder in a Git repository, got /,
  ],
];
for (const [what, states, more, message] of refused) {
  test(`${what} is refused, and nothing is left`, async (t) => {
    const fixture = repository(t, states);
    const before = scratch();
    await t.throwsAsync(bisect(optionsOf(fixture, more(fixture))), { message });
    expectClean(t, fixture, before);
  });
}

test('a search that is stopped leaves nothing behind', async (t) => {
  const fixture = repository(t, ['good', 'good', failing, failing]);
  const before = scratch();
  const stopping = new AbortController();
  const judged: GitCommit[] = [];
  const onJudged = (commit: GitCommit) => {
    judged.push(commit);
    stopping.abort();
  };
  await t.throwsAsync(bisect(optionsOf(fixture, { stopped: stopping.signal, onJudged })), { instanceOf: Stopped });
  t.deepEqual(judged.map(nameOf), [`${fixture.commits[3]?.slice(0, 8)} change 3: ${failing}`]);
  expectClean(t, fixture, before);
  t.false(existsSync(join(fixture.folder, 'dist')));
});

test('Ctrl-C removes the worktree, also while a commit is being built', async (t) => {
  const fixture = repository(t, ['good', 'endless', failing]);
  const before = scratch();
  const args = ['sweep', '--seeds', '7..7', '--bisect', `${fixture.commits[0]}..HEAD`];
  const searching = new Running(t, args, {}, { folder: fixture.folder });
  await poll('GOOD is judged', async () => /change 0: good: passes/.test(searching.err) || undefined);
  searching.kill('SIGINT');
  t.is(await searching.ended, 130, searching.err);
  t.regex(searching.err, /\nstopped: the worktree is removed\n$/);
  expectClean(t, fixture, before);
});

const usage: [args: string[], line: RegExp][] = [
  [['--bisect', 'v1'], /--bisect: expected two commits as GOOD\.\.BAD, such as v1\.0\.\.main, got "v1"\n$/],
  [['--bisect', 'v1...v2'], /got "v1\.\.\.v2"\n$/],
  [['--bisect', 'v1..v2'], /--bisect: expected one seed, such as --seeds 7\.\.7, got 1\.\.100\n$/],
  [['--bisect', 'v1..v2', '--seeds', '7..7', 'a.yaml', 'b.yaml'], /--bisect: expected one scenario, .* got 2\n$/],
  [['--bisect', 'v1..v2', '--seeds', '7..7', '--nats', 'nats://h'], /--bisect: expected no --nats/],
  [['--bisect', 'v1..v2', '--seeds', '7..7', '--guided'], /--bisect: expected no --guided/],
];
for (const [args, line] of usage) {
  test(`sweep ${args.join(' ')} is refused with one line`, async (t) => {
    const { code, out, err } = await strowger(t, 'sweep', ...args);
    t.is(code, 64);
    t.is(out, '');
    t.regex(err, line);
  });
}
