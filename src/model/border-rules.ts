/**
 * The rules of the border between the platform and outside: whom the SIP edges let in. Two passes: first, before a
 * message is looked into, the rules that have only an address mask; then all rules. In each the lowest priority number
 * that matches decides, of equal ones the first; what no rule matches is let in. (passes public, the rest chosen)
 */
import type { TopologyBorderRule } from './topology/schema.ts';

export type BorderVerdict = TopologyBorderRule['action'];

/** Who knocks: the address that it comes from, and what a request says of its sender. */
export interface Knock {
  readonly ip: string;
  readonly domain: string;
  readonly username: string;
  readonly useragent: string;
}

type Matcher<T> = (value: T) => boolean;

interface Rule {
  readonly action: BorderVerdict;
  readonly isAddressOnly: boolean;
  readonly isAddress: Matcher<number>;
  readonly isDomain: Matcher<string>;
  readonly isUsername: Matcher<string>;
  readonly isUserAgent: Matcher<string>;
}

export class BorderRules {
  readonly #all: readonly Rule[];
  readonly #ofAddress: readonly Rule[];

  constructor(rules: readonly TopologyBorderRule[], site: string) {
    const here = rules.filter((rule) => rule.site === '' || rule.site === '*' || rule.site === site);
    this.#all = here.toSorted((a, b) => a.priority - b.priority).map(ruleOf);
    this.#ofAddress = this.#all.filter((rule) => rule.isAddressOnly);
  }

  /** Without rules nobody need look into a message. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** The first pass. `allow`: look into the message, then ask `verdictOn`. */
  verdictOnAddress(ip: string): BorderVerdict {
    if (this.#ofAddress.length === 0) return 'allow';
    const number = ipv4Number(ip);
    return this.#ofAddress.find((rule) => rule.isAddress(number))?.action ?? 'allow';
  }

  /** The second pass. */
  verdictOn({ ip, domain, username, useragent }: Knock): BorderVerdict {
    const number = ipv4Number(ip);
    const rule = this.#all.find(
      (each) =>
        each.isAddress(number) && each.isDomain(domain) && each.isUsername(username) && each.isUserAgent(useragent),
    );
    return rule?.action ?? 'allow';
  }
}

/** Whether a text is a pattern: any text, or between slashes a regular expression. */
export function isPattern(text: string): boolean {
  try {
    patternMatcher(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is empty, an address, `address/prefix`, or `address+N` (N addresses more than that one). */
export function isAddressMask(text: string): boolean {
  return text === '' || rangeOf(text) !== undefined;
}

function ruleOf(rule: TopologyBorderRule): Rule {
  const { action, domain, username, useragent, remoteipmask } = rule;
  const isDomain = patternMatcher(domain);
  const isUsername = patternMatcher(username);
  const isUserAgent = patternMatcher(useragent);
  const isAddressOnly = remoteipmask !== '' && domain === '' && username === '' && useragent === '';
  return { action, isAddressOnly, isAddress: addressMatcher(remoteipmask), isDomain, isUsername, isUserAgent };
}

function patternMatcher(pattern: string): Matcher<string> {
  if (pattern === '') return () => true;
  const [, source] = /^\/(.+)\/$/.exec(pattern) ?? [];
  if (source === undefined) return (text) => text === pattern;
  const expression = new RegExp(source);
  return (text) => expression.test(text);
}

function addressMatcher(mask: string): Matcher<number> {
  if (mask === '') return () => true;
  const range = rangeOf(mask);
  if (range === undefined) return () => false;
  const [first, last] = range;
  return (ip) => ip >= first && ip <= last;
}

/** The first and the last address of a mask, as numbers. */
function rangeOf(mask: string): [number, number] | undefined {
  const [, address = '', sign, digits = ''] = /^([\d.]+)(?:([/+])(\d{1,10}))?$/.exec(mask) ?? [];
  const first = ipv4Number(address);
  if (Number.isNaN(first)) return undefined;
  const number = Number(digits);
  if (sign === undefined) return [first, first];
  if (sign === '+') return [first, first + number];
  if (number > 32) return undefined;
  const size = 2 ** (32 - number);
  const start = Math.floor(first / size) * size;
  return [start, start + size - 1];
}

/** An IPv4 address as a number; NaN, which is in no range, for anything else. */
function ipv4Number(ip: string): number {
  const parts = ip.split('.');
  if (parts.length !== 4) return Number.NaN;
  let number = 0;
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return Number.NaN;
    number = number * 256 + Number(part);
  }
  return number;
}
