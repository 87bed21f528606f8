/**
 * A site as seen by one of its nodes: whether enough of its servers are reachable to act for the site. More than half is
 * enough; exactly half needs the lease of an arbiter (public); less is not.
 */
import { emit, setup } from 'xstate';

export type QuorumEvent =
  /** `pending`: peers of the site that are neither reachable nor lost yet. */
  | { type: 'members.seen'; reachable: number; pending: number; total: number }
  | { type: 'tie.granted' }
  | { type: 'tie.denied' };

export type QuorumCommand =
  | { type: 'quorum.gained' }
  | { type: 'quorum.lost' }
  | { type: 'tie.entered' }
  | { type: 'tie.left' }
  | { type: 'event.unexpected'; event: string };

type Members = Extract<QuorumEvent, { type: 'members.seen' }>;

export const quorumMachine = setup({
  types: { events: {} as QuorumEvent, emitted: {} as QuorumCommand },
  actions: {
    reportGained: emit({ type: 'quorum.gained' }),
    reportLost: emit({ type: 'quorum.lost' }),
    enterTie: emit({ type: 'tie.entered' }),
    leaveTie: emit({ type: 'tie.left' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isMajority: ({ event }) => (event as Members).reachable * 2 > (event as Members).total,
    isTie: ({ event }) => {
      const { reachable, pending, total } = event as Members;
      return reachable * 2 === total && pending === 0;
    },
    isForming: ({ event }) =>
      ((event as Members).reachable + (event as Members).pending) * 2 > (event as Members).total,
  },
}).createMachine({
  id: 'quorum',
  initial: 'forming',
  on: { '*': { actions: 'unexpected' } },
  states: {
    forming: {
      on: {
        'members.seen': [
          { guard: 'isMajority', target: 'quorate', actions: 'reportGained' },
          { guard: 'isTie', target: 'tied' },
          { guard: 'isForming' },
          { target: 'minority' },
        ],
      },
    },
    quorate: {
      on: {
        'members.seen': [
          { guard: 'isMajority' },
          { guard: 'isTie', target: 'tied.held' },
          { target: 'minority', actions: 'reportLost' },
        ],
        'tie.granted': {},
        'tie.denied': {},
      },
    },
    tied: {
      initial: 'asking',
      entry: 'enterTie',
      exit: 'leaveTie',
      states: {
        /** No arbiter has granted this side a lease. */
        asking: {
          on: {
            'members.seen': [
              { guard: 'isMajority', target: '#quorum.quorate', actions: 'reportGained' },
              { guard: 'isTie' },
              { target: '#quorum.minority' },
            ],
            'tie.granted': { target: 'won', actions: 'reportGained' },
            'tie.denied': {},
          },
        },
        /** The majority was just lost; the site stays quorate until an arbiter answers. */
        held: {
          on: {
            'members.seen': [
              { guard: 'isMajority', target: '#quorum.quorate' },
              { guard: 'isTie' },
              { target: '#quorum.minority', actions: 'reportLost' },
            ],
            'tie.granted': { target: 'won' },
            'tie.denied': { target: 'asking', actions: 'reportLost' },
          },
        },
        won: {
          on: {
            'members.seen': [
              { guard: 'isMajority', target: '#quorum.quorate' },
              { guard: 'isTie' },
              { target: '#quorum.minority', actions: 'reportLost' },
            ],
            'tie.granted': {},
            'tie.denied': { target: 'asking', actions: 'reportLost' },
          },
        },
      },
    },
    minority: {
      on: {
        'members.seen': [
          { guard: 'isMajority', target: 'quorate', actions: 'reportGained' },
          { guard: 'isTie', target: 'tied' },
          {},
        ],
        'tie.granted': {},
        'tie.denied': {},
      },
    },
  },
});
