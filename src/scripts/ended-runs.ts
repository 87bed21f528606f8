/** The last runs that have ended, for the journal and for duplicates of their requests: within a number and a size. */
import { limits } from '../model/limits.ts';
import type { RunRecord } from './run-record.ts';

interface Kept {
  readonly record: RunRecord;
  readonly letters: number;
}

export class EndedRuns {
  /** By id, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  readonly #onDropped: (id: string) => void;
  #letters = 0;

  constructor(onDropped: (id: string) => void) {
    this.#onDropped = onDropped;
  }

  /** The oldest first. */
  get all(): RunRecord[] {
    return [...this.#kept.values()].map(({ record }) => record);
  }

  get(id: string): RunRecord | undefined {
    return this.#kept.get(id)?.record;
  }

  keep(record: RunRecord): void {
    this.#drop(record.id);
    const letters = JSON.stringify(record).length;
    this.#kept.set(record.id, { record, letters });
    this.#letters += letters;
    for (const id of this.#kept.keys()) {
      const isWithin = this.#kept.size <= limits.scriptRunsKept && this.#letters <= limits.scriptKeptLetters;
      if (isWithin || id === record.id) return;
      this.#drop(id);
      this.#onDropped(id);
    }
  }

  #drop(id: string): void {
    this.#letters -= this.#kept.get(id)?.letters ?? 0;
    this.#kept.delete(id);
  }
}
