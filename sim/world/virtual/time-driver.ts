/**
 * Moves virtual time while callers wait for the world: from deadline to deadline, up to the first moment at which a
 * waiter is satisfied.
 *
 * Each turn of the event loop does one thing: it fires one timer, does one piece of pending work, or resumes one
 * waiter. Everything that follows without another turn is complete before the next thing, so a run does not depend on
 * the number of microtasks in the runtime. Due timers come first, except timers that such a timer sets: a client is a
 * waiter, and resumes when everything that reaches the cluster together with its answer has arrived. Time moves when
 * nothing else can be done.
 *
 * Timers and pieces of pending work are the events of a world, and their number is the position of an input. Inputs and
 * code of a user run between two events, so that a replay can apply each input at its position.
 */
import type { VirtualClock } from '../../ports/virtual-clock.ts';
import { Replay, type RunPosition, type Scheduled } from '../replay.ts';
import type { PendingWork } from './pending-work.ts';

const turnsAtOnce = 16;

interface Waiter {
  readonly untilMs: number;
  readonly isDone: () => boolean;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

export class TimeDriver {
  readonly #clock: VirtualClock;
  readonly #pending: PendingWork;
  readonly #turns = new Turns();
  readonly #waiters = new Set<Waiter>();
  /** Clients that wait for a time without moving it. */
  readonly #passive = new Set<{ readonly atMs: number; readonly resolve: () => void }>();
  /** Work that runs between two events. */
  readonly #between: (() => void)[] = [];
  #replay: Replay | undefined;
  #events = 0;
  /** Called when a waiter has been resumed. */
  onRelease: () => void = () => {};
  /** Timers that are due now, and among the first so many that were set, precede everything else. */
  #round = 0;
  #isRoundOver = true;
  #isDriving = false;
  /** Time does not pass beyond it. */
  #limitMs = Number.POSITIVE_INFINITY;
  /** Whether time passes up to the limit without a waiter. */
  #movesAlone = false;

  constructor(clock: VirtualClock, pending: PendingWork) {
    this.#clock = clock;
    this.#pending = pending;
    pending.onWork = () => this.wake();
  }

  /** The number of events so far, and the time. */
  get position(): RunPosition {
    return { events: this.#events, atMs: this.#clock.now() };
  }

  /** Time does not pass beyond `atMs`; waiters wait until the limit changes. `movesAlone`: it passes up to it without a waiter. */
  limitTo(atMs: number, { movesAlone = false }: { readonly movesAlone?: boolean } = {}): void {
    this.#limitMs = atMs;
    this.#movesAlone = movesAlone;
    this.#begin();
  }

  /** Lets time pass until `isDone`, `untilMs`, or the last event. Returns whether it is done. */
  run(untilMs: number, isDone: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({ untilMs, isDone, resolve, reject });
      this.#begin();
    });
  }

  /** Resolves at the first moment from `atMs` on at which a client may be resumed. It does not make time move. */
  passed(atMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#passive.add({ atMs, resolve });
    });
  }

  /**
   * Runs `work` before the next event, in a turn of its own: what other work began has gone as far as it can by then, as in
   * a replay.
   */
  between<T>(work: () => T): Promise<Awaited<T>> {
    return new Promise((resolve, reject) => {
      this.soon(() => {
        try {
          resolve(work() as Awaited<T>);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Runs `work` before the next event. It does not make time move. */
  soon(work: () => void): void {
    this.#between.push(work);
    this.#begin();
  }

  /** Applies inputs at the positions at which they were recorded. Rejects if the run differs from the recorded one. */
  replay(schedule: readonly Scheduled[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#replay = new Replay(schedule, { resolve, reject });
      this.#begin();
    });
  }

  /** Goes on where the limit of time has stopped everything: a waiter may be satisfied, or there is work. */
  wake(): void {
    this.#begin();
  }

  #begin(): void {
    if (!this.#isDriving) void this.#drive();
  }

  async #drive(): Promise<void> {
    this.#isDriving = true;
    this.#isRoundOver = true;
    while (this.#isWanted || this.#between.length > 0) {
      await this.#turns.next();
      try {
        if (this.#runBetween()) continue;
        if (!this.#isWanted) break;
        if (this.#isRoundOver) this.#round = this.#clock.everSet;
        this.#isRoundOver = !this.#clock.runDue(this.#round);
        if (!this.#isRoundOver) this.#events += 1;
        else if (!this.#pending.isEmpty) await this.#doPending();
        else if (!this.#release() && !this.#advance()) break;
      } catch (error) {
        for (const waiter of this.#takeAll()) waiter.reject(error);
        this.#replay?.fail(error);
        this.#replay = undefined;
      }
    }
    this.#isDriving = false;
  }

  /** Whether something waits for time to pass. */
  get #isWanted(): boolean {
    return this.#waiters.size > 0 || this.#replay !== undefined || this.#movesAlone;
  }

  async #doPending(): Promise<void> {
    try {
      await this.#pending.doFirst();
    } finally {
      this.#events += 1;
    }
  }

  /** Returns whether something ran. */
  #runBetween(): boolean {
    const work = this.#between.shift();
    if (work !== undefined) {
      work();
      return true;
    }
    if (this.#replay?.applyDue(this.position) === true) return true;
    if (this.#replay?.isOver !== true) return false;
    this.#replay.succeed();
    this.#replay = undefined;
    return true;
  }

  /** Resumes the first waiter that is satisfied or out of time. Returns whether there was one. */
  #release(): boolean {
    const nextMs = this.#nextMs;
    const nowMs = this.#clock.now();
    if (this.#replay !== undefined) {
      const untilMs = this.#replay.releaseAt(this.position, nextMs);
      if (untilMs !== undefined && untilMs > nowMs) this.#clock.advanceTo(untilMs);
      return untilMs !== undefined;
    }
    for (const passive of this.#passive) {
      if (nowMs < passive.atMs) continue;
      this.#passive.delete(passive);
      this.onRelease();
      passive.resolve();
      return true;
    }
    for (const waiter of this.#waiters) {
      const isDone = waiter.isDone();
      if (!isDone && (nowMs < waiter.untilMs || nextMs <= waiter.untilMs)) continue;
      this.#waiters.delete(waiter);
      this.onRelease();
      waiter.resolve(isDone);
      return true;
    }
    return false;
  }

  /** To the next deadline, to the end of a waiter's time, or to the limit. Returns whether something could be done. */
  #advance(): boolean {
    const nowMs = this.#clock.now();
    let untilMs = this.#limitMs;
    for (const waiter of this.#waiters) untilMs = Math.min(untilMs, waiter.untilMs);
    if (this.#nextMs <= untilMs && this.#clock.runNext()) this.#events += 1;
    else if (untilMs < Number.POSITIVE_INFINITY && untilMs > nowMs) this.#clock.advanceTo(untilMs);
    else if (this.#limitMs < Number.POSITIVE_INFINITY) return false;
    else if (this.#replay !== undefined) throw new Error('the run ends before the recorded one');
    else for (const { resolve } of this.#takeAll()) resolve(false);
    return true;
  }

  get #nextMs(): number {
    return this.#clock.nextDeadlineMs() ?? Number.POSITIVE_INFINITY;
  }

  #takeAll(): Waiter[] {
    const all = [...this.#waiters];
    this.#waiters.clear();
    return all;
  }
}

/**
 * Turns of the event loop, in which awaiting code continues: microtasks drain before an immediate and between two.
 * Several are requested at once, because a round of the loop costs more than most of its work.
 */
class Turns {
  #left = 0;
  #resolve: () => void = () => {};

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (this.#left > 0) return;
      for (; this.#left < turnsAtOnce; this.#left += 1) setImmediate(this.#take);
    });
  }

  readonly #take = () => {
    this.#left -= 1;
    this.#resolve();
  };
}
