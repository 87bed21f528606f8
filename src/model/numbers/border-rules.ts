/**
 * Border rules: which requests from outside the SIP edges accept. Two passes: first, before a message is parsed, the rules
 * with only an address mask; then all rules. In each pass the matching rule with the lowest priority number decides, of
 * equal ones the first; without a match the request is accepted. (passes public, the rest chosen)
 *
 * A field that cannot be evaluated (invalid expression, malformed mask, text too long) fails closed: for `deny` and `drop`
 * it matches, so that the rule refuses whatever its other fields match, and for `allow` it does not. With an invalid domain
 * pattern the rule refuses in all domains; a rule with a lower priority number may still allow. (chosen)
 */
import { z } from 'zod';
import { expressionOf, sizeOf } from '../expression/expression.ts';
import { ExpressionProblem } from '../expression/translate.ts';
import { limits } from '../limits.ts';
/** The expected form of a mask. */
export const wantedMask = 'expected an address, address/prefix or address+N';

// An expression that does not compile is accepted: no rule prevents the start of a cluster.
const pattern = z.string().max(limits.patternChars);

/** A border rule. Master domain only. (fields documented, patterns public) */
export const borderRuleSchema = z.strictObject({
  priority: z.int().describe('The lowest number that matches decides'),
  site: z.string().default('*').describe('Site, or * for all'),
  domain: pattern.default('').describe('Text, or a regular expression between slashes; empty: any'),
  username: pattern.default(''),
  useragent: pattern.default(''),
  remoteipmask: z
    .string()
    .refine(isAddressMask, wantedMask)
    .default('')
    .describe('Address, address/prefix or address+N; empty: any'),
  action: z.enum(['allow', 'deny', 'drop']),
});

export type TopologyBorderRule = z.infer<typeof borderRuleSchema>;

export type BorderVerdict = TopologyBorderRule['action'];

/** A rule, with its id if it is an item of the domain data. */
export interface BorderRule extends TopologyBorderRule {
  readonly id?: string | undefined;
}

/** The origin of a request, and the sender that it names. */
export interface IncomingRequest {
  readonly ip: string;
  readonly domain: string;
  readonly username: string;
  readonly useragent: string;
}

/** A field of a rule that cannot be evaluated. */
export interface BorderProblem {
  readonly rule: BorderRule;
  readonly field: (typeof patternFields)[number] | 'remoteipmask';
  readonly problem: string;
}

/** `undefined`: the match cannot be decided. */
type Matcher<T> = (value: T) => boolean | undefined;

interface Rule {
  readonly action: BorderVerdict;
  readonly isAddressOnly: boolean;
  readonly isAddress: Matcher<number>;
  readonly isDomain: Matcher<string>;
  readonly isUsername: Matcher<string>;
  readonly isUserAgent: Matcher<string>;
}

const patternFields = ['domain', 'username', 'useragent'] as const;
type Patterns = Readonly<Record<(typeof patternFields)[number], string>>;

export class BorderRules {
  readonly #all: readonly Rule[];
  readonly #ofAddress: readonly Rule[];
  /** The problems of all rules, in order. */
  readonly problems: readonly BorderProblem[];

  constructor(rules: readonly BorderRule[], site: string) {
    const here = rules.filter((rule) => rule.site === '' || rule.site === '*' || rule.site === site);
    const compiler = new Compiler();
    this.#all = here.toSorted((a, b) => a.priority - b.priority).map((rule) => compiler.ruleOf(rule));
    this.#ofAddress = this.#all.filter((rule) => rule.isAddressOnly);
    this.problems = compiler.problems;
  }

  /** Whether there are no rules, so that messages need not be parsed for them. */
  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** The first pass. After `allow`, parse the message and ask `verdictOn`. */
  verdictOnAddress(ip: string): BorderVerdict {
    if (this.#ofAddress.length === 0) return 'allow';
    const number = ipv4Number(ip);
    return this.#ofAddress.find((rule) => applies(rule, rule.isAddress, number))?.action ?? 'allow';
  }

  /** The second pass. */
  verdictOn({ ip, domain: named, username, useragent }: IncomingRequest): BorderVerdict {
    const number = ipv4Number(ip);
    const domain = named.toLowerCase();
    const rule = this.#all.find(
      (each) =>
        applies(each, each.isAddress, number) &&
        applies(each, each.isDomain, domain) &&
        applies(each, each.isUsername, username) &&
        applies(each, each.isUserAgent, useragent),
    );
    return rule?.action ?? 'allow';
  }
}

/** The problem of a pattern (a text or, between slashes, a regular expression), or `undefined`. */
export function patternProblem(pattern: string): string | undefined {
  const source = sourceOf(pattern);
  const size = source === undefined ? 0 : sizeOf(source);
  return size instanceof ExpressionProblem ? size.message : undefined;
}

/** The problems of a rule in one line, or `undefined`. */
export function problemOfRule(rule: Patterns & Pick<BorderRule, 'remoteipmask'>): string | undefined {
  const problems = patternFields.flatMap((field) => {
    const problem = patternProblem(rule[field]);
    return problem === undefined ? [] : [`${field}: ${problem}`];
  });
  if (!isAddressMask(rule.remoteipmask)) problems.push(`remoteipmask: ${wantedMask}`);
  return problems.length === 0 ? undefined : problems.join('; ');
}

/** Why there are too many rules: every incoming message is matched with all of them. */
export function crowdProblem(rules: readonly (Patterns & { readonly enabled: 0 | 1 })[]): string | undefined {
  const { borderRules, borderChars, borderSteps } = limits;
  if (rules.length > borderRules) return `expected at most ${borderRules} border rules`;
  const patterns = (some: typeof rules) => some.flatMap((rule) => patternFields.map((field) => rule[field]));
  const letters = patterns(rules).reduce((sum, { length }) => sum + length, 0);
  if (letters > borderChars) return `expected patterns of at most ${borderChars} characters in all border rules`;
  const enabled = rules.filter((rule) => rule.enabled === 1);
  const steps = patterns(enabled).reduce((sum, pattern) => sum + stepsOf(pattern), 0);
  if (steps <= borderSteps) return undefined;
  return `expected regular expressions of at most ${borderSteps} steps in all enabled border rules, got ${steps}`;
}

/** Whether a text is empty, an address, `address/prefix`, or `address+N` (N further addresses). */
export function isAddressMask(text: string): boolean {
  return text === '' || rangeOf(text) !== undefined;
}

/** Compiles the rules of one border. The total number of steps is limited; rules beyond it cannot be evaluated. */
class Compiler {
  readonly problems: BorderProblem[] = [];
  #steps = 0;

  ruleOf(rule: BorderRule): Rule {
    const { action, domain, username, useragent, remoteipmask } = rule;
    const isAddressOnly = remoteipmask !== '' && domain === '' && username === '' && useragent === '';
    return {
      action,
      isAddressOnly,
      isAddress: this.#address(rule),
      isDomain: this.#pattern(rule, 'domain'),
      isUsername: this.#pattern(rule, 'username'),
      isUserAgent: this.#pattern(rule, 'useragent'),
    };
  }

  #pattern(rule: BorderRule, field: (typeof patternFields)[number]): Matcher<string> {
    const pattern = rule[field];
    if (pattern === '') return () => true;
    const source = sourceOf(pattern);
    // Host names have no case. (RFC 3261 19.1.4)
    const ignoresCase = field === 'domain';
    const sought = ignoresCase ? pattern.toLowerCase() : pattern;
    if (source === undefined) return (text) => text === sought;
    const expression = expressionOf(source, { ignoresCase });
    if (expression instanceof ExpressionProblem) return this.#undecided({ rule, field, problem: expression.message });
    this.#steps += expression.size;
    if (this.#steps <= limits.borderSteps) return expression.test;
    this.#steps -= expression.size;
    const problem = `expected regular expressions of at most ${limits.borderSteps} steps in all border rules`;
    return this.#undecided({ rule, field, problem });
  }

  #address(rule: BorderRule): Matcher<number> {
    const mask = rule.remoteipmask;
    if (mask === '') return () => true;
    const range = rangeOf(mask);
    if (range === undefined) return this.#undecided({ rule, field: 'remoteipmask', problem: wantedMask });
    const [first, last] = range;
    return (ip) => ip >= first && ip <= last;
  }

  #undecided(problem: BorderProblem): Matcher<unknown> {
    this.problems.push(problem);
    return () => undefined;
  }
}

function applies<T>({ action }: Rule, matcher: Matcher<T>, value: T): boolean {
  return matcher(value) ?? action !== 'allow';
}

/** The regular expression in a pattern; `undefined` for a text. */
function sourceOf(pattern: string): string | undefined {
  return pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/') ? pattern.slice(1, -1) : undefined;
}

function stepsOf(pattern: string): number {
  const source = sourceOf(pattern);
  const size = source === undefined ? 0 : sizeOf(source);
  return size instanceof ExpressionProblem ? 0 : size;
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

/** An IPv4 address as a number; NaN, which is in no range, for other texts. */
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
