/** Supervision: restart after a crash, with a back-off that doubles, until it crashes too often. */
import test from 'ava';
import { type SupervisionFact, supervisionMachine } from '../../src/machines/supervision.ts';
import { limits } from '../../src/model/limits.ts';
import { machineTable } from '../kit/machine-table.ts';
import { type Walk, walk } from '../kit/machine-walk.ts';

const backoffMs = 500;
const crashedAt = (atMs: number): SupervisionFact => ({ type: 'instance.crashed', atMs });
const restart: SupervisionFact = { type: 'restart.requested' };
const stop: SupervisionFact = { type: 'stop.requested' };
const start = { type: 'start.instance' } as const;
const full = Array.from({ length: limits.restarts }, (_, index) => index * 1_000);
const nowMs = limits.restarts * 1_000;

machineTable(test, 'supervision', {
  machine: supervisionMachine,
  facts: { 'instance.crashed': true, 'restart.requested': true, 'stop.requested': true },
  context: { crashesMs: [], backoffMs },
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
    ['running', stop, 'stopped', []],

    ['waiting', crashedAt(7), 'waiting', [], { after: { crashesMs: [] } }],
    ['waiting', restart, 'running', [start], { before: { crashesMs: [7] }, after: { crashesMs: [7] } }],
    ['waiting', stop, 'stopped', []],

    ['failed', crashedAt(7), 'failed', []],
    ['failed', restart, 'running', [start]],
    ['failed', stop, 'stopped', []],
  ],
  input: { backoffMs },
  deadlines: [
    [[crashedAt(0)], 'waiting', backoffMs, 'running', [start]],
    [[crashedAt(0), backoffMs, crashedAt(500)], 'waiting', 2 * backoffMs, 'running', [start]],
    [[crashedAt(0), restart, crashedAt(0)], 'waiting', 2 * backoffMs, 'running', [start]],
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
  const supervision = walk(supervisionMachine, { input: { backoffMs } });
  t.deepEqual(crashAlways(supervision), [500, 1_000, 2_000, 4_000, 8_000]);
  t.deepEqual(supervision.orders.at(-1), { type: 'give.up' });
  t.is(supervision.clock.pending, 0);
});

test('an instance that was given up and is restarted by hand has all its restarts again', (t) => {
  const supervision = walk(supervisionMachine, { input: { backoffMs } });
  crashAlways(supervision);
  supervision.send(restart);
  t.is(supervision.state, 'running');
  t.is(crashAlways(supervision).length, limits.restarts);
});

test('crashes further apart than the window are forgotten: no give-up, and the wait stays the shortest', (t) => {
  const supervision = walk(supervisionMachine, { input: { backoffMs } });
  for (let crash = 0; crash < 3 * limits.restarts; crash += 1) {
    supervision.send(crashedAt(supervision.clock.now()));
    supervision.pass(backoffMs);
    t.is(supervision.state, 'running');
    supervision.pass(limits.restartWindowMs - backoffMs);
  }
});

test('one crash too many within the window is one too many however they are spread', (t) => {
  const everyMs = limits.restartWindowMs / (limits.restarts + 1);
  const supervision = walk(supervisionMachine, { input: { backoffMs: 1 } });
  for (let crash = 0; crash <= limits.restarts; crash += 1) {
    t.is(supervision.state, 'running');
    supervision.send(crashedAt(supervision.clock.now()));
    supervision.pass(everyMs);
  }
  t.is(supervision.state, 'failed');
});
