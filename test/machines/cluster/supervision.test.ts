/** Supervision: restart after a crash, with a back-off that doubles, until it crashes too often. */

import { type SupervisionEvent, supervisionMachine } from '../../../src/machines/cluster/supervision.ts';
import { limits } from '../../../src/model/limits.ts';
import { machineTable, unexpected } from '../../kit/machine-table.ts';
import { type Walk, walk } from '../../kit/machine-walk.ts';
import { test } from '../../kit/test.ts';

const backoffMs = 500;
const crashedAt = (atMs: number): SupervisionEvent => ({ type: 'xstate.error.actor.instance', error: { atMs } });
const restart: SupervisionEvent = { type: 'restart.requested' };
const stop: SupervisionEvent = { type: 'stop.requested' };
const stopped: SupervisionEvent = { type: 'xstate.done.actor.instance' };
const input = { name: 'b2b-1', address: 's/n/b2b-1', backoffMs };
const full = Array.from({ length: limits.restarts }, (_, index) => index * 1_000);
const nowMs = limits.restarts * 1_000;

/** In the table it is put into its states, where there is no instance to send to. */
const alone = supervisionMachine.provide({ actions: { drainInstance: () => {} } });

machineTable(test, 'supervision', {
  machine: alone,
  events: {
    'xstate.error.actor.instance': true,
    'xstate.done.actor.instance': true,
    'restart.requested': true,
    'stop.requested': true,
  },
  context: { ...input, crashesMs: [] },
  rows: [
    ['running', crashedAt(7), 'waiting', [], { after: { crashesMs: [7] } }],
    [
      'running',
      crashedAt(nowMs),
      'failed',
      [{ type: 'give.up' }],
      { before: { crashesMs: full }, after: { crashesMs: [] } },
    ],
    [
      'running',
      crashedAt(limits.restartWindowMs),
      'waiting',
      [],
      { before: { crashesMs: full }, after: { crashesMs: [...full.slice(1), limits.restartWindowMs] } },
    ],
    ['running', restart, 'running', []],
    ['running', stop, 'stopping', []],
    ['running', stopped, 'stopped', []],

    ['stopping', crashedAt(7), 'stopped', []],
    ['stopping', stopped, 'stopped', []],
    ['stopping', restart, 'stopping', []],
    ['stopping', stop, 'stopping', []],

    ['waiting', crashedAt(7), 'waiting', [unexpected('xstate.error.actor.instance')]],
    ['waiting', stopped, 'waiting', [unexpected('xstate.done.actor.instance')]],
    ['waiting', restart, 'running', [], { before: { crashesMs: [7] }, after: { crashesMs: [7] } }],
    ['waiting', stop, 'stopped', []],

    ['failed', crashedAt(7), 'failed', [unexpected('xstate.error.actor.instance')]],
    ['failed', stopped, 'failed', [unexpected('xstate.done.actor.instance')]],
    ['failed', restart, 'running', []],
    ['failed', stop, 'stopped', []],
  ],
  input,
  deadlines: [
    [[crashedAt(0)], 'waiting', backoffMs, 'running', []],
    [[crashedAt(0), backoffMs, crashedAt(500)], 'waiting', 2 * backoffMs, 'running', []],
    [[crashedAt(0), restart, crashedAt(0)], 'waiting', 2 * backoffMs, 'running', []],
  ],
});

/** Crashes the instance again as soon as it runs, until it is given up. Answers how long each restart took. */
function crashAlways(supervision: Walk<typeof supervisionMachine>): number[] {
  const waitsMs: number[] = [];
  for (;;) {
    const crashMs = supervision.clock.now();
    supervision.send(crashedAt(crashMs));
    if (supervision.state === 'failed') return waitsMs;
    supervision.clock.runNext();
    waitsMs.push(supervision.clock.now() - crashMs);
  }
}

test('an instance that crashes whenever it starts is restarted five times, each after twice the wait, then given up', (t) => {
  const supervision = walk(supervisionMachine, { input });
  t.deepEqual(crashAlways(supervision), [500, 1_000, 2_000, 4_000, 8_000]);
  t.deepEqual(supervision.commands.at(-1), { type: 'give.up' });
  t.is(supervision.clock.pending, 0);
});

test('an instance that was given up and is restarted by hand has all its restarts again', (t) => {
  const supervision = walk(supervisionMachine, { input });
  crashAlways(supervision);
  supervision.send(restart);
  t.is(supervision.state, 'running');
  t.is(crashAlways(supervision).length, limits.restarts);
});

test('crashes further apart than the window are forgotten: no give-up, and the wait stays the shortest', (t) => {
  const supervision = walk(supervisionMachine, { input });
  for (let crash = 0; crash < 3 * limits.restarts; crash += 1) {
    supervision.send(crashedAt(supervision.clock.now()));
    supervision.pass(backoffMs);
    t.is(supervision.state, 'running');
    supervision.pass(limits.restartWindowMs - backoffMs);
  }
});

test('one crash too many within the window is one too many however they are spread', (t) => {
  const everyMs = limits.restartWindowMs / (limits.restarts + 1);
  const supervision = walk(supervisionMachine, { input: { ...input, backoffMs: 1 } });
  for (let crash = 0; crash <= limits.restarts; crash += 1) {
    t.is(supervision.state, 'running');
    supervision.send(crashedAt(supervision.clock.now()));
    supervision.pass(everyMs);
  }
  t.is(supervision.state, 'failed');
});
