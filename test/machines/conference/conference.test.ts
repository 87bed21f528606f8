/** A conference. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type ConferenceEnd,
  type ConferenceEvent,
  conferenceMachine,
} from '../../../src/machines/conference/conference.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const neverJoined: ConferenceEnd = { type: 'timeout', reason: 'no participant joined', by: 'platform' };
const left: ConferenceEnd = { type: 'bye', reason: 'left', by: '<sip:1001@acme.root.test>' };
const ordered: ConferenceEnd = { type: 'conf_terminate', reason: 'ended by command', by: 'api' };

const came: ConferenceEvent = { type: 'participant.came' };
const joined: ConferenceEvent = { type: 'participant.joined' };
const gone: ConferenceEvent = { type: 'participant.gone', end: left };
const end: ConferenceEvent = { type: 'end.requested', end: ordered };

const close = { type: 'close' } as const;
const publishEnd = { type: 'publish.end' } as const;
const endAll = { type: 'end.participants' } as const;
const dropAll = { type: 'drop.participants' } as const;
const stop = (how: ConferenceEnd) => ({ type: 'publish.stop', end: how }) as const;
const counting = (participants: number, how: ConferenceEnd = neverJoined) => ({ participants, end: how });

type ConferenceRow = Row<typeof conferenceMachine>;

/** One of two leaves, and the last one. */
const leaving = (state: string): ConferenceRow[] => [
  [state, gone, state, [], { before: counting(2), after: counting(1) }],
  [state, gone, 'over', [close, publishEnd], { before: counting(1), after: counting(0, left) }],
];

machineTable(test, 'a conference', {
  machine: conferenceMachine,
  events: { 'participant.came': true, 'participant.joined': true, 'participant.gone': true, 'end.requested': true },
  context: counting(0),
  rows: [
    ['creating.waiting', came, 'creating.inviting', [], { after: counting(1) }],
    ['creating.waiting', joined, 'creating.waiting', []],
    ['creating.waiting', gone, 'creating.waiting', [], { after: counting(0) }],
    ['creating.waiting', end, 'over', [close, publishEnd], { after: counting(0, ordered) }],

    ['creating.inviting', came, 'creating.inviting', [], { before: counting(1), after: counting(2) }],
    ['creating.inviting', joined, 'active', [], { before: counting(1), after: counting(1) }],
    ...leaving('creating.inviting'),
    ['creating.inviting', end, 'ending', [close, endAll], { before: counting(1), after: counting(1, ordered) }],

    ['active', came, 'active', [], { before: counting(1), after: counting(2) }],
    ['active', joined, 'active', []],
    ...leaving('active'),
    ['active', end, 'ending', [close, endAll], { before: counting(2), after: counting(2, ordered) }],

    ['ending', came, 'ending', [endAll], { before: counting(1, ordered), after: counting(2, ordered) }],
    ['ending', joined, 'ending', []],
    ['ending', gone, 'ending', [], { before: counting(2, ordered), after: counting(1, ordered) }],
    ['ending', gone, 'over', [publishEnd], { before: counting(1, ordered), after: counting(0, ordered) }],
    ['ending', end, 'ending', []],

    ['over', came, 'over', []],
    ['over', joined, 'over', []],
    ['over', gone, 'over', []],
    ['over', end, 'over', [], { before: counting(0, left), after: counting(0, left) }],
  ],
  deadlines: [
    [[], 'creating.waiting', 60_000, 'over', [close, publishEnd]],
    [[came, 100_000, came], 'creating.inviting', 360_000, 'ending', [close, endAll]],
    [[came, joined, end], 'ending', 45_000, 'over', [dropAll, publishEnd]],
    [[came, joined, gone], 'over', 3_000, 'stopped', [stop(left)]],
    [[60_000], 'over', 3_000, 'stopped', [stop(neverJoined)]],
    [[came, joined, end, gone], 'over', 3_000, 'stopped', [stop(ordered)]],
  ],
});

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(came, joined, gone) },
    fc.constantFrom<ConferenceEvent | number>(end, 0, 1_000, 2_999, 61_000),
  ),
  { maxLength: 30 },
);

test('every conference announces one start, one end, and one stop three seconds after that', async (t) => {
  await holds(
    t,
    fc.property(steps, (sequence) => {
      const walked = walk(conferenceMachine, {});
      for (const step of [...sequence, end]) {
        if (typeof step === 'number') walked.pass(step);
        else walked.send(step);
        assert.notEqual(walked.status, 'error');
        assert.ok(walked.context.participants >= 0);
      }
      walked.pass(48_000);
      assert.equal(walked.state, 'stopped');
      assert.equal(walked.clock.pending, 0);
      const at = (type: string) => walked.ordersMs.filter((_, index) => walked.commands[index]?.type === type);
      const [endedMs = 0] = at('publish.end');
      assert.equal(walked.commands[0]?.type, 'publish.start');
      assert.deepEqual([at('publish.start').length, at('publish.end').length], [1, 1]);
      assert.deepEqual(at('publish.stop'), [endedMs + 3_000]);
      assert.equal(walked.commands.at(-1)?.type, 'publish.stop');
    }),
    { numRuns: sized(75, 300) },
  );
});

test('a conference is over as soon as as many have gone as came, and not before', async (t) => {
  await holds(
    t,
    fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (arrivals) => {
      const walked = walk(conferenceMachine, {});
      walked.send(came);
      walked.send(joined);
      let there = 1;
      for (const isArrival of arrivals) {
        if (there === 0) break;
        walked.send(isArrival ? came : gone);
        there += isArrival ? 1 : -1;
        assert.equal(walked.state, there === 0 ? 'over' : 'active');
        assert.equal(walked.context.participants, there);
      }
      walked.stop();
    }),
  );
});
