/** Progress on standard error: on a terminal one line that changes, elsewhere a line at first and then now and then. */
export class ProgressLine {
  readonly #isTerminal = process.stderr.isTTY === true;
  readonly #everyMs = this.#isTerminal ? 200 : 10_000;
  #toldMs = Number.NEGATIVE_INFINITY;
  #last = '';

  /** Tells it, unless something was told a moment ago. */
  tell(text: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#toldMs < this.#everyMs) return;
    this.#toldMs = nowMs;
    this.#write(text);
  }

  /** Tells the last, if it was not, and leaves it there. */
  end(text: string): void {
    if (text !== this.#last) this.#write(text);
    if (this.#isTerminal) process.stderr.write('\n');
  }

  #write(text: string): void {
    this.#last = text;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
  }
}
