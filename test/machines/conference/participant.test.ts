/** A participant of a conference. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { ConferenceEnd } from '../../../src/machines/conference/conference.ts';
import {
  type CallAnswer,
  type ParticipantEvent,
  participantMachine,
} from '../../../src/machines/conference/participant.ts';
import type { Media } from '../../../src/model/sip/message.ts';
import { machineTable, type Row } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const left: ConferenceEnd = { type: 'bye', reason: 'left', by: '<sip:1001@acme.root.test>' };
const kicked: ConferenceEnd = { type: 'bye', reason: 'removed', by: 'api' };
const noAnswer: ConferenceEnd = { type: 'timeout', reason: 'no answer', by: 'platform' };
const ringing = { status: 180, reason: 'Ringing' };
const busy = { status: 486, reason: 'Busy Here' };
const rang: ParticipantEvent = { type: 'leg.rang', answer: ringing };
const answered = (media: Media = 'sendrecv'): ParticipantEvent => ({ type: 'leg.answered', media });
const changed = (media: Media): ParticipantEvent => ({ type: 'media.changed', media });
const removed: ParticipantEvent = { type: 'removal.requested', end: kicked };
const gone: ParticipantEvent = { type: 'leg.gone', end: left };
const refused: ParticipantEvent = { type: 'leg.gone', end: left, answer: busy };
const joined = { type: 'publish.joined' } as const;
const end = { type: 'end.leg' } as const;
const drop = { type: 'drop.leg' } as const;
const hasLeft = (how: ConferenceEnd) => ({ type: 'publish.left', end: how }) as const;
const notify = (answer: CallAnswer) => ({ type: 'notify.referrer', answer }) as const;
/** It is called for the REFER of another participant. */
const referred = { before: { isReferred: true, end: undefined } };
const informed = { ...referred, after: { isReferred: false } };

type ParticipantRow = Row<typeof participantMachine>;

/** The rows of a state before the answer. */
const invited = (state: string): ParticipantRow[] => [
  [state, answered(), 'active', [joined]],
  [state, answered('recvonly'), 'active', [joined]],
  [state, answered('sendonly'), 'held', [joined]],
  [state, answered('inactive'), 'held', [joined]],
  [state, changed('sendonly'), state, []],
  [state, removed, 'leaving', [end], { after: { end: kicked } }],
  [state, gone, 'gone', [hasLeft(left)]],
  [state, rang, 'ringing', [notify(ringing)], { ...referred, after: { isReferred: true } }],
  [state, answered(), 'active', [notify({ status: 200, reason: 'OK' }), joined], informed],
  [state, refused, 'gone', [notify(busy), hasLeft(left)], referred],
];
/** The rows of a state after the answer. */
const taking = (state: string): ParticipantRow[] => [
  [state, rang, state, []],
  [state, answered(), state, []],
  [state, changed('sendonly'), 'held', []],
  [state, changed('inactive'), 'held', []],
  [state, changed('sendrecv'), 'active', []],
  [state, changed('recvonly'), 'active', []],
  [state, removed, 'leaving', [end], { after: { end: kicked } }],
  [state, gone, 'gone', [hasLeft(left)]],
];

machineTable(test, 'a participant', {
  machine: participantMachine,
  events: {
    'leg.rang': true,
    'leg.answered': true,
    'media.changed': true,
    'removal.requested': true,
    'leg.gone': true,
  },
  context: { isReferred: false, end: undefined },
  input: { isReferred: false },
  rows: [
    ...invited('calling'),
    ['calling', rang, 'ringing', []],
    ...invited('ringing'),
    ['ringing', rang, 'ringing', []],
    ...taking('active'),
    ...taking('held'),
    ['leaving', rang, 'leaving', []],
    ['leaving', answered(), 'leaving', []],
    ['leaving', changed('sendrecv'), 'leaving', []],
    ['leaving', removed, 'leaving', []],
    ['leaving', gone, 'gone', [hasLeft(kicked)], { before: { end: kicked } }],
    ['leaving', refused, 'gone', [notify(busy), hasLeft(left)], referred],
    ['leaving', answered(), 'leaving', [notify({ status: 200, reason: 'OK' })], informed],
  ],
  deadlines: [
    [[], 'calling', 320_000, 'leaving', [end]],
    [[320_000], 'leaving', 40_000, 'gone', [drop, hasLeft(noAnswer)]],
    [[5_000, rang], 'ringing', 320_000, 'leaving', [end]],
    [[answered(), removed], 'leaving', 40_000, 'gone', [drop, hasLeft(kicked)]],
  ],
});

const event = fc.oneof(
  fc.constantFrom(rang, removed, gone),
  fc
    .constantFrom<Media>('sendrecv', 'sendonly', 'recvonly', 'inactive')
    .chain((media) => fc.constantFrom(answered(media), changed(media))),
);
const steps = fc.array(fc.oneof(event, fc.constantFrom(0, 1_000, 30_000)), { maxLength: 20 });

test('a participant that is removed is gone in time, and has joined at most once', async (t) => {
  await holds(
    t,
    fc.property(steps, (sequence) => {
      const walked = walk(participantMachine, { input: { isReferred: false } });
      for (const step of sequence) {
        if (typeof step === 'number') walked.pass(step);
        else walked.send(step);
        assert.notEqual(walked.status, 'error');
      }
      walked.send(removed);
      walked.pass(40_000);
      assert.equal(walked.state, 'gone');
      assert.equal(walked.clock.pending, 0);
      const count = (type: string) => walked.commands.filter((command) => command.type === type).length;
      assert.ok(count('publish.joined') <= 1);
      assert.ok(count('end.leg') <= 1);
      assert.ok(count('drop.leg') <= count('end.leg'));
    }),
    { numRuns: sized(50, 200) },
  );
});
