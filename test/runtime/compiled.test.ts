/** The compiled tables of peer and leg against the machines that they were made of. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/clock.ts';
import { compile, type DeadlineEvent } from '../../src/actors/compiled-machine.ts';
import { type LegCommand, type LegDelay, type LegEvent, legDelaysMs, legMachine } from '../../src/machines/leg.ts';
import { type PeerEvent, peerMachine } from '../../src/machines/peer.ts';
import type { Timer } from '../../src/ports/clock.ts';
import { legEvents, legTable } from '../../src/runtime/sip/leg-table.ts';
import { walk } from '../kit/machine-walk.ts';
import { holds } from '../kit/property.ts';

const events: readonly PeerEvent[] = [{ type: 'pong.received' }, { type: 'ping.missed' }];
const misses = fc.integer({ min: 1, max: 8 });

test('for any sequence of events the table goes through the states of the machine and gives its commands', async (t) => {
  await holds(
    t,
    fc.property(misses, fc.array(fc.constantFrom(...events), { maxLength: 60 }), (patience, told) => {
      const machine = peerMachine(patience);
      const table = compile(machine, events);
      const actor = walk(machine, { input: undefined });
      let state = table.initial;
      assert.equal(state, actor.state);
      for (const event of told) {
        const soFar = actor.commands.length;
        const step = table.step(state, event);
        actor.send(event);
        assert.equal(step.state, actor.state);
        assert.deepEqual(step.commands, actor.commands.slice(soFar));
        state = step.state;
      }
    }),
  );
});

test('a peer is found and lost in turns, and lost only after as many misses in a row as its patience', async (t) => {
  await holds(
    t,
    fc.property(misses, fc.array(fc.constantFrom(...events), { maxLength: 60 }), (patience, told) => {
      const table = compile(peerMachine(patience), events);
      let state = table.initial;
      let missed = 0;
      let last = 'unknown';
      for (const event of told) {
        missed = event.type === 'ping.missed' ? missed + 1 : 0;
        const step = table.step(state, event);
        state = step.state;
        const isFound = event.type === 'pong.received' && last !== 'peer.found';
        const isLost = missed >= patience && last !== 'peer.lost';
        const isDoubted = missed > 0 && missed % patience === 0;
        assert.deepEqual(
          step.commands.map(({ type }) => type),
          [
            ...(isFound ? ['peer.found'] : []),
            ...(isLost ? ['peer.lost'] : []),
            ...(isDoubted ? ['connection.doubted'] : []),
          ],
        );
        last = isFound ? 'peer.found' : isLost ? 'peer.lost' : last;
      }
    }),
  );
});

test('the table has the states of the machine, each once', (t) => {
  for (const patience of [1, 2, 5]) {
    const { states } = compile(peerMachine(patience), events);
    const { states: outer } = peerMachine(patience);
    const inner = Object.entries(outer).flatMap(([name, { states: within }]) =>
      Object.keys(within).map((each) => `${name}.${each}`),
    );
    t.deepEqual([...states].sort(), inner.sort());
  }
});

test('the same step is the same object each time, so that a ping makes no garbage', (t) => {
  const table = compile(peerMachine(3), events);
  for (const state of table.states) {
    for (const event of events) t.is(table.step(state, event), table.step(state, { ...event }));
  }
});

test('a state or an event that is not in the table is a bug', (t) => {
  const table = compile(peerMachine(3), events);
  t.throws(() => table.step('elsewhere', { type: 'pong.received' }), { message: /no state "elsewhere"/ });
  t.throws(() => table.step('up.0', { type: 'sneezed' } as unknown as PeerEvent), { message: /event "sneezed"/ });
});

/** A leg that runs by its table, as agents run it: timers by name. */
function tabledLeg() {
  const clock = new VirtualClock(0);
  const table = legTable();
  const commands: LegCommand[] = [];
  let state = table.initial;
  let timers: Timer[] = [];
  const tell = (event: LegEvent | DeadlineEvent) => {
    if (state === 'ended') return;
    const step = table.step(state, event);
    state = step.state;
    commands.push(...step.commands);
    if (!step.isEntered) return;
    for (const timer of timers) timer.cancel();
    timers = table
      .delays(state)
      .map((delay) => clock.setTimer(legDelaysMs[delay.name as LegDelay], () => tell(delay.event)));
  };
  return { clock, commands, tell, state: () => state };
}

/** Time that passes; or one of the events that lead on but not to the end, by number; or any event at all. */
const legSteps = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(1, 1_999, 2_000, 31_999, 32_000, 660_000, 660_000, 660_000)
        .map((passMs) => ({ passMs })),
    },
    { weight: 6, arbitrary: fc.nat().map((number) => ({ number })) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...legEvents.filter(({ type }) => type !== 'drop')).map((event) => ({ event })),
    },
  ),
  { maxLength: 40 },
);

function leadingEvent(state: string, number: number): LegEvent {
  const table = legTable();
  const leading = legEvents.filter((event) => {
    const step = table.step(state, event);
    return step.isEntered && step.state !== 'ended';
  });
  return leading[number % leading.length] ?? { type: 'drop' };
}

test('for any sequence of events and any time between them a leg by its table does what the machine does', async (t) => {
  const seen = new Set<string>();
  await holds(
    t,
    fc.property(legSteps, (steps) => {
      const tabled = tabledLeg();
      const actor = walk(legMachine, { input: undefined });
      for (const step of steps) {
        if (actor.status !== 'active') break;
        if ('passMs' in step) {
          tabled.clock.advanceTo(tabled.clock.now() + step.passMs);
          actor.pass(step.passMs);
        } else {
          const event = 'event' in step ? step.event : leadingEvent(actor.state, step.number);
          tabled.tell(event);
          actor.send(event);
        }
        seen.add(actor.state);
        assert.equal(tabled.state(), actor.state);
        assert.deepEqual(tabled.commands, actor.commands);
        assert.equal(tabled.clock.nextDeadlineMs(), actor.clock.nextDeadlineMs());
      }
      actor.stop();
    }),
    { numRuns: 2_000 },
  );
  const unseen = Object.keys(legMachine.states).filter((state) => state !== 'idle' && !seen.has(state));
  t.deepEqual(unseen, [], 'states that no sequence reached');
});

test('a table names the deadlines of its states, and tells which step starts them anew', (t) => {
  const table = legTable();
  t.deepEqual(
    table.delays('ringing').map(({ name }) => name),
    ['patience'],
  );
  t.deepEqual(table.delays('confirmed'), []);
  t.true(table.step('ringing', { type: 'invite.rang' }).isEntered);
  t.false(table.step('ringing', { type: 'invite.tried' }).isEntered);
  t.false(table.step('alerting', { type: 'ring' }).isEntered);
  t.deepEqual(table.step('ringing', table.delays('ringing')[0]!.event), {
    state: 'expiring',
    commands: [{ type: 'send.cancel' }],
    isEntered: true,
  });
});

test('a final state knows no events', (t) => {
  t.throws(() => legTable().step('ended', { type: 'end' }), { message: /no state "ended"/ });
});
