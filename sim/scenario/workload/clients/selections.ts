/** Selections of a list by the values of its items: queries, and keys of LOOKUP. */
import type { RandomStream } from '../../../../src/ports/random.ts';
import { oneOf } from '../tally.ts';

type Item = Readonly<Record<string, unknown>>;

/** The query of a selection by the values of the items. */
export function selection(items: readonly Item[], isCountable: boolean, random: RandomStream): string {
  const plain = items.flatMap((item) =>
    Object.entries(item).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  );
  // Fields that identify an item are found by an index.
  const keys = plain.filter(([field]) => textKeys.includes(field));
  const [name, value] = oneOf(random.float() < 0.3 && keys.length > 0 ? keys : plain, random) ?? ['id', 'none'];
  const others = plain.flatMap(([field, theirs]) => (field === name && theirs !== value ? [theirs] : []));
  const other = oneOf(others, random) ?? 'other';
  const property = ['property', name];
  const filters: readonly unknown[] = [
    { [name]: value },
    ...['==', '!=', '<', '<=', '>', '>='].map((operator) => [operator, property, value]),
    ['in', property, [value, other]],
    ['||', ['==', property, value], ['==', property, other]],
    ['!', ['==', property, value]],
    ['&&', ['>=', property, value], ['<=', property, value]],
    ['||', ['<', property, value], ['>', property, value]],
    ...(typeof value === 'string' && /^[\w-]+$/.test(value) ? [['like', property, `${value.slice(0, 1)}%`]] : []),
  ];
  const query = new URLSearchParams();
  const isBare = random.float() < 0.4;
  if (!isBare) query.set('filter', JSON.stringify(oneOf(filters, random)));
  if (isCountable && random.float() < 0.2) query.set('countonly', 'true');
  else {
    if (random.float() < 0.3) query.set('order', JSON.stringify([random.float() < 0.5 ? name : { [name]: 'desc' }]));
    if (isBare || random.float() < 0.3) query.set('limit', String(random.integer(0, 4)));
    if (random.float() < (isBare ? 0.5 : 0.2)) query.set('offset', String(random.integer(0, 3)));
  }
  return String(query);
}

/** Fields of items that LOOKUP takes as a text, and fields of calls and conferences that it takes by name. */
const textKeys = ['id', 'login', 'code', 'phonenumber'];
const liveKeys = ['dialogid', 'inviteid', 'confid', 'confuri', 'confroomnum', 'confnumber'];
/** Lists in live items: the name of the key, by that of the list. */
const listKeys = { callids: 'callid', uris: 'uri' } as const;

/** A key that one of the items has, or one that none has; `undefined` where there is nothing to look up. */
export function lookupKey(items: readonly Item[], random: RandomStream): unknown {
  const item = oneOf(items, random);
  if (item === undefined) return undefined;
  const inLists = Object.entries(listKeys).flatMap(([list, name]) => {
    const value = Array.isArray(item[list]) ? oneOf(item[list] as readonly string[], random) : undefined;
    return value === undefined ? [] : [{ [name]: value.replaceAll(/[<>]/g, '') }];
  });
  const isLive = 'dialogid' in item || 'confid' in item;
  const plain = liveKeys.flatMap((name) => (typeof item[name] === 'string' ? [{ [name]: bare(item[name]) }] : []));
  if (isLive) return oneOf([...plain, ...inLists], random);
  const texts = textKeys.map((name) => item[name]).filter((value) => typeof value === 'string' && value !== '');
  return random.float() < 0.1 ? 'none' : oneOf(texts, random);
}

function bare(text: string): string {
  return text.replaceAll(/[<>]/g, '');
}
