/** One entity of a role instance: a chart in a state, with its context, its timers, and the events that wait for it. */
import type { AnyEventObject, StateValue } from 'xstate';
import type { Clock, Timer } from '../ports/clock.ts';
import type { Chart, ChartRun, Leaf } from './chart.ts';

/** What an entity does after its events. */
export interface EntityOwner {
  /** Executes what an event has emitted, and shows the state. */
  readonly onTransition: (entity: EntityActor, commands: readonly unknown[]) => void;
  /** The machine has thrown: it receives no more events. */
  readonly onError: (error: unknown) => void;
}

const beginning = { type: 'xstate.init' } as const;

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
