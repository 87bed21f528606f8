/**
 * The lease that an arbiter grants one half of a split site: to the half that claims it first, for as long as that half
 * goes on claiming. While an earlier arbiter, or an earlier life of this one, may have granted a lease, this one is withheld from both.
 */
import { assign, emit, setup } from 'xstate';

export type LeaseEvent =
  /** `side`: the nodes that the claiming half reaches. */
  { type: 'claimed'; side: readonly string[] } | { type: 'earlier.arbiter.seen' };

export type LeaseCommand = { type: 'granted' } | { type: 'denied' } | { type: 'event.unexpected'; event: string };

export const leaseMachine = setup({
  types: {
    input: {} as { leaseMs: number },
    context: {} as { leaseMs: number; side: readonly string[] },
    events: {} as LeaseEvent,
    emitted: {} as LeaseCommand,
  },
  actions: {
    keepSide: assign({ side: ({ context, event }) => (event.type === 'claimed' ? event.side : context.side) }),
    forgetSide: assign({ side: [] }),
    grant: emit({ type: 'granted' }),
    deny: emit({ type: 'denied' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isHolder: ({ context, event }) =>
      event.type === 'claimed' && event.side.some((node) => context.side.includes(node)),
  },
  delays: { lease: ({ context }) => context.leaseMs },
}).createMachine({
  id: 'lease',
  context: ({ input }) => ({ leaseMs: input.leaseMs, side: [] }),
  /** An earlier life of the arbiter may have granted a lease that has not ended. */
  initial: 'withheld',
  on: { '*': { actions: 'unexpected' } },
  states: {
    free: {
      entry: 'forgetSide',
      on: { claimed: { target: 'held', actions: ['keepSide', 'grant'] }, 'earlier.arbiter.seen': 'withheld' },
    },
    held: {
      after: { lease: 'free' },
      on: {
        claimed: [
          { guard: 'isHolder', target: 'held', reenter: true, actions: ['keepSide', 'grant'] },
          { actions: 'deny' },
        ],
        'earlier.arbiter.seen': 'withheld',
      },
    },
    withheld: {
      entry: 'forgetSide',
      after: { lease: 'free' },
      on: { claimed: { actions: 'deny' }, 'earlier.arbiter.seen': { target: 'withheld', reenter: true } },
    },
  },
});
