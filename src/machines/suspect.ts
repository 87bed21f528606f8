/** An address that has failed to identify itself: so many failures within a window and it is to be banned; a quiet window and it is forgotten. */
import { assign, emit, setup } from 'xstate';
import { limits } from '../model/limits.ts';

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
    orderBan: emit({ type: 'ban.address' }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isOnceTooOften: ({ context, event }) =>
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
          { guard: 'isOnceTooOften', target: 'forgotten', actions: 'orderBan' },
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
