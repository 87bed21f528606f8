/** Lookups of live calls and of call records, at all sites that serve the domain. */

import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { CallKey, SearchKey } from '../../model/call-request-bodies.ts';
import type { CollectionQuery } from '../../model/collection/query.ts';
import type { CollectionShape } from '../../model/collection/shape.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { ShownCdr } from '../../model/protocol/messages/callstore.ts';
import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import type { ListReply } from '../../model/protocol/messages/mware.ts';
import { dialogShape, recordShape } from '../../model/shapes/call-shapes.ts';
import { bracketed } from '../../model/sip/uri.ts';
import { nilUuid } from '../../model/uuid.ts';
import { listSipUsers } from '../sip-users.ts';
import {
  type Callstores,
  type FirstPiece,
  type ListPages,
  type LiveCall,
  type Params,
  paramsForSites,
  readParams,
} from './callstores.ts';
import { lookUntilMs, ownUsers, type RequestContext } from './request-context.ts';

interface StoreKey {
  readonly key: BodyOf<'callstore.find'>['key'];
  readonly values: readonly string[];
}

/** The message of the interface for a missing recording (documented), and for a missing record (chosen). */
export const noRecord = fault('not_found', 'Call record not found');

interface FoundCalls {
  readonly records: readonly DialogRecord[];
  readonly missing: readonly string[];
}

export class Lookups {
  readonly #scope: RoleScope;
  readonly #stores: Callstores;
  readonly #pages: ListPages;

  constructor(scope: RoleScope, stores: Callstores, pages: ListPages) {
    this.#scope = scope;
    this.#stores = stores;
    this.#pages = pages;
  }

  async calls(context: RequestContext, params: Params): Promise<Outcome<ListReply>> {
    const query = readParams(params, dialogShape);
    if (!query.ok) return query;
    const body = { params: paramsForSites(params, query.value), ...ownUsers(context) };
    const gathered = await this.#stores.gather(context, 'callstore.list', body);
    if (!gathered.ok) return gathered;
    const { found, missing } = gathered.value;
    const parts = found.map(({ reply: { dialogs, count, rest }, from }) => ({ items: dialogs, count, rest, from }));
    return this.#merge({ context, query: query.value, shape: dialogShape, parts, missing });
  }

  async records(context: RequestContext, params: Params): Promise<Outcome<ListReply>> {
    const query = readParams(params, recordShape);
    if (!query.ok) return query;
    const body = { params: paramsForSites(params, query.value), ...ownUsers(context) };
    const gathered = await this.#stores.gather(context, 'callstore.records', body);
    if (!gathered.ok) return gathered;
    const { found, missing } = gathered.value;
    const parts = found.map(({ reply: { records, count, rest }, from }) => ({ items: records, count, rest, from }));
    return this.#merge({ context, query: query.value, shape: recordShape, parts, missing });
  }

  call(context: RequestContext, dialogid: string): Promise<Outcome<LiveCall>> {
    return this.#stores.call(context, dialogid, ownUsers(context));
  }

  async record(context: RequestContext, inviteid: string): Promise<Outcome<ShownCdr>> {
    const gathered = await this.#stores.gather(context, 'callstore.records', { inviteid, ...ownUsers(context) });
    if (!gathered.ok) return gathered;
    const { found, missing } = gathered.value;
    const [record] = found.flatMap(({ reply }) => reply.records);
    if (record !== undefined) return done(record);
    const silent = missing.map((site) => `callstore of site ${site}`).join(', ');
    return failed(missing.length === 0 ? noRecord : unreachableFault(silent, this.#scope.instance.site));
  }

  /** The live calls that a key leads to, oldest first. */
  async find(context: RequestContext, search: SearchKey<CallKey>): Promise<Outcome<FoundCalls>> {
    const key = await this.#storeKey(context, search);
    if (!key.ok) return key;
    return this.#findBy(context, key.value);
  }

  /** The live calls with one of these values, as far as sites answer. */
  async callsWith(context: RequestContext, key: StoreKey): Promise<readonly DialogRecord[]> {
    const found = await this.#findBy(context, key);
    return found.ok ? found.value.records : [];
  }

  async #findBy(context: RequestContext, key: StoreKey): Promise<Outcome<FoundCalls>> {
    if (key.values.length === 0) return done({ records: [], missing: [] });
    const body = { key: key.key, values: [...key.values], ...ownUsers(context) };
    const gathered = await this.#stores.gather(context, 'callstore.find', body);
    if (!gathered.ok) return gathered;
    const { found, missing } = gathered.value;
    const lists = await Promise.all(
      found.map(({ reply: { records: items, rest }, from }) => this.#stores.wholeOf({ items, rest, from }, context)),
    );
    const broken = found.flatMap(({ from }, index) => (lists[index] === undefined ? [from.site] : []));
    const byId = new Map(lists.flatMap((list) => (list ?? []).map((record) => [record.dialogid, record])));
    return done({ records: [...byId.values()].toSorted(byAge), missing: [...missing, ...broken] });
  }

  /** The key in the form that callstore knows: SIP users are looked up in the directory. */
  async #storeKey(context: RequestContext, { key, value, mode }: SearchKey<CallKey>): Promise<Outcome<StoreKey>> {
    switch (key) {
      case 'uri':
        return done({ key, values: [bracketed(value)] });
      case 'from':
        return done({ key: mode === 'sipuser' ? 'login' : 'number', values: [value] });
      case 'sipuserlogin':
        return done({ key: 'login', values: [value] });
      case 'inviteid':
      case 'sipuserid':
        return done({ key, values: [value.toLowerCase()] });
      case 'sipuserphonenumber':
        return this.#usersWhere(context, 'phonenumber', value);
      case 'userid':
        // All zeros in the data of a SIP user: bound to no user.
        if (value === nilUuid) return done({ key: 'sipuserid', values: [] });
        return this.#usersWhere(context, 'iduser', value.toLowerCase());
      default:
        return done({ key, values: [value] });
    }
  }

  async #usersWhere(
    context: RequestContext,
    field: 'phonenumber' | 'iduser',
    value: string,
  ): Promise<Outcome<StoreKey>> {
    const which = { domain: context.domain, where: { field, value } };
    const users = await listSipUsers(this.#scope, which, lookUntilMs(this.#scope, context));
    return users.ok ? done({ key: 'sipuserid', values: users.value.map(({ id }) => id) }) : users;
  }

  /** Merges the lists of the sites; a site with an incomplete list counts as missing. */
  async #merge<T extends object>({ context, query, shape, parts, missing }: Merge<T>): Promise<Outcome<ListReply>> {
    if (query.countonly) {
      return done({ items: [], count: parts.reduce((sum, { count }) => sum + count, 0), missing: [...missing] });
    }
    const wholes = await Promise.all(parts.map((part) => this.#stores.wholeOf(part, context)));
    const broken = new Set([
      ...missing,
      ...parts.flatMap(({ from }, i) => (wholes[i] === undefined ? [from.site] : [])),
    ]);
    const items = wholes.flatMap((whole) => whole ?? []);
    const absent = [...this.#scope.map.sites.keys()].filter((site) => broken.has(site));
    const { untilMs } = context;
    return this.#pages.answer(items, { ...query, filter: undefined }, { shape, missing: absent, untilMs });
  }
}

interface Merge<T extends object> {
  readonly context: RequestContext;
  readonly query: CollectionQuery;
  readonly shape: CollectionShape<T>;
  readonly parts: readonly (FirstPiece<T> & { readonly count: number })[];
  readonly missing: readonly string[];
}

function byAge(a: DialogRecord, b: DialogRecord): number {
  return a.startts - b.startts || (a.dialogid < b.dialogid ? -1 : 1);
}
