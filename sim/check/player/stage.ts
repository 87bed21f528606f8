/**
 * Where the steps of a machine are taken: an actor that is never started, with a parent to send to. It notes the actions
 * that XState would execute, and what the machine is told at once by itself and by actors that are over as they begin.
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

/** What of a system of actors is not public, and is different here. */
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
  /** Actors that can be had by a name in the whole system. */
  readonly #named = new Map<string, AnyActor>();
  #ids: ReadonlySet<string> = new Set();
  #nextId = 0;
  #told: Event[] = [];
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

  /** Before each step: the actors are those of the machine as it is then. */
  clear(before: AnyMachineSnapshot | undefined): void {
    this.actions = [];
    this.taken = [];
    this.#told = [];
    this.#named.clear();
    const actors = Object.entries((before?.children ?? {}) as Readonly<Record<string, AnyActor>>);
    this.#ids = new Set(actors.map(([id]) => id));
    this.#nextId = 0;
    // As it is when the machine asks for it.
    if (before !== undefined) (this.#self as unknown as { _snapshot: AnyMachineSnapshot })._snapshot = before;
    for (const [, actor] of actors)
      if (actor.systemId !== undefined && actor.getSnapshot().status === 'active')
        this.#named.set(actor.systemId, actor);
  }

  /** What the machine is told before anything else can happen. */
  nextEvent(): Event | undefined {
    return this.#told.shift();
  }

  /** Actors are not registered for good, for steps are taken again, and their ids are the same each time. */
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
      // Whoever spawns an actor while it assigns it starts it later.
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
    else this.#told.push(event as Event);
  }

  #start(actor: AnyActor | undefined, src?: unknown): void {
    if (actor === undefined)
      throw new BadCheck(
        `${this.#machine.id} spawns "${String(src)}", which has no implementation: give it one, machine.provide({ actors: { ${String(src)}: … } })`,
      );
    this.actions.push({ type: 'xstate.spawnChild', params: { id: actor.id } } as unknown as ExecutableActionObject);
    const { status, output, error } = actor.getSnapshot() as Readonly<Record<string, unknown>>;
    if (status === 'done') this.#told.push({ type: `xstate.done.actor.${actor.id}`, output } as Event);
    if (status === 'error') this.#told.push({ type: `xstate.error.actor.${actor.id}`, error } as Event);
  }
}
