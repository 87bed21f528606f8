/** Checks of the machines of conf: a conference, and a participant. */
import {
  type ConferenceEnd,
  conferenceDelaysMs,
  conferenceMachine,
} from '../../../src/machines/conference/conference.ts';
import { participantDelaysMs, participantMachine } from '../../../src/machines/conference/participant.ts';
import type { Media } from '../../../src/model/sip/message.ts';
import { type AnyCheck, checkOf, type Model } from '../machine/machine-check.ts';

const ends: readonly ConferenceEnd[] = [
  { type: 'bye', reason: 'left', by: '<sip:1001@acme.root.test>' },
  { type: 'conf_terminate', reason: 'ended by command', by: 'api' },
];

/** The number of participants: it ends exactly when the last one has left. */
function conferenceModel(): Model<typeof conferenceMachine> {
  let there = 0;
  return ({ event, before, after, context }) => {
    const isOpen = before === 'creating.inviting' || before === 'active' || before === 'ending';
    if (event.type === 'participant.came' && (isOpen || before === 'creating.waiting')) there += 1;
    if (event.type !== 'participant.gone' || !isOpen) return undefined;
    there -= 1;
    if (context.participants !== there) return `it counts ${context.participants} participants, there are ${there}`;
    return (after === 'over') === (there === 0) ? undefined : `it is in ${after} with ${there} participants`;
  };
}

const conferenceCheck = checkOf({
  machine: conferenceMachine,
  events: {
    'participant.came': true,
    'participant.joined': true,
    'participant.gone': ({ pick }) => ({ end: pick.from(ends) }),
    'end.requested': ({ pick }) => ({ end: pick.from(ends) }),
  },
  once: ['publish.start', 'close', 'drop.participants', 'publish.end', 'publish.stop'],
  last: 'publish.stop',
  longestMs: conferenceDelaysMs.invite,
  rules: {
    'there are never fewer than no participants': ({ last }) => last.context.participants >= 0,
    'it is closed when it ends or is over, and only then': ({ last, count }) =>
      count('close') === (/^(creating|active)/.test(last.after) ? 0 : 1),
    'it starts before anything else': ({ commands }) => commands[0]?.type === 'publish.start',
    'it stops as long after its end as configured': ({ steps, last }) => {
      if (!last.isOver) return true;
      const over = steps.find(({ commands }) => commands.some(({ type }) => type === 'publish.end'));
      return last.atMs - (over?.atMs ?? 0) === conferenceDelaysMs.stop;
    },
    'no more than one deadline runs': ({ last }) => last.deadlines.length <= 1,
  },
  model: conferenceModel,
  finally: { events: [{ type: 'end.requested', end: ends[1] as ConferenceEnd }], waitMs: 48_000, states: ['stopped'] },
  scenario: ({ type }) => {
    if (type === 'participant.came') return [{ dial: { from: 'acme.root.test/1001', to: '5501' } }];
    return type === 'participant.gone' ? [{ hangUp: 'acme.root.test/1001' }] : [];
  },
});

const media: readonly Media[] = ['sendrecv', 'sendonly', 'inactive', 'recvonly'];

/** A participant that only sends, or sends and receives nothing, holds. */
function participantModel(): Model<typeof participantMachine> {
  return ({ event, after }) => {
    if (!('media' in event) || (after !== 'active' && after !== 'held')) return undefined;
    if (event.type === 'leg.answered') return undefined;
    const holds = event.media === 'sendonly' || event.media === 'inactive';
    return holds === (after === 'held') ? undefined : `it is ${after} with ${event.media}`;
  };
}

const participantCheck = checkOf({
  machine: participantMachine,
  input: (pick) => ({ isReferred: pick.maybe() }),
  events: {
    'leg.rang': ({ pick }) => ({ answer: { status: pick.from([180, 183]), reason: 'Ringing' } }),
    'leg.answered': ({ pick }) => ({ media: pick.from(media) }),
    'media.changed': ({ pick }) => ({ media: pick.from(media) }),
    'removal.requested': ({ pick }) => ({ end: pick.from(ends) }),
    'leg.gone': ({ pick }) => ({
      end: pick.from(ends),
      ...(pick.maybe() && { answer: { status: 486, reason: 'Busy Here' } }),
    }),
  },
  once: ['publish.joined', 'end.leg', 'drop.leg', 'publish.left'],
  last: 'publish.left',
  longestMs: participantDelaysMs.call,
  rules: {
    'a leg is ended before it is dropped': ({ count }) => count('drop.leg') <= count('end.leg'),
    'the participant that referred hears of one final answer, and of none before its REFER': ({ steps, commands }) => {
      const answers = commands.flatMap((command) =>
        command.type === 'notify.referrer' ? [command.answer.status] : [],
      );
      if (answers.length > 0 && steps[0]?.context.isReferred !== true) return false;
      return answers.slice(0, -1).every((status) => status < 200);
    },
    'it has left when it is gone, for the reason that was known first': ({ last, steps, commands }) => {
      const left = commands.find(({ type }) => type === 'publish.left');
      if ((left !== undefined) !== last.isOver) return false;
      const known = steps.find(({ context }) => context.end !== undefined)?.context.end;
      return left === undefined || !('end' in left) || left.end === known;
    },
    'no participant takes part after it should leave': ({ commands }) => {
      const types = commands.map(({ type }) => type);
      return !types.includes('end.leg') || types.indexOf('publish.joined') < types.indexOf('end.leg');
    },
  },
  model: participantModel,
  finally: {
    events: [{ type: 'removal.requested', end: ends[0] as ConferenceEnd }],
    waitMs: participantDelaysMs.leave,
    states: ['gone'],
  },
  scenario: ({ type }) => {
    if (type === 'leg.answered') return [{ dial: { from: 'acme.root.test/1001', to: '5501' } }];
    return type === 'leg.gone' ? [{ hangUp: 'acme.root.test/1001' }] : [];
  },
});

export const meetingChecks: readonly AnyCheck[] = [conferenceCheck, participantCheck];
