/**
 * Fault points by the seed: in a run each is active with a probability of 1/4, and an active one fires with 1/4, once the
 * cluster has started. Each has its own stream, so that a new point does not shift the others.
 * A point at which the instance of a script crashes fires once in a run, and the one at which any instance crashes only a few times in
 * a row: a supervisor gives up an instance that crashes too often.
 */
import { limits } from '../../src/model/limits.ts';
import type { FaultPoint, FaultPoints } from '../../src/ports/instrumentation/fault-points.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import type { SeededRandom } from './random.ts';

const share = 1 / 4;
const onceInARun: ReadonlySet<FaultPoint> = new Set([
  'script.dies_before_saving',
  'script.dies_before_effect',
  'script.dies_after_effect',
]);

/** What a sender withholds, or a receiver ignores: a copy is behind until it is compared. */
const losses = ['stream.unheard', 'events.unheard', 'session.untold', 'registrar.untold', 'data.unheard'] as const;
export type LossPoint = (typeof losses)[number];
const isLoss: ReadonlySet<FaultPoint> = new Set(losses);

/** A client and a drill must notice nothing of them: they fire to the end. */
const harmless: ReadonlySet<FaultPoint> = new Set([
  'stream.short_page',
  'records.short_page',
  'registrar.short_page',
  'session.short_page',
  'list.short_piece',
  'data.all_anew',
]);

/** Fewer than the restarts of an instance that its supervisor makes one after the other. */
const mostCrashesInARow = limits.restarts - 2;

export class SeededFaultPoints implements FaultPoints {
  /** Whether the points fire at which a message is lost. */
  losesMessages = true;
  readonly #random: SeededRandom;
  readonly #active = new Map<FaultPoint, RandomStream | undefined>();
  readonly #fired = new Map<FaultPoint, number>();
  #areOn = false;
  #onlyHarmless = false;
  #crashesInARow = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  fires(point: FaultPoint): boolean {
    if (
      !this.#areOn ||
      (this.#onlyHarmless && !harmless.has(point)) ||
      (onceInARun.has(point) && this.#fired.has(point))
    )
      return false;
    if (!this.losesMessages && isLoss.has(point)) return false;
    if (!this.#active.has(point)) this.#active.set(point, this.#drawn(point));
    const stream = this.#active.get(point);
    const fires = stream !== undefined && stream.float() < share;
    if (point === 'instance.dies') this.#crashesInARow = fires ? this.#crashesInARow + 1 : 0;
    if (!fires) return false;
    if (this.#crashesInARow > mostCrashesInARow) {
      this.#crashesInARow = 0;
      return false;
    }
    this.#fired.set(point, (this.#fired.get(point) ?? 0) + 1);
    return true;
  }

  /** How often each has fired; points that never fired are missing. */
  get fired(): ReadonlyMap<FaultPoint, number> {
    return this.#fired;
  }

  begin(): void {
    this.#areOn = true;
  }

  /** Only those fire from now on of which nothing is to be noticed. */
  end(): void {
    this.#onlyHarmless = true;
  }

  #drawn(point: FaultPoint): RandomStream | undefined {
    const stream = this.#random.fork(point).stream('faults');
    return stream.float() < share ? stream : undefined;
  }
}
