/** An address that fails to identify itself. */

import { type SuspectEvent, suspectMachine } from '../../../src/machines/access/suspect.ts';
import { limits } from '../../../src/model/limits.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const failedAt = (atMs: number): SuspectEvent => ({ type: 'attempt.failed', atMs });
const ban = { type: 'ban.address' } as const;
const windowMs = 180_000;

machineTable(test, 'a suspect', {
  machine: suspectMachine,
  events: { 'attempt.failed': true, 'suspect.evicted': true },
  context: { failuresMs: [] },
  rows: [
    ['watched', { type: 'suspect.evicted' }, 'forgotten', []],
    ['watched', failedAt(5), 'watched', [], { after: { failuresMs: [5] } }],
    ['watched', failedAt(windowMs - 1), 'forgotten', [ban], { before: { failuresMs: [0, 1, 2, 3] } }],
    [
      'watched',
      failedAt(windowMs),
      'watched',
      [],
      { before: { failuresMs: [0, 1, 2, 3] }, after: { failuresMs: [1, 2, 3, windowMs] } },
    ],
    ['watched', failedAt(4), 'watched', [], { before: { failuresMs: [1, 2, 3] }, after: { failuresMs: [1, 2, 3, 4] } }],
  ],
  deadlines: [
    [[], 'watched', windowMs, 'forgotten', []],
    [[failedAt(0)], 'watched', windowMs, 'forgotten', []],
    [[failedAt(0), 100_000, failedAt(100_000)], 'watched', windowMs, 'forgotten', []],
  ],
});

test('the limits are those of the contract: the 5th failure within 180 s', (t) => {
  t.deepEqual([limits.loginFailures, limits.loginWindowMs], [5, windowMs]);
});

test('the fifth failure within the window bans, and the address is a suspect no longer', (t) => {
  const suspect = walk(suspectMachine, { input: undefined });
  for (const atMs of [0, 40_000, 80_000, 120_000]) {
    suspect.pass(atMs - suspect.clock.now());
    suspect.send(failedAt(atMs));
    t.deepEqual(suspect.commands, []);
  }
  suspect.pass(59_999);
  suspect.send(failedAt(179_999));
  t.deepEqual([suspect.commands, suspect.status], [[ban], 'done']);
  t.is(suspect.clock.pending, 0);
});

test('failures that are never five within a window do not ban, however many there are', (t) => {
  const suspect = walk(suspectMachine, { input: undefined });
  for (let failure = 0; failure < 40; failure += 1) {
    suspect.send(failedAt(suspect.clock.now()));
    suspect.pass(windowMs / 4);
  }
  t.deepEqual([suspect.commands, suspect.state], [[], 'watched']);
});
