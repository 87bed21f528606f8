/** Timers by deadline, then by the order in which they were set; used by both clocks. Setting and taking cost O(log n). */
import type { Timer } from './clock.ts';

/** Cancelled timers stay in memory for a while, but never more of them than pending ones. */
export class TimerHeap {
  /** A binary heap, the next timer first. */
  #heap: HeapTimer[] = [];
  #cancelled = 0;
  #sequence = 0;

  /** The number of timers that are set and neither taken nor cancelled. */
  get pending(): number {
    return this.#heap.length - this.#cancelled;
  }

  /** The number of cancelled timers in memory. */
  get cancelled(): number {
    return this.#cancelled;
  }

  /** The number of timers set so far. */
  get everSet(): number {
    return this.#sequence;
  }

  set(deadlineMs: number, fire: () => void): Timer {
    const timer = new HeapTimer(deadlineMs, this.#sequence++, fire, this.#onCancel);
    this.#heap.push(timer);
    siftUp(this.#heap, this.#heap.length - 1);
    return timer;
  }

  /** Forgets all timers; they count as fired. */
  clear(): void {
    for (const timer of this.#heap) timer.fire = undefined;
    this.#heap = [];
    this.#cancelled = 0;
  }

  /** The next deadline, if there is one. */
  nextDeadlineMs(): number | undefined {
    return this.#next()?.deadlineMs;
  }

  /** Takes the next timer if it is due by `untilMs` and among the first `ofFirst` that were set; it counts as fired. */
  take(untilMs: number, ofFirst = Infinity): { deadlineMs: number; fire: () => void } | undefined {
    const timer = this.#next();
    if (timer?.fire === undefined || timer.deadlineMs > untilMs || timer.sequence >= ofFirst) return undefined;
    removeFirst(this.#heap);
    this.#compact();
    const { deadlineMs, fire } = timer;
    timer.fire = undefined;
    return { deadlineMs, fire };
  }

  #next(): HeapTimer | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].fire === undefined) {
      removeFirst(this.#heap);
      this.#cancelled--;
    }
    return this.#heap[0];
  }

  /** One function shared by all timers, since there are many. */
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
}

class HeapTimer implements Timer {
  readonly deadlineMs: number;
  readonly sequence: number;
  /** `undefined` once the timer has fired or was cancelled. */
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

function isSooner(one: HeapTimer, other: HeapTimer): boolean {
  return one.deadlineMs < other.deadlineMs || (one.deadlineMs === other.deadlineMs && one.sequence < other.sequence);
}

function removeFirst(heap: HeapTimer[]): void {
  const last = heap.pop() as HeapTimer;
  if (heap.length === 0) return;
  heap[0] = last;
  siftDown(heap, 0);
}

function siftUp(heap: HeapTimer[], start: number): void {
  const timer = heap[start] as HeapTimer;
  let index = start;
  while (index > 0) {
    const parent = (index - 1) >>> 1;
    const above = heap[parent] as HeapTimer;
    if (!isSooner(timer, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function siftDown(heap: HeapTimer[], start: number): void {
  const timer = heap[start] as HeapTimer;
  let index = start;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isSooner(heap[child + 1] as HeapTimer, heap[child] as HeapTimer)) child++;
    const below = heap[child] as HeapTimer;
    if (!isSooner(below, timer)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = timer;
}
