/** The clock of a cluster in a test. Time moves while a request is open, when the test advances it, and at a pace if it has one. */

import type { RecordedCluster } from '../recorded/recorded-cluster.ts';
import {
  type Condition,
  type Duration,
  durationMs,
  type EventFields,
  type Matcher,
  type Seen,
  Waiting,
  type WaitOptions,
} from './waiting.ts';

export class ClusterClock {
  readonly #cluster: RecordedCluster;

  /** @internal */
  constructor(cluster: RecordedCluster) {
    this.#cluster = cluster;
  }

  /** Milliseconds since the epoch. Every cluster starts at 2026-01-01T00:00:00Z. */
  get now(): number {
    return this.#cluster.present.world.now();
  }

  /** Virtual seconds for each second of this computer; `undefined`: time moves on demand, as fast as it can. */
  get pace(): number | undefined {
    return this.#cluster.pace.view.pace;
  }

  get isPaused(): boolean {
    return this.#cluster.pace.view.isPaused;
  }

  /** Lets time pass: a duration, or until an instant. */
  async advance(to: Duration | Date): Promise<void> {
    const { world } = this.#cluster.present;
    const ms = to instanceof Date ? to.getTime() - world.now() : durationMs(to);
    if (ms < 0)
      throw new RangeError(`expected an instant from now on, got ${to instanceof Date ? to.toISOString() : to}`);
    await this.#cluster.pace.lifted(() => world.wait(ms));
  }

  /**
   * Lets time pass until a condition holds; one that asks the cluster returns a promise: `async () => (await client.calls.count()) === 1`.
   * Rejects when it does not hold within a limit (60 s).
   */
  until(holds: Condition, options: Pick<WaitOptions, 'within'> = {}): Promise<void> {
    return this.#cluster.pace.lifted(() => new Waiting(this.#cluster.present).until(holds, options));
  }

  /** Lets time pass until an event, a message, a state or a count is seen. Rejects with `NotSeen` after a limit (60 s). */
  untilSeen(wanted: Matcher, fields: EventFields = {}, options: WaitOptions = {}): Promise<Seen> {
    return this.#cluster.pace.lifted(() => new Waiting(this.#cluster.present).seen(wanted, fields, options));
  }

  /** Lets time pass until a promise has settled, for instance the next message of a web socket. */
  during<T>(promise: Promise<T>): Promise<T> {
    return this.#cluster.pace.lifted(() => this.#cluster.present.world.during(promise));
  }

  /**
   * Lets time pass by itself: so many virtual seconds for each second of this computer, for open requests too. `undefined`:
   * on demand again, as fast as it can.
   */
  setPace(pace: number | undefined): void {
    this.#cluster.pace.set(pace);
  }

  /** Time is stopped, for open requests too, until `resume`; `advance` and waits of the test move it all the same. */
  pause(): void {
    this.#cluster.pace.pause();
  }

  resume(): void {
    this.#cluster.pace.resume();
  }
}
