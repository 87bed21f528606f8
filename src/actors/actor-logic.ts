/** What XState needs of the platform: names of states, its clock, actors whose commands are executed, and objects as actors. */
import type {
  Actor,
  ActorLogic,
  ActorRefFrom,
  AnyActorLogic,
  AnyActorRef,
  AnyEventObject,
  AnyStateMachine,
  EmittedFrom,
  InspectionEvent,
  NonReducibleUnknown,
  Snapshot,
  StateValue,
  StateValueFrom,
} from 'xstate';
import type { Clock, Timer } from '../ports/clock.ts';

/** The path of each state of a machine, inner and outer ones: `over`, `over.closing`. */
export type StateOf<M extends AnyStateMachine> = PathOf<StateValueFrom<M>>;

type PathOf<Value> = Value extends string
  ? Value
  : { [Name in keyof Value & string]: Name | `${Name}.${PathOf<Value[Name]>}` }[keyof Value & string];

/** The name of a state value: nested states joined by dots, parallel states by commas. */
export function stateName(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}.${stateName(inner)}`)
    .join(',');
}

/** The state value for a name; parallel states are not supported. */
export function stateValue(name: string): StateValue {
  const [outer = '', ...inner] = name.split('.');
  return inner.length === 0 ? outer : { [outer]: stateValue(inner.join('.')) };
}

/** The Clock port in the shape of XState's `clock` option. */
export interface ActorClock {
  setTimeout(fire: (...args: unknown[]) => void, delayMs: number): Timer;
  clearTimeout(timer: Timer | undefined): void;
}

export function actorClock(clock: Clock): ActorClock {
  return {
    setTimeout: (fire, delayMs) => clock.setTimer(delayMs, fire),
    clearTimeout: (timer) => timer?.cancel(),
  };
}

/** Actor logic of a machine whose emitted commands go to `execute`. An error thrown by `execute` is an error of the actor. */
export function withCommands<M extends AnyStateMachine>(
  machine: M,
  execute: (command: EmittedFrom<M>, self: ActorRefFrom<M>) => void,
): AnyActorLogic {
  type ActorScope = Parameters<AnyStateMachine['transition']>[2];
  const any: AnyStateMachine = machine;
  const actorScopes = new WeakMap<object, ActorScope>();
  const executing = (actorScope: ActorScope): ActorScope => {
    const known = actorScopes.get(actorScope);
    if (known !== undefined) return known;
    const emit = (command: EmittedFrom<M>) => execute(command, actorScope.self as unknown as ActorRefFrom<M>);
    const wrapped = { ...actorScope, emit: emit as ActorScope['emit'] };
    actorScopes.set(actorScope, wrapped);
    return wrapped;
  };
  const logic: ActorLogic<ReturnType<AnyStateMachine['transition']>, AnyEventObject, unknown> = {
    transition: (snapshot, event, actorScope) => any.transition(snapshot, event, executing(actorScope as ActorScope)),
    getInitialSnapshot: (actorScope, input) =>
      any.getInitialSnapshot(executing(actorScope as ActorScope), input as never),
    getPersistedSnapshot: (snapshot, options) => any.getPersistedSnapshot(snapshot, options),
    start: (snapshot) => any.start(snapshot),
  };
  return logic as unknown as AnyActorLogic;
}

/** Actor logic that is created together with its first actor. */
export function lazily(make: () => AnyActorLogic): AnyActorLogic {
  let made: AnyActorLogic | undefined;
  const logic = () => {
    made ??= make();
    return made;
  };
  return {
    getInitialSnapshot: (actorScope: never, input: never) => logic().getInitialSnapshot(actorScope, input),
    transition: (snapshot: never, event: never, actorScope: never) => logic().transition(snapshot, event, actorScope),
    start: (snapshot: never, actorScope: never) => logic().start?.(snapshot, actorScope),
    getPersistedSnapshot: (snapshot: never) => logic().getPersistedSnapshot(snapshot),
  } as unknown as AnyActorLogic;
}

/** An object that runs as an actor. */
export interface ActorObject<E extends AnyEventObject> {
  /** Called once, when the actor starts. Default: does nothing. */
  start?(): void;
  /** Handles an event. Returns `stopped` when the object has finished. */
  receive(event: E): 'stopped' | undefined;
  /** Called when the actor is stopped, and after the object has finished. */
  stop(): void;
  /**
   * Called with the error that the object has thrown; returns what the parent receives. Default: the object is stopped and
   * the parent receives the error.
   */
  fail?(error: unknown): unknown;
}

export type ObjectSnapshot<O> = Snapshot<undefined> & { readonly object: O };

/**
 * Actor logic around an object, with one stable snapshot: an event costs a mailbox put and a call, about a tenth of what a
 * chart costs. An error thrown by the object ends the actor, and its parent receives the error.
 */
export function objectLogic<O extends ActorObject<E>, E extends AnyEventObject, I = NonReducibleUnknown>(
  create: (input: I, self: AnyActorRef) => O,
): ActorLogic<ObjectSnapshot<O>, E, I> {
  const attend = <T>(object: O, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (object.fail !== undefined) throw object.fail(error);
      object.stop();
      throw error;
    }
  };
  return {
    getInitialSnapshot: ({ self }, input) => ({
      status: 'active',
      output: undefined,
      error: undefined,
      object: create(input, self as unknown as AnyActorRef),
    }),
    start: ({ object }) => attend(object, () => object.start?.()),
    transition: (snapshot, event) => {
      const { object } = snapshot;
      if ((event as AnyEventObject).type === 'xstate.stop') {
        object.stop();
        return { ...snapshot, status: 'stopped', error: undefined, output: undefined };
      }
      if (attend(object, () => object.receive(event)) !== 'stopped') return snapshot;
      object.stop();
      return { ...snapshot, status: 'done', error: undefined, output: undefined };
    },
    getPersistedSnapshot: ({ status }) => ({ status, output: undefined, error: undefined }) as Snapshot<unknown>,
  };
}

/** Receives the inspection events of an actor system. */
export type Inspect = (event: InspectionEvent) => void;

/** Finds the running actor with a system id. */
export type FindActor = (systemId: string) => AnyActorRef | undefined;

/** An actor that runs, by its system id, and the actors below it. */
export interface ActorTree {
  readonly id: string;
  readonly children: readonly ActorTree[];
}

/** The actors of a running system. */
export function actorTree(actor: AnyActorRef): ActorTree {
  const { children = {} } = actor.getSnapshot() as { children?: Readonly<Record<string, AnyActorRef | undefined>> };
  const running = Object.values(children).filter((child) => child?.getSnapshot().status === 'active');
  return {
    id: (actor as Partial<Actor<AnyActorLogic>>).systemId ?? actor.id,
    children: running.flatMap((child) => (child === undefined ? [] : actorTree(child))),
  };
}

/** One line for each actor, indented below its parent. */
export function actorLines({ id, children }: ActorTree, indent = ''): string[] {
  return [`${indent}${id}`, ...children.flatMap((child) => actorLines(child, `${indent}  `))];
}
