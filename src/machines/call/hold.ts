/**
 * What one party of a call sends and takes, by its last offer or answer. A party that takes nothing holds the other one. The
 * machine has no context, so that it runs by a table: every call has two of them.
 */
import { emit, setup } from 'xstate';
import type { Media } from '../../model/sip/message.ts';

export type HoldEvent = { type: `media.${Media}` };

/** `note.heard`: what the other party hears of this one, or this one of the other, may have changed. */
export type HoldCommand = { type: 'note.heard' } | { type: 'event.unexpected'; event: string };

export type HoldState = 'talking.sendrecv' | 'talking.recvonly' | 'holding.sendonly' | 'holding.inactive';

export const initialHold: HoldState = 'talking.sendrecv';

const to = {
  'media.sendrecv': { target: '#hold.talking.sendrecv', actions: 'noteHeard' },
  'media.recvonly': { target: '#hold.talking.recvonly', actions: 'noteHeard' },
  'media.sendonly': { target: '#hold.holding.sendonly', actions: 'noteHeard' },
  'media.inactive': { target: '#hold.holding.inactive', actions: 'noteHeard' },
} as const;

export const holdMachine = setup({
  types: { events: {} as HoldEvent, emitted: {} as HoldCommand },
  actions: {
    noteHeard: emit({ type: 'note.heard' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
}).createMachine({
  id: 'hold',
  initial: 'talking',
  on: { '*': { actions: 'unexpected' } },
  states: {
    talking: {
      initial: 'sendrecv',
      states: { sendrecv: { on: { ...to, 'media.sendrecv': {} } }, recvonly: { on: { ...to, 'media.recvonly': {} } } },
    },
    holding: {
      initial: 'sendonly',
      states: { sendonly: { on: { ...to, 'media.sendonly': {} } }, inactive: { on: { ...to, 'media.inactive': {} } } },
    },
  },
});

export const holdEvents: readonly HoldEvent[] = (['sendrecv', 'recvonly', 'sendonly', 'inactive'] as const).map(
  (media) => ({ type: `media.${media}` }),
);

const sending: ReadonlySet<Media> = new Set<Media>(['sendrecv', 'sendonly']);
const taking: ReadonlySet<Media> = new Set<Media>(['sendrecv', 'recvonly']);

/** What the party has offered or answered last. */
export function mediaOf(state: HoldState): Media {
  return state.slice(state.indexOf('.') + 1) as Media;
}

/** The media that the callee wants, inferred from offer and answer: what the offer rules out is not its choice. */
export function answeredMedia(offer: Media, answer: Media): Media {
  const isSending = sending.has(answer) || !taking.has(offer);
  const isTaking = taking.has(answer) || !sending.has(offer);
  if (isSending) return isTaking ? 'sendrecv' : 'sendonly';
  return isTaking ? 'recvonly' : 'inactive';
}

/** Whether what a party says reaches the other one, by the states of both. */
export function isHeard(speaker: HoldState, listener: HoldState): boolean {
  return sending.has(mediaOf(speaker)) && taking.has(mediaOf(listener));
}
