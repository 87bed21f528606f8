/**
 * The environment of a machine's steps: an actor that is never started, with a parent to send to. It records the
 * actions that XState would execute, and the events that the machine gets at once from itself and from actors that end
 * as they begin.
 */
import {
  type AnyActor,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  createMachine,
  type ExecutableActionObject,
} from 'xstate';
import { BadCheck } from '../kit/form.ts';
import { toSelf } from './actions.ts';
import type { Event } from './moment.ts';

/** Parts of an actor system that are not public and differ here. */
interface OpenSystem {
  get(systemId: string): AnyActor | undefined;
  _set(systemId: string, actor: AnyActor): void;
  _bookId(): string;
}

export class Stage {
  readonly scope: AnyActorScope;
  actions: ExecutableActionObject[] = [];
  taken: AnyTransitionDefinition[] = [];
  readonly #machine: AnyStateMachine;
  readonly #self: AnyActor;
  /** Actors with a name in the whole system. */
  readonly #named = new Map<string, AnyActor>();
  #ids: ReadonlySet<string> = new Set();
  #nextId = 0;
  #events: Event[] = [];
  #lastActor: AnyActor | undefined;

  constructor(machine: AnyStateMachine) {
    this.#machine = machine;
    const parent = createActor(createMachine({}), { id: 'parent' });
    this.#open(parent.system as unknown as OpenSystem);
    parent.system.inspect((seen) => {
      if (seen.type === '@xstate.actor') this.#lastActor = seen.actorRef as AnyActor;
      if (seen.type === '@xstate.microstep' && seen.actorRef === this.#self) this.taken.push(...seen._transitions);
    });
    this.#self = createActor(machine, { parent, id: machine.id, input: undefined as never });
    this.scope = this.#newScope();
  }

  /** Before each step: sets the actors of the present machine. */
  clear(before: AnyMachineSnapshot | undefined): void {
    this.actions = [];
    this.taken = [];
    this.#events = [];
    this.#named.clear();
    const actors = Object.entries((before?.children ?? {}) as Readonly<Record<string, AnyActor>>);
    this.#ids = new Set(actors.map(([id]) => id));
    this.#nextId = 0;
    // The machine when it asks for it.
    if (before !== undefined) (this.#self as unknown as { _snapshot: AnyMachineSnapshot })._snapshot = before;
    for (const [, actor] of actors)
      if (actor.systemId !== undefined && actor.getSnapshot().status === 'active')
        this.#named.set(actor.systemId, actor);
  }

  /** Events that the machine gets before any other. */
  nextEvent(): Event | undefined {
    return this.#events.shift();
  }

  /** Actors are not registered for good, because steps are repeated and ids stay the same. */
  #open(system: OpenSystem): void {
    system.get = (systemId) => this.#named.get(systemId);
    system._set = (systemId, actor) => this.#named.set(systemId, actor);
    system._bookId = () => {
      while (this.#ids.has(`x:${this.#nextId}`)) this.#nextId += 1;
      this.#nextId += 1;
      return `x:${this.#nextId - 1}`;
    };
  }

  #newScope(): AnyActorScope {
    const self = this.#self;
    return {
      self,
      system: self.system,
      id: self.id,
      sessionId: self.sessionId,
      logger: () => {},
      // An actor that is spawned in an assignment starts later.
      defer: () => this.#start(this.#lastActor),
      emit: () => {},
      stopChild: () => {},
      actionExecutor: (action: ExecutableActionObject) => this.#execute(action),
    } as unknown as AnyActorScope;
  }

  #execute(action: ExecutableActionObject): void {
    const { type, params } = action;
    const { actorRef, src, to, delay, event } = (params ?? {}) as Readonly<Record<string, unknown>>;
    if (type === 'xstate.spawnChild') this.#start(actorRef as AnyActor | undefined, src);
    else if (type !== 'xstate.sendTo' || to !== this.#self) this.actions.push(action);
    else if (typeof delay === 'number') this.actions.push({ ...action, type: toSelf });
    else this.#events.push(event as Event);
  }

  #start(actor: AnyActor | undefined, src?: unknown): void {
    if (actor === undefined)
      throw new BadCheck(
        `${this.#machine.id} spawns "${String(src)}", which has no implementation: give it one, machine.provide({ actors: { ${String(src)}: … } })`,
      );
    this.actions.push({ type: 'xstate.spawnChild', params: { id: actor.id } } as unknown as ExecutableActionObject);
    const { status, output, error } = actor.getSnapshot() as Readonly<Record<string, unknown>>;
    if (status === 'done') this.#events.push({ type: `xstate.done.actor.${actor.id}`, output } as Event);
    if (status === 'error') this.#events.push({ type: `xstate.error.actor.${actor.id}`, error } as Event);
  }
}
