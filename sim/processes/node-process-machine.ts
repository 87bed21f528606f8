/** The life of the process of a node: what is asked of it, and what it does by itself. */
import { assign, setup } from 'xstate';

export type NodeProcessEvent =
  | { type: 'start' }
  | { type: 'stop' }
  | { type: 'crash' }
  | { type: 'pause' }
  | { type: 'resume' }
  /** It has printed that it runs. */
  | { type: 'ready' }
  /** The process is gone, and all its messages were received. */
  | { type: 'ended' };

/** `down`: it was crashed or drained, and stays away until it is started again. */
export type ProcessState = 'starting' | 'running' | 'paused' | 'restarting' | 'down';

/** The actions signal the process; they are given where it is. */
export const nodeProcessMachine = setup({
  types: { events: {} as NodeProcessEvent, context: {} as { readonly restarts: number }, tags: {} as ProcessState },
  actions: {
    spawn: () => {},
    /** SIGTERM. */
    terminate: () => {},
    /** SIGKILL. */
    kill: () => {},
    /** SIGSTOP. */
    suspend: () => {},
    /** SIGCONT. */
    continue: () => {},
    count: assign({ restarts: ({ context }) => context.restarts + 1 }),
  },
  delays: { restart: 0 },
}).createMachine({
  id: 'node-process',
  initial: 'down',
  context: { restarts: 0 },
  states: {
    down: { tags: 'down', on: { start: { target: 'up', actions: 'spawn' } } },
    up: {
      initial: 'starting',
      on: {
        stop: { target: 'ending', actions: 'terminate' },
        crash: { target: 'ending', actions: 'kill' },
        ended: 'restarting',
      },
      states: {
        starting: { tags: 'starting', on: { ready: 'running', pause: { target: 'startPaused', actions: 'suspend' } } },
        running: { tags: 'running', on: { pause: { target: 'paused', actions: 'suspend' } } },
        /** It may have printed that it runs just before. */
        startPaused: {
          tags: 'paused',
          on: {
            ready: 'paused',
            resume: { target: 'starting', actions: 'continue' },
            stop: { target: '#node-process.ending', actions: ['continue', 'terminate'] },
          },
        },
        paused: {
          tags: 'paused',
          on: {
            resume: { target: 'running', actions: 'continue' },
            stop: { target: '#node-process.ending', actions: ['continue', 'terminate'] },
          },
        },
      },
    },
    /** It has received a signal, and has not ended yet. */
    ending: {
      tags: 'down',
      on: { start: 'awaited', stop: { actions: 'terminate' }, crash: { actions: 'kill' }, ended: 'down' },
    },
    /** It is to start when its process has ended. */
    awaited: {
      tags: 'down',
      on: {
        stop: { target: 'ending', actions: 'terminate' },
        crash: { target: 'ending', actions: 'kill' },
        ended: { target: 'up', actions: 'spawn' },
      },
    },
    restarting: {
      tags: 'restarting',
      entry: 'count',
      after: { restart: { target: 'up', actions: 'spawn' } },
      on: { start: { target: 'up', actions: 'spawn' }, stop: 'down', crash: 'down' },
    },
  },
});
