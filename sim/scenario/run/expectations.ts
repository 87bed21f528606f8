/** Compares an answer with the expectation of a scenario. */
import type { Expectation } from '../language/scenario.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** Absent for the state of a phone or provider. */
  readonly headers?: Headers;
}

/** An expectation that was not met. */
export interface Unmet {
  readonly text: string;
  /** Path in the actual value, such as `body.legs[1].side`. */
  readonly at?: string;
  /** Path in the expected value. */
  readonly wantedAt?: string;
  /** The whole expected and actual value; the same for all entries of one answer. */
  readonly compared?: { readonly expected: unknown; readonly actual: unknown };
}

/** The expectations that an answer does not meet; empty if it meets all. */
export function unmet(expectation: Expectation, answer: Answer): Unmet[] {
  const { within: _, ...expected } = expectation;
  const { status, body, headers } = answer;
  const { status: wanted, headers: fields = {}, body: part, count, items } = expected;
  const all = [
    ...(wanted === undefined || wanted === status ? [] : [unmetStatus(wanted, answer)]),
    ...Object.entries(fields).flatMap(([name, value]) => unmetHeader(name, value, headers?.get(name) ?? null)),
    ...(part === undefined ? [] : differences(part, body, 'body')),
    ...(count === undefined ? [] : unmetCount(count, body)),
    ...(items ?? []).flatMap((item, i) => unmetItem(item, body, `items[${i}]`)),
  ];
  const actualHeaders = Object.fromEntries(Object.keys(fields).map((name) => [name, headers?.get(name) ?? null]));
  const actual = { status, ...(expected.headers !== undefined && { headers: actualHeaders }), body };
  return all.map((each) => ({ ...each, compared: { expected, actual } }));
}

/** Shows the body of an error answer: it names the reason. */
function unmetStatus(wanted: number, { status, body }: Answer): Unmet {
  const text = `status: expected ${wanted}, got ${status}${status < 400 ? '' : `: ${shown(body)}`}`;
  return { text, at: 'status' };
}

function unmetHeader(name: string, wanted: string | null, actual: string | null): Unmet[] {
  const valueText = (value: string | null) => (value === null ? 'none' : shown(value));
  if (wanted === actual) return [];
  return [{ text: `header ${name}: expected ${valueText(wanted)}, got ${valueText(actual)}`, at: `headers.${name}` }];
}

function unmetCount(count: number, body: unknown): Unmet[] {
  if (Array.isArray(body) && body.length === count) return [];
  const got = Array.isArray(body) ? body.length : 'no list';
  const text = `body: expected a list of ${count} items, got ${got}: ${shown(body)}`;
  return [{ text, at: 'body', wantedAt: 'count' }];
}

function unmetItem(item: NonNullable<Expectation['items']>[number], body: unknown, wantedAt: string): Unmet[] {
  const whole = { at: 'body', wantedAt };
  if (!Array.isArray(body)) return [{ text: `body: expected a list, got ${shown(body)}`, ...whole }];
  const { where, every, count } = item;
  const picked = [...body.entries()].filter(([, each]) => differences(where, each, '').length === 0);
  const what = `items where ${shown(where)}`;
  if (count !== undefined && picked.length !== count) {
    return [{ text: `${what}: expected ${count}, got ${picked.length}`, ...whole }];
  }
  if (count === undefined && picked.length === 0)
    return [{ text: `${what}: expected at least one, got none`, ...whole }];
  return picked.flatMap(([index, each], i) =>
    differences(every ?? {}, each, '').map(({ text, at = '' }) => ({
      text: `${what}[${i}]${text}`,
      at: `body[${index}]${at}`,
      wantedAt: `${wantedAt}.every${at}`,
    })),
  );
}

/** Where `actual` does not contain `part`. Objects may have more fields; lists must have the same length. */
function differences(part: unknown, actual: unknown, at: string): Unmet[] {
  const differs = (wanted: string) => [{ text: `${at}: expected ${wanted}, got ${shown(actual)}`, at }];
  if (Array.isArray(part)) {
    if (!Array.isArray(actual)) return differs('a list');
    if (actual.length !== part.length) return differs(`${part.length} items`);
    return part.flatMap((each, i) => differences(each, actual[i], `${at}[${i}]`));
  }
  if (typeof part === 'object' && part !== null) {
    if (typeof actual !== 'object' || actual === null) return differs('an object');
    return Object.entries(part).flatMap(([key, value]) =>
      differences(value, (actual as Record<string, unknown>)[key], `${at}.${key}`),
    );
  }
  return Object.is(part, actual) ? [] : differs(shown(part));
}

const longest = 1_000;

/** A value in one line, cut to its beginning if it is long. The report page has all of it. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
