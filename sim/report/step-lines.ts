/**
 * The steps of a run as lines, in the order in which they are over. Rounds of a repeated step that hold and say the same become
 * one line: it comes when something else is to be told.
 */
import type { StepReport } from '../scenario/report.ts';
import { placeOf } from './step-counts.ts';
import { stepText } from './text.ts';

interface Repeated {
  readonly first: StepReport;
  count: number;
  lastMs: number;
}

export class StepLines {
  readonly #held = new Map<string, Repeated>();

  /** What is to be printed now that a step is over; may be empty. */
  add(step: StepReport): string {
    if (step.round === undefined || step.failures.length > 0) return `${this.rest()}${stepText(step)}`;
    const key = `${placeOf(step)} ${step.what}`;
    const held = this.#held.get(key);
    if (held === undefined) this.#held.set(key, { first: step, count: 1, lastMs: step.atMs });
    else {
      held.count += 1;
      held.lastMs = step.atMs;
    }
    return '';
  }

  /** What is still to be printed. */
  rest(): string {
    const lines = [...this.#held.values()].map(({ first, count, lastMs }) =>
      count === 1 ? stepText(first) : stepText(first, { count, lastMs }),
    );
    this.#held.clear();
    return lines.join('');
  }
}
