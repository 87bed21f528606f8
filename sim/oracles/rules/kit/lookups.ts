/** What a LOOKUP finds in a list, as the interface describes its keys. */
import { jsonOr } from '../../../../src/model/json.ts';
import { jsonIn } from './reading.ts';
import type { Item } from './selection.ts';

export interface LookedUp {
  /** The text of the request. */
  readonly key: string | undefined;
  readonly status: number;
  readonly body: string;
}

/** Fields that a text is looked up in, beside `id`. */
const fields: Readonly<Record<string, readonly string[]>> = {
  users: ['login'],
  chatcampaigns: ['code'],
  sipusers: ['login', 'phonenumber'],
  roleapps: [],
  recordrules: [],
};

/** The keys of calls and conferences that a list shows, in the order in which they decide. */
const liveKeys: Readonly<Record<string, (item: Item, value: string) => boolean>> = {
  dialogid: (item, value) => item['dialogid'] === value,
  inviteid: (item, value) => item['inviteid'] === value,
  callid: (item, value) => listIn(item, 'callids').includes(value),
  uri: (item, value) => listIn(item, 'uris').includes(`<${value}>`),
  confid: (item, value) => item['confid'] === value,
  confuri: (item, value) => item['confuri'] === `<${value}>`,
  confroomnum: (item, value) => item['confroomnum'] === value,
  confnumber: (item, value) => item['confnumber'] === value,
};

/** What a live item can be found by. */
export function liveKeysIn({
  dialogid,
  inviteid,
  callids,
  uris,
  confid,
  confuri,
  confroomnum,
  confnumber,
}: Item): Item {
  return { dialogid, inviteid, callids, uris, confid, confuri, confroomnum, confnumber };
}

/** `whole`: the list before and after. Live items that it does not have may have begun and ended meanwhile. */
export function wrongLookup(path: string, whole: readonly Item[], { key, status, body }: LookedUp): string | undefined {
  if (status !== 200 && status !== 404) return undefined;
  const collection = path.split('/').at(-1) ?? '';
  const wanted = jsonOr(key ?? '', undefined) as unknown;
  const found = status === 404 ? [] : jsonIn(body);
  const isFit = typeof wanted === 'string' ? fitOf(collection, wanted) : liveFitOf(collection, wanted);
  if (isFit === undefined || !Array.isArray(found)) return undefined;
  const idName = { calls: 'dialogid', conferences: 'confid' }[collection] ?? 'id';
  const isLive = idName !== 'id';
  const ids = found.map((each) => (typeof each === 'object' && each !== null ? (each as Item)[idName] : each));
  const missed = whole.find((item) => isFit(item) && !ids.includes(item[idName]));
  if (missed !== undefined) return `${JSON.stringify(missed[idName])} is not found`;
  const other = whole.find((item) => !isFit(item) && ids.includes(item[idName]));
  if (other !== undefined) return `${JSON.stringify(other[idName])} is found, and does not have it`;
  const unknown = isLive ? undefined : ids.find((each) => whole.every((item) => item[idName] !== each));
  return unknown === undefined ? undefined : `${JSON.stringify(unknown)} is found, and is not in the list`;
}

function fitOf(collection: string, wanted: string): ((item: Item) => boolean) | undefined {
  const names = fields[collection];
  return names && ((item) => ['id', ...names].some((name) => item[name] === wanted));
}

function liveFitOf(collection: string, wanted: unknown): ((item: Item) => boolean) | undefined {
  if (typeof wanted !== 'object' || wanted === null || !['calls', 'conferences'].includes(collection)) return undefined;
  const [[name = '', value] = [], ...more] = Object.entries(wanted);
  const fits = liveKeys[name];
  // The uri of a conference is that of a call too.
  if (fits === undefined || more.length > 0 || typeof value !== 'string') return undefined;
  if (collection === 'conferences' && !name.startsWith('conf')) return undefined;
  return (item) => fits(item, value);
}

function listIn(item: Item, name: string): readonly unknown[] {
  return Array.isArray(item[name]) ? (item[name] as unknown[]) : [];
}
