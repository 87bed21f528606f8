/**
 * An address that failed to authenticate: banned after too many failures within a window, forgotten after a window without
 * any.
 */
import { assign, emit, setup } from 'xstate';
import { limits } from '../../model/limits.ts';

export type SuspectEvent =
  | { type: 'attempt.failed'; atMs: number }
  /** Its place is needed for another address. */
  | { type: 'suspect.evicted' };

type Failure = Extract<SuspectEvent, { type: 'attempt.failed' }>;

export type SuspectCommand = { type: 'ban.address' } | { type: 'event.unexpected'; event: string };

export const suspectMachine = setup({
  types: {
    context: {} as { failuresMs: number[] },
    events: {} as SuspectEvent,
    emitted: {} as SuspectCommand,
  },
  actions: {
    recordFailure: assign({
      failuresMs: ({ context, event }) => {
        const { atMs } = event as Failure;
        return [...recent(context.failuresMs, atMs), atMs];
      },
    }),
    requestBan: emit({ type: 'ban.address' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isLimitReached: ({ context, event }) =>
      recent(context.failuresMs, (event as Failure).atMs).length + 1 >= limits.loginFailures,
  },
  delays: { window: limits.loginWindowMs },
}).createMachine({
  id: 'suspect',
  context: { failuresMs: [] },
  initial: 'watched',
  on: { '*': { actions: 'unexpected' } },
  states: {
    watched: {
      after: { window: 'forgotten' },
      on: {
        'attempt.failed': [
          { guard: 'isLimitReached', target: 'forgotten', actions: 'requestBan' },
          { target: 'watched', reenter: true, actions: 'recordFailure' },
        ],
        'suspect.evicted': 'forgotten',
      },
    },
    forgotten: { type: 'final' },
  },
});

function recent(failuresMs: readonly number[], atMs: number): number[] {
  return failuresMs.filter((failureMs) => atMs - failureMs < limits.loginWindowMs);
}
