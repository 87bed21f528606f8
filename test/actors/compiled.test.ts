/** The compiled tables of peer and leg against the machines that they were made of. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AnyStateMachine, createMachine } from 'xstate';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { type Compiled, compile, eventsOf } from '../../src/actors/compiled-machine.ts';
import { holdMachine } from '../../src/machines/call/hold.ts';
import { type PeerEvent, peerMachine } from '../../src/machines/cluster/peer.ts';
import { clientMachine, inviteClientMachine } from '../../src/machines/sip/client-transaction.ts';
import { legDelaysMs, legMachine } from '../../src/machines/sip/leg.ts';
import { inviteServerMachine, serverMachine } from '../../src/machines/sip/server-transaction.ts';
import { transactionDelaysMs } from '../../src/machines/sip/sip-timers.ts';
import type { Timer } from '../../src/ports/clock.ts';
import { legTable } from '../../src/sip/legs.ts';
import { walk } from '../kit/machine-walk.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const events: readonly PeerEvent[] = [{ type: 'pong.received' }, { type: 'ping.missed' }];
const misses = fc.integer({ min: 1, max: 8 });

test('for any sequence of events the table goes through the states of the machine and gives its commands', async (t) => {
  await holds(
    t,
    fc.property(misses, fc.array(fc.constantFrom(...events), { maxLength: 60 }), (patience, sequence) => {
      const machine = peerMachine(patience);
      const table = compile(machine, events);
      const actor = walk(machine, { input: undefined });
      let state = table.initial;
      assert.equal(state, actor.state);
      for (const event of sequence) {
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
    fc.property(misses, fc.array(fc.constantFrom(...events), { maxLength: 60 }), (patience, sequence) => {
      const table = compile(peerMachine(patience), events);
      let state = table.initial;
      let missed = 0;
      let last = 'unknown';
      for (const event of sequence) {
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
    const states = statesOf(compile(peerMachine(patience), events));
    const { states: outer } = peerMachine(patience);
    const inner = Object.entries(outer).flatMap(([name, { states: within }]) =>
      Object.keys(within).map((each) => `${name}.${each}`),
    );
    t.deepEqual([...states].sort(), inner.sort());
  }
});

test('the same step is the same object each time, so that a ping makes no garbage', (t) => {
  const table = compile(peerMachine(3), events);
  for (const state of statesOf(table)) {
    for (const event of events) t.is(table.step(state, event), table.step(state, { ...event }));
  }
});

test('a compound state with a deadline is refused', (t) => {
  const inner = { initial: 'in', states: { in: {} }, after: { patience: 'out' } };
  const machine = createMachine({ id: 'odd', initial: 'out', states: { out: { on: { go: 'deep' } }, deep: inner } });
  t.throws(() => compile(machine), { message: /compound state deep has a deadline/ });
});

test('a state or an event that is not in the table is a bug', (t) => {
  const table = compile(peerMachine(3), events);
  t.throws(() => table.step('elsewhere' as 'up', { type: 'pong.received' }), { message: /no state "elsewhere"/ });
  t.throws(() => table.step('up.0', { type: 'sneezed' } as unknown as PeerEvent), { message: /event "sneezed"/ });
});

/** The states that the events lead to. */
function statesOf<State extends string>(table: Compiled<PeerEvent, unknown, State>): State[] {
  const states = new Set<State>([table.initial]);
  for (const state of states) for (const event of events) states.add(table.step(state, event).state);
  return [...states];
}

/** A machine that runs by its table: timers by name, as the user agent sets them. */
function tabled({ machine, delaysMs, table }: Hot) {
  const clock = new VirtualClock(0);
  const commands: unknown[] = [];
  let state = table.initial;
  let timers: Timer[] = [];
  const enter = () => {
    for (const timer of timers) timer.cancel();
    timers = table.delays(state).map(({ name, event }) => clock.setTimer(delaysMs[name] ?? 0, () => send(event)));
  };
  const send = (event: { type: string }) => {
    if (isFinal(machine, state)) return;
    const step = table.step(state, event);
    state = step.state;
    commands.push(...step.commands);
    if (step.isEntered) enter();
  };
  enter();
  return { clock, commands, send, table, state: () => state };
}

function isFinal(machine: AnyStateMachine, state: string): boolean {
  return machine.states[state]?.type === 'final';
}

interface Hot {
  readonly name: string;
  readonly machine: AnyStateMachine;
  readonly delaysMs: Readonly<Record<string, number>>;
  /** An event that ends it too soon to be one of many. */
  readonly ends?: string;
  readonly table: Compiled<{ readonly type: string }, unknown>;
}

type Named = Omit<Hot, 'table'>;

const named: readonly Named[] = [
  { name: 'a leg', machine: legMachine, delaysMs: legDelaysMs, ends: 'drop' },
  { name: 'the hold of a party', machine: holdMachine, delaysMs: {} },
  ...[true, false].flatMap((isLossy): Named[] => {
    const way = isLossy ? 'over a lossy way' : 'inside the cluster';
    const delaysMs = transactionDelaysMs;
    return [
      { name: `an INVITE ${way}`, machine: inviteClientMachine({ isLossy, isWithin: false }), delaysMs },
      { name: `a re-INVITE ${way}`, machine: inviteClientMachine({ isLossy, isWithin: true }), delaysMs },
      { name: `a request ${way}`, machine: clientMachine({ isLossy }), delaysMs },
      { name: `an INVITE that came ${way}`, machine: inviteServerMachine({ isLossy }), delaysMs },
    ];
  }),
  { name: 'a request that came', machine: serverMachine, delaysMs: transactionDelaysMs },
];

const hot: readonly Hot[] = named.map((each) => ({ ...each, table: compile<AnyStateMachine>(each.machine) }));

/** Time that passes, to the next deadline too; or one of the events that lead on but not to the end, by number; or any event. */
function stepsOf({ machine, ends }: Hot) {
  const events = eventsOf(machine).filter(({ type }) => type !== ends);
  return fc.array(
    fc.oneof(
      {
        weight: 2,
        arbitrary: fc.constantFrom(1, 499, 1_999, 2_000, 31_999, 32_000, 660_000).map((passMs) => ({ passMs })),
      },
      { weight: 3, arbitrary: fc.constant({ isDue: true as const }) },
      { weight: 6, arbitrary: fc.nat().map((number) => ({ number })) },
      { weight: 3, arbitrary: fc.constantFrom(...events).map((event) => ({ event })) },
    ),
    { maxLength: 40 },
  );
}

/** Runs both, and holds them against each other after each step. Answers the states that were seen. */
function compare(one: Hot, steps: readonly HotStep[]): Set<string> {
  const { machine, ends = '' } = one;
  const events = eventsOf(machine);
  const seen = new Set<string>();
  const run = tabled(one);
  const actor = walk(machine, { input: undefined });
  const leading = (number: number) => {
    const all = events.filter((event) => {
      const step = run.table.step(run.state(), event);
      return step.isEntered && !isFinal(machine, step.state);
    });
    return all[number % all.length];
  };
  const pass = (ms: number) => {
    run.clock.advanceTo(run.clock.now() + ms);
    actor.pass(ms);
  };
  for (const step of steps) {
    if (actor.status !== 'active') break;
    if ('passMs' in step) pass(step.passMs);
    else if ('isDue' in step) pass((run.clock.nextDeadlineMs() ?? run.clock.now()) - run.clock.now());
    else {
      const event = 'event' in step ? step.event : (leading(step.number) ?? { type: ends });
      if (event.type === '') continue;
      run.send(event);
      actor.send(event);
    }
    seen.add(actor.state);
    assert.equal(run.state(), actor.state);
    assert.deepEqual(run.commands, actor.commands);
    assert.equal(run.clock.nextDeadlineMs(), actor.clock.nextDeadlineMs());
  }
  actor.stop();
  return seen;
}

type HotStep =
  | { readonly passMs: number }
  | { readonly isDue: true }
  | { readonly number: number }
  | { readonly event: { readonly type: string } };

for (const one of hot) {
  test(`for any events and any time between them ${one.name} does by its table what the machine does`, async (t) => {
    const seen = new Set([one.table.initial.split('.')[0]]);
    await holds(
      t,
      fc.property(stepsOf(one), (steps) => {
        for (const state of compare(one, steps)) seen.add(state.split('.')[0] ?? state);
      }),
      {
        numRuns: runs(one.name === 'a leg' ? 500 : 25),
        uncovered: () => Object.keys(one.machine.states).filter((state) => !seen.has(state)),
      },
    );
  });
}

test('a table names the deadlines of its states, and shows which step starts them anew', (t) => {
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
