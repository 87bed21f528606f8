/** Machines that invoke and spawn: their actors are not run, their ends are events, and a restored copy has them as well. */

import {
  type AnyStateMachine,
  assign,
  createActor,
  createMachine,
  emit,
  fromCallback,
  fromPromise,
  raise,
  sendParent,
  sendTo,
  setup,
  spawnChild,
  stopChild,
  waitFor,
} from 'xstate';
import { checkMachine, exploreExhaustively, formatReport } from '../../../sim/testing.ts';
import { test } from '../../kit/test.ts';

const child = setup({ actors: { nap: fromPromise(async () => {}) } }).createMachine({
  id: 'child',
  initial: 'asleep',
  states: { asleep: { invoke: { src: 'nap', onDone: 'awake' }, on: { wake: 'awake' } }, awake: { type: 'final' } },
});
const logics = {
  'a promise': fromPromise(async () => 3),
  'a callback': fromCallback(() => {}),
  'a machine': child,
} as const;

const got = emit({ type: 'got' });
const ends = { 'xstate.done.actor.work': true, 'xstate.error.actor.work': true } as const;

/** Starts the work, and emits `got` at its end. */
function worker(work: (typeof logics)[keyof typeof logics]) {
  return setup({ actors: { work: work as ReturnType<typeof fromPromise> }, actions: { got } }).createMachine({
    id: 'worker',
    initial: 'idle',
    states: {
      idle: { on: { go: 'busy', stop: {} } },
      busy: {
        invoke: { id: 'work', src: 'work', onDone: { target: 'idle', actions: 'got' }, onError: 'failed' },
        on: { go: { target: 'busy', reenter: true }, stop: 'idle' },
      },
      failed: { on: { go: 'busy', stop: 'idle' } },
    },
  });
}

for (const [what, logic] of Object.entries(logics)) {
  test(`a machine that invokes ${what} passes in all three ways, and its end is decided where it runs alone`, (t) => {
    const check = { machine: worker(logic), events: { go: true, stop: true, ...ends } } as const;
    for (const seed of [1, 2, 3]) {
      const report = checkMachine(check, { seed });
      t.is(report.verdict, 'pass', formatReport(report));
      t.deepEqual(
        report.ways.map(({ way, runs }) => `${way} ${runs}`),
        ['plain 100', 'restored 100', 'disordered 100'],
      );
      t.is(report.decisions.pairs, 8);
    }
  });
}

test('XState itself starts a promise again where the machine is restored, and sends it the end', async (t) => {
  const machine = worker(logics['a promise']);
  const first = createActor(machine).start();
  first.send({ type: 'go' });
  const kept = JSON.parse(JSON.stringify(first.getPersistedSnapshot()));
  first.stop();
  const commands: string[] = [];
  const second = createActor(machine, { snapshot: kept });
  second.on('got', ({ type }) => commands.push(type));
  await waitFor(second.start(), ({ value }) => value === 'idle');
  t.deepEqual(commands, ['got']);
});

test('an actor that is lost when its machine is restored is found', (t) => {
  const { counterExample } = checkMachine({
    machine: worker(logics['a promise']),
    events: { go: true, stop: true, ...ends },
    restore: (kept) => ({ ...kept, snapshot: { ...(kept.snapshot as object), children: {} } }),
  });
  t.is(counterExample?.way, 'restored');
  t.is(counterExample?.detail, 'its actors: work active; restored: none');
  t.deepEqual(
    counterExample?.steps.map(({ event }) => event.type),
    ['start', 'go'],
  );
});

test('an actor ends once, and only while it runs, also where events come twice and late', (t) => {
  const machine = setup({
    types: { context: {} as { begun: number; ended: number } },
    actors: { work: logics['a promise'] },
    actions: {
      begin: assign({ begun: ({ context }) => context.begun + 1 }),
      end: assign({ ended: ({ context }) => context.ended + 1 }),
    },
  }).createMachine({
    context: { begun: 0, ended: 0 },
    initial: 'idle',
    states: {
      idle: { on: { go: 'busy' } },
      // It stays when its work is over.
      busy: {
        entry: 'begin',
        invoke: { id: 'work', src: 'work', onDone: { actions: 'end' }, onError: { actions: 'end' } },
        on: { go: 'idle' },
      },
    },
  });
  const report = checkMachine({
    machine,
    events: { go: true, ...ends },
    rules: { 'no more ends than begins': ({ last }) => last.context.ended <= last.context.begun },
  });
  t.is(report.verdict, 'pass', formatReport(report));
});

test('the failure of an actor that nothing handles is found, for XState ends the machine then', (t) => {
  const machine = setup({ actors: { work: logics['a promise'] } }).createMachine({
    initial: 'busy',
    states: { busy: { invoke: { id: 'work', src: 'work', onDone: 'idle' } }, idle: {} },
  });
  const report = checkMachine({ machine, events: ends });
  t.deepEqual(report.decisions.undecided, ['busy × xstate.error.actor.work']);
  t.is(report.counterExample?.rule, 'every failure of an actor is handled');
  const why = 'it never fails';
  const declared = { busy: { events: ['xstate.error.actor.work'] as const, why } };
  t.is(checkMachine({ machine, events: ends, undecided: declared }).verdict, 'pass');
});

test('what an actor ends with is made like what other events say', (t) => {
  const machine = setup({
    actors: { work: fromPromise(async () => 3) },
  }).createMachine({
    initial: 'busy',
    states: {
      busy: {
        invoke: {
          id: 'work',
          src: 'work',
          onDone: [{ guard: ({ event }) => event.output > 2, target: 'much' }, { target: 'little' }],
          onError: 'little',
        },
      },
      much: {},
      little: {},
    },
  });
  const events = {
    ...ends,
    'xstate.done.actor.work': ({ pick }) => ({ output: pick.from([3, 1]) }),
  } satisfies Parameters<typeof checkMachine<AnyStateMachine>>[0]['events'];
  t.is(checkMachine({ machine, events }).verdict, 'pass');
});

test('an end that is not among the events is named, and one of an actor that there is not is refused', (t) => {
  const machine = worker(logics['a promise']);
  const report = checkMachine({ machine, events: { go: true, stop: true } });
  t.is(report.verdict, 'fail');
  t.regex(formatReport(report), /never sent: xstate\.done\.actor\.work, because it is not among events/);
  t.throws(() => checkMachine({ machine, events: { go: true, 'xstate.done.actor.werk': true } }), {
    name: 'BadCheck',
    message:
      /events\["xstate.done.actor.werk"\]: no actor "werk" is invoked, and nothing handles this .*xstate.done.actor.work/,
  });
});

test('actors that are spawned by hand, by name in the system and without an id, come and go', (t) => {
  const machine = setup({
    types: { context: {} as { log: unknown } },
    actors: { work: logics['a callback'] },
  }).createMachine({
    id: 'spawner',
    context: { log: undefined },
    initial: 'off',
    states: {
      off: { on: { go: 'on', stop: {}, tell: {} } },
      on: {
        entry: [spawnChild('work', { id: 'hand' }), assign({ log: ({ spawn }) => spawn('work') })],
        exit: stopChild('hand'),
        invoke: { src: 'work', systemId: 'known' },
        on: {
          go: { target: 'on', reenter: true },
          stop: 'off',
          tell: { actions: sendTo(({ system }) => system.get('known'), { type: 'told' }) },
        },
      },
    },
  });
  const events = { go: true, stop: true, tell: true } as const;
  const rule = 'it sends to the actor that it has started';
  const rules = {
    [rule]: ({ last }: { last: { name: string; before: string; commands: readonly object[] } }) =>
      last.name !== 'tell' || last.before === 'off' || JSON.stringify(last.commands).includes('0.spawner.on'),
  };
  const report = checkMachine({ machine, events, rules });
  t.is(report.verdict, 'pass', formatReport(report));
  t.deepEqual(checkMachine({ machine, events, rules }), report);
  const counted = checkMachine({ machine, events, once: ['start.child'] as never });
  t.deepEqual(
    counted.counterExample?.steps.at(-1)?.commands.map((command) => JSON.stringify(command)),
    ['hand', 'x:1', '0.spawner.on'].map((to) => JSON.stringify({ type: 'start.child', to })),
  );
});

test('an actor that XState can not keep is found, with what to do', (t) => {
  const machine = createMachine({
    initial: 'off',
    states: {
      off: { on: { go: 'on' } },
      on: { entry: spawnChild(logics['a promise'], { id: 'inline' }), on: { go: {} } },
    },
  });
  const { counterExample } = checkMachine({ machine, events: { go: true } });
  t.regex(counterExample?.detail ?? '', /it cannot be saved as JSON: .*actor "inline" runs has no name: setup/);
});

test('what has no implementation is refused before anything runs', (t) => {
  const invoking = createMachine({
    id: 'm',
    initial: 'a',
    states: { a: { invoke: { src: 'thing', onDone: 'b' } }, b: {} },
  });
  t.throws(() => checkMachine({ machine: invoking, events: {} }), {
    name: 'BadCheck',
    message:
      /machine: a invokes "thing", which has no implementation: machine\.provide\(\{ actors: \{ thing: … \} \}\)/,
  });
  const system = {
    name: 's',
    onCommand: () => [],
    agree: () => true,
    channel: { losses: 0, duplicates: 0, inFlight: 1, latencyMs: 1 },
  };
  t.throws(() => exploreExhaustively({ ...system, parts: { one: { machine: invoking } } }), {
    name: 'BadCheck',
    message: /parts\.one\.machine: a invokes "thing"/,
  });
  const waiting = createMachine({ initial: 'a', states: { a: { after: { nap: 'b' } }, b: {} } });
  t.throws(() => checkMachine({ machine: waiting, events: {} }), {
    message: /machine: a waits for "nap", which is not a delay/,
  });
  const spawning = createMachine({
    id: 'm',
    initial: 'a',
    states: { a: { on: { go: { actions: spawnChild('thing') } } } },
  });
  t.throws(() => checkMachine({ machine: spawning, events: { go: true } }), {
    message: /m spawns "thing", which has no implementation/,
  });
});

test('a delayed event that a machine raises is a deadline of the restored machine as well', (t) => {
  const machine = createMachine({
    initial: 'off',
    states: {
      off: { on: { go: { target: 'on', actions: raise({ type: 'over' }, { delay: 1_000 }) }, over: {} } },
      on: { on: { go: {}, over: 'off' } },
    },
  });
  const report = checkMachine({ machine, events: { go: true, over: true } });
  t.is(report.verdict, 'pass', formatReport(report));
});

test('events that a machine sends to itself come first, or after their delay, and it can send to its parent', (t) => {
  const machine = createMachine({
    initial: 'off',
    states: {
      off: { on: { go: { target: 'asked', actions: sendTo(({ self }) => self, { type: 'yes' }) }, yes: {} } },
      asked: { on: { yes: { target: 'on', actions: sendTo(({ self }) => self, { type: 'no' }, { delay: 500 }) } } },
      on: { on: { go: {}, yes: {}, no: { target: 'off', actions: sendParent({ type: 'done' }) } } },
    },
  });
  const seen: string[] = [];
  const report = checkMachine({
    machine,
    events: { go: true },
    rules: {
      'it never waits for itself': ({ last }) => {
        seen.push(JSON.stringify(last.commands));
        return last.after !== 'asked';
      },
    },
  });
  t.is(report.counterExample, undefined, formatReport(report));
  t.true(seen.includes('[{"type":"done","to":"parent"}]'));
});

test('ends of spawned actors are sent to machines that have such actors, and must be handled where these were seen', (t) => {
  const machine = (isDecided: boolean) =>
    setup({
      types: { context: {} as { count: number } },
      actors: { work: logics['a promise'] },
    }).createMachine({
      context: { count: 0 },
      initial: 'idle',
      states: {
        idle: { on: { go: 'busy' } },
        busy: {
          entry: [
            assign({ count: ({ context }) => context.count + 1 }),
            spawnChild('work', { id: ({ context }) => `job-${context.count % 2}` }),
          ],
          on: {
            go: { target: 'busy', reenter: true },
            'xstate.done.actor.*': 'over',
            ...(isDecided && { 'xstate.error.actor.*': 'over' }),
          },
        },
        over: { type: 'final' },
      },
    });
  const events = { go: true, 'xstate.done.actor.*': true, 'xstate.error.actor.*': true } as const;
  const seen = new Set<string>();
  const rules = { 'it is seen': ({ last }: { last: { name: string } }) => seen.add(last.name).size > 0 };
  const report = checkMachine({ machine: machine(true), events, rules });
  t.is(report.verdict, 'pass', formatReport(report));
  t.deepEqual(
    [...seen].sort(),
    ['done', 'error']
      .flatMap((end) => [`xstate.${end}.actor.job-0`, `xstate.${end}.actor.job-1`])
      .concat('go', 'start')
      .sort(),
  );
  const { decisions } = checkMachine({ machine: machine(false), events });
  t.deepEqual(decisions.undecided, ['busy × xstate.error.actor.*']);
});
