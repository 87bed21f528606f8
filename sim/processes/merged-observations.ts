/**
 * Merges what several processes report in the order of its times. It is handed on when every process that runs has reported until
 * its time.
 */

/** A process that reports nothing for so long delays the others no more. */
const silentMs = 5_000;

interface Reported {
  readonly stampMs: number;
  readonly handOn: () => void;
}

export class MergedObservations {
  /** Until when each process has reported. */
  readonly #untilOf = new Map<string, number>();
  #waiting: Reported[] = [];
  #untilMs = 0;

  /** The time until which everything was handed on. */
  get untilMs(): number {
    return this.#untilMs;
  }

  add(stampMs: number, handOn: () => void): void {
    this.#waiting.push({ stampMs, handOn });
  }

  /** A process has reported everything until a time. */
  reported(process: string, untilMs: number): void {
    this.#untilOf.set(process, untilMs);
  }

  /** A process has ended, or reports nothing because it is paused. */
  leave(process: string): void {
    this.#untilOf.delete(process);
  }

  /** Hands on what is complete. */
  advance(nowMs: number): void {
    const talking = [...this.#untilOf.values()].filter((untilMs) => nowMs - untilMs < silentMs);
    this.#untilMs = Math.max(this.#untilMs, Math.min(nowMs, ...talking));
    const isDue = ({ stampMs }: Reported) => stampMs <= this.#untilMs;
    const due = this.#waiting.filter(isDue);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((each) => !isDue(each));
    for (const { handOn } of due.sort((one, other) => one.stampMs - other.stampMs)) handOn();
  }
}
