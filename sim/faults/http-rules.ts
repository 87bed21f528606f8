/** Rules of the HTTP requests of scripts: the effect of faults on a request on its way to another system. */

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
