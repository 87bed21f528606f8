/** A call to an IVR number: answered, an announcement of fixed length, then BYE. (chosen) */
import { emit, setup } from 'xstate';

export type AnnouncementEvent = { type: 'leg.answered' } | { type: 'leg.gone' } | { type: 'end.requested' };

export type AnnouncementCommand =
  | { type: 'end.leg' }
  | { type: 'drop.leg' }
  | { type: 'event.unexpected'; event: string };

/** `leave`: longer than the 32 s that the ACK and BYE may take. */
export const announcementDelaysMs = { play: 5_000, leave: 40_000 } as const;

const ending = { target: 'ending', actions: 'endLeg' } as const;
const lost = { target: 'over', actions: 'dropLeg' } as const;

export const announcementMachine = setup({
  types: { events: {} as AnnouncementEvent, emitted: {} as AnnouncementCommand },
  actions: {
    endLeg: emit({ type: 'end.leg' }),
    dropLeg: emit({ type: 'drop.leg' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: announcementDelaysMs,
}).createMachine({
  id: 'announcement',
  initial: 'answering',
  on: { '*': { actions: 'unexpected' } },
  states: {
    answering: {
      after: { leave: lost },
      on: { 'leg.answered': 'playing', 'leg.gone': 'over', 'end.requested': ending },
    },
    playing: {
      after: { play: ending },
      on: { 'leg.answered': {}, 'leg.gone': 'over', 'end.requested': ending },
    },
    ending: {
      after: { leave: lost },
      on: { 'leg.answered': {}, 'leg.gone': 'over', 'end.requested': {} },
    },
    over: { type: 'final' },
  },
});
