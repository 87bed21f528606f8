/** The audio matcher of an mware instance. */
import test from 'ava';
import { type MatcherEvent, matcherMachine } from '../../src/machines/matcher.ts';
import { machineTable } from '../kit/machine-table.ts';
import { walk } from '../kit/machine-walk.ts';

const reload: MatcherEvent = { type: 'reload.requested' };
const loaded = { type: 'samples.loaded' } as const;
const failed = { type: 'samples.failed' } as const;
const again = { after: { isAgainWanted: true } };

machineTable(test, 'a matcher', {
  machine: matcherMachine,
  events: { 'reload.requested': true },
  context: { loadMs: 1_000, fails: 0, isAgainWanted: false },
  rows: [
    ['off', reload, 'loading', []],
    ['loading', reload, 'loading', [], again],
    ['loaded', reload, 'loading', []],
    ['failed', reload, 'loading', []],
  ],
  input: { loadMs: 1_000, fails: 1 },
  deadlines: [
    [[reload], 'loading', 1_000, 'failed', [failed]],
    [[reload, 1_000, reload], 'loading', 1_000, 'loaded', [loaded]],
    [[reload, 400, reload], 'loading', 600, 'loading', []],
    [[reload, 400, reload, 600], 'loading', 1_000, 'loaded', [loaded]],
  ],
});

test('however often it is told to while it loads, it loads once more', (t) => {
  const matcher = walk(matcherMachine, { input: { loadMs: 1_000, fails: 0 } });
  for (let times = 0; times < 5; times += 1) matcher.send(reload);
  matcher.pass(1_999);
  t.deepEqual(matcher.commands, []);
  matcher.pass(1);
  t.deepEqual(matcher.commands, [loaded]);
  matcher.pass(10_000);
  t.deepEqual(matcher.commands, [loaded]);
});
