/** Supervision of one role instance: restarts it after a crash, with exponential back-off, until it crashes too often. */
import { type AnyActorLogic, assign, emit, enqueueActions, fromTransition, sendTo, setup, stopChild } from 'xstate';
import { limits } from '../../model/limits.ts';

/** The placeholder for an actor that a chart spawns but was not provided: it ignores every event. */
export const unprovided: AnyActorLogic = fromTransition((state: undefined) => state, undefined);

/** The error of a crashed role instance, with the time by the clock of its node. */
export class InstanceCrash extends Error {
  readonly atMs: number;

  constructor(error: unknown, atMs: number) {
    super(error instanceof Error ? error.message : String(error), { cause: error });
    this.atMs = atMs;
  }
}

export type SupervisionEvent =
  | { type: 'xstate.error.actor.instance'; error: { readonly atMs: number } }
  | { type: 'xstate.done.actor.instance' }
  | { type: 'restart.requested' }
  | { type: 'stop.requested' };

export type SupervisionCommand = { type: 'give.up' } | { type: 'event.unexpected'; event: string };

export interface SupervisionInput {
  readonly name: string;
  /** The system id of the instance: its address. */
  readonly address: string;
  readonly backoffMs: number;
}

export const supervisionMachine = setup({
  types: {
    context: {} as SupervisionInput & { crashesMs: readonly number[] },
    input: {} as SupervisionInput,
    events: {} as SupervisionEvent,
    emitted: {} as SupervisionCommand,
  },
  actors: { instance: unprovided },
  actions: {
    startInstance: enqueueActions(({ enqueue, context: { name, address } }) =>
      enqueue.spawnChild('instance', { id: 'instance', systemId: address, input: { name } }),
    ),
    /** The crashed actor is removed. */
    forgetInstance: stopChild('instance'),
    drainInstance: sendTo('instance', { type: 'drain.requested' }),
    giveUp: emit({ type: 'give.up' }),
    recordCrash: assign({
      crashesMs: ({ context, event }) => {
        if (event.type !== 'xstate.error.actor.instance') return context.crashesMs;
        const { atMs } = event.error;
        return [...recentCrashes(context.crashesMs, atMs), atMs];
      },
    }),
    forgetCrashes: assign({ crashesMs: [] }),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    isLimitReached: ({ context, event }) =>
      event.type === 'xstate.error.actor.instance' &&
      recentCrashes(context.crashesMs, event.error.atMs).length >= limits.restarts,
  },
  delays: {
    backoff: ({ context }) => context.backoffMs * 2 ** (context.crashesMs.length - 1),
  },
}).createMachine({
  id: 'supervision',
  context: ({ input }) => ({ ...input, crashesMs: [] }),
  initial: 'running',
  on: { '*': { actions: 'unexpected' } },
  states: {
    running: {
      entry: 'startInstance',
      on: {
        'xstate.error.actor.instance': [
          { guard: 'isLimitReached', target: 'failed', actions: 'forgetInstance' },
          { target: 'waiting', actions: ['forgetInstance', 'recordCrash'] },
        ],
        'xstate.done.actor.instance': 'stopped',
        'restart.requested': {},
        'stop.requested': 'stopping',
      },
    },
    stopping: {
      entry: 'drainInstance',
      on: {
        'xstate.error.actor.instance': 'stopped',
        'xstate.done.actor.instance': 'stopped',
        'restart.requested': {},
        'stop.requested': {},
      },
    },
    waiting: {
      after: { backoff: 'running' },
      on: { 'restart.requested': 'running', 'stop.requested': 'stopped' },
    },
    failed: {
      entry: ['giveUp', 'forgetCrashes'],
      on: { 'restart.requested': 'running', 'stop.requested': 'stopped' },
    },
    stopped: { type: 'final' },
  },
});

function recentCrashes(crashesMs: readonly number[], atMs: number): number[] {
  return crashesMs.filter((crashMs) => atMs - crashMs < limits.restartWindowMs);
}
