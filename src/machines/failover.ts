/**
 * Whether one member of an active-passive group takes over, from what its node sees of the group. A standby that may take over but
 * can't see every member waits first, which leaves an active one on the other side of a cut the time to step down.
 */
import { emit, setup } from 'xstate';

/** What the node sees: nothing to change; the member is next, surely or as far as can be seen; it may not serve any longer. */
export type FailoverEvent =
  | { type: 'group.served' }
  | { type: 'group.vacant' }
  | { type: 'group.uncertain' }
  | { type: 'member.superseded' };

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
        'group.served': {},
        'group.vacant': { actions: 'elect' },
        'group.uncertain': 'waiting',
        'member.superseded': { actions: 'depose' },
      },
    },
    waiting: {
      after: { takeover: { target: 'settled', actions: 'elect' } },
      on: {
        'group.served': 'settled',
        'group.vacant': { target: 'settled', actions: 'elect' },
        'group.uncertain': {},
        'member.superseded': { target: 'settled', actions: 'depose' },
      },
    },
  },
});
