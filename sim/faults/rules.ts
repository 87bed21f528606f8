import type { NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import { parseGlob } from '../../src/model/collection/slices.ts';
import { catalogue } from '../../src/model/protocol/catalogue.ts';
import { type SipMessage, sipMethods } from '../../src/model/sip/message.ts';

/**
 * Which messages a fault affects: `peer.*`, `dialog.originate`, `sip`, `sip CANCEL`, `sip 200`, `sip 200 INVITE`, `sip
 * 4*` between nodes; `INVITE`, `200`, `200 INVITE` with the world outside. A star matches any text.
 */

/** A predicate: the name matches one of the patterns. */
export function fits(patterns: readonly string[]): (name: string) => boolean {
  const globs = patterns.map((pattern) => parseGlob(pattern));
  return (name) => globs.some((glob) => glob?.matches(name));
}

/** The names of a SIP message: its method, or its status, alone or with the method. */
export function namesOfSip(message: SipMessage): string[] {
  return message.kind === 'request' ? [message.method] : [`${message.status}`, `${message.status} ${message.method}`];
}

/** The names of a message between nodes. */
export function namesOfMessage(type: string, body: unknown): string[] {
  return type === 'sip' ? [type, ...namesOfSip(body as SipMessage).map((name) => `${type} ${name}`)] : [type];
}

/** What was expected, for a pattern that can match no message between nodes; `undefined` if it can match one. */
export function unknownMessage(pattern: string): string | undefined {
  const [type = '', ...sip] = pattern.split(' ');
  const types = Object.keys(catalogue).filter(fits([type]));
  const isKnown = types.length > 0 && (sip.length === 0 || (types.includes('sip') && isSipName(sip.join(' '))));
  return isKnown ? undefined : 'a type of docs/reference/protocol.md, such as dialog.originate, peer.* or sip CANCEL';
}

export function unknownSipMessage(pattern: string): string | undefined {
  return isSipName(pattern) ? undefined : 'a method or a status of SIP, such as INVITE, 200, 4* or 200 INVITE';
}

/** Any status from 100 to 699 is valid. */
function isSipName(pattern: string): boolean {
  const [first = '', second] = pattern.split(' ');
  const isStatus = /^[1-6*][\d*]*$/.test(first);
  const isMethod = (text: string) => sipMethods.some(fits([text]));
  return second === undefined ? isStatus || isMethod(first) : isStatus && isMethod(second);
}

/**
 * Rules of traffic between places (nodes, or endpoints outside): the effect of a fault on a frame. A rule has one
 * verdict for each frame that it affects. Adding a rule returns the function that removes it.
 */

/** `afterMs`: delay. `copies`: number of extra copies. */
export type RuleVerdict = 'pass' | 'drop' | 'hold' | { readonly afterMs: number } | { readonly copies: number };

/** `load`: the frame or message in flight. */
export type TrafficRule<Place = NodeEntry, Load = string> = (from: Place, to: Place, load: Load) => RuleVerdict;

/** The combined effect of all rules on a frame. */
export interface Fate {
  readonly isDropped: boolean;
  readonly isHeld: boolean;
  readonly afterMs: number;
  readonly copies: number;
}

const unharmed: Fate = { isDropped: false, isHeld: false, afterMs: 0, copies: 0 };

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
