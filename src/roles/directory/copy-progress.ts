/**
 * How far a copy of domain data has come in the changes of its master, and what of that which arrives it takes: changes in order, each once,
 * and nothing older than what it shows. The rows themselves are the replica's.
 */
import type { DataRowChange } from '../../model/protocol/messages/data.ts';
import { StreamConsumer } from '../../replication/stream-consumer.ts';
import type { DatabasePosition } from '../../storage/database.ts';

/** One change of the database, numbered by its sequence; the epoch is the id of the database. */
export interface Commit {
  readonly n: number;
  readonly changes: readonly DataRowChange[];
  /** When a copy that has it and all before was as its master, by the own clock; absent: not known. */
  readonly asOfMs?: number | undefined;
}

type Position = Pick<DatabasePosition, 'database' | 'sequence'>;

export interface CopyProgressOptions {
  /** The next change, to be shown. */
  readonly onCommit: (commit: Commit) => void;
  /** Changes are missing. */
  readonly onGap: () => void;
}

export class CopyProgress {
  readonly #onGap: () => void;
  readonly #stream: StreamConsumer<Commit, string>;
  #isFilling = false;

  constructor({ onCommit, onGap }: CopyProgressOptions) {
    this.#onGap = onGap;
    this.#stream = new StreamConsumer({ onEntry: onCommit, onGap });
  }

  /** Id of the database, and the number of the change that is shown last; absent: it has no rows yet. */
  get position() {
    return this.#stream.position;
  }

  /** Takes a published change. Returns up to which one all are here, if that one is; else `undefined`. */
  receive(database: string, commit: Commit): number | undefined {
    // A change beside a refill would be kept in the rows that the refill replaces.
    if (database !== this.#stream.epoch || this.#isFilling) {
      this.#onGap();
      return undefined;
    }
    this.#stream.receive(database, [commit]);
    const n = this.#stream.position?.n ?? 0;
    return n >= commit.n ? n : undefined;
  }

  /** Whether later changes are shown than those up to this position. */
  isPast({ database, sequence }: Position): boolean {
    const position = this.#stream.position;
    return position?.epoch === database && position.n > sequence;
  }

  /** What was changed up to this position is shown. */
  moveTo({ database, sequence }: Position): void {
    this.#stream.moveTo({ epoch: database, n: sequence });
  }

  /** All rows are being replaced. */
  startFilling(): void {
    this.#isFilling = true;
  }

  /** They are not, or not any more. */
  stopFilling(): void {
    this.#isFilling = false;
  }

  /** All rows are those of this position. */
  resetTo({ database, sequence }: Position): void {
    this.#stream.resetTo({ epoch: database, n: sequence });
  }
}
