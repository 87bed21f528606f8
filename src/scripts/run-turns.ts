/**
 * When components are executed: one in a turn of the event loop, the domains in turn, and all together within a share of time.
 * The work of a component is estimated by what it did, not measured, so it is the same on every machine and in every run.
 */
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
  /** By domain, the one whose turn it is first. */
  readonly #queues = new Map<string, (() => void)[]>();
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
    const queue = this.#queues.get(domain);
    if (queue === undefined) this.#queues.set(domain, [execute]);
    else queue.push(execute);
    this.#schedule();
  }

  /** Counts work that was done. */
  count({ steps = 0, letters = 0 }: Work): void {
    this.#refill();
    this.#credit -= steps / stepsPerMs + letters / lettersPerMs;
  }

  stop(): void {
    this.#timer?.cancel();
    this.#queues.clear();
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
    if (this.#queues.size === 0) return;
    if (this.#waitMs() > 0) return this.#schedule();
    for (const [domain, queue] of this.#queues) {
      const execute = queue.shift();
      // A domain with more to do goes to the end.
      this.#queues.delete(domain);
      if (queue.length > 0) this.#queues.set(domain, queue);
      if (execute !== undefined) return this.#execute(execute);
    }
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
