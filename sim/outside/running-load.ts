/** The load of calls of a running cluster: one at a time. */
import type { Traffic, TrafficCounts, TrafficOptions } from './call-load.ts';
import type { OutsideWorld } from './outside-world.ts';

/** Options of a load: calls a second, and their mean duration. */
export type CallLoadOptions = Pick<TrafficOptions, 'rate' | 'holdingMs'>;

/** The present load and its counts; with a rate of 0, those of the last one. */
export type LoadView = CallLoadOptions & TrafficCounts;

const noCalls: TrafficCounts = { started: 0, answered: 0, failed: 0, ended: 0, why: {} };

/** @internal */
export class Load {
  readonly #outside: OutsideWorld;
  #options: CallLoadOptions = { rate: 0 };
  #traffic: Traffic | undefined;

  constructor(outside: OutsideWorld) {
    this.#outside = outside;
  }

  get view(): LoadView {
    return { ...this.#options, ...(this.#traffic?.counts ?? noCalls) };
  }

  /** Replaces the load; a rate of 0 ends it. Throws without a change if no endpoint can make calls. */
  set(options: CallLoadOptions): void {
    const next = options.rate > 0 ? this.#outside.traffic(options) : undefined;
    if (this.#traffic !== undefined) this.#outside.endTraffic(this.#traffic);
    this.#options = next === undefined ? { rate: 0 } : options;
    this.#traffic = next ?? this.#traffic;
    next?.start();
  }
}
