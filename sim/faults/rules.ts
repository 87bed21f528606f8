/**
 * Rules of traffic between places (nodes, or endpoints outside): the effect of a fault on a frame; and rules of the HTTP
 * requests of scripts. A rule has one action for each frame that it affects. Adding a rule returns the function that removes it.
 */
import type { NodeEntry } from '../../src/model/cluster/cluster-map.ts';

/** `afterMs`: delay. `copies`: number of extra copies. */
export type RuleAction = 'pass' | 'drop' | 'hold' | { readonly afterMs: number } | { readonly copies: number };

/** `load`: the frame or message in flight. */
export type TrafficRule<Place = NodeEntry, Load = string> = (from: Place, to: Place, load: Load) => RuleAction;

/** The combined effect of all rules on a frame. */
export interface TrafficEffect {
  readonly isDropped: boolean;
  readonly isHeld: boolean;
  readonly afterMs: number;
  readonly copies: number;
}

const unharmed: TrafficEffect = { isDropped: false, isHeld: false, afterMs: 0, copies: 0 };

export class TrafficRules<Place = NodeEntry, Load = string> {
  readonly #rules = new Set<TrafficRule<Place, Load>>();
  readonly #onLifted = new Set<() => void>();
  #isSpared: ((from: Place, to: Place) => boolean) | undefined;

  /** Adds a rule. The returned function removes it, once. */
  install(rule: TrafficRule<Place, Load>): () => void {
    this.#rules.add(rule);
    return () => {
      if (this.#rules.delete(rule)) for (const listener of this.#onLifted) listener();
    };
  }

  /** Calls `listener` after a rule was removed, to re-check held frames. */
  onLifted(listener: () => void): () => void {
    this.#onLifted.add(listener);
    return () => this.#onLifted.delete(listener);
  }

  /** Exempts traffic between spared places from all rules; the rules stay for the rest. */
  spare(isSpared: (from: Place, to: Place) => boolean): void {
    this.#isSpared = isSpared;
    for (const listener of this.#onLifted) listener();
  }

  /** No traffic is exempt any more. */
  spareNone(): void {
    this.#isSpared = undefined;
  }

  effectOn(from: Place, to: Place, load: Load): TrafficEffect {
    if (this.#rules.size === 0 || this.#isSpared?.(from, to) === true) return unharmed;
    let [isDropped, isHeld, afterMs, copies] = [false, false, 0, 0];
    for (const rule of this.#rules) {
      const action = rule(from, to, load);
      if (action === 'drop') isDropped = true;
      else if (action === 'hold') isHeld = true;
      else if (action !== 'pass' && 'afterMs' in action) afterMs += action.afterMs;
      else if (action !== 'pass') copies += action.copies;
    }
    return { isDropped, isHeld, afterMs, copies };
  }
}

/** The combined effect of all rules on a request. */
export interface HttpHarm {
  /** The other system refuses the connection. */
  readonly isRefused?: boolean;
  /** It arrives later. */
  readonly afterMs?: number;
  /** It arrives after the next one. */
  readonly isReordered?: boolean;
  /** It arrives twice. */
  readonly isDuplicated?: boolean;
  /** Its signature is wrong. */
  readonly isForged?: boolean;
  /** The connection breaks in the middle of its body. */
  readonly isHalf?: boolean;
}

export interface HttpRule {
  /** The beginning of the addresses that it affects. */
  readonly url: string;
  /** Its verdict on a request; `undefined`: it passes. */
  readonly verdict: () => HttpHarm | undefined;
}

export class HttpRules {
  readonly #rules = new Set<HttpRule>();

  /** Adds a rule. The returned function removes it. */
  install(rule: HttpRule): () => void {
    this.#rules.add(rule);
    return () => void this.#rules.delete(rule);
  }

  /** What happens to a request to this address. Delays add up. */
  harmOf(url: string): HttpHarm {
    let harm: HttpHarm = {};
    for (const rule of this.#rules) {
      const one = url.startsWith(rule.url) ? rule.verdict() : undefined;
      if (one !== undefined) harm = { ...harm, ...one, afterMs: (harm.afterMs ?? 0) + (one.afterMs ?? 0) };
    }
    return harm;
  }
}
