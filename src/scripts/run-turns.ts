/**
 * When components are executed: one in a turn of the event loop, the domains in turn, and all together within a share of time.
 * The work of a component is estimated by what it did, not measured, so it is the same on every machine and in every run.
 */
import { FairQueue } from '../model/fair-queue.ts';
import type { Clock, Timer } from '../ports/clock.ts';

/** Work is in milliseconds of an average machine. */
const stepsPerMs = 200_000;
const lettersPerMs = 20_000;
/** Scripts may take this share of the time, and so much at once after a rest. */
const share = 0.1;
const burstMs = 100;

/** What a component did: steps of the JavaScript engine, characters of JSON that were written or read. */
export interface Work {
  readonly steps?: number;
  readonly letters?: number;
}

export class RunTurns {
  readonly #clock: Clock;
  /** By domain. */
  readonly #queue = new FairQueue<() => void>();
  #timer: Timer | undefined;
  /** How much work may be done now. Negative: so much was done too early. */
  #credit = burstMs;
  #countedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedMs = clock.now();
  }

  /** Executes it at once if nothing else is due in this turn, else when its domain has a turn. */
  enter(domain: string, execute: () => void): void {
    if (this.#timer === undefined && this.#waitMs() === 0) return this.#execute(execute);
    this.#queue.add(domain, execute);
    this.#schedule();
  }

  /** Counts work that was done. */
  count({ steps = 0, letters = 0 }: Work): void {
    this.#refill();
    this.#credit -= steps / stepsPerMs + letters / lettersPerMs;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#queue.clear();
  }

  #execute(execute: () => void): void {
    this.#schedule(0);
    execute();
  }

  #schedule(ms = this.#waitMs()): void {
    this.#timer ??= this.#clock.setTimer(ms, () => this.#next());
  }

  #next(): void {
    this.#timer = undefined;
    if (this.#queue.isEmpty) return;
    if (this.#waitMs() > 0) return this.#schedule();
    const execute = this.#queue.take();
    if (execute !== undefined) this.#execute(execute);
  }

  #waitMs(): number {
    this.#refill();
    return this.#credit > 0 ? 0 : Math.ceil(-this.#credit / share) + 1;
  }

  #refill(): void {
    const nowMs = this.#clock.now();
    this.#credit = Math.min(burstMs, this.#credit + Math.max(0, nowMs - this.#countedMs) * share);
    this.#countedMs = nowMs;
  }
}
