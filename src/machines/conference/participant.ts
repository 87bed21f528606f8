/** A participant of a conference, by what its leg does (states chosen). Called or calling, it begins alike. */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { limits } from '../../model/limits.ts';
import type { Media } from '../../model/sip/message.ts';
import type { ConferenceEnd } from './conference.ts';

/** An answer to the call of a participant, as the referrer gets it. */
export interface CallAnswer {
  readonly status: number;
  readonly reason: string;
}

export type ParticipantEvent =
  /** A participant that is called rings. */
  | { type: 'leg.rang'; answer: CallAnswer }
  /** A participant that is called has answered; the ACK of one that called has come. */
  | { type: 'leg.answered'; media: Media }
  | { type: 'media.changed'; media: Media }
  | { type: 'removal.requested'; end: ConferenceEnd }
  /** `end`: how it has left, if nothing else had ended it. `answer`: what refused its call. */
  | { type: 'leg.gone'; end: ConferenceEnd; answer?: CallAnswer };

export type ParticipantCommand =
  /** It takes part from now on. */
  | { type: 'publish.joined' }
  | { type: 'end.leg' }
  | { type: 'drop.leg' }
  /** To the participant whose REFER had this one called; until the final answer. */
  | { type: 'notify.referrer'; answer: CallAnswer }
  | { type: 'publish.left'; end: ConferenceEnd }
  | { type: 'event.unexpected'; event: string };

export interface ParticipantContext {
  /** It is called for a REFER whose sender has not heard of the final answer. */
  readonly isReferred: boolean;
  /** How it comes to leave, once that is known. */
  readonly end: ConferenceEnd | undefined;
}

/** `call`: how long it may be called. `leave`: with room for CANCEL and BYE, which wait 32 s for their answers. */
export const participantDelaysMs = { call: limits.longestRingMs + 20_000, leave: 40_000 } as const;

const noAnswer: ConferenceEnd = { type: 'timeout', reason: 'no answer', by: 'platform' };
const lost: ConferenceEnd = { type: 'error', reason: 'lost', by: 'platform' };
const accepted: CallAnswer = { status: 200, reason: 'OK' };

const chart = setup({
  types: {
    context: {} as ParticipantContext,
    input: {} as Pick<ParticipantContext, 'isReferred'>,
    events: {} as ParticipantEvent,
    emitted: {} as ParticipantCommand,
  },
  actions: {
    publishJoined: emit({ type: 'publish.joined' }),
    endLeg: emit({ type: 'end.leg' }),
    dropLeg: emit({ type: 'drop.leg' }),
    notifyReferrer: enqueueActions(({ context: { isReferred }, event, enqueue }) => {
      const answer = event.type === 'leg.answered' ? accepted : 'answer' in event ? event.answer : undefined;
      if (!isReferred || answer === undefined) return;
      enqueue.emit({ type: 'notify.referrer', answer });
      enqueue.assign({ isReferred: answer.status < 200 });
    }),
    keepEnd: assign(({ context, event }) => ({ end: context.end ?? ('end' in event ? event.end : noAnswer) })),
    publishLeft: emit(({ context }) => ({ type: 'publish.left', end: context.end ?? lost })),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: { isHolding: ({ event }) => 'media' in event && holds(event.media) },
  delays: participantDelaysMs,
});

/** A participant that sends only, or nothing, does not listen: it holds. */
function holds(media: Media): boolean {
  return media === 'sendonly' || media === 'inactive';
}

const removed = { target: 'leaving', actions: ['keepEnd', 'endLeg'] } as const;
const gone = { target: 'gone', actions: ['notifyReferrer', 'keepEnd'] } as const;
const invited = {
  'leg.answered': [
    { guard: 'isHolding', target: 'held', actions: ['notifyReferrer', 'publishJoined'] },
    { target: 'active', actions: ['notifyReferrer', 'publishJoined'] },
  ],
  'media.changed': {},
  'removal.requested': removed,
  'leg.gone': gone,
} as const;
const joined = { 'leg.rang': {}, 'leg.answered': {}, 'removal.requested': removed, 'leg.gone': gone } as const;

export const participantMachine = chart.createMachine({
  id: 'participant',
  context: ({ input: { isReferred } }) => ({ isReferred, end: undefined }),
  initial: 'calling',
  on: { '*': { actions: 'unexpected' } },
  states: {
    calling: {
      after: { call: removed },
      on: { ...invited, 'leg.rang': { target: 'ringing', actions: 'notifyReferrer' } },
    },
    ringing: { after: { call: removed }, on: { ...invited, 'leg.rang': { actions: 'notifyReferrer' } } },
    active: { on: { ...joined, 'media.changed': [{ guard: 'isHolding', target: 'held' }, {}] } },
    held: { on: { ...joined, 'media.changed': [{ guard: 'isHolding' }, { target: 'active' }] } },
    leaving: {
      after: { leave: { target: 'gone', actions: 'dropLeg' } },
      on: {
        'leg.rang': { actions: 'notifyReferrer' },
        'leg.answered': { actions: 'notifyReferrer' },
        'media.changed': {},
        'removal.requested': {},
        'leg.gone': gone,
      },
    },
    gone: { type: 'final', entry: 'publishLeft' },
  },
});
