/**
 * The audio matcher of one mware instance: off until it is first told to load its samples, which takes time and may fail.
 * Told again meanwhile, it loads once more when it has done: what is on disk may have changed after it was read.
 */
import { assign, emit, setup } from 'xstate';

export type MatcherEvent = { type: 'reload.requested' };

export type MatcherCommand =
  | { type: 'samples.loaded' }
  | { type: 'samples.failed' }
  | { type: 'event.unexpected'; event: string };

export interface MatcherInput {
  /** How long a load takes. */
  loadMs: number;
  /** How many loads fail, from the first. */
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
