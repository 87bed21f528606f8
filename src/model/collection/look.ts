/** The look of a filter at one item after another, which may be interrupted between two comparisons. */
import { itemSteps, Steps } from './sliced.ts';

export class Look {
  readonly steps = new Steps();
  /** By comparison, what was found of the item at hand. */
  #verdicts: (boolean | undefined)[] = [];

  /** Whether the filter is to stop before its next comparison. After the steps were taken it does one at least. */
  get isInterrupted(): boolean {
    return this.steps.areMany;
  }

  verdictOf(comparison: number): boolean | undefined {
    return this.#verdicts[comparison];
  }

  note(comparison: number, verdict: boolean, steps: number): boolean {
    this.#verdicts[comparison] = verdict;
    this.steps.add(steps);
    return verdict;
  }

  /** Goes on to the next item. */
  next(): void {
    this.#verdicts = [];
    this.steps.add(itemSteps);
  }
}
