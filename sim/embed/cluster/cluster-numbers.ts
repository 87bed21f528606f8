/** The behaviours of numbers in a test, and the load of calls. */
import type { Behaviour } from '../../../src/model/topology/schema.ts';
import type { NumberOverride } from '../../outside/behaviour.ts';
import type { CallLoadOptions, LoadView } from '../../outside/running-load.ts';
import type { RecordedWorld } from '../recorded/recorded-world.ts';

export class ClusterNumbers {
  readonly #present: () => RecordedWorld;

  /** @internal */
  constructor(present: () => RecordedWorld) {
    this.#present = present;
  }

  /** The numbers whose behaviour was set. */
  get list(): readonly NumberOverride[] {
    return this.#present().world.outside.overrides;
  }

  /** Sets how a number reacts to calls: `{ reject: 486 }`, `{ ringMs: 0, answerMs: 500 }` (docs/reference/dial-plan.md). */
  async set(domain: string, number: string, behaviour: Behaviour): Promise<void> {
    await this.#present().enter<'behave'>({ do: 'behave', domain, number, behaviour });
  }

  /** Removes the behaviour of a number; without a number, of all. */
  async clear(domain?: string, number?: string): Promise<void> {
    for (const each of this.list) {
      const isMeant = (domain ?? each.domain) === each.domain && (number ?? each.number) === each.number;
      if (isMeant) await this.#present().enter<'unset'>({ do: 'unset', domain: each.domain, number: each.number });
    }
  }
}

export class ClusterLoad {
  readonly #present: () => RecordedWorld;

  /** @internal */
  constructor(present: () => RecordedWorld) {
    this.#present = present;
  }

  /** The load, and how many calls it started, were answered, failed and ended. */
  get view(): LoadView {
    return this.#present().operator.load.view;
  }

  /** Starts calls between phones, providers and rooms in place of the load before; a rate of 0 ends it. */
  async set(options: CallLoadOptions): Promise<void> {
    await this.#present().enter<'load'>({ do: 'load', ...options });
  }
}
