/**
 * Numbers starts: those of a node by its incarnation, those of its instances by an epoch. One increasing sequence numbers both. With
 * a store it grows even when the clock goes back; without one it grows with the time of day.
 */
import { type Clock, passed } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { type Store, type Stores, StoreUnwritable } from '../../ports/store.ts';

/**
 * More than the instances that one incarnation of a node starts, and as milliseconds less than starts of a node are usually apart: a number
 * ahead of the time of day would make a node that has lost its store older than it was.
 */
const epochsPerIncarnation = 2 ** 14;

/** Interval for retrying a start whose number can't be stored. */
const unwritableMs = 1_000;

export interface IncarnationsOptions {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly log: Log;
}

export class Incarnations {
  /** The number of this start of the node. */
  readonly incarnation: number;
  #lastEpoch: number;

  private constructor(incarnation: number) {
    this.incarnation = incarnation;
    this.#lastEpoch = incarnation - 1;
  }

  /** Stores the number of this start of the node; each start has its own. Waits while the disk is full. */
  static async begin({ stores, clock, log }: IncarnationsOptions): Promise<Incarnations> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await Incarnations.#count(stores, clock);
      } catch (error) {
        if (!(error instanceof StoreUnwritable)) throw error;
        if (tries === 0) log.write('error', 'node.waits', { reason: error.message });
      }
      await passed(clock, unwritableMs);
    }
  }

  static async #count(stores: Stores, clock: Clock): Promise<Incarnations> {
    const store = await stores.open('node');
    try {
      return await Incarnations.#countIn(store, clock);
    } finally {
      await store.close();
    }
  }

  static async #countIn(store: Store, clock: Clock): Promise<Incarnations> {
    const last = Number((await store.get('epoch')) ?? 0);
    const incarnation = Math.max(Math.floor(clock.now()), last + epochsPerIncarnation);
    await store.write([{ put: 'epoch', value: String(incarnation) }]);
    return new Incarnations(incarnation);
  }

  /** The epoch of an instance that starts now. */
  nextEpoch(): number {
    this.#lastEpoch += 1;
    return this.#lastEpoch;
  }
}
