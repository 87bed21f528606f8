/** The load of calls of a served cluster: one at a time, started by `serve --load` or by the control interface. */
import type { OutsideWorld } from '../outside/outside.ts';
import type { Traffic, TrafficCounts, TrafficOptions } from '../outside/traffic.ts';

/** What is wanted: calls a second, and how long they last in the mean. */
export type LoadOptions = Pick<TrafficOptions, 'rate' | 'holdingMs'>;

/** What runs, and what came of its calls; with a rate of 0, of the calls of the load that ran last. */
export type LoadView = LoadOptions & TrafficCounts;

const noCalls: TrafficCounts = { started: 0, answered: 0, failed: 0, ended: 0, why: {} };

export class Load {
  readonly #outside: OutsideWorld;
  #options: LoadOptions = { rate: 0 };
  #traffic: Traffic | undefined;

  constructor(outside: OutsideWorld) {
    this.#outside = outside;
  }

  get view(): LoadView {
    return { ...this.#options, ...(this.#traffic?.counts ?? noCalls) };
  }

  /** Replaces the load that runs; a rate of 0 ends it. Throws, and changes nothing, where no endpoint can make calls. */
  set(options: LoadOptions): void {
    const next = options.rate > 0 ? this.#outside.traffic(options) : undefined;
    if (this.#traffic !== undefined) this.#outside.endTraffic(this.#traffic);
    this.#options = next === undefined ? { rate: 0 } : options;
    this.#traffic = next ?? this.#traffic;
    next?.start();
  }
}
