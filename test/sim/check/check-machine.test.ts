/** The kit finds what was planted in small machines, shrinks it, and brings it back by seed and path. */

import { assign, emit, setup } from 'xstate';
import {
  checkMachine,
  coverage,
  formatCounterExample,
  formatReport,
  formatTable,
  tableOf,
} from '../../../sim/testing.ts';
import { test } from '../../kit/test.ts';

type DoorEvent = { type: 'open' } | { type: 'close' } | { type: 'knock' };
type DoorOrder = { type: 'let.in' } | { type: 'shut' } | { type: 'answer' };

const door = setup({
  types: { events: {} as DoorEvent, emitted: {} as DoorOrder },
  actions: { letIn: emit({ type: 'let.in' }), shut: emit({ type: 'shut' }), answer: emit({ type: 'answer' }) },
  delays: { draught: 5_000 },
});
const events = { open: true, close: true, knock: true } as const;
const shut = { target: 'shut', actions: 'shut' } as const;

const sound = door.createMachine({
  id: 'door',
  initial: 'shut',
  states: {
    shut: { on: { open: { target: 'ajar', actions: 'letIn' }, close: {}, knock: { actions: 'answer' } } },
    ajar: { after: { draught: shut }, on: { open: {}, close: shut, knock: {} } },
  },
});

test('a sound machine passes: all decided, all reached, all stimuli executed', (t) => {
  const report = checkMachine({
    machine: sound,
    events,
    rules: {
      'it is shut as often as it was opened': ({ count, last }) =>
        count('let.in') - count('shut') === (last.after === 'ajar' ? 1 : 0),
    },
    finally: { waitMs: 5_000, states: ['shut'] },
  });
  t.is(report.verdict, 'pass', formatReport(report));
  t.deepEqual(report.decisions, { pairs: 6, declared: 0, undecided: [], stale: [], neverSent: [] });
  t.deepEqual([report.states.reached, report.transitions.reached], [2, 7]);
  for (const { generated, executed } of report.ways) t.is(executed, generated);
});

test('an event that a state does not decide is found, unless it is declared with a reason', (t) => {
  const machine = door.createMachine({
    initial: 'shut',
    states: { shut: { on: { open: 'ajar', close: {} } }, ajar: { on: { open: {}, close: 'shut', knock: {} } } },
  });
  const report = checkMachine({ machine, events, name: 'deaf' });
  t.is(report.verdict, 'fail');
  t.deepEqual(report.decisions.undecided, ['shut × knock']);
  t.regex(formatReport(report), /not decided: shut × knock/);
  const undecided = { shut: { events: ['knock'] as const, why: 'it has no effect' } };
  t.is(checkMachine({ machine, events, undecided }).verdict, 'pass');
});

test('a declaration that is out of date is found', (t) => {
  const why = 'of old';
  const report = checkMachine({
    machine: sound,
    events,
    undecided: { shut: { events: ['knock'], why }, locked: { events: '*', why }, ajar: { events: '*', why } },
    unreachable: { ajar: why, 'shut × sneeze': why },
  });
  t.is(report.verdict, 'fail');
  t.deepEqual(report.decisions.stale, [
    'shut × knock: decided',
    'locked: no such state, expected one of shut, ajar',
    'ajar × *: all decided',
  ]);
  t.deepEqual(report.unreachable.wrong, ['ajar: reached', 'shut × sneeze: no such state or transition']);
});

test('states and transitions that nothing leads to are found, by name', (t) => {
  const machine = door.createMachine({
    initial: 'shut',
    states: {
      shut: { on: { open: 'ajar', close: {}, knock: {} } },
      ajar: { on: { open: {}, close: 'shut', knock: {} } },
      locked: { on: { open: 'ajar', close: {}, knock: {} } },
    },
  });
  const report = checkMachine({ machine, events });
  t.is(report.verdict, 'fail');
  t.deepEqual(report.states.missed, ['locked']);
  t.deepEqual(report.transitions.missed, ['locked × open → ajar', 'locked × close', 'locked × knock']);
  t.deepEqual(coverage({ machine, events }).states, { reached: 2, total: 3, missed: ['locked'] });
});

type CallEvent = { type: 'ring' } | { type: 'accept' } | { type: 'end' };
const call = setup({
  types: { events: {} as CallEvent, emitted: {} as { type: 'answer' | 'told' | 'stop' } },
  actions: { answer: emit({ type: 'answer' }), tell: emit({ type: 'told' }), stop: emit({ type: 'stop' }) },
  delays: { ring: 30_000, stop: 3_000, forget: 10_000 },
});
const callEvents = { ring: true, accept: true, end: true } as const;

/** Answers again when it is accepted after it rang out. */
const answeringTwice = call.createMachine({
  id: 'call',
  initial: 'idle',
  states: {
    idle: { on: { ring: 'ringing', accept: {}, end: {} } },
    ringing: {
      after: { ring: { target: 'late', actions: 'answer' } },
      on: { ring: {}, accept: { target: 'talking', actions: 'answer' }, end: 'idle' },
    },
    late: { on: { ring: {}, accept: { target: 'talking', actions: 'answer' }, end: 'idle' } },
    talking: { on: { ring: {}, accept: {}, end: 'over' } },
    over: { type: 'final' },
  },
});

test('a second answer is found, shrunk to the fewest steps, and comes back by its seed and path', (t) => {
  const check = { machine: answeringTwice, events: callEvents, once: ['answer'] } as const;
  for (const seed of [1, 2, 3]) {
    const { verdict, counterExample } = checkMachine(check, { seed });
    t.is(verdict, 'fail');
    t.is(counterExample?.rule, 'answer is given once at most');
    t.deepEqual(
      counterExample?.steps.map(({ event, after }) => `${event.type} ${after}`),
      ['start idle', 'ring ringing', 'xstate.after.ring.call.ringing late', 'accept talking'],
    );
    const again = checkMachine(check, { seed, path: counterExample?.path ?? '' });
    t.is(again.verdict, 'fail');
    t.deepEqual(again.counterExample?.steps, counterExample?.steps);
  }
});

test('a path is one run, of which alone is judged: what breaks nothing, or is not there, is unknown and says so', (t) => {
  // It has transitions that are never taken, and a pair that is not decided.
  const check = { machine: answeringTwice, events: { ring: true, accept: true } as never, once: ['answer'] } as const;
  const seed = 3;
  const { counterExample } = checkMachine(check, { seed });
  const made = (path: string, other = seed) => {
    const { verdict, ways, replay, ...report } = checkMachine(check, { seed: other, path });
    const notes = formatReport({ verdict, ways, replay, ...report })
      .split('\n')
      .slice(1, 2);
    return [verdict, ways.map(({ way, runs }) => `${way} ${runs}`).join(), replay?.came, ...notes];
  };
  const path = counterExample?.path ?? '';
  t.deepEqual(made(path).slice(0, 3), ['fail', 'plain 1', 'breaks']);
  t.deepEqual(made('disordered:1'), [
    'unknown',
    'disordered 1',
    'breaks nothing',
    'the path disordered:1 breaks nothing with seed 3, as the machine and its check are now',
  ]);
  for (const none of ['plain:2000000', 'plain:7:99999'])
    t.deepEqual(made(none, 2), [
      'unknown',
      'plain 0',
      'does not exist',
      `there is no path ${none} with seed 2, so nothing was run`,
    ]);
});

test('the table of a counter-example shows each event with its time and result, and the command that repeats it', (t) => {
  const { counterExample } = checkMachine(
    { machine: answeringTwice, events: callEvents, once: ['answer'] },
    { seed: 1 },
  );
  const [first, head, ...rows] = formatCounterExample(counterExample!, 'strowger check call').split('\n');
  t.is(first, 'call, plain: "answer is given once at most" does not hold: it was given 2 times');
  t.regex(head ?? '', /^ {2}step {2}at +event +state +commands$/);
  t.regex(rows[2] ?? '', /^ {2}2 +30000 ms +after ring +ringing → late +answer$/);
  t.regex(rows.at(-1) ?? '', /^again: strowger check call --seed 1 --path plain:\d[\d:]*$/);
});

test('an command after the last one is found', (t) => {
  const machine = call.createMachine({
    initial: 'idle',
    states: {
      idle: { on: { ring: {}, accept: {}, end: { target: 'closing', actions: 'stop' } } },
      closing: { after: { stop: { target: 'over', actions: 'tell' } }, on: { ring: {}, accept: {}, end: {} } },
      over: { type: 'final' },
    },
  });
  const { counterExample } = checkMachine({ machine, events: callEvents, last: 'stop' });
  t.is(counterExample?.rule, 'stop is the last command');
  t.is(counterExample?.steps.length, 3);
});

test('a deadline that is lost when the machine is restored is found', (t) => {
  const check = { machine: sound, events, name: 'door' } as const;
  t.is(checkMachine(check).verdict, 'pass');
  const { counterExample } = checkMachine({ ...check, restore: (kept) => ({ ...kept, deadlines: [] }) });
  t.is(counterExample?.way, 'restored');
  t.regex(counterExample?.detail ?? '', /its deadlines: .*draught.* in 5000 ms; restored: none/);
  t.deepEqual(
    counterExample?.steps.map(({ event }) => event.type),
    ['start', 'open'],
  );
});

test('what a context loses on its way through JSON is found', (t) => {
  const machine = setup({
    types: { context: {} as { seen: Set<string> }, events: {} as { type: 'see' } },
  }).createMachine({
    context: { seen: new Set() },
    initial: 'watching',
    states: {
      watching: {
        on: {
          see: {
            guard: ({ context }) => !context.seen.has('it'),
            target: 'seen',
            actions: assign({ seen: () => new Set(['it']) }),
          },
        },
      },
      seen: { on: { see: [{ guard: ({ context }) => context.seen.has('it') }, { target: 'watching' }] } },
    },
  });
  const { counterExample } = checkMachine({
    machine,
    events: { see: true },
    unreachable: { 'seen × see → watching': 'it is there' },
  });
  t.is(counterExample?.way, 'restored');
  t.regex(counterExample?.detail ?? '', /restored it has thrown .*has is not a function/);
});

test('a machine that throws, waits too long, or never ends is found', (t) => {
  const machine = call.createMachine({
    initial: 'idle',
    states: {
      idle: { on: { ring: { guard: () => fail(), target: 'idle' }, accept: 'waiting', end: {} } },
      waiting: { after: { ring: 'idle' }, on: { ring: {}, accept: {}, end: {} } },
    },
  });
  const rules = (check: object) => checkMachine({ machine, events: callEvents, ...check }).counterExample?.rule;
  t.is(rules({}), 'it throws nothing');
  t.is(rules({ events: { accept: true, end: true }, longestMs: 29_999 }), 'no deadline is longer than 29999 ms');
  t.is(
    rules({ events: { accept: true, end: true }, finally: { waitMs: 1, states: ['waiting'] } }),
    'every run comes to its end (waiting)',
  );
});

function fail(): boolean {
  throw new Error('a guard that fails');
}

test('an event that is sent twice is found where it must not matter', (t) => {
  const machine = setup({
    types: { context: {} as { count: number }, events: {} as { type: 'paid'; bill: number } },
    actions: { count: assign({ count: ({ context }) => context.count + 1 }) },
  }).createMachine({
    id: 'bill',
    context: { count: 0 },
    initial: 'open',
    states: {
      open: { on: { paid: { target: 'paid', actions: 'count' } } },
      paid: { on: { paid: { actions: 'count' } } },
    },
  });
  const { counterExample } = checkMachine({
    machine,
    // The payer looks first; what comes twice does not.
    events: { paid: ({ pick, state, context }) => ({ bill: pick.from(state === 'open' ? [context.count] : []) }) },
    rules: { 'a bill is paid once': ({ last }) => last.context.count <= 1 },
    unreachable: { 'paid × paid': 'no bill is paid twice' },
  });
  t.is(counterExample?.way, 'disordered');
  t.deepEqual(
    counterExample?.steps.map(({ event }) => event.type),
    ['start', 'paid', 'paid'],
  );
});

test('a disagreement with the model is reported as such', (t) => {
  const { counterExample } = checkMachine({
    machine: sound,
    events,
    model: () => {
      let opened = 0;
      return ({ event, after }) => {
        if (event.type === 'open') opened += 1;
        return opened < 2 || after === 'shut' ? undefined : 'it was opened twice';
      };
    },
  });
  t.is(counterExample?.rule, 'it agrees with its model');
  t.is(counterExample?.detail, 'it was opened twice');
  t.is(counterExample?.steps.length, 3);
});

test('where most stimuli can not be executed nothing is proved, and the verdict says so', (t) => {
  const { verdict, ways } = checkMachine({
    machine: sound,
    events: {
      ...events,
      open: ({ pick, nowMs }) => pick.from(nowMs < 1_000 ? [{}] : []),
      close: true,
      knock: ({ pick }) => pick.from([]),
    },
    unreachable: { 'shut × knock': 'it has no effect', 'ajar × knock': 'it has no effect' },
  });
  t.is(verdict, 'unknown');
  t.true(ways.some(({ generated, executed }) => executed < generated * 0.8));
});

test('the same seed gives the same report', (t) => {
  const check = { machine: answeringTwice, events: callEvents, once: ['answer'] } as const;
  t.deepEqual(checkMachine(check, { seed: 5 }), checkMachine(check, { seed: 5 }));
});

test('a malformed path is refused', (t) => {
  for (const path of ['', '1:2', 'sideways:1', 'plain:x'])
    t.throws(() => checkMachine({ machine: sound, events }, { path }), {
      message: /expected a path such as plain:12:0:3/,
    });
});

test('a table has a row for what every event does in every state', (t) => {
  const rows = tableOf({ machine: sound, events });
  t.is(rows.length, 6);
  t.is(formatTable(rows).split('\n')[0], 'state  event  next  commands');
  t.true(formatTable(rows).includes('ajar   close  shut  shut'));
});

test('of parallel states those decide an event that speak of it, and a life may end in one or several of them', (t) => {
  const machine = setup({}).createMachine({
    id: 'car',
    type: 'parallel',
    states: {
      engine: { initial: 'off', states: { off: { on: { key: 'on' } }, on: { on: { key: 'off', speed: {} } } } },
      lock: {
        initial: 'shut',
        states: {
          shut: { on: { remote: 'open' } },
          open: { after: { 1000: 'shut' }, on: { remote: 'shut', speed: 'shut' } },
        },
      },
    },
  });
  const check = { machine, events: { key: true, remote: true, speed: true } } as const;
  t.deepEqual(checkMachine(check).decisions.undecided, ['engine.off × speed', 'lock.shut × speed']);
  const why = 'the car is parked then';
  const undecided = { 'engine.off': { events: ['speed'], why }, 'lock.shut': { events: ['speed'], why } };
  const ends = (...states: string[]) =>
    checkMachine({ ...check, undecided, finally: { waitMs: 1_000, states } }).counterExample?.rule;
  t.is(ends('lock.shut'), undefined);
  t.is(ends('lock.shut + engine.off', 'engine.on + lock'), undefined);
  t.is(ends('engine.off + lock.shut'), 'every run comes to its end (engine.off + lock.shut)');
  t.throws(() => ends('engine.off + lock.shutt'), { message: /expected a state \(.*; did you mean "lock.shut"\?/ });
});
