/** A recorded world that can be replaced: by itself at its start, or by itself at a snapshot. */
import type { Snapshot } from './input.ts';
import { WorldPace } from './pace.ts';
import { RecordedWorld, type RecordedWorldOptions } from './recorded-world.ts';

export class RecordedCluster {
  readonly options: RecordedWorldOptions;
  /** It stays when the world is replaced. */
  readonly pace = new WorldPace(() => this.#present?.world);
  #present: RecordedWorld | undefined;
  #replacing: Promise<void> = Promise.resolve();

  private constructor(options: RecordedWorldOptions, present: RecordedWorld) {
    this.options = options;
    this.#present = present;
  }

  /** Starts a cluster; with a snapshot, it continues from there. */
  static async start(options: RecordedWorldOptions, snapshot?: Snapshot): Promise<RecordedCluster> {
    return new RecordedCluster(options, await RecordedWorld.start(options, snapshot));
  }

  /** The world that runs. Throws when the cluster has been stopped. */
  get present(): RecordedWorld {
    if (this.#present === undefined) throw new Error('the cluster has been stopped');
    return this.#present;
  }

  /** A second cluster with the same past. */
  fork(): Promise<RecordedCluster> {
    return RecordedCluster.start(this.options, this.present.snapshot);
  }

  /** Starts anew: same topology, same seed, no past. */
  reset(): Promise<void> {
    return this.#replace(undefined);
  }

  /** Returns to a snapshot of a cluster with the same topology and seed. Rejects if the run differs from it. */
  async restore(snapshot: Snapshot): Promise<void> {
    const { seed } = this.options;
    if (snapshot.seed !== seed)
      throw new TypeError(`expected a snapshot of seed ${seed}, got one of seed ${snapshot.seed}`);
    await this.#replace(snapshot);
  }

  /** Ends the cluster; no effect if it has ended. */
  async stop(): Promise<void> {
    await this.#replacing;
    this.pace.stop();
    const present = this.#present;
    this.#present = undefined;
    await present?.stop();
  }

  /** One replacement at a time. A snapshot that cannot be repeated changes nothing. */
  #replace(snapshot: Snapshot | undefined): Promise<void> {
    const replaced = this.#replacing.then(async () => {
      const before = this.present;
      const next = await RecordedWorld.start(this.options, snapshot);
      this.#present = next;
      before.world.time.limitTo(Number.POSITIVE_INFINITY);
      this.pace.apply();
      await before.stop();
    });
    // The caller gets the error; the next replacement begins after it.
    this.#replacing = replaced.catch(() => {});
    return replaced;
  }
}
