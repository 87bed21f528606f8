/**
 * A conference: `creating` until a participant has joined, `active`, `ending` by command, then over (chosen). It counts
 * its participants, also the ones that are being called; its role knows which they are.
 */
import { assign, emit, setup } from 'xstate';
import { limits } from '../../model/limits.ts';

/** How a conference ended, sent with conf_stop. (fields public, words chosen) */
export interface ConferenceEnd {
  /** `bye`, `cancel`, `call_final`: so left the last one. `conf_terminate`: by order. `timeout`, `error`. */
  readonly type: 'bye' | 'cancel' | 'call_final' | 'conf_terminate' | 'timeout' | 'error';
  readonly reason: string;
  /** Who ended it: URI of a participant, `api`, or `platform`. */
  readonly by: string;
}

export type ConferenceEvent =
  /** A participant calls it, or is called by it. */
  | { type: 'participant.came' }
  | { type: 'participant.joined' }
  /** `end`: how the conference has ended, if that was the last one. */
  | { type: 'participant.gone'; end: ConferenceEnd }
  | { type: 'end.requested'; end: ConferenceEnd };

export type ConferenceCommand =
  | { type: 'publish.start' }
  /** It takes no participants any more, and its room is free. Once, when it begins to end or is over at once. */
  | { type: 'close' }
  /** BYE to all; CANCEL to the participants that are being called. */
  | { type: 'end.participants' }
  /** Silently: they have not answered BYE or CANCEL. */
  | { type: 'drop.participants' }
  | { type: 'publish.end' }
  | { type: 'publish.stop'; end: ConferenceEnd }
  | { type: 'event.unexpected'; event: string };

export interface ConferenceContext {
  readonly participants: number;
  readonly end: ConferenceEnd;
}

/**
 * `come`: how long it waits for its first participant. `invite`: how long for a participant to answer. `leave`: for the last
 * participants, longer than any takes. `stop`: between the end and conf_stop (public).
 */
export const conferenceDelaysMs = {
  come: 60_000,
  invite: limits.longestRingMs + 60_000,
  leave: 45_000,
  stop: 3_000,
} as const;

const emptyTooLong: ConferenceEnd = { type: 'timeout', reason: 'no participant joined', by: 'platform' };

const chart = setup({
  types: {
    context: {} as ConferenceContext,
    events: {} as ConferenceEvent,
    emitted: {} as ConferenceCommand,
  },
  actions: {
    publishStart: emit({ type: 'publish.start' }),
    close: emit({ type: 'close' }),
    endParticipants: emit({ type: 'end.participants' }),
    dropParticipants: emit({ type: 'drop.participants' }),
    publishEnd: emit({ type: 'publish.end' }),
    publishStop: emit(({ context }) => ({ type: 'publish.stop', end: context.end })),
    countIn: assign({ participants: ({ context }) => context.participants + 1 }),
    countOut: assign({ participants: ({ context }) => context.participants - 1 }),
    keepEnd: assign(({ context, event }) => ({ end: 'end' in event ? event.end : context.end })),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: { isLast: ({ context }) => context.participants <= 1 },
  delays: conferenceDelaysMs,
});

const left = [
  { guard: 'isLast', target: '#conference.over', actions: ['countOut', 'keepEnd', 'close'] },
  { actions: 'countOut' },
] as const;

export const conferenceMachine = chart.createMachine({
  id: 'conference',
  context: { participants: 0, end: emptyTooLong },
  initial: 'creating',
  on: { '*': { actions: 'unexpected' } },
  states: {
    creating: {
      entry: 'publishStart',
      initial: 'waiting',
      states: {
        waiting: {
          after: { come: { target: '#conference.over', actions: 'close' } },
          on: {
            'participant.came': { target: 'inviting', actions: 'countIn' },
            'participant.joined': {},
            'participant.gone': {},
            'end.requested': { target: '#conference.over', actions: ['keepEnd', 'close'] },
          },
        },
        inviting: {
          after: { invite: '#conference.ending' },
          on: {
            'participant.came': { target: 'inviting', reenter: true, actions: 'countIn' },
            'participant.joined': '#conference.active',
            'participant.gone': left,
            'end.requested': { target: '#conference.ending', actions: 'keepEnd' },
          },
        },
      },
    },
    active: {
      on: {
        'participant.came': { actions: 'countIn' },
        'participant.joined': {},
        'participant.gone': left,
        'end.requested': { target: 'ending', actions: 'keepEnd' },
      },
    },
    ending: {
      entry: ['close', 'endParticipants'],
      after: { leave: { target: 'over', actions: 'dropParticipants' } },
      on: {
        'participant.came': { actions: ['countIn', 'endParticipants'] },
        'participant.joined': {},
        'participant.gone': [{ guard: 'isLast', target: 'over', actions: 'countOut' }, { actions: 'countOut' }],
        'end.requested': {},
      },
    },
    /** Gone from all lists. */
    over: {
      entry: 'publishEnd',
      after: { stop: { target: 'stopped', actions: 'publishStop' } },
      on: { 'participant.came': {}, 'participant.joined': {}, 'participant.gone': {}, 'end.requested': {} },
    },
    stopped: { type: 'final' },
  },
});

/** Whether a conference in this state takes participants. */
export function takesParticipants(state: unknown): boolean {
  return state === 'active' || (typeof state === 'object' && state !== null && 'creating' in state);
}
