/** `strowger check` as its users have it. */
import test from 'ava';
import { strowger } from './command.ts';

/** Lines without the times, which differ from run to run. */
function timeless(text: string): string {
  return text.replaceAll(/\d+\.\d s$/gm, 'T');
}

test.serial('every machine has a line, then those that talk, then how many passed; it exits 0', async (t) => {
  const { code, out, err } = await strowger(
    t,
    'check',
    'leg',
    'ban',
    'account+provider',
    '--runs',
    '5',
    '--states',
    '500',
  );
  t.is(err, '');
  t.is(code, 0, out);
  const [leg, ban, account, summary, ...rest] = timeless(out).split('\n');
  t.regex(
    leg ?? '',
    /^pass {4}leg +states 18\/18 +transitions 218\/218 +decided 459\/459 \(\d+ unexpected\) +runs 15 +commands \d+\/\d+ 100 % {2}T$/,
  );
  t.regex(ban ?? '', /^pass {4}ban +states 2\/2 +transitions 4\/4 /);
  t.regex(
    account ?? '',
    /^pass {4}account\+provider +states 50\d +transitions \d+ .* deadlocks none, .* all within \d+ moves {2}T$/,
  );
  t.is(summary, '3 pass: seed 1, T');
  t.deepEqual(rest, ['']);
});

test.serial('the same seed gives the same output, another one other runs', async (t) => {
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
    ['pass', 'pass'],
  );
});

const wrong: readonly [what: string, args: readonly string[], line: RegExp][] = [
  [
    'a machine that there is not',
    ['legs'],
    /^strowger: no machine "legs"; there are leg, dialog, .*, conference\+participants\n$/,
  ],
  ['a path without its machine', ['--path', 'plain:1'], /^strowger: --path: expected one machine, /],
  [
    'a path that is none',
    ['leg', '--path', '1:2'],
    /^strowger: --path: expected a path such as plain:12:0:3, got "1:2"/,
  ],
  ['no runs', ['--runs', '0'], /^strowger: --runs: expected an integer from 1 /],
];
for (const [what, args, line] of wrong) {
  test.serial(`${what} is told in one line, and exits 64`, async (t) => {
    const { code, out, err } = await strowger(t, 'check', ...args);
    t.is(code, 64);
    t.is(out, '');
    t.regex(err, line);
  });
}

test.serial('one run is made again by its seed and path', async (t) => {
  const { code, out } = await strowger(t, 'check', 'leg', '--seed', '1', '--path', 'disordered:3');
  t.is(code, 0, out);
  t.regex(out, /^pass {4}leg .* runs 1 /);
});
