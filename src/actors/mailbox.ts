/** A first-in, first-out queue that handles one item after the other, each to its end, never one inside another. */
export class Mailbox<T> {
  readonly #handle: (item: T) => void;
  readonly #queue: T[] = [];
  #isHandling = false;
  #isClosed = false;

  constructor(handle: (item: T) => void) {
    this.#handle = handle;
  }

  /**
   * Takes an item. Unless another item is being handled, handles it and all items that are put meanwhile before returning.
   * A handler that throws does not stop later items: the error is thrown when the queue is empty (several as an
   * AggregateError).
   */
  put(item: T): void {
    if (this.#isClosed) return;
    this.#queue.push(item);
    if (this.#isHandling) return;
    this.#isHandling = true;
    const errors = this.#handleAll();
    this.#isHandling = false;
    if (errors.length > 1) throw new AggregateError(errors, `${errors.length} items of a mailbox failed`);
    if (errors.length === 1) throw errors[0];
  }

  /** Drops waiting items and accepts no more. */
  close(): void {
    this.#isClosed = true;
    this.#queue.length = 0;
  }

  #handleAll(): unknown[] {
    const errors: unknown[] = [];
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        this.#handle(next);
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  }
}
