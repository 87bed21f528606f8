/** Lists of live calls and of call records, by the texts of a query. */
import { inOrder, passing } from '../../model/collection/collection.ts';
import { type CollectionQuery, parseCollectionQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import type { Sliced } from '../../model/collection/slices.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { Cdr, Dialog, ShownCdr } from '../../model/protocol/messages/callstore.ts';
import type { DialogRecord, Participation } from '../../model/protocol/messages/dialog.ts';
import { dialogOf, dialogShape, recordShape, shownRecord } from '../../model/shapes/call-shapes.ts';
import { late, type Pace } from '../../ports/pace.ts';
import type { CallRecords } from './call-records.ts';
import { isOwn, type LiveCalls, type OwnUsers } from './live-calls.ts';

export interface Listed<T> {
  readonly items: readonly T[];
  /** All that the filter lets pass. */
  readonly count: number;
}

type Params = BodyOf<'callstore.list'>['params'];

/** Lists live calls, as they are now. Without filter and order it costs what the page costs, however many there are. */
export function listCalls(
  calls: LiveCalls,
  { domain, own, params }: BodyOf<'callstore.list'>,
  nowMs: number,
): Outcome<Sliced<Listed<Dialog>>> {
  const read = readList(params, dialogShape);
  if (!read.ok) return read;
  const ids = own?.map(([id]) => id);
  const found = ids === undefined ? calls.ofDomain(domain) : calls.find(domain, 'sipuserid', ids);
  const { filter, order, limit } = read.value;
  const isPlain = filter === undefined && order === undefined;
  const dialogs = dialogsOf(isPlain ? found.slice(0, limit) : found.slice(), nowMs);
  if (isPlain) return done(shownOf(dialogs, found.length));
  return done(pick(dialogs, read.value, { ...dialogShape, isOrdered: true }));
}

function* shownOf<T extends object>(items: Iterable<T>, count: number): Sliced<Listed<T>> {
  return { items: yield* passing(items, () => true), count };
}

function* dialogsOf(records: readonly DialogRecord[], nowMs: number): Generator<Dialog> {
  for (const record of records) yield dialogOf(record, nowMs);
}

export async function listRecords(
  records: CallRecords,
  { domain, own, params = [] }: BodyOf<'callstore.records'>,
  { pace, nowMs }: { readonly pace: Pace; readonly nowMs: number },
): Promise<Outcome<Listed<ShownCdr>>> {
  const read = readList(params, recordShape);
  if (!read.ok) return read;
  const shown = (record: Cdr) => shownRecord(record, nowMs);
  const { filter, order, limit } = read.value;
  if (filter === undefined && order === undefined && own === undefined) {
    const first = await records.first(domain, limit);
    return done({ items: first.map(shown), count: await records.count(domain) });
  }
  const found = await records.select((record) => isRecordOf(record, domain, own), pace);
  if (found === undefined) return late('all records, looked at one by one');
  return pace.inTime(pick(found.map(shown), read.value, recordShape), `${found.length} records`);
}

/** Whether a record belongs to a domain and, where it is limited to SIP users, to one of them. */
export function isRecordOf(record: Cdr, domain: string, own: OwnUsers): boolean {
  return record.domains.includes(domain) && isOwn(record.participations as Participation[], domain, own);
}

function* pick<T extends object>(
  items: Iterable<T>,
  query: CollectionQuery,
  shape: CollectionShape<T>,
): Sliced<Listed<T>> {
  const passed = yield* passing(items, query.filter ?? (() => true));
  const ordered = yield* inOrder(passed, { ...query, offset: 0 }, shape);
  return { items: ordered.slice(0, query.limit), count: passed.length };
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
