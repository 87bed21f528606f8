/**
 * The lifecycle of a node, the root of its actor system. Its peers, its site and a supervisor for each role instance are
 * spawned when it listens. It stops after them: fronts first, so that the other instances still answer the requests that
 * fronts have accepted; the gateway last, so that a site whose only one it is has a way to the others until then.
 */
import { assign, emit, enqueueActions, setup } from 'xstate';
import { unprovided } from './supervision.ts';

/** A role instance of the node. `isFront`: it serves HTTP; `isGateway`: the other sites are reached through it. */
export interface Supervised {
  readonly name: string;
  readonly address: string;
  readonly isFront: boolean;
  readonly isGateway: boolean;
}

export type NodeEvent =
  | { type: 'listening' }
  | { type: 'fronts.close.requested' }
  | { type: 'drain.requested' }
  /** The supervisor with this id has stopped. */
  | { type: `xstate.done.actor.${string}` }
  /** A part of the node has thrown. */
  | { type: `xstate.error.actor.${string}`; error: unknown };

export type NodeCommand =
  | { type: 'leave' }
  | { type: 'fail'; part: string; error: unknown }
  | { type: 'event.unexpected'; event: string };

/** The system id of the supervisor of a role instance. */
export function supervisorId(instance: string): string {
  return `supervisor/${instance}`;
}

const done = 'xstate.done.actor.';
const failure = 'xstate.error.actor.';

export const nodeMachine = setup({
  types: {
    input: {} as { instances: readonly Supervised[]; backoffMs: number },
    context: {} as { supervised: readonly Supervised[]; backoffMs: number },
    events: {} as NodeEvent,
    emitted: {} as NodeCommand,
  },
  actors: { site: unprovided, peers: unprovided, supervisor: unprovided },
  actions: {
    spawnParts: enqueueActions(({ enqueue, context }) => {
      const { supervised, backoffMs } = context;
      for (const { name, address } of supervised) {
        const input = { name, address, backoffMs };
        enqueue.spawnChild('supervisor', { id: name, systemId: supervisorId(name), input });
      }
      enqueue.spawnChild('site', { id: 'site', systemId: 'site' });
      enqueue.spawnChild('peers', { id: 'peers', systemId: 'peers' });
    }),
    stopFronts: enqueueActions(({ enqueue, context }) => {
      for (const { name, isFront } of context.supervised) if (isFront) enqueue.sendTo(name, { type: 'stop.requested' });
    }),
    stopOthers: enqueueActions(({ enqueue, context }) => {
      for (const { name, isGateway } of context.supervised)
        if (!isGateway) enqueue.sendTo(name, { type: 'stop.requested' });
    }),
    stopGateways: enqueueActions(({ enqueue, context }) => {
      for (const { name } of context.supervised) enqueue.sendTo(name, { type: 'stop.requested' });
    }),
    forgetSupervisor: assign({
      supervised: ({ context, event }) => context.supervised.filter(({ name }) => event.type !== `${done}${name}`),
    }),
    leave: emit({ type: 'leave' }),
    fail: emit(({ event }) => ({
      type: 'fail',
      part: event.type.slice(failure.length),
      error: 'error' in event ? event.error : undefined,
    })),
    unexpected: emit(({ event }) => ({ type: 'event.unexpected', event: event.type })),
  },
  guards: {
    hasNoFront: ({ context }) => context.supervised.every(({ isFront }) => !isFront),
    hasGatewaysOnly: ({ context }) => context.supervised.every(({ isGateway }) => isGateway),
    hasNone: ({ context }) => context.supervised.length === 0,
  },
}).createMachine({
  id: 'node',
  context: ({ input }) => ({ supervised: input.instances, backoffMs: input.backoffMs }),
  initial: 'starting',
  on: {
    'xstate.done.actor.*': { actions: 'forgetSupervisor' },
    'xstate.error.actor.*': '.failed',
    '*': { actions: 'unexpected' },
  },
  states: {
    starting: { on: { listening: 'serving', 'fronts.close.requested': {}, 'drain.requested': 'stopped' } },
    serving: {
      entry: 'spawnParts',
      on: { 'fronts.close.requested': { actions: 'stopFronts' }, 'drain.requested': 'draining' },
    },
    draining: {
      initial: 'fronts',
      on: { 'fronts.close.requested': {}, 'drain.requested': {} },
      states: {
        fronts: { entry: 'stopFronts', always: { guard: 'hasNoFront', target: 'others' } },
        others: { entry: 'stopOthers', always: { guard: 'hasGatewaysOnly', target: 'gateways' } },
        gateways: { entry: 'stopGateways', always: { guard: 'hasNone', target: '#node.stopped' } },
      },
    },
    stopped: { type: 'final', entry: 'leave' },
    failed: { type: 'final', entry: 'fail' },
  },
});
