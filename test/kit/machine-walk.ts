/** A machine that runs as an actor on a virtual clock, for a test to tell events and to let time pass. */
import {
  type AnyStateMachine,
  type ContextFrom,
  createActor,
  type EmittedFrom,
  type EventFromLogic,
  type InputFrom,
  type StateValue,
} from 'xstate';
import { statePathOf, stateValueOf } from '../../sim/check/player/chart.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { actorClock } from '../../src/actors/actor-logic.ts';

export interface Walk<M extends AnyStateMachine> {
  readonly clock: VirtualClock;
  /** Path of the state: `tied.held`. */
  readonly state: string;
  readonly context: ContextFrom<M>;
  readonly status: string;
  /** All commands so far, and when each was given. */
  readonly commands: readonly EmittedFrom<M>[];
  readonly ordersMs: readonly number[];
  send(event: EventFromLogic<M>): void;
  pass(ms: number): void;
  stop(): void;
}

/** Starts a machine from its beginning with `input`, or in the middle with a state and a context. Time begins at 0. */
export function walk<M extends AnyStateMachine>(
  machine: M,
  from: { input?: InputFrom<M> } | { state: string; context: ContextFrom<M> },
): Walk<M> {
  const clock = new VirtualClock(0);
  const commands: EmittedFrom<M>[] = [];
  const ordersMs: number[] = [];
  const any: AnyStateMachine = machine;
  const start =
    'state' in from
      ? { snapshot: any.resolveState({ value: stateValueOf(from.state), context: from.context }) }
      : { input: from.input };
  const actor = createActor(any, { ...start, clock: actorClock(clock) });
  actor.on('*', (command) => {
    commands.push(command as EmittedFrom<M>);
    ordersMs.push(clock.now());
  });
  // Without an observer an actor throws its errors into the process; here the status shows them.
  actor.subscribe({ error: () => {} });
  actor.start();
  return {
    clock,
    commands,
    ordersMs,
    get state() {
      return statePathOf(actor.getSnapshot().value as StateValue);
    },
    get context() {
      return actor.getSnapshot().context as ContextFrom<M>;
    },
    get status() {
      return actor.getSnapshot().status;
    },
    send: (event) => actor.send(event),
    pass: (ms) => clock.advanceTo(clock.now() + ms),
    stop: () => void actor.stop(),
  };
}
