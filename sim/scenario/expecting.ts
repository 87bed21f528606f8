/** Whether an answer is as a scenario expects it, and if not, where it differs. */
import type { Expectation } from './schema.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** None where a party outside was looked at. */
  readonly headers?: Headers;
}

/** What does not hold, one line each; empty when all holds. */
export function unmet(expectation: Expectation, { status, body, headers }: Answer): string[] {
  const { status: wanted, headers: fields = {}, body: part, count, items } = expectation;
  return [
    ...(wanted === undefined || wanted === status ? [] : [unmetStatus(wanted, { status, body })]),
    ...Object.entries(fields).flatMap(([name, value]) => unmetHeader(name, value, headers?.get(name) ?? null)),
    ...(part === undefined ? [] : differences(part, body, 'body')),
    ...(count === undefined ? [] : unmetCount(count, body)),
    ...(items ?? []).flatMap((item) => unmetItem(item, body)),
  ];
}

/** A refusal says why. */
function unmetStatus(wanted: number, { status, body }: Answer): string {
  return `status: expected ${wanted}, got ${status}${status < 400 ? '' : `: ${shown(body)}`}`;
}

function unmetHeader(name: string, wanted: string | null, actual: string | null): string[] {
  const told = (value: string | null) => (value === null ? 'none' : shown(value));
  return wanted === actual ? [] : [`header ${name}: expected ${told(wanted)}, got ${told(actual)}`];
}

function unmetCount(count: number, body: unknown): string[] {
  if (Array.isArray(body) && body.length === count) return [];
  return [
    `body: expected a list of ${count} items, got ${Array.isArray(body) ? body.length : 'no list'}: ${shown(body)}`,
  ];
}

function unmetItem(item: NonNullable<Expectation['items']>[number], body: unknown): string[] {
  if (!Array.isArray(body)) return [`body: expected a list, got ${shown(body)}`];
  const { where, every, count } = item;
  const picked = body.filter((each) => differences(where, each, '').length === 0);
  const what = `items where ${shown(where)}`;
  if (count !== undefined && picked.length !== count) return [`${what}: expected ${count}, got ${picked.length}`];
  if (count === undefined && picked.length === 0) return [`${what}: expected at least one, got none`];
  return picked.flatMap((each, i) => differences(every ?? {}, each, `${what}[${i}]`));
}

/** Where `actual` lacks something of `part`. Objects may have more fields; lists must be as long. */
function differences(part: unknown, actual: unknown, path: string): string[] {
  if (Array.isArray(part)) {
    if (!Array.isArray(actual)) return [`${path}: expected a list, got ${shown(actual)}`];
    if (actual.length !== part.length) return [`${path}: expected ${part.length} items, got ${shown(actual)}`];
    return part.flatMap((each, i) => differences(each, actual[i], `${path}[${i}]`));
  }
  if (typeof part === 'object' && part !== null) {
    if (typeof actual !== 'object' || actual === null) return [`${path}: expected an object, got ${shown(actual)}`];
    return Object.entries(part).flatMap(([key, value]) =>
      differences(value, (actual as Record<string, unknown>)[key], `${path}.${key}`),
    );
  }
  return Object.is(part, actual) ? [] : [`${path}: expected ${shown(part)}, got ${shown(actual)}`];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 197)}...` : text;
}
