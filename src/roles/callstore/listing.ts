/** Lists of live calls and of call records, by the texts of a query. */
import { ascending, sortItems } from '../../model/collection/order.ts';
import { type CollectionQuery, parseCollectionQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { Cdr, Dialog, ShownCdr } from '../../model/protocol/callstore.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { Participation } from '../../model/protocol/dialog.ts';
import { dialogOf, dialogShape, recordShape, shownRecord } from '../../model/shapes/dialog.ts';
import { isOwn, type LiveCalls } from './live-calls.ts';
import type { Records } from './records.ts';

export interface Listed<T> {
  readonly items: readonly T[];
  /** All that the filter lets pass. */
  readonly count: number;
}

type Params = BodyOf<'callstore.list'>['params'];

/** Lists live calls. Without filter and order it costs what the page costs, however many there are. */
export function listCalls(
  calls: LiveCalls,
  { domain, own, params }: BodyOf<'callstore.list'>,
  nowMs: number,
): Outcome<Listed<Dialog>> {
  const read = readList(params, dialogShape);
  if (!read.ok) return read;
  const found = own === undefined ? calls.ofDomain(domain) : calls.find(domain, 'login', own);
  const { filter, order, limit } = read.value;
  const show = (records: readonly (typeof found)[number][]) => records.map((record) => dialogOf(record, nowMs));
  if (filter === undefined && order === undefined) {
    return done({ items: show(found.slice(0, limit)), count: found.length });
  }
  return done(pick(show(found), read.value, { ...dialogShape, isOrdered: true }));
}

export async function listRecords(
  records: Records,
  { domain, own, params = [] }: BodyOf<'callstore.records'>,
): Promise<Outcome<Listed<ShownCdr>>> {
  const read = readList(params, recordShape);
  if (!read.ok) return read;
  const { filter, order, limit } = read.value;
  if (filter === undefined && order === undefined && own === undefined) {
    const first = await records.first(domain, limit);
    return done({ items: first.map(shownRecord), count: await records.count(domain) });
  }
  const found = await records.select((record) => isRecordOf(record, domain, own));
  return done(pick(found.map(shownRecord), read.value, recordShape));
}

/** Whether a record belongs to a domain and, where it is limited to SIP users, to one of them. */
export function isRecordOf(record: Cdr, domain: string, own: readonly string[] | undefined): boolean {
  return record.domains.includes(domain) && isOwn(record.participations as Participation[], domain, own);
}

function pick<T extends object>(
  items: readonly T[],
  { filter, order, limit }: CollectionQuery,
  { defaultOrder, tieBreak, isOrdered }: CollectionShape<T>,
): Listed<T> {
  const passed = filter === undefined ? items : items.filter(filter);
  const keys = [...(order ?? ascending(defaultOrder)), ...ascending(tieBreak)];
  const sorted = order === undefined && isOrdered ? passed : sortItems(passed, keys);
  return { items: sorted.slice(0, limit), count: passed.length };
}

/** The query of a list, of whose paging only `limit` counts; it may be more than a client may ask for. */
function readList<T extends object>(params: Params, shape: CollectionShape<T>): Outcome<CollectionQuery> {
  const limit = params.find(([name]) => name === 'limit')?.[1];
  const others = params.filter(([name]) => name !== 'limit' && name !== 'offset');
  const query = parseCollectionQuery(others, shape);
  if (!query.ok) return failed(fault('invalid', query.fault.message));
  if (limit === undefined) return done(query.value);
  if (!/^\d{1,9}$/.test(limit)) return failed(fault('invalid', `limit: expected an integer, got "${limit}"`));
  return done({ ...query.value, limit: Number(limit) });
}
