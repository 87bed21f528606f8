/** Says in words what an answer must be. */
import type { Expectation } from './expect-schema.ts';

type Item = NonNullable<Expectation['items']>[number];

/** `status 200; 3 items; each where name is n1: status is unreachable`. How long it may take is said of the request. */
export function describeExpectation({ status, headers, body, count, items = [] }: Expectation): string {
  return [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...Object.entries(headers ?? {}).map(([name, value]) =>
      value === null ? `no header ${name}` : `header ${name} is ${value}`,
    ),
    ...(body === undefined ? [] : [`in the body ${isFields(body) ? fieldsText(body) : valueText(body)}`]),
    ...(count === undefined ? [] : [itemsText(count)]),
    ...items.map(itemText),
  ].join('; ');
}

function itemText({ where, every, count }: Item): string {
  const picked = Object.keys(where).length === 0 ? '' : ` where ${fieldsText(where)}`;
  if (every === undefined) return `${itemsText(count ?? 1)}${picked}`;
  const number = count === undefined ? 'each' : `${itemsText(count)}, each`;
  return `${number}${picked}: ${fieldsText(every)}`;
}

function itemsText(count: number): string {
  return count === 1 ? '1 item' : `${count === 0 ? 'no' : count} items`;
}

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} is ${valueText(value)}`)
    .join(', ');
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[\w$.:/@-]+$/.test(value) ? value : JSON.stringify(value);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}
