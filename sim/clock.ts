/** Virtual time: a clock that stands still until somebody moves it, and stops at each deadline on the way. */
import type { Clock, Timer } from '../src/ports/clock.ts';

/**
 * Time for a whole simulated cluster. Timers fire by deadline, then in the order in which they were set; while one
 * fires, `now` is its deadline. When a timer throws, whoever moves the clock gets the error, and may move on.
 */
export class VirtualClock implements Clock {
  /** A binary heap, the next timer first. Cancelled ones stay in it for a while. */
  #heap: VirtualTimer[] = [];
  #cancelled = 0;
  #sequence = 0;
  #nowMs: number;
  #isFiring = false;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, fire: () => void): Timer {
    if (!Number.isFinite(delayMs)) throw new RangeError(`a delay of ${delayMs} ms`);
    const timer = new VirtualTimer(this.#nowMs + Math.max(0, delayMs), this.#sequence++, fire, this.#onCancel);
    this.#heap.push(timer);
    siftUp(this.#heap, this.#heap.length - 1);
    return timer;
  }

  /** Moves to the next deadline and fires that one timer. False when there is none. */
  runNext(): boolean {
    this.#assertIdle();
    const timer = this.#next();
    if (timer === undefined) return false;
    this.#fireNext(timer);
    return true;
  }

  /** Fires all that is due until `timeMs`, that time included, and stays there. Timers that fire may add to it. */
  advanceTo(timeMs: number): void {
    this.#assertIdle();
    if (!(timeMs >= this.#nowMs && timeMs < Infinity))
      throw new RangeError(`can't go from ${this.#nowMs} to ${timeMs}`);
    for (let timer = this.#next(); timer !== undefined && timer.deadlineMs <= timeMs; timer = this.#next()) {
      this.#fireNext(timer);
    }
    this.#nowMs = timeMs;
  }

  nextDeadlineMs(): number | undefined {
    return this.#next()?.deadlineMs;
  }

  /** How many timers are set and neither fired nor cancelled. */
  get pending(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** How many cancelled timers are still in memory: never more than there are pending ones. */
  get cancelled(): number {
    return this.#cancelled;
  }

  #next(): VirtualTimer | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].fire === undefined) {
      removeFirst(this.#heap);
      this.#cancelled--;
    }
    return this.#heap[0];
  }

  #fireNext(timer: VirtualTimer): void {
    removeFirst(this.#heap);
    this.#compact();
    const fire = timer.fire as () => void;
    timer.fire = undefined;
    this.#nowMs = timer.deadlineMs;
    this.#isFiring = true;
    try {
      fire();
    } finally {
      this.#isFiring = false;
    }
  }

  /** One function for all timers, since there are many of them. */
  readonly #onCancel = () => {
    this.#cancelled++;
    this.#compact();
  };

  #compact(): void {
    if (this.#cancelled * 2 <= this.#heap.length) return;
    this.#heap = this.#heap.filter((timer) => timer.fire !== undefined);
    this.#cancelled = 0;
    for (let index = (this.#heap.length >>> 1) - 1; index >= 0; index--) siftDown(this.#heap, index);
  }

  /** A timer that moved the clock would take time away from under whoever moves it already. */
  #assertIdle(): void {
    if (this.#isFiring) throw new Error('a timer must not move the clock that fires it');
  }
}

class VirtualTimer implements Timer {
  readonly deadlineMs: number;
  readonly sequence: number;
  /** Gone when the timer has fired or was cancelled. */
  fire: (() => void) | undefined;
  readonly #onCancel: () => void;

  constructor(deadlineMs: number, sequence: number, fire: () => void, onCancel: () => void) {
    this.deadlineMs = deadlineMs;
    this.sequence = sequence;
    this.fire = fire;
    this.#onCancel = onCancel;
  }

  cancel(): void {
    if (this.fire === undefined) return;
    this.fire = undefined;
    this.#onCancel();
  }
}

function isSooner(one: VirtualTimer, other: VirtualTimer): boolean {
  return one.deadlineMs < other.deadlineMs || (one.deadlineMs === other.deadlineMs && one.sequence < other.sequence);
}

function removeFirst(heap: VirtualTimer[]): void {
  const last = heap.pop() as VirtualTimer;
  if (heap.length === 0) return;
  heap[0] = last;
  siftDown(heap, 0);
}

function siftUp(heap: VirtualTimer[], start: number): void {
  const timer = heap[start] as VirtualTimer;
  let index = start;
  while (index > 0) {
    const parent = (index - 1) >>> 1;
    const above = heap[parent] as VirtualTimer;
    if (!isSooner(timer, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function siftDown(heap: VirtualTimer[], start: number): void {
  const timer = heap[start] as VirtualTimer;
  let index = start;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isSooner(heap[child + 1] as VirtualTimer, heap[child] as VirtualTimer)) child++;
    const below = heap[child] as VirtualTimer;
    if (!isSooner(below, timer)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = timer;
}
