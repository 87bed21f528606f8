/** The clock of a cluster in a test. Time moves while a request is open, and when the test advances it. */

import type { RecordedWorld } from '../recorded/recorded-world.ts';
import { type Duration, durationMs } from './duration.ts';
import { Waiting, type WaitOptions } from './waiting.ts';

export class ClusterClock {
  readonly #present: () => RecordedWorld;

  constructor(present: () => RecordedWorld) {
    this.#present = present;
  }

  /** Milliseconds since the epoch. Every cluster starts at 2026-01-01T00:00:00Z. */
  get now(): number {
    return this.#present().world.now();
  }

  /** Lets time pass: a duration, or until an instant. */
  async advance(to: Duration | Date): Promise<void> {
    const { world } = this.#present();
    const ms = to instanceof Date ? to.getTime() - world.now() : durationMs(to);
    if (ms < 0)
      throw new RangeError(`expected an instant from now on, got ${to instanceof Date ? to.toISOString() : to}`);
    await world.wait(ms);
  }

  /** Lets time pass until a condition holds. Rejects when it does not hold within a limit (60 s). */
  until(holds: () => boolean, options: Pick<WaitOptions, 'within'> = {}): Promise<void> {
    return new Waiting(this.#present()).until(holds, options);
  }

  /** Lets time pass until a promise has settled, for instance the next message of a web socket. */
  during<T>(promise: Promise<T>): Promise<T> {
    return this.#present().world.during(promise);
  }
}
