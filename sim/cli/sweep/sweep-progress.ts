/** What a sweep shows while it runs. */
import { ProgressLine } from '../progress.ts';

/** Progress: finished runs, their rate, and the estimated time for the rest. */
export class SweepProgress {
  readonly #total: number;
  readonly #startMs = performance.now();
  readonly #line = new ProgressLine();
  #count = 0;
  #failed = 0;

  constructor(total: number) {
    this.#total = total;
  }

  step(isFailure: boolean): void {
    this.#count += 1;
    if (isFailure) this.#failed += 1;
    this.#line.tell(this.#text());
  }

  end(): void {
    if (this.#count > 0) this.#line.end(this.#text());
  }

  #text(): string {
    const perSecond = (this.#count / (performance.now() - this.#startMs)) * 1_000;
    const leftSeconds = Math.ceil((this.#total - this.#count) / perSecond);
    return `${this.#count} of ${this.#total} runs, ${this.#failed} failed, ${(perSecond * 60).toFixed(0)} a minute, ${leftSeconds} s left`;
  }
}
