/**
 * Decides whether one member of an active-passive group takes over, from its node's view of the group. A standby that can't
 * see every member waits first, so that an active instance on the other side of a partition can step down.
 */
import { emit, setup } from 'xstate';

/**
 * What the view of the node says: this member need not be elected; it is next, certainly or as far as visible; it must step down
 * for another one.
 */
export type FailoverEvent =
  | { type: 'election.not.needed' }
  | { type: 'group.vacant' }
  | { type: 'group.uncertain' }
  | { type: 'member.must.step.down' };

export type FailoverCommand = { type: 'elect' } | { type: 'depose' } | { type: 'event.unexpected'; event: string };

export const failoverMachine = setup({
  types: {
    input: {} as { takeoverMs: number },
    context: {} as { takeoverMs: number },
    events: {} as FailoverEvent,
    emitted: {} as FailoverCommand,
  },
  actions: {
    elect: emit({ type: 'elect' }),
    depose: emit({ type: 'depose' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  delays: { takeover: ({ context }) => context.takeoverMs },
}).createMachine({
  id: 'failover',
  context: ({ input }) => input,
  initial: 'settled',
  on: { '*': { actions: 'unexpected' } },
  states: {
    settled: {
      on: {
        'election.not.needed': {},
        'group.vacant': { actions: 'elect' },
        'group.uncertain': 'waiting',
        'member.must.step.down': { actions: 'depose' },
      },
    },
    waiting: {
      after: { takeover: { target: 'settled', actions: 'elect' } },
      on: {
        'election.not.needed': 'settled',
        'group.vacant': { target: 'settled', actions: 'elect' },
        'group.uncertain': {},
        'member.must.step.down': { target: 'settled', actions: 'depose' },
      },
    },
  },
});
