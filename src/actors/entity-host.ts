/**
 * Hosts the entities of a role instance: one root actor each, in a Map (children of one parent would cost quadratic time).
 * Events are sent by key; commands are executed in order, after the transition that emitted them.
 */
import {
  type Actor,
  type AnyStateMachine,
  createActor,
  type EmittedFrom,
  type EventFromLogic,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import { type Fault, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';
import { type ActorClock, actorClock, stateName } from './actor-logic.ts';
import type { Counters } from './counters.ts';

export interface EntityHostOptions<M extends AnyStateMachine> {
  readonly machine: M;
  readonly clock: Clock;
  readonly counters: Counters;
  /** Executes a command of an entity. Unexpected events are counted before it is called. */
  readonly onCommand: (key: string, command: EmittedFrom<M>) => void;
  /** Called when an entity has reached a final state and was removed. */
  readonly onEnd?: (key: string) => void;
  /** Called when an entity has thrown: a bug, which ends the role instance. */
  readonly onCrash: (error: unknown) => void;
  readonly limit?: number;
}

export class EntityHost<M extends AnyStateMachine> {
  readonly #options: EntityHostOptions<M>;
  readonly #clock: ActorClock;
  readonly #limit: number;
  readonly #actors = new Map<string, Actor<AnyStateMachine>>();

  constructor(options: EntityHostOptions<M>) {
    this.#options = options;
    this.#clock = actorClock(options.clock);
    this.#limit = options.limit ?? limits.entities;
    options.counters.gauge(`entities.${options.machine.id}`, () => this.#actors.size);
    options.counters.monitor(() => this.#sizesByState());
  }

  get size(): number {
    return this.#actors.size;
  }

  has(key: string): boolean {
    return this.#actors.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#actors.keys();
  }

  /** The state and context of an entity. */
  snapshot(key: string): SnapshotFrom<M> | undefined {
    return this.#actors.get(key)?.getSnapshot() as SnapshotFrom<M> | undefined;
  }

  /** Starts an entity under an unused key. Returns a fault when the limit is reached. */
  start(key: string, input: InputFrom<M>): Fault | undefined {
    if (this.#actors.size >= this.#limit) {
      return fault('overloaded', `too many entities of type ${this.#options.machine.id}: the limit is ${this.#limit}`);
    }
    if (this.#actors.has(key)) throw new Error(`${this.#options.machine.id} "${key}" exists already`);
    const actor = createActor<AnyStateMachine>(this.#options.machine, { clock: this.#clock, input });
    this.#actors.set(key, actor);
    actor.on('*', (command) => this.#attend(key, actor, () => this.#execute(key, command as EmittedFrom<M>)));
    actor.subscribe({
      complete: () => this.#attend(key, actor, () => this.#end(key)),
      error: this.#options.onCrash,
    });
    if (this.#options.counters.probe !== undefined) {
      let before: string | undefined;
      actor.subscribe(({ value }) => {
        const state = stateName(value);
        this.#show(key, state, before);
        before = state;
      });
    }
    actor.start();
    return undefined;
  }

  /** Sends an event to an entity; false when no entity has this key. */
  send(key: string, event: EventFromLogic<M>): boolean {
    const actor = this.#actors.get(key);
    if (actor === undefined) return false;
    actor.send(event);
    return true;
  }

  /** Stops every entity in its current state. */
  stopAll(): void {
    const actors = [...this.#actors.values()];
    const keys = this.#options.counters.probe === undefined ? [] : [...this.#actors.keys()];
    this.#actors.clear();
    for (const actor of actors) actor.stop();
    for (const key of keys) this.#show(key, undefined);
  }

  /** Runs `work` for an entity that still exists. Errors are reported as a crash: XState would throw them into the process. */
  #attend(key: string, actor: Actor<AnyStateMachine>, work: () => void): void {
    if (this.#actors.get(key) !== actor) return;
    try {
      work();
    } catch (error) {
      this.#options.onCrash(error);
    }
  }

  #show(key: string, state: string | undefined, before?: string): void {
    const { machine, counters } = this.#options;
    counters.probe?.entityState({ owner: counters.address, machine: machine.id, key, state, before });
  }

  /** `states.<machine>.<state>`: the number of entities in this state. */
  #sizesByState(): ReadonlyMap<string, number> {
    const sizes = new Map<string, number>();
    for (const actor of this.#actors.values()) {
      const name = `states.${this.#options.machine.id}.${stateName(actor.getSnapshot().value)}`;
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
    this.#options.onCommand(key, command);
  }

  #end(key: string): void {
    this.#actors.delete(key);
    this.#show(key, undefined);
    this.#options.onEnd?.(key);
  }
}
