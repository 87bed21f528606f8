/**
 * The audio matcher of one mware instance: off until its first load of samples, which takes time and may fail. A reload
 * requested meanwhile follows the current one, because the files may have changed after they were read.
 */
import { assign, emit, setup } from 'xstate';

export type MatcherEvent = { type: 'reload.requested' };

export type MatcherCommand =
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
    begin: assign({ isAgainWanted: false }),
    reportLoaded: emit({ type: 'samples.loaded' }),
    reportFailed: emit({ type: 'samples.failed' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isAgainWanted: ({ context }) => context.isAgainWanted,
    isFailing: ({ context }) => context.fails > 0,
  },
  delays: { load: ({ context }) => context.loadMs },
}).createMachine({
  id: 'matcher',
  context: ({ input }) => ({ ...input, isAgainWanted: false }),
  initial: 'off',
  on: { '*': { actions: 'unexpected' } },
  states: {
    off: { on: { 'reload.requested': 'loading' } },
    loading: {
      entry: 'begin',
      after: {
        load: [
          { guard: 'isAgainWanted', target: 'loading', reenter: true, actions: 'countFailure' },
          { guard: 'isFailing', target: 'failed', actions: ['countFailure', 'reportFailed'] },
          { target: 'loaded', actions: 'reportLoaded' },
        ],
      },
      on: { 'reload.requested': { actions: 'wantAgain' } },
    },
    loaded: { on: { 'reload.requested': 'loading' } },
    failed: { on: { 'reload.requested': 'loading' } },
  },
});
