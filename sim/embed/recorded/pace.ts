/**
 * The pace of a virtual cluster: whether its time is stopped, moves on demand as fast as it can, or moves by itself at a
 * multiple of the time of this computer.
 */
import { systemClock } from '../../../src/adapters/system-clock.ts';
import type { Clock, Timer } from '../../../src/ports/clock.ts';
import type { VirtualWorld } from '../../world/virtual.ts';

export interface PaceView {
  /** Virtual seconds for each second of this computer; `undefined`: on demand, as fast as it can. */
  readonly pace: number | undefined;
  readonly isPaused: boolean;
}

const stepMs = 10;
/** How far the limit of time may be ahead of the cluster, if the computer is too slow for the pace. */
const aheadMs = 1_000;
export const fastestPace = 10_000;

export class WorldPace {
  /** Undefined: the cluster has been stopped. */
  readonly #world: () => VirtualWorld | undefined;
  readonly #clock: Clock;
  #pace: number | undefined;
  #isPaused = false;
  /** How many callers let time pass as fast as it can. */
  #lifts = 0;
  #timer: Timer | undefined;
  /** Where the present stretch of time began, in virtual time and in that of this computer. */
  #from = { virtualMs: 0, realMs: 0 };

  constructor(world: () => VirtualWorld | undefined, clock: Clock = systemClock) {
    this.#world = world;
    this.#clock = clock;
  }

  get view(): PaceView {
    return { pace: this.#pace, isPaused: this.#isPaused };
  }

  /** Sets the pace; `undefined`: time moves on demand. Throws a `RangeError`. */
  set(pace: number | undefined): void {
    if (pace !== undefined && !(pace > 0 && pace <= fastestPace))
      throw new RangeError(`expected a pace above 0, at most ${fastestPace}, got ${pace}`);
    this.#pace = pace;
    this.apply();
  }

  /** Time is stopped, also for open requests, until it is resumed; an advance moves it all the same. */
  pause(): void {
    this.#isPaused = true;
    this.apply();
  }

  resume(): void {
    this.#isPaused = false;
    this.apply();
  }

  /** Lets time pass as fast as it can while some work runs. */
  async lifted<T>(work: () => Promise<T>): Promise<T> {
    this.#lifts += 1;
    this.apply();
    try {
      return await work();
    } finally {
      this.#lifts -= 1;
      this.apply();
    }
  }

  /** Applies the pace to the world that runs now. */
  apply(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const time = this.#world()?.time;
    if (time === undefined) return;
    if (this.#lifts > 0 || (this.#pace === undefined && !this.#isPaused)) return time.limitTo(Number.POSITIVE_INFINITY);
    this.#from = { virtualMs: time.position.atMs, realMs: this.#clock.now() };
    time.limitTo(this.#from.virtualMs);
    if (!this.#isPaused) this.#step();
  }

  /** Time moves on demand again. */
  stop(): void {
    this.#pace = undefined;
    this.#isPaused = false;
    this.apply();
  }

  #step(): void {
    const time = this.#world()?.time;
    if (time === undefined) return;
    const realMs = this.#clock.now();
    const nowMs = time.position.atMs;
    const pace = this.#pace ?? 1;
    const wantedMs = this.#from.virtualMs + Math.floor((realMs - this.#from.realMs) * pace);
    const limitMs = Math.max(nowMs, Math.min(wantedMs, Math.floor(nowMs + aheadMs * Math.max(1, pace))));
    if (limitMs < wantedMs) this.#from = { virtualMs: limitMs, realMs };
    time.limitTo(limitMs, { movesAlone: true });
    this.#timer = this.#clock.setTimer(stepMs, () => this.#step());
  }
}
