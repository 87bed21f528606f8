/**
 * The audio matcher of one mware instance: off until its first load of samples. A load reads the folder, takes time and may
 * fail. A reload requested meanwhile follows the current one, because the files may have changed after they were read.
 */
import { assign, emit, setup } from 'xstate';
import type { Sample } from '../model/sample.ts';

export type MatcherEvent =
  | { type: 'reload.requested' }
  | { type: 'samples.read'; samples: readonly Sample[] }
  | { type: 'samples.unreadable' };

export type MatcherCommand =
  | { type: 'read.samples' }
  | { type: 'samples.loaded' }
  | { type: 'samples.failed' }
  | { type: 'event.unexpected'; event: string };

export interface MatcherInput {
  /** Duration of a load. */
  loadMs: number;
  /** Number of loads that fail, from the first on. */
  fails: number;
}

export interface MatcherContext extends MatcherInput {
  isAgainWanted: boolean;
  /** What the current load has read. */
  read: readonly Sample[] | 'pending' | 'failed';
  /** What calls are compared with; a load that fails leaves it as it was. */
  samples: readonly Sample[];
}

export const matcherMachine = setup({
  types: {
    context: {} as MatcherContext,
    input: {} as MatcherInput,
    events: {} as MatcherEvent,
    emitted: {} as MatcherCommand,
  },
  actions: {
    wantAgain: assign({ isAgainWanted: true }),
    countFailure: assign({ fails: ({ context }) => Math.max(0, context.fails - 1) }),
    begin: assign({ isAgainWanted: false, read: 'pending' }),
    read: emit({ type: 'read.samples' }),
    keepRead: assign({ read: ({ event }) => (event.type === 'samples.read' ? event.samples : 'failed') }),
    use: assign({ samples: ({ context: { read, samples } }) => (typeof read === 'string' ? samples : read) }),
    reportLoaded: emit({ type: 'samples.loaded' }),
    reportFailed: emit({ type: 'samples.failed' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isAgainWanted: ({ context }) => context.isAgainWanted,
    isFailing: ({ context }) => context.fails > 0 || context.read === 'failed',
    isReading: ({ context }) => context.read === 'pending',
  },
  delays: { load: ({ context }) => context.loadMs },
}).createMachine({
  id: 'matcher',
  context: ({ input }) => ({ ...input, isAgainWanted: false, read: 'pending', samples: [] }),
  initial: 'off',
  on: { '*': { actions: 'unexpected' } },
  states: {
    off: { on: { 'reload.requested': 'loading' } },
    loading: {
      entry: ['begin', 'read'],
      after: { load: [{ guard: 'isReading', target: 'reading' }, { target: 'comparing' }] },
      on: {
        'reload.requested': { actions: 'wantAgain' },
        'samples.read': { actions: 'keepRead' },
        'samples.unreadable': { actions: 'keepRead' },
      },
    },
    /** The time of the load is over, but the folder is still being read. */
    reading: {
      on: {
        'reload.requested': { actions: 'wantAgain' },
        'samples.read': { target: 'comparing', actions: 'keepRead' },
        'samples.unreadable': { target: 'comparing', actions: 'keepRead' },
      },
    },
    comparing: {
      always: [
        { guard: 'isAgainWanted', target: 'loading', actions: 'countFailure' },
        { guard: 'isFailing', target: 'failed', actions: ['countFailure', 'reportFailed'] },
        { target: 'loaded', actions: ['use', 'reportLoaded'] },
      ],
    },
    loaded: { on: { 'reload.requested': 'loading' } },
    failed: { on: { 'reload.requested': 'loading' } },
  },
});
