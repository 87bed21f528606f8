/** Whether somebody outside is there: present, silent as if the power were off, or flapping between the two. */
import { assign, emit, setup } from 'xstate';

export type PresenceFact = { type: 'silence' } | { type: 'revive' } | { type: 'flap'; everyMs: number };

export type PresenceOrder = { type: 'fall.silent' | 'come.back' } | { type: 'fact.unexpected'; fact: string };

export const presenceMachine = setup({
  types: {
    context: {} as { readonly everyMs: number },
    events: {} as PresenceFact,
    emitted: {} as PresenceOrder,
  },
  actions: {
    fallSilent: emit({ type: 'fall.silent' }),
    comeBack: emit({ type: 'come.back' }),
    keepPace: assign({ everyMs: ({ event }) => (event.type === 'flap' ? event.everyMs : 0) }),
    unexpected: emit(({ event }) => ({ type: 'fact.unexpected', fact: event.type })),
  },
  delays: { flap: ({ context }) => context.everyMs },
}).createMachine({
  id: 'presence',
  context: { everyMs: 0 },
  initial: 'present',
  on: { '*': { actions: 'unexpected' } },
  states: {
    present: {
      on: {
        silence: { target: 'silent', actions: 'fallSilent' },
        revive: {},
        flap: { target: 'down', actions: ['keepPace', 'fallSilent'] },
      },
    },
    silent: {
      on: {
        silence: {},
        revive: { target: 'present', actions: 'comeBack' },
        flap: { target: 'down', actions: 'keepPace' },
      },
    },
    /** Flapping, and silent for the moment. */
    down: {
      after: { flap: { target: 'up', actions: 'comeBack' } },
      on: {
        silence: 'silent',
        revive: { target: 'present', actions: 'comeBack' },
        flap: { target: 'down', reenter: true, actions: 'keepPace' },
      },
    },
    up: {
      after: { flap: { target: 'down', actions: 'fallSilent' } },
      on: {
        silence: { target: 'silent', actions: 'fallSilent' },
        revive: 'present',
        flap: { target: 'up', reenter: true, actions: 'keepPace' },
      },
    },
  },
});
