/** The life of a node. Its instances start with it and are drained before it stops. */
import { emit, setup } from 'xstate';

export type NodeFact = { type: 'listening' } | { type: 'drain.requested' } | { type: 'drained' };

export type NodeOrder =
  | { type: 'start.instances' }
  | { type: 'drain.instances' }
  | { type: 'leave' }
  | { type: 'fact.unexpected'; fact: string };

export const nodeMachine = setup({
  types: { events: {} as NodeFact, emitted: {} as NodeOrder },
  actions: {
    startInstances: emit({ type: 'start.instances' }),
    drainInstances: emit({ type: 'drain.instances' }),
    leave: emit({ type: 'leave' }),
    unexpected: emit(({ event }) => ({ type: 'fact.unexpected', fact: event.type })),
  },
}).createMachine({
  id: 'node',
  initial: 'starting',
  on: { '*': { actions: 'unexpected' } },
  states: {
    starting: { on: { listening: 'serving', 'drain.requested': 'stopped' } },
    serving: { entry: 'startInstances', on: { 'drain.requested': 'draining' } },
    draining: { entry: 'drainInstances', on: { drained: 'stopped', 'drain.requested': {} } },
    stopped: { type: 'final', entry: 'leave' },
  },
});
