/** A participant of a conference, by what its leg does (states: choices, section 5). Called or calling, it begins alike. */
import { emit, setup } from 'xstate';
import { limits } from '../model/limits.ts';
import type { Media } from '../model/sip/message.ts';

export type ParticipantEvent =
  /** Somebody who is called rings. */
  | { type: 'leg.rang' }
  /** Somebody who is called has answered; the ACK of somebody who called has come. */
  | { type: 'leg.answered'; media: Media }
  | { type: 'media.changed'; media: Media }
  | { type: 'removal.requested' }
  | { type: 'leg.gone' };

export type ParticipantCommand =
  /** It takes part from now on. */
  { type: 'tell.joined' } | { type: 'end.leg' } | { type: 'drop.leg' } | { type: 'event.unexpected'; event: string };

/** `call`: how long it may be called. `leave`: with room for CANCEL and BYE, which wait 32 s for their answers. */
export const participantDelaysMs = { call: limits.ringMs + 20_000, leave: 40_000 } as const;

const chart = setup({
  types: { events: {} as ParticipantEvent, emitted: {} as ParticipantCommand },
  actions: {
    tellJoined: emit({ type: 'tell.joined' }),
    endLeg: emit({ type: 'end.leg' }),
    dropLeg: emit({ type: 'drop.leg' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: { isHolding: ({ event }) => 'media' in event && holds(event.media) },
  delays: participantDelaysMs,
});

/** Whoever sends only, or nothing, does not listen: it holds. */
function holds(media: Media): boolean {
  return media === 'sendonly' || media === 'inactive';
}

const removed = { target: 'leaving', actions: 'endLeg' } as const;
const invited = {
  'leg.answered': [
    { guard: 'isHolding', target: 'held', actions: 'tellJoined' },
    { target: 'active', actions: 'tellJoined' },
  ],
  'media.changed': {},
  'removal.requested': removed,
  'leg.gone': 'gone',
} as const;
const joined = { 'leg.rang': {}, 'leg.answered': {}, 'removal.requested': removed, 'leg.gone': 'gone' } as const;

export const participantMachine = chart.createMachine({
  id: 'participant',
  initial: 'calling',
  on: { '*': { actions: 'unexpected' } },
  states: {
    calling: { after: { call: removed }, on: { ...invited, 'leg.rang': 'ringing' } },
    ringing: { after: { call: removed }, on: { ...invited, 'leg.rang': {} } },
    active: { on: { ...joined, 'media.changed': [{ guard: 'isHolding', target: 'held' }, {}] } },
    held: { on: { ...joined, 'media.changed': [{ guard: 'isHolding' }, { target: 'active' }] } },
    leaving: {
      after: { leave: { target: 'gone', actions: 'dropLeg' } },
      on: { 'leg.rang': {}, 'leg.answered': {}, 'media.changed': {}, 'removal.requested': {}, 'leg.gone': 'gone' },
    },
    gone: { type: 'final' },
  },
});
