/**
 * Hosts the entities of a role instance in a Map. Events are sent by key; commands are executed in order, after the transition
 * that emitted them.
 */
import type {
  AnyEventObject,
  AnyStateMachine,
  EmittedFrom,
  EventFromLogic,
  InputFrom,
  SnapshotFrom,
  StateValue,
  StateValueFrom,
} from 'xstate';
import { type Fault, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { StateOf } from './actor-logic.ts';
import { Chart, type ChartRun, type Leaf } from './chart.ts';
import type { Counters } from './counters.ts';

/** What the owner of an entity executes: the host itself counts unexpected events. */
export type Handled<Command> = Exclude<Command, { type: 'event.unexpected' }>;

export interface EntityHostOptions<M extends AnyStateMachine> {
  readonly machine: M;
  readonly clock: Clock;
  readonly counters: Counters;
  /** Executes a command of an entity. */
  readonly onCommand: (key: string, command: Handled<EmittedFrom<M>>) => void;
  /** Called when an entity has reached a final state and was removed. */
  readonly onEnd?: (key: string) => void;
  /** Called when an entity has thrown: a bug, which ends the role instance. */
  readonly onCrash: (error: unknown) => void;
  readonly limit?: number;
}

/** An entity as it is now. */
export interface EntityState<M extends AnyStateMachine> {
  readonly value: StateValueFrom<M>;
  readonly context: SnapshotFrom<M>['context'];
  /** Whether it is in a state, given by its path: `over.closing`. */
  matches(state: StateOf<M>): boolean;
  /** Whether an event would do anything. */
  can(event: EventFromLogic<M>): boolean;
}

export class EntityHost<M extends AnyStateMachine> {
  readonly #options: EntityHostOptions<M>;
  readonly #chart: Chart;
  readonly #limit: number;
  readonly #entities = new Map<string, EntityActor>();
  readonly #owner: EntityOwner;
  /** The states that the probe was shown. */
  readonly #shown = new Map<string, string>();
  #isOver = false;

  constructor(options: EntityHostOptions<M>) {
    this.#options = options;
    this.#chart = Chart.of(options.machine);
    this.#limit = options.limit ?? limits.entities;
    this.#owner = {
      onTransition: (entity, commands) => this.#onTransition(entity, commands),
      onError: options.onCrash,
    };
    options.counters.gauge(`entities.${options.machine.id}`, () => this.#entities.size);
    options.counters.monitor(() => this.#sizesByState());
  }

  get size(): number {
    return this.#entities.size;
  }

  has(key: string): boolean {
    return this.#entities.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#entities.keys();
  }

  /** The state and context of an entity, until its next event. */
  snapshot(key: string): EntityState<M> | undefined {
    return this.#entities.get(key) as EntityState<M> | undefined;
  }

  /** Starts an entity under an unused key. Returns a fault when the limit is reached, or the instance has ended. */
  start(key: string, input: InputFrom<M>): Fault | undefined {
    const { machine, clock } = this.#options;
    if (this.#isOver) return fault('crashed', `no ${machine.id} can start: the instance has ended`);
    if (this.#entities.size >= this.#limit) {
      return fault('overloaded', `too many entities of type ${machine.id}: the limit is ${this.#limit}`);
    }
    if (this.#entities.has(key)) throw new Error(`${machine.id} "${key}" exists already`);
    const entity = new EntityActor(key, { chart: this.#chart, clock, owner: this.#owner });
    this.#entities.set(key, entity);
    entity.start(input);
    return undefined;
  }

  /** Sends an event to an entity; false when no entity has this key. */
  send(key: string, event: EventFromLogic<M>): boolean {
    const entity = this.#entities.get(key);
    entity?.send(event);
    return entity !== undefined;
  }

  /** Stops every entity in its current state, when the instance ends. What still runs of that, such as an ask, starts none any more. */
  stopAll(): void {
    this.#isOver = true;
    const entities = [...this.#entities.values()];
    this.#entities.clear();
    for (const entity of entities) entity.stop();
    if (this.#options.counters.probe !== undefined) for (const { key } of entities) this.#show(key, undefined);
  }

  #onTransition(entity: EntityActor, commands: readonly unknown[]): void {
    const { key } = entity;
    for (const command of commands) this.#attend(entity, () => this.#execute(key, command as EmittedFrom<M>));
    this.#attend(entity, () => {
      if (this.#options.counters.probe !== undefined) this.#show(key, entity.leaf.name);
      if (entity.leaf.isFinal) this.#end(key);
    });
  }

  /** Runs `work` for an entity that still exists, and reports its errors as a crash. */
  #attend(entity: EntityActor, work: () => void): void {
    if (this.#entities.get(entity.key) !== entity) return;
    try {
      work();
    } catch (error) {
      this.#options.onCrash(error);
    }
  }

  #show(key: string, state: string | undefined): void {
    const { machine, counters } = this.#options;
    const before = state === undefined ? undefined : this.#shown.get(key);
    if (state === undefined) this.#shown.delete(key);
    else this.#shown.set(key, state);
    counters.probe?.entityState({ owner: counters.address, machine: machine.id, key, state, before });
  }

  /** `states.<machine>.<state>`: the number of entities in this state. */
  #sizesByState(): ReadonlyMap<string, number> {
    const sizes = new Map<string, number>();
    for (const { leaf } of this.#entities.values()) {
      const name = `states.${this.#options.machine.id}.${leaf.name}`;
      sizes.set(name, (sizes.get(name) ?? 0) + 1);
    }
    return sizes;
  }

  #execute(key: string, command: EmittedFrom<M>): void {
    const { type, event } = command as { type: string; event?: string };
    if (type === 'event.unexpected') {
      this.#options.counters.add(`event.unexpected.${this.#options.machine.id}.${event}`);
      return;
    }
    this.#options.onCommand(key, command as Handled<EmittedFrom<M>>);
  }

  #end(key: string): void {
    this.#entities.delete(key);
    if (this.#options.counters.probe !== undefined) this.#show(key, undefined);
    this.#options.onEnd?.(key);
  }
}

/** What an entity does after its events. */
interface EntityOwner {
  /** Executes what an event has emitted, and shows the state. */
  readonly onTransition: (entity: EntityActor, commands: readonly unknown[]) => void;
  /** The machine has thrown: it receives no more events. */
  readonly onError: (error: unknown) => void;
}

const beginning = { type: 'xstate.init' } as const;

/** One entity of a role instance: a chart in a state, with its context, its timers, and the events that wait for it. */
export class EntityActor implements ChartRun {
  readonly key: string;
  readonly #chart: Chart;
  readonly #clock: Clock;
  readonly #owner: EntityOwner;
  readonly #timers = new Map<string, Timer>();
  #waiting: AnyEventObject[] | undefined;
  #isBusy = false;
  #isOver = false;
  // What an operation of the chart reads and writes.
  context: object = {};
  event: AnyEventObject = beginning;
  leaf: Leaf;
  commands: unknown[] = [];

  constructor(key: string, { chart, clock, owner }: { chart: Chart; clock: Clock; owner: EntityOwner }) {
    this.key = key;
    this.#chart = chart;
    this.#clock = clock;
    this.#owner = owner;
    this.leaf = chart.initial;
  }

  get value(): StateValue {
    return this.leaf.value;
  }

  /** Whether it is in a state, or in a state within it. */
  matches(state: string): boolean {
    return this.leaf.name === state || this.leaf.name.startsWith(`${state}.`);
  }

  /** Whether an event would do anything. */
  can(event: AnyEventObject): boolean {
    return !this.leaf.isFinal && this.#chart.can({ context: this.context, event, leaf: this.leaf });
  }

  start(input: unknown): void {
    this.#take(() => this.#chart.begin(this, input));
    this.#takeWaiting();
  }

  /** Takes an event, or keeps it until the one that is being handled is done. */
  send(event: AnyEventObject): void {
    if (this.#isOver) return;
    if (this.#isBusy) {
      this.#waiting ??= [];
      this.#waiting.push(event);
      return;
    }
    this.#take(() => this.#chart.send(this, event));
    this.#takeWaiting();
  }

  /** Ends it in its current state. */
  stop(): void {
    this.#isOver = true;
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  setTimer(eventType: string, delayMs: number): void {
    this.cancelTimer(eventType);
    const timer = this.#clock.setTimer(delayMs, () => {
      this.#timers.delete(eventType);
      this.send({ type: eventType });
    });
    this.#timers.set(eventType, timer);
  }

  cancelTimer(eventType: string): void {
    this.#timers.get(eventType)?.cancel();
    this.#timers.delete(eventType);
  }

  #take(transition: () => void): void {
    if (this.#isOver) return;
    this.#isBusy = true;
    try {
      transition();
    } catch (error) {
      this.stop();
      this.#owner.onError(error);
      return;
    }
    const { commands } = this;
    if (commands.length > 0) this.commands = [];
    if (this.leaf.isFinal) this.stop();
    this.#owner.onTransition(this, commands);
    this.#isBusy = false;
  }

  #takeWaiting(): void {
    for (let event = this.#waiting?.shift(); event !== undefined; event = this.#waiting?.shift()) {
      const next = event;
      this.#take(() => this.#chart.send(this, next));
    }
  }
}
