/** Supervision of one role instance: restart after a crash, with a back-off that doubles, until it crashes too often. */
import { assign, emit, setup } from 'xstate';
import { limits } from '../model/limits.ts';

export type SupervisionFact =
  | { type: 'instance.crashed'; atMs: number }
  | { type: 'restart.requested' }
  | { type: 'stop.requested' };

export type SupervisionOrder =
  | { type: 'start.instance' }
  | { type: 'give.up' }
  | { type: 'fact.unexpected'; fact: string };

export const supervisionMachine = setup({
  types: {
    context: {} as { crashesMs: number[]; backoffMs: number },
    input: {} as { backoffMs: number },
    events: {} as SupervisionFact,
    emitted: {} as SupervisionOrder,
  },
  actions: {
    startInstance: emit({ type: 'start.instance' }),
    giveUp: emit({ type: 'give.up' }),
    recordCrash: assign({
      crashesMs: ({ context, event }) => {
        if (event.type !== 'instance.crashed') return context.crashesMs;
        return [...recentCrashes(context.crashesMs, event.atMs), event.atMs];
      },
    }),
    forgetCrashes: assign({ crashesMs: [] }),
    unexpected: emit(({ event }) => ({ type: 'fact.unexpected', fact: event.type })),
  },
  guards: {
    isOnceTooOften: ({ context, event }) =>
      event.type === 'instance.crashed' && recentCrashes(context.crashesMs, event.atMs).length >= limits.restarts,
  },
  delays: {
    backoff: ({ context }) => context.backoffMs * 2 ** (context.crashesMs.length - 1),
  },
}).createMachine({
  id: 'supervision',
  context: ({ input }) => ({ crashesMs: [], backoffMs: input.backoffMs }),
  initial: 'running',
  on: { '*': { actions: 'unexpected' } },
  states: {
    running: {
      entry: 'startInstance',
      on: {
        'instance.crashed': [
          { guard: 'isOnceTooOften', target: 'failed' },
          { target: 'waiting', actions: 'recordCrash' },
        ],
        'restart.requested': {},
        'stop.requested': 'stopped',
      },
    },
    waiting: {
      after: { backoff: 'running' },
      on: { 'instance.crashed': {}, 'restart.requested': 'running', 'stop.requested': 'stopped' },
    },
    failed: {
      entry: ['giveUp', 'forgetCrashes'],
      on: { 'instance.crashed': {}, 'restart.requested': 'running', 'stop.requested': 'stopped' },
    },
    stopped: { type: 'final' },
  },
});

function recentCrashes(crashesMs: readonly number[], atMs: number): number[] {
  return crashesMs.filter((crashMs) => atMs - crashMs < limits.restartWindowMs);
}
