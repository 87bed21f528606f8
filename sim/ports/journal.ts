/**
 * The journal of a run: one line for each event, and a rolling hash of all. Two runs of one seed have the same hash;
 * otherwise the first line that differs shows why.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log, LogFields, LogLevel } from '../../src/ports/log.ts';

/** `chunkLines` lines are hashed together, because one call for each line would cost more than the line. */
const chunkLines = 256;

export class Journal {
  readonly #clock: Clock;
  readonly #hash = createHash('sha256');
  readonly #kept: string[] | undefined;
  #chunk = '';
  #chunkCount = 0;
  #count = 0;

  /** `keep`: keeps the lines too, for a report or a comparison. */
  constructor(clock: Clock, options: { keep?: boolean } = {}) {
    this.#clock = clock;
    this.#kept = options.keep ? [] : undefined;
  }

  /** Number of lines. */
  get count(): number {
    return this.#count;
  }

  get lines(): readonly string[] {
    return this.#kept ?? [];
  }

  write(line: string): void {
    // An answer may be a page: a line of the journal has no line ends.
    const stamped = `${this.#clock.now()} ${line.includes('\n') ? line.replaceAll('\n', '\\n') : line}\n`;
    this.#count += 1;
    this.#kept?.push(stamped);
    this.#chunk += stamped;
    this.#chunkCount += 1;
    if (this.#chunkCount === chunkLines) this.#flush();
  }

  /** The hash of all lines so far, in hexadecimal. */
  hash(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  /** A log that writes into the journal and passes on to `next`. */
  log(next: Log, fields: LogFields = {}): Log {
    return {
      write: (level: LogLevel, event: string, more?: LogFields) => {
        this.write(`log ${event} ${JSON.stringify({ ...fields, ...more, stack: undefined })}`);
        next.write(level, event, more);
      },
      child: (more) => this.log(next.child(more), { ...fields, ...more }),
    };
  }

  #flush(): void {
    this.#hash.update(this.#chunk);
    this.#chunk = '';
    this.#chunkCount = 0;
  }
}
