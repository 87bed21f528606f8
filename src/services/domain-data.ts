/**
 * Domain data: written at the mdc that serves the domain; read there or, while it is unreachable, from the copy of this
 * site. A refused change has certainly not happened.
 */

import { askInTurn, unreachableFault } from '../cluster/messaging/ask-in-order.ts';
import { deadlineOf, withDeadline } from '../cluster/messaging/deadline.ts';
import type { RoleScope } from '../cluster/role.ts';
import { entityOf } from '../model/entities/entities.ts';
import { FaultError, unwrap } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { EntityCollection } from '../model/protocol/messages/data.ts';
import { randomUuid } from '../model/uuid.ts';
import { isLive, notifyChanged, pageOf, type RunningMeetings, withStates } from '../roles/meeting-states.ts';
import { directoriesOf } from './domains.ts';
import { mwareLookup } from './mware-requests.ts';

type Values = Record<string, unknown>;
type WritingAsk = 'data.create' | 'data.patch' | 'data.delete';
type ReadingAsk = 'data.get' | 'data.list' | 'data.lookup';

/** A value, and the maximum age of the copy that it was read from. */
export interface EntityRead<T> {
  readonly value: T;
  readonly ageMs: number | undefined;
}

/** Creates an item, with a new id if none is given. */
export async function createItem(
  scope: RoleScope,
  collection: EntityCollection,
  { id: given, ...values }: Values,
): Promise<Values> {
  const id = typeof given === 'string' ? given : randomUuid(scope.random.stream('ids').bytes(16));
  const { item } = await write(scope, 'data.create', { ...collection, id, given: values });
  return afterChange(scope, collection, item);
}

export async function patchItem(
  scope: RoleScope,
  collection: EntityCollection,
  { id, patch }: { id: string; patch: Values },
): Promise<Values> {
  const { item } = await write(scope, 'data.patch', { ...collection, id, patch });
  return afterChange(scope, collection, item);
}

/** A changed item with its current state, where the answer to a change shows that. */
async function afterChange(scope: RoleScope, collection: EntityCollection, item: Values): Promise<Values> {
  if (!isLive(collection)) return item;
  const isShown = entityOf(collection.kind).omittedOnChange === undefined;
  const asked = isShown ? currentOf(scope, collection, [item]) : undefined;
  notifyChanged(scope, collection);
  const [current = item] = (await asked) ?? [];
  return current;
}

/** Removes an item with all items below it. */
export async function deleteItem(scope: RoleScope, collection: EntityCollection, id: string): Promise<void> {
  await write(scope, 'data.delete', { ...collection, id });
  if (isLive(collection)) notifyChanged(scope, collection);
}

/** One item, with the fields that the requester may see. */
export async function showItem(
  scope: RoleScope,
  collection: EntityCollection,
  { id, isAdmin }: { id: string; isAdmin: boolean },
): Promise<EntityRead<Values>> {
  const { item, ageMs } = await read(scope, 'data.get', { ...collection, id, isAdmin });
  const [value = item] = isLive(collection) ? await currentOf(scope, collection, [item]) : [item];
  return { value, ageMs };
}

/** A page of a list, or the number of its items for `countonly`. */
export async function listItems(
  scope: RoleScope,
  collection: EntityCollection,
  { params, isAdmin }: { params: [string, string][]; isAdmin: boolean },
): Promise<EntityRead<readonly Values[] | { readonly count: number }>> {
  const last = withDeadline(scope);
  const listParams: [string, string][] = isLive(collection) ? [['limit', String(limits.pageItems)]] : params;
  const {
    items,
    count,
    rest: first,
    ageMs,
  } = await read(last, 'data.list', { ...collection, params: listParams, isAdmin });
  if (count !== undefined) return { value: { count }, ageMs };
  const all = [...items];
  for (let rest = first; rest !== undefined; ) {
    const piece = unwrap(await last.ask(rest.at, 'data.rest', { name: rest.name }));
    all.push(...piece.items);
    rest = piece.rest;
  }
  if (!isLive(collection)) return { value: all, ageMs };
  const current = await currentOf(last, collection, all);
  return { value: unwrap(await pageOf(last, collection, { items: current, params })), ageMs };
}

/** The ids of the items that have a key. */
export async function lookUpItems(
  scope: RoleScope,
  collection: EntityCollection,
  key: string,
): Promise<EntityRead<readonly string[]>> {
  const { ids, ageMs } = await read(scope, 'data.lookup', { ...collection, key });
  return { value: ids, ageMs };
}

/** The items with their current states. */
async function currentOf(
  scope: RoleScope,
  collection: EntityCollection,
  items: readonly Values[],
): Promise<readonly Values[]> {
  if (items.length === 0) return [];
  return withStates(scope, collection, { items, running: await runningIn(scope, collection.domain) });
}

async function runningIn(scope: RoleScope, domain: string): Promise<RunningMeetings> {
  try {
    return (await mwareLookup(scope, 'mware.meetings', { domain })).meetings;
  } catch (error) {
    if (error instanceof FaultError) return [];
    throw error;
  }
}

async function write<T extends WritingAsk>(
  scope: RoleScope,
  type: T,
  body: BodyOf<T> & EntityCollection,
): Promise<ReplyOf<T>> {
  const { masters } = directoriesOf(scope, body.domain);
  const question = { type, body, deadlineMs: deadlineOf(scope) };
  return unwrap(
    await askInTurn(scope, masters, question, { unreachable: unreachableFault('mdc', scope.instance.site) }),
  );
}

async function read<T extends ReadingAsk>(
  scope: RoleScope,
  type: T,
  body: BodyOf<T> & EntityCollection,
): Promise<ReplyOf<T>> {
  const { masters, copies, unreachable } = directoriesOf(scope, body.domain);
  const patienceMs = copies.length === 0 ? {} : { patienceMs: scope.map.topology.timings.requestDeadlineMs / 2 };
  const question = { type, body, deadlineMs: deadlineOf(scope), ...patienceMs };
  return unwrap(await askInTurn(scope, [...masters, ...copies], question, { unreachable }));
}
