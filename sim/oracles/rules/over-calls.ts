/** Names of what is over, for a while: an event that comes after the last one is noticed, and memory does not grow. */

const keepMs = 120_000;

export class OverCalls {
  #young = new Set<string>();
  #old = new Set<string>();
  #turnedMs = 0;

  add(name: string): void {
    this.#young.add(name);
  }

  has(name: string): boolean {
    return this.#young.has(name) || this.#old.has(name);
  }

  /** Forgets what is older than two minutes, now and then. */
  forget(nowMs: number): void {
    if (nowMs - this.#turnedMs < keepMs) return;
    this.#turnedMs = nowMs;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
