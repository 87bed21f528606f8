/** Interacting machines are explored exhaustively: what can go wrong between them is found, with the fewest moves. */

import { emit, fromPromise, setup } from 'xstate';
import { exploreExhaustively, formatReport, type SystemCheck } from '../../../sim/testing.ts';
import { test } from '../../kit/test.ts';

type AskerEvent = { type: 'ask' } | { type: 'answered' };

/** Asks, and waits for the answer; `again`: asks once more when none comes. */
function asker(again: boolean) {
  return setup({
    types: { events: {} as AskerEvent, emitted: {} as { type: 'question' } },
    actions: { ask: emit({ type: 'question' }) },
    delays: { patience: 1_000 },
  }).createMachine({
    id: 'asker',
    initial: 'idle',
    states: {
      idle: { on: { ask: 'waiting' } },
      waiting: {
        entry: 'ask',
        ...(again && { after: { patience: { target: 'waiting', reenter: true } } }),
        on: { answered: 'done' },
      },
      done: {},
    },
  });
}

const answerer = setup({
  types: { events: {} as { type: 'asked' }, emitted: {} as { type: 'answer' } },
  actions: { answer: emit({ type: 'answer' }) },
}).createMachine({
  id: 'answerer',
  initial: 'idle',
  states: {
    idle: { on: { asked: { target: 'asked', actions: 'answer' } } },
    asked: { on: { asked: { actions: 'answer' } } },
  },
});

function system(again: boolean, more: Partial<SystemCheck> = {}): SystemCheck {
  return {
    name: 'asking',
    parts: {
      asker: { machine: asker(again), ownerEvents: [{ event: { type: 'ask' }, times: 1 }] },
      answerer: { machine: answerer },
    },
    onCommand: ({ command }) => {
      if (command.type === 'question') return [{ to: 'answerer', event: { type: 'asked' } }];
      return command.type === 'answer' ? [{ to: 'asker', event: { type: 'answered' } }] : [];
    },
    channel: { losses: 2, duplicates: 1, inFlight: 3, latencyMs: 500 },
    agree: (view) => {
      const [one, other] = [view.state('asker'), view.state('answerer')];
      return (one === 'idle') === (other === 'idle') && one !== 'waiting';
    },
    bound: { depth: 20, states: 5_000, healedWithinMs: 10_000 },
    ...more,
  };
}

test('a machine that repeats its request reaches agreement, whatever is lost: all of it is explored', (t) => {
  const report = exploreExhaustively(system(true));
  t.is(report.verdict, 'pass', formatReport(report));
  t.is(report.cut, 0);
  t.true(report.states > 20);
  t.true(report.ends > 0);
  t.true(report.healedMs > 0 && report.healedMs <= 1_000);
});

test('a machine that sends its request once is stuck when it is lost: found with three moves', (t) => {
  const { verdict, counterExample } = exploreExhaustively(system(false));
  t.is(verdict, 'fail');
  t.is(counterExample?.rule, 'no state is a deadlock');
  t.deepEqual(
    counterExample?.steps.map(({ event }) => event.type),
    ['start', 'asker is sent ask', 'lost: answerer ← asked'],
  );
  t.is(counterExample?.steps.at(-1)?.after, 'asker waiting, answerer idle');
});

test('two that differ for ever are found, though neither is stuck', (t) => {
  const { counterExample } = exploreExhaustively(
    system(true, { agree: (view) => view.state('answerer') === 'idle' || 'asked for good' }),
  );
  t.is(counterExample?.rule, 'no state is a deadlock');
  const ping = setup({ delays: { pause: 1_000 } }).createMachine({
    initial: 'on',
    states: { on: { after: { pause: { target: 'on', reenter: true } } } },
  });
  const busy = exploreExhaustively(
    system(true, { parts: { asker: { machine: ping }, answerer: { machine: ping } }, agree: () => 'they never will' }),
  );
  t.is(busy.counterExample?.rule, 'all parts agree in the end, once nothing is lost any more');
  t.regex(busy.counterExample?.detail ?? '', /they never will/);
});

test('a rule that some state breaks is found with the fewest moves, with a duplicate where one is needed', (t) => {
  const rules = {
    'an answer is given once': (view: { count(part: string, command: string): number }) =>
      view.count('answerer', 'answer') <= 1,
  };
  const counted = ['answerer answer'];
  const { counterExample } = exploreExhaustively(
    system(true, { rules, counted, channel: { losses: 0, duplicates: 1, inFlight: 3, latencyMs: 500 } }),
  );
  t.is(counterExample?.rule, 'an answer is given once');
  t.deepEqual(
    counterExample?.steps.map(({ event }) => event.type),
    ['start', 'asker is sent ask', 'twice: answerer ← asked', '(continues without losses)'],
  );
});

test('what goes beyond the bound is counted, and how far all was explored', (t) => {
  const report = exploreExhaustively(system(true, { bound: { depth: 3 } }));
  t.is(report.verdict, 'pass');
  t.true(report.cut > 0);
  t.deepEqual([report.depth, report.whole], [3, 3]);
  t.regex(formatReport(report), /all within 3 moves/);
});

test('messages overtake each other, and none takes longer than the channel allows', (t) => {
  const seen = new Set<string>();
  const parts = {
    asker: { machine: asker(true), ownerEvents: [{ event: { type: 'ask' }, times: 1 }] },
    answerer: { machine: answerer },
  };
  const rules = {
    'no more than one question is under way': (view: { inFlight: number }) => {
      seen.add(`${view.inFlight}`);
      return view.inFlight <= 1;
    },
  };
  const channel = { losses: 0, duplicates: 0, inFlight: 3, latencyMs: 999 };
  t.is(exploreExhaustively(system(true, { parts, rules, channel })).verdict, 'pass');
  t.deepEqual([...seen].sort(), ['0', '1']);
  t.is(exploreExhaustively(system(true, { parts, rules, channel: { ...channel, latencyMs: 1_000 } })).verdict, 'fail');
});

test('the same system gives the same report', (t) => {
  t.deepEqual(exploreExhaustively(system(false)), exploreExhaustively(system(false)));
});

test('what explores less than its check states is unknown, and says so', (t) => {
  const report = exploreExhaustively(system(true), { states: 30 });
  t.is(report.verdict, 'unknown');
  t.deepEqual(report.doubts, ['it was stopped at 30 states, and its check states 5000']);
  t.regex(
    formatReport(report),
    /^unknown .*all within \d+ moves\nit was stopped at 30 states, .* so little was proved$/,
  );
  t.is(exploreExhaustively(system(true), { states: 4_000 }).verdict, 'pass', 'all of it was explored');
  const { bound, ...unbound } = system(true);
  t.is(
    exploreExhaustively(unbound, { states: bound?.states ?? 0, depth: 6 }).verdict,
    'pass',
    'it states nothing else',
  );
});

test('an exploration in which nothing came to an end, or nothing happened, is unknown', (t) => {
  const { doubts, verdict } = exploreExhaustively(system(true, { bound: { depth: 1 } }));
  t.is(verdict, 'unknown');
  t.deepEqual(doubts, ['no run came to an end: except at the start, all parts never agree with nothing in flight']);
  const { parts } = system(true);
  const mute = exploreExhaustively(system(true, { parts: { ...parts, asker: { machine: asker(true) } } }));
  t.deepEqual(mute.doubts, ['nothing happens: no part gets an event, and none has a deadline']);
});

test('a part that invokes an actor gets its end as a message of its start, and only while it runs', (t) => {
  const preparing = setup({
    actors: { prepare: fromPromise(async () => {}) },
    actions: { ask: emit({ type: 'question' }) },
  }).createMachine({
    initial: 'idle',
    states: {
      idle: { on: { ask: 'preparing' } },
      preparing: {
        invoke: { id: 'prepare', src: 'prepare', onDone: { target: 'done', actions: 'ask' } },
        on: { ask: {} },
      },
      done: { on: { answered: {} } },
    },
  });
  const { parts, onCommand, agree: _, ...whole } = system(true);
  const ended = { type: 'xstate.done.actor.prepare' };
  const check: SystemCheck = {
    ...whole,
    parts: {
      ...parts,
      asker: {
        machine: preparing,
        ownerEvents: [
          { event: { type: 'ask' }, times: 2 },
          { event: ended, times: 3 },
        ],
      },
    },
    agree: (view) => view.state('asker') !== 'preparing',
    onCommand: (given) =>
      given.command.type === 'start.child'
        ? [{ to: 'asker', event: ended, isReliable: true }]
        : onCommand(given).slice(0, 1),
  };
  const report = exploreExhaustively(check);
  t.is(report.verdict, 'pass', formatReport(report));
  const { counterExample } = exploreExhaustively({ ...check, onCommand });
  t.is(counterExample?.rule, 'no state is a deadlock');
});
