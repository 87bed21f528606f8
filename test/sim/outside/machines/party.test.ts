/** What a party outside does with one call, and the table that it runs by. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type PartyCommand,
  type PartyDelay,
  type PartyEvent,
  type PartyState,
  partyDelaysMs,
  partyMachine,
  partyTable,
} from '../../../../sim/outside/endpoints/party-machine.ts';
import { machineTable, type Row, unexpected } from '../../../kit/machine-table.ts';
import { walk } from '../../../kit/machine-walk.ts';
import { holds, sized } from '../../../kit/property.ts';
import { test } from '../../../kit/test.ts';

type Type = PartyEvent['type'];
type Decided = Partial<
  Record<Type, readonly [next: string, ...commands: Exclude<PartyCommand['type'], 'event.unexpected'>[]]>
>;

const events = {
  invited: true,
  replaced: true,
  placed: true,
  challenged: true,
  answered: true,
  over: true,
  'talk.wanted': true,
  'hold.wanted': true,
  'end.wanted': true,
  'reject.wanted': true,
} as const;
const types = Object.keys(events) as Type[];

/** What each state decides; all else is unexpected there. */
const decided: Readonly<Record<string, Decided>> = {
  idle: { invited: ['pending'], replaced: ['settling', 'answer'], placed: ['calling', 'call'] },
  pending: {
    over: ['over'],
    'talk.wanted': ['settling', 'answer'],
    'hold.wanted': ['pending'],
    'end.wanted': ['leaving', 'end'],
    'reject.wanted': ['settling', 'settle'],
  },
  ringing: {
    over: ['over'],
    'talk.wanted': ['settling', 'answer'],
    'hold.wanted': ['ringing'],
    'end.wanted': ['leaving', 'end'],
    'reject.wanted': ['settling', 'settle'],
  },
  settling: {
    answered: ['talking'],
    over: ['over'],
    'talk.wanted': ['settling', 'resume'],
    'hold.wanted': ['settling', 'hold'],
    'end.wanted': ['leaving', 'end'],
    'reject.wanted': ['settling'],
  },
  calling: {
    challenged: ['calling', 'call.again'],
    answered: ['talking'],
    over: ['over'],
    'talk.wanted': ['calling'],
    'hold.wanted': ['calling'],
    'end.wanted': ['leaving', 'end'],
    'reject.wanted': ['calling'],
  },
  talking: {
    over: ['over'],
    'talk.wanted': ['talking', 'resume'],
    'hold.wanted': ['talking', 'hold'],
    'end.wanted': ['leaving', 'end'],
    'reject.wanted': ['talking'],
  },
  leaving: {
    answered: ['leaving'],
    over: ['over'],
    'talk.wanted': ['leaving'],
    'hold.wanted': ['leaving'],
    'end.wanted': ['leaving'],
    'reject.wanted': ['leaving'],
  },
};

const rows = Object.entries(decided).flatMap(([state, byEvent]) =>
  types.map((type): Row<typeof partyMachine> => {
    const [next, ...commands] = byEvent[type] ?? [state];
    const given: PartyCommand[] =
      byEvent[type] === undefined ? [unexpected(type)] : commands.map((command) => ({ type: command }));
    return [state, { type }, next, given];
  }),
);

const sequence = (...wanted: Type[]): PartyEvent[] => wanted.map((type) => ({ type }));
const { ring, answer, hangup, patience } = partyDelaysMs;

machineTable(test, 'a party', {
  machine: partyMachine,
  events,
  context: {},
  rows,
  input: undefined,
  deadlines: [
    [sequence('invited'), 'pending', ring, 'ringing', [{ type: 'ring' }]],
    [[...sequence('invited'), ring], 'ringing', answer, 'settling', [{ type: 'settle' }]],
    [sequence('placed'), 'calling', patience, 'leaving', [{ type: 'end' }]],
    [sequence('replaced', 'answered'), 'talking', hangup, 'leaving', [{ type: 'end' }]],
  ],
});

test('the table has the states of the machine, and the deadlines of each by name', (t) => {
  const reached = new Set([partyTable.initial]);
  for (const state of reached) {
    if (state === 'over') continue;
    const after = partyTable.delays(state).map(({ event }) => event);
    for (const event of [...sequence(...types), ...after]) reached.add(partyTable.step(state, event).state);
  }
  t.deepEqual([...reached].sort(), Object.keys(partyMachine.states).sort());
  const delays = (Object.keys(partyMachine.states) as PartyState[]).map((state) =>
    partyTable.delays(state).map(({ name }) => name),
  );
  t.deepEqual(delays, [[], ['ring', 'refuse'], ['answer'], [], ['patience'], ['hangup'], [], []]);
  for (const name of delays.flat()) t.true(partyDelaysMs[name as PartyDelay] >= 0);
});

test('for any sequence of events the table goes through the states of the machine and gives its commands', async (t) => {
  await holds(
    t,
    fc.property(fc.array(fc.constantFrom(...types), { maxLength: 30 }), (sequence) => {
      const actor = walk(partyMachine, { input: undefined });
      let state = partyTable.initial;
      for (const type of sequence) {
        if (state === 'over') break;
        const soFar = actor.commands.length;
        const step = partyTable.step(state, { type });
        actor.send({ type });
        assert.equal(step.state, actor.state);
        assert.deepEqual(step.commands, actor.commands.slice(soFar));
        state = step.state;
      }
      actor.stop();
    }),
    { numRuns: sized(75, 300) },
  );
});

test('holding and resuming do not begin the time of a talk anew', (t) => {
  const party = walk(partyMachine, { input: undefined });
  for (const event of sequence('replaced', 'answered')) party.send(event);
  party.pass(hangup - 1);
  for (const event of sequence('hold.wanted', 'talk.wanted')) party.send(event);
  party.pass(1);
  t.is(party.state, 'leaving');
});
