import { limits } from '../limits.ts';
import { bad, faultAt, good, type Parsed, type QueryFault, readJson, shown, unexpected } from './fault.ts';
import { isRecord, type PropertyPath } from './property.ts';
import { type NameReader, pathOf } from './shape.ts';
import { compareValues } from './value.ts';

/** One name of an order: which property, and which way. */
export interface OrderKey {
  readonly path: PropertyPath;
  readonly isDescending: boolean;
}

/** Names without JSON around them. Anything that could mean more (`-name`, `name desc`) is refused instead of guessed. */
const bareNames = /^[\w.]+(,[\w.]+)*$/;

/** An order by `names`, all ascending. */
export function ascending(names: readonly string[]): OrderKey[] {
  return names.map((name) => ({ path: pathOf(name), isDescending: false }));
}

/**
 * Reads `order`: a JSON array of names (ascending) or objects of one name with `"asc"` or `"desc"`. (chosen)
 *
 * Also taken, since they can mean only one thing: one such name or object without the array, and bare names with
 * commas between them (`order=name,ext.ct`). An empty text or array is no order.
 */
export function parseOrder(text: string, readName: NameReader): Parsed<readonly OrderKey[] | undefined> {
  const read = text === '' ? good([]) : bareNames.test(text) ? good(text.split(',')) : readJson('order', text);
  if (!read.ok) return read;
  const json = read.value;
  if (typeof json !== 'string' && typeof json !== 'object') {
    return bad(unexpected('order', '', { wanted: 'a JSON array of names', got: json === undefined ? text : json }));
  }
  const terms = Array.isArray(json) ? json : [json];
  if (terms.length > limits.orderNames) return bad(faultAt('order', '', `more than ${limits.orderNames} names`));
  const keys: OrderKey[] = [];
  for (const [index, term] of terms.entries()) {
    const key = readTerm(term, Array.isArray(json) ? `[${index}]` : '', readName);
    if ('message' in key) return bad(key);
    keys.push(key);
  }
  return good(keys.length > 0 ? keys : undefined);
}

function readTerm(term: unknown, path: string, readName: NameReader): OrderKey | QueryFault {
  if (typeof term === 'string') return keyOf(term, path, { readName, isDescending: false });
  const [entry, ...others] = isRecord(term) ? Object.entries(term) : [];
  if (entry === undefined || others.length > 0) {
    return unexpected('order', path, { wanted: 'a name or {name: "asc" or "desc"} with one name', got: term });
  }
  const [name, way] = entry;
  if (way !== 'asc' && way !== 'desc') {
    return unexpected('order', `${path}[${shown(name)}]`, { wanted: '"asc" or "desc"', got: way });
  }
  return keyOf(name, path, { readName, isDescending: way === 'desc' });
}

function keyOf(
  name: string,
  place: string,
  { readName, isDescending }: { readonly readName: NameReader; readonly isDescending: boolean },
): OrderKey | QueryFault {
  const problem = readName.problemOf(name);
  if (problem !== undefined) return faultAt('order', place, problem);
  return { path: pathOf(readName.translate(name)), isDescending };
}

/** Compares two items by the values that they have for the keys of an order. */
export function compareRows(a: readonly unknown[], b: readonly unknown[], keys: readonly OrderKey[]): number {
  for (const [index, { isDescending }] of keys.entries()) {
    const order = compareValues(a[index], b[index]);
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}
