/** The life of a role instance. An active-active role serves as soon as it has started; of a group one is elected. */
import { emit, setup } from 'xstate';

export type InstanceFact =
  | { type: 'started' }
  | { type: 'elected' }
  | { type: 'deposed' }
  | { type: 'drain.requested' }
  | { type: 'drained' };

export type InstanceOrder =
  | { type: 'serve' }
  | { type: 'stand.by' }
  | { type: 'drain' }
  | { type: 'stopped' }
  | { type: 'fact.unexpected'; fact: string };

export const instanceMachine = setup({
  types: {
    context: {} as { isElected: boolean },
    input: {} as { redundancy: 'active-active' | 'active-passive' },
    events: {} as InstanceFact,
    emitted: {} as InstanceOrder,
  },
  actions: {
    serve: emit({ type: 'serve' }),
    standBy: emit({ type: 'stand.by' }),
    drain: emit({ type: 'drain' }),
    reportStopped: emit({ type: 'stopped' }),
    unexpected: emit(({ event }) => ({ type: 'fact.unexpected', fact: event.type })),
  },
  guards: { isElected: ({ context }) => context.isElected },
}).createMachine({
  id: 'instance',
  context: ({ input }) => ({ isElected: input.redundancy === 'active-passive' }),
  initial: 'starting',
  on: { '*': { actions: 'unexpected' } },
  states: {
    starting: {
      on: {
        started: [{ guard: 'isElected', target: 'standby' }, { target: 'active' }],
        'drain.requested': 'stopped',
      },
    },
    standby: {
      on: { elected: 'active', deposed: {}, 'drain.requested': 'stopped' },
    },
    active: {
      entry: 'serve',
      on: {
        elected: {},
        deposed: { guard: 'isElected', target: 'standby', actions: 'standBy' },
        'drain.requested': 'draining',
      },
    },
    draining: {
      entry: 'drain',
      on: { drained: 'stopped', elected: {}, deposed: {}, 'drain.requested': {} },
    },
    stopped: { type: 'final', entry: 'reportStopped' },
  },
});
