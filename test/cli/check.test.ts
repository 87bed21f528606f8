/** `strowger check` as its users have it. */
import { test } from '../kit/test.ts';
import { strowger } from './in-process.ts';

/** Lines without the times, which differ from run to run. */
function timeless(text: string): string {
  return text.replaceAll(/\d+\.\d s$/gm, 'T');
}

test('prints a line for each machine, then for each system of interacting machines, then how many passed, and exits 0', async (t) => {
  const { code, out, err } = await strowger(t, 'check', 'leg', 'ban', 'conference+participants', '--runs', '5');
  t.is(err, '');
  t.is(code, 0, out);
  const [leg, ban, conference, summary, ...rest] = timeless(out).split('\n');
  t.regex(
    leg ?? '',
    /^pass {4}leg +states 18\/18 +transitions 234\/234 +decided 476\/476 \(\d+ unexpected\) +runs 15 +stimuli \d+\/\d+ 100 % {2}T$/,
  );
  t.regex(ban ?? '', /^pass {4}ban +states 2\/2 +transitions 4\/4 /);
  t.regex(
    conference ?? '',
    /^pass {4}conference\+participants +states 12\d+ +transitions \d+ .* deadlocks none, .* all within \d+ moves {2}T$/,
  );
  t.is(summary, '3 pass: seed 1, T');
  t.deepEqual(rest, ['']);
});

test('interacting machines are unknown when fewer states are explored than their check states, and it exits 2', async (t) => {
  const { code, out } = await strowger(t, 'check', 'account+provider', '--states', '5', '--json');
  t.is(code, 2, out);
  const [report, ...others] = JSON.parse(out).reports;
  t.like(report, {
    system: 'account+provider',
    verdict: 'unknown',
    ends: 0,
    doubts: [
      'it was stopped at 5 states, and its check states 30000',
      'no run came to an end: except at the start, all parts never agree with nothing in flight',
    ],
  });
  t.deepEqual(others, []);
});

test('the same seed gives the same output, another one other runs', async (t) => {
  const run = async (seed: string) =>
    (
      await strowger(
        t,
        'check',
        'session',
        'conference+participants',
        '--runs',
        '5',
        '--states',
        '300',
        '--json',
        '--seed',
        seed,
      )
    ).out;
  const one = await run('7');
  t.is(await run('7'), one);
  t.not(await run('8'), one);
  const { seed, reports } = JSON.parse(one);
  t.is(seed, 7);
  t.deepEqual(
    reports.map(({ verdict }: { verdict: string }) => verdict),
    ['pass', 'unknown'],
  );
});

const wrong: readonly [what: string, args: readonly string[], line: RegExp][] = [
  [
    'a machine that there is not',
    ['legs'],
    /^strowger: no machine "legs"; expected one of leg, dialog, .*, b2b\+callstores\n$/,
  ],
  [
    'a path without its machine',
    ['--path', 'plain:1'],
    /^strowger: --path: expected one machine: the machine of the counter-example\n$/,
  ],
  ['a malformed path', ['leg', '--path', '1:2'], /^strowger: --path: expected a path such as plain:12:0:3, got "1:2"/],
  [
    'a number of runs for interacting machines',
    ['account+provider', '--runs', '5'],
    /^strowger: --runs: applies to single machines; account\+provider is explored, the same each time \(--states\)\n$/,
  ],
  [
    'a seed for interacting machines',
    ['account+provider', 'client+registrar', '--seed', '5'],
    /^strowger: --seed: applies to single machines; account\+provider, client\+registrar are explored/,
  ],
  [
    'a number of states for single machines',
    ['ban', '--states', '5'],
    /^strowger: --states: applies to interacting machines; ban is checked by lists of events \(--runs\)\n$/,
  ],
  [
    'a number of runs beside a path',
    ['leg', '--path', 'plain:1', '--runs', '5'],
    /^strowger: --runs: cannot be combined with --path, which makes one run\n$/,
  ],
  ['no runs', ['--runs', '0'], /^strowger: --runs: expected an integer from 1 /],
];
for (const [what, args, line] of wrong) {
  test(`${what} is refused with one line, and exits 64`, async (t) => {
    const { code, out, err } = await strowger(t, 'check', ...args);
    t.is(code, 64);
    t.is(out, '');
    t.regex(err, line);
  });
}

for (const [path, runs, note] of [
  ['disordered:3', 1, 'the path disordered:3 breaks nothing with seed 1, as the machine and its check are now'],
  ['plain:3:99999', 0, 'there is no path plain:3:99999 with seed 1, so nothing was run'],
] as const) {
  test(`of a path one run is made at most, and what breaks nothing is unknown: ${path}`, async (t) => {
    const { code, out } = await strowger(t, 'check', 'leg', '--path', path);
    t.is(code, 2, out);
    const [line, ...notes] = timeless(out).split('\n');
    t.regex(line ?? '', new RegExp(`^unknown leg .* runs ${runs} `));
    t.deepEqual(notes, [`        ${note}`, '1 unknown: seed 1, T', '']);
  });
}
