/** What does not fit is refused before anything runs, by its place, what was expected there and what was found. */

import { createActor, emit, setup } from 'xstate';
import {
  checkMachine,
  coverage,
  exploreExhaustively,
  formatCounterExample,
  formatReport,
  formatTable,
  tableOf,
} from '../../../sim/testing.ts';
import { test } from '../../kit/test.ts';

const making = setup({ actions: { open: emit({ type: 'open' }) }, delays: { patience: 1_000 } });
const machine = making.createMachine({
  id: 'turnstile',
  initial: 'shut',
  states: {
    shut: { on: { coin: { target: 'up', actions: 'open' }, answer: {} } },
    up: { after: { patience: 'shut' }, on: { coin: {} } },
  },
});
const events = { coin: true, answer: true } as const;
const undecided = { up: { events: ['answer'], why: 'it is late' } };
const needy = setup({}).createMachine({
  id: 'needy',
  context: ({ input }) => ({ most: (input as { most: number }).most }),
  initial: 'on',
  states: { on: { on: { coin: {} } } },
});

/** Malformed checks, and what their refusals say. */
const refused: Record<string, readonly [unknown, ...string[]]> = {
  nothing: [undefined, 'expected { machine, events: { coin: true } }, got nothing'],
  'a machine itself': [machine, 'expected { machine, events: { coin: true } }, got a machine itself'],
  'what setup gives': [
    { machine: making, events },
    'machine: expected a machine of XState 5',
    'call its createMachine',
  ],
  'an actor': [{ machine: createActor(machine), events }, 'machine: expected', 'got an actor'],
  'a list of events': [
    { machine, events: ['coin'] },
    "events: expected an object, such as { coin: true, push: true }, got [ 'coin' ]",
  ],
  'an event as data': [
    { events: { coin: { cents: 5 } } },
    'events.coin: expected true, or a function',
    'got { cents: 5 }',
  ],
  'an unknown option': [{ rule: {} }, 'rule: not known here (machine, name, events'],
  'rules as a list': [{ rules: [() => true] }, 'rules: expected an object'],
  'a rule that is no function': [{ rules: { 'it is so': true } }, 'rules["it is so"]: expected a function', 'got true'],
  'undecided by event': [
    { undecided: { up: { answer: 'late' } } },
    "undecided.up.events: expected a list of events, such as ['answer']",
    'undecided.up.why: expected a text that gives the reason, got nothing',
    'undecided.up.answer: not known here (events, why)',
  ],
  'undecided by pair': [
    { undecided: { 'up × answer': 'late' } },
    `undecided["up × answer"]: expected { events: ['answer'], why: 'no call was made' }, got 'late'`,
  ],
  'once as a text': [{ once: 'open' }, "once: expected a list, such as ['open'], got 'open'"],
  'last as a list': [{ last: ['open'] }, "last: expected the type of a command, such as 'close', got [ 'open' ]"],
  'a model that is no function': [{ model: 'shut' }, 'model: expected a function, (input) => (step) =>'],
  'a model that gives none': [
    { model: () => undefined },
    'model of turnstile: expected it to return a function',
    'got nothing',
  ],
  'a model that says true': [
    { model: () => () => true },
    'model of turnstile: expected it to return undefined or a text',
    'got true',
  ],
  'input as data': [{ input: { most: 1 } }, 'input: expected a function', 'got { most: 1 }'],
  'no input': [
    { machine: needy, events: { coin: true }, undecided: {} },
    'needy throws when it starts from nothing (no input is given)',
  ],
  'an end without time': [
    { finally: { states: ['shut'] } },
    'finally.waitMs: expected milliseconds, such as 5000, got nothing',
  ],
  'an end in no state': [
    { finally: { waitMs: 0, states: ['sut'] } },
    `finally.states[0]: expected a state (shut, up), got "sut"; did you mean "shut"?`,
  ],
  'an end by no event': [
    { finally: { events: [{ type: 'conn' }], waitMs: 0, states: ['shut'] } },
    `finally.events[0].type: expected an event (coin, answer), got "conn"; did you mean "coin"?`,
  ],
  'a way of no event': [
    { far: [[5, { type: 'conn' }]] },
    `far[0][1].type: expected an event (coin, answer), got "conn"; did you mean "coin"?`,
  ],
  'a reason that is no text': [
    { unreachable: { up: true } },
    'unreachable.up: expected a text that gives the reason, got true',
  ],
  'an event that says nothing': [
    { events: { coin: () => {}, answer: true } },
    'events of turnstile: coin: expected it to return the fields of the event, such as { status: 200 }, got nothing',
  ],
  'an event that throws': [
    { events: { coin: ({ context }: { context: { a: { b: 1 } } }) => ({ n: context.a.b }), answer: true } },
    'events of turnstile: coin has thrown TypeError',
  ],
  'a rule that says nothing': [
    { rules: { 'it is so': () => {} } },
    'rule "it is so" of turnstile: expected it to return true, false or a text that says what is wrong, got nothing',
  ],
  'a rule that is late': [{ rules: { 'it is so': async () => true } }, 'rule "it is so" of turnstile', 'got Promise'],
  'a machine that is not kept': [
    { restore: () => undefined },
    'restore of turnstile: expected it to return',
    'got nothing',
  ],
};

/** A whole check, of which parts may be other ones. */
function whole(given: unknown): never {
  const isPart = typeof given === 'object' && given !== null && given !== machine;
  return (isPart ? { machine, events, undecided, ...given } : given) as never;
}

for (const [what, [given, ...says]] of Object.entries(refused)) {
  test(`a check of a machine is refused: ${what}`, (t) => {
    const error = t.throws(() => checkMachine(whole(given)), { name: 'BadCheck' });
    for (const text of says) t.true(error.message.includes(text), error.message);
  });
}

test('options are refused by the same rules', (t) => {
  const check = { machine, events, undecided };
  const says = (options: unknown) =>
    t.throws(() => checkMachine(check, options as never), { name: 'BadCheck' }).message;
  t.regex(says({ runs: '5' }), /runs: expected a whole number from 1, got '5'/);
  t.regex(says({ seeds: 2 }), /seeds: not known here \(runs, seed, path\); did you mean "seed"\?/);
  t.regex(says(5), /expected \{ runs: 100, seed: 1 \}, got 5/);
});

test('every export refuses what does not fit by saying what was expected', (t) => {
  const calls = { coverage, tableOf, formatTable, formatReport, formatCounterExample, exploreExhaustively };
  for (const [name, call] of Object.entries(calls)) {
    const { message } = t.throws(() => call(undefined as never), { name: 'BadCheck' });
    t.regex(message, new RegExp(`^${name}: .*`));
    t.regex(message, /expected .*, got nothing/);
  }
});

test('a rule that throws does not hold, and an assertion says why', (t) => {
  const ruled = (rule: () => boolean) =>
    checkMachine({ machine, events, undecided, rules: { 'it is so': rule } }).counterExample?.detail;
  const fail = (error: Error) => () => {
    throw error;
  };
  t.is(ruled(fail(new RangeError('too far'))), 'it has thrown RangeError: too far');
  t.is(ruled(fail(Object.assign(new Error('1 is not 2'), { name: 'AssertionError' }))), '1 is not 2');
});

test('an command that is never given proves nothing, and the verdict says so', (t) => {
  const report = checkMachine({ machine, events, undecided, last: 'opne' });
  t.is(report.verdict, 'unknown');
  t.deepEqual(report.ungiven, ['opne']);
  t.regex(formatReport(report), /never given: opne/);
});

test('missing decisions are reported with the ways to add them', (t) => {
  const text = formatReport(checkMachine({ machine, events: { coin: true } }));
  t.regex(
    text,
    /never taken: shut × answer\nnever sent: answer, because it is not among events\n.* unreachable: \{ 'shut × answer': '…' \}/,
  );
  t.regex(
    formatReport(checkMachine({ machine, events })),
    /not decided: up × answer\n.* answer: \{\}.* undecided: \{ up: \{ events: \['answer'\], why: '…' \} \}/,
  );
});

const client = setup({ actions: { ask: emit({ type: 'question' }) } }).createMachine({
  id: 'client',
  initial: 'idle',
  states: { idle: { on: { wanted: { target: 'asking', actions: 'ask' } } }, asking: { on: { answered: 'idle' } } },
});
const ownerEvents = [{ event: { type: 'wanted' }, times: 1 }];
const pair = {
  name: 'pair',
  parts: { client: { machine: client, ownerEvents }, other: { machine: client } },
  onCommand: () => [],
  channel: { losses: 0, duplicates: 0, inFlight: 1, latencyMs: 1 },
  agree: () => true,
};
const message = { to: 'other', event: { type: 'wanted' } };
const firstType = 'parts.client.ownerEvents[0].event.type';

const refusedPairs: Record<string, readonly [object, ...string[]]> = {
  'a machine as a part': [{ parts: { client } }, 'parts.client: expected { machine }, got a machine itself'],
  'an input that no state handles': [
    { parts: { client: { machine: client, ownerEvents: [{ event: { type: 'wantd' }, times: 1 }] } } },
    `${firstType}: expected an event (wanted, answered), got "wantd"; did you mean "wanted"?`,
  ],
  'a channel of other names': [
    { channel: { loss: 1 } },
    'channel.losses: expected a whole number from 0, got nothing',
    'channel.loss: not known here',
  ],
  'onCommand that gives nothing': [
    { onCommand: () => {} },
    'onCommand (client: question) of pair: its result: expected a list',
    'got nothing',
  ],
  'onCommand that gives no list': [{ onCommand: () => message }, 'its result: expected a list'],
  'onCommand that throws': [
    { onCommand: ({ command }: { command: { a: { b: 1 } } }) => command.a.b },
    'onCommand (client: question) of pair has thrown',
  ],
  'a message to an unknown part': [
    { onCommand: () => [{ ...message, to: 'absent' }] },
    'expected a message to a part (client, other), got "absent"',
  ],
  'a message that no state handles': [
    { onCommand: () => [{ to: 'other', event: { type: 'wantd' } }] },
    'pair: other is sent wantd, which no state of it handles (wanted, answered); did you mean "wanted"?',
  ],
  'a view of an unknown part': [
    { agree: (view: { state(part: string): string }) => view.state('absent') === 'idle' },
    'pair has no part "absent" (client, other)',
  ],
  'agree that says nothing': [{ agree: () => {} }, 'agree of pair: expected it to return true, false or a text'],
  'an command of no part': [
    { counted: ['question'] },
    "counted[0]: expected a part (client, other) and a command, such as 'client ask'",
  ],
  'a mending message to an unknown part': [
    { mend: [{ ...message, to: 'absent' }] },
    'mend[0].to: expected a part (client, other), got "absent"',
  ],
  'a bound of other names': [{ bound: { deep: 3 } }, 'bound.deep: not known here (depth, states'],
};

for (const [what, [given, ...says]] of Object.entries(refusedPairs)) {
  test(`a check of interacting machines is refused: ${what}`, (t) => {
    const error = t.throws(() => exploreExhaustively({ ...pair, ...given } as never), { name: 'BadCheck' });
    for (const text of says) t.true(error.message.includes(text), error.message);
  });
}

test('a pair that fits is explored, by the default bound', (t) => {
  const report = exploreExhaustively(pair);
  t.is(report.verdict, 'pass', formatReport(report));
  t.deepEqual(report.bound, { depth: 20, states: 20_000, healedWithinMs: 60_000 });
});
