/**
 * Tells lives apart: those of a node by its incarnation, those of its instances by an epoch. Both only grow as long as the store
 * is kept, whatever the clock was set to between two lives; without a store epochs grow with the time of day.
 */
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Store, type Stores, StoreUnwritable } from '../ports/store.ts';

/** More instances than any life of a node starts. */
const epochsOfLife = 2 ** 20;

/** How often a start that can't be counted is tried again. */
const unwritableMs = 1_000;

export interface IncarnationsOptions {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly log: Log;
}

export class Incarnations {
  /** How often the node has started. */
  readonly incarnation: number;
  #lastEpoch: number;

  private constructor(incarnation: number, firstEpoch: number) {
    this.incarnation = incarnation;
    this.#lastEpoch = firstEpoch - 1;
  }

  /** Counts this start of the node in its store; no other start has the same numbers. Waits while the disk is full. */
  static async begin({ stores, clock, log }: IncarnationsOptions): Promise<Incarnations> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await Incarnations.#count(stores, clock);
      } catch (error) {
        if (!(error instanceof StoreUnwritable)) throw error;
        if (tries === 0) log.write('error', 'node.waits', { reason: error.message });
      }
      await new Promise<void>((resolve) => void clock.setTimer(unwritableMs, resolve));
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
    const incarnation = Number((await store.get('incarnation')) ?? 0) + 1;
    const lastEpoch = Number((await store.get('epoch')) ?? 0);
    const epoch = Math.max(Math.floor(clock.now()), lastEpoch + epochsOfLife);
    await store.write([
      { put: 'incarnation', value: String(incarnation) },
      { put: 'epoch', value: String(epoch) },
    ]);
    return new Incarnations(incarnation, epoch);
  }

  /** The epoch of an instance that starts now. */
  nextEpoch(): number {
    this.#lastEpoch += 1;
    return this.#lastEpoch;
  }
}
