/** The connection check of a provider account. */

import { type PingEvent, pingMachine } from '../../../src/machines/registration/ping.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const answered: PingEvent = { type: 'response.received' };
const moved: PingEvent = { type: 'address.changed' };
const removed: PingEvent = { type: 'account.removed' };
const options = { type: 'send.options' } as const;
const failed = { type: 'report.failed' } as const;
const twice = { before: { failures: 2 }, after: { failures: 0 } };

machineTable(test, 'a ping', {
  machine: pingMachine,
  events: { 'response.received': true, 'address.changed': true, 'account.removed': true },
  context: { isChecking: true, failures: 0 },
  rows: [
    ['disabled.off', answered, 'disabled.off', []],
    ['disabled.off', moved, 'disabled.off', []],
    ['disabled.off', removed, 'gone', []],
    ['disabled.checking', answered, 'ok.resting', [], twice],
    ['disabled.checking', moved, 'disabled.checking', [options], twice],
    ['disabled.checking', removed, 'gone', []],
    ['ok.resting', answered, 'ok.resting', []],
    ['ok.resting', moved, 'ok.checking', [options]],
    ['ok.resting', removed, 'gone', []],
    ['ok.checking', answered, 'ok.resting', [], twice],
    ['ok.checking', moved, 'ok.checking', [options], twice],
    ['ok.checking', removed, 'gone', []],
    ['error.resting', answered, 'error.resting', []],
    ['error.resting', moved, 'error.checking', [options], twice],
    ['error.resting', removed, 'gone', []],
    ['error.checking', answered, 'ok.resting', [], twice],
    ['error.checking', moved, 'error.checking', [options], twice],
    ['error.checking', removed, 'gone', []],
  ],
  input: { ping: true },
  deadlines: [
    [[], 'disabled.checking', 5_000, 'error.resting', []],
    [[answered], 'ok.resting', 30_000, 'ok.checking', [options]],
    [[answered, 30_000], 'ok.checking', 5_000, 'error.resting', []],
    [[5_000], 'error.resting', 25_000, 'error.checking', [options]],
    [[5_000, 25_000], 'error.checking', 5_000, 'error.resting', []],
    [[5_000, 30_000, 25_000], 'error.checking', 5_000, 'error.resting', [failed]],
    [[answered, 35_000, 30_000, 25_000], 'error.checking', 5_000, 'error.resting', [failed]],
  ],
});

test('an account without a check is disabled for ever and sends nothing', (t) => {
  const ping = walk(pingMachine, { input: { ping: false } });
  t.is(ping.clock.pending, 0);
  ping.pass(1_000_000);
  t.deepEqual([ping.state, ping.commands], ['disabled.off', []]);
});

test('an OPTIONS goes out at once, then every 30 s, answered or not', (t) => {
  const silent = walk(pingMachine, { input: { ping: true } });
  silent.pass(150_000);
  const sentMs = silent.ordersMs.filter((_, index) => silent.commands[index]?.type === 'send.options');
  t.deepEqual(sentMs, [0, 30_000, 60_000, 90_000, 120_000, 150_000]);

  const answering = walk(pingMachine, { input: { ping: true } });
  for (let round = 0; round < 3; round += 1) {
    answering.send(answered);
    answering.pass(30_000);
  }
  t.deepEqual(answering.ordersMs, [0, 30_000, 60_000, 90_000]);
});

test('three failed rounds in a row are reported, and again after each three more', (t) => {
  const ping = walk(pingMachine, { input: { ping: true } });
  const reportsMs = () => ping.ordersMs.filter((_, index) => ping.commands[index]?.type === 'report.failed');
  ping.pass(155_000);
  t.deepEqual(reportsMs(), [65_000, 155_000]);
});

test('an answer in between starts the count anew', (t) => {
  const ping = walk(pingMachine, { input: { ping: true } });
  ping.pass(60_000);
  ping.send(answered);
  t.is(ping.state, 'ok.resting');
  ping.pass(30_000 + 60_000);
  t.false(ping.commands.some((command) => command.type === 'report.failed'));
  ping.pass(5_000);
  t.is(ping.commands.at(-1)?.type, 'report.failed');
});
