/**
 * Rules of traffic between places (nodes, or endpoints outside): what a fault does to a frame. A rule gives one word on each
 * frame it concerns; installing it returns the function that lifts it.
 */
import type { NodeEntry } from '../../src/model/cluster-map.ts';

/** `afterMs`: later by so much. `copies`: so many more of it. */
export type Verdict = 'pass' | 'drop' | 'hold' | { readonly afterMs: number } | { readonly copies: number };

/** `load`: the frame, or the message, that goes from one to the other. */
export type Rule<Place = NodeEntry, Load = string> = (from: Place, to: Place, load: Load) => Verdict;

/** What all rules together do to a frame. */
export interface Fate {
  readonly isDropped: boolean;
  readonly isHeld: boolean;
  readonly afterMs: number;
  readonly copies: number;
}

const unharmed: Fate = { isDropped: false, isHeld: false, afterMs: 0, copies: 0 };

export class Rules<Place = NodeEntry, Load = string> {
  readonly #rules = new Set<Rule<Place, Load>>();
  readonly #onLifted = new Set<() => void>();
  #isSpared: ((from: Place, to: Place) => boolean) | undefined;

  /** Adds a rule. The function returned takes it away again, once. */
  install(rule: Rule<Place, Load>): () => void {
    this.#rules.add(rule);
    return () => {
      if (this.#rules.delete(rule)) for (const listener of this.#onLifted) listener();
    };
  }

  /** Calls `listener` after a rule was taken away, so that what was held can be looked at again. */
  onLifted(listener: () => void): () => void {
    this.#onLifted.add(listener);
    return () => this.#onLifted.delete(listener);
  }

  /** From now on no rule concerns what goes between places that are spared; all rules stay for the others. */
  spare(isSpared: (from: Place, to: Place) => boolean): void {
    this.#isSpared = isSpared;
    for (const listener of this.#onLifted) listener();
  }

  judge(from: Place, to: Place, load: Load): Fate {
    if (this.#rules.size === 0 || this.#isSpared?.(from, to) === true) return unharmed;
    let [isDropped, isHeld, afterMs, copies] = [false, false, 0, 0];
    for (const rule of this.#rules) {
      const verdict = rule(from, to, load);
      if (verdict === 'drop') isDropped = true;
      else if (verdict === 'hold') isHeld = true;
      else if (verdict !== 'pass' && 'afterMs' in verdict) afterMs += verdict.afterMs;
      else if (verdict !== 'pass') copies += verdict.copies;
    }
    return { isDropped, isHeld, afterMs, copies };
  }
}
