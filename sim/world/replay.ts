/** A replay of recorded inputs: each is applied at the position of the run at which it was recorded. */

/** A position in a virtual run: the number of events before it, and the time. */
export interface RunPosition {
  readonly events: number;
  readonly atMs: number;
}

/** An input at its position. Without `apply`: a waiter was resumed there, which decides what may happen next. */
export interface Scheduled extends RunPosition {
  readonly apply?: (() => void) | undefined;
}

interface Listener {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Replay {
  readonly #schedule: readonly Scheduled[];
  readonly #listener: Listener;
  #next = 0;

  constructor(schedule: readonly Scheduled[], listener: Listener) {
    this.#schedule = schedule;
    this.#listener = listener;
  }

  get isOver(): boolean {
    return this.#next >= this.#schedule.length;
  }

  succeed(): void {
    this.#listener.resolve();
  }

  fail(error: unknown): void {
    this.#listener.reject(error);
  }

  /** Applies the next input if it is due. Returns whether it was. */
  applyDue({ events, atMs }: RunPosition): boolean {
    const next = this.#schedule[this.#next];
    if (next?.apply === undefined || next.events > events || next.atMs > atMs) return false;
    if (next.events < events || next.atMs < atMs) throw differs(next, { events, atMs });
    this.#next += 1;
    next.apply();
    return true;
  }

  /**
   * The time to which the run advances without another event; `undefined`: the next event follows. `nextMs`: the time of
   * that event.
   */
  releaseAt({ events, atMs }: RunPosition, nextMs: number): number | undefined {
    const next = this.#schedule[this.#next];
    if (next === undefined) return atMs;
    if (next.events > events) return undefined;
    if (next.events < events || next.atMs < atMs || nextMs < next.atMs) throw differs(next, { events, atMs });
    if (next.apply === undefined) this.#next += 1;
    return next.atMs;
  }
}

function differs(wanted: RunPosition, actual: RunPosition): Error {
  const text = ({ events, atMs }: RunPosition) => `event ${events} at ${atMs} ms`;
  return new Error(`the run differs from the recorded one: expected an input at ${text(wanted)}, got ${text(actual)}`);
}
