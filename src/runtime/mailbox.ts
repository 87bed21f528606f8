/** A first-in, first-out queue that handles one item after the other, to its end, never one inside another. */
export class Mailbox<T> {
  readonly #handle: (item: T) => void;
  readonly #queue: T[] = [];
  #isHandling = false;
  #isClosed = false;

  constructor(handle: (item: T) => void) {
    this.#handle = handle;
  }

  /** Takes an item; handles it before returning, unless another is being handled. */
  put(item: T): void {
    if (this.#isClosed) return;
    this.#queue.push(item);
    if (this.#isHandling) return;
    this.#isHandling = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#handle(next);
    } finally {
      this.#isHandling = false;
    }
  }

  /** Forgets what waits and takes nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#queue.length = 0;
  }
}
