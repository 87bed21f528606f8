/** Requests to mware: to the active instance that serves the domain, of the own site first. */

import { askRole } from '../cluster/messaging/ask-in-order.ts';
import { deadlineOf, withDeadline } from '../cluster/messaging/deadline.ts';
import type { RoleScope } from '../cluster/role.ts';
import { unwrap } from '../model/fault.ts';
import type { AskType, BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { ListReply } from '../model/protocol/messages/mware.ts';
import type { SessionRecord } from '../model/protocol/messages/session.ts';

/**
 * On whose behalf a request is made: a domain and, with `iduser`, only objects in which SIP users bound to that user take
 * part.
 */
export interface Requester {
  readonly domain: string;
  readonly iduser?: string | undefined;
}

export function requesterOf({ domain, user }: SessionRecord, isOwn: boolean): Requester {
  return isOwn ? { domain, iduser: user.id } : { domain };
}

/** A list, or its count for `countonly`, and the sites of the domain that did not answer. */
export interface ListAnswer {
  readonly answer: readonly object[] | { readonly count: number };
  readonly missing: readonly string[];
}

/** The ids that a key leads to, and the sites that did not answer. */
export interface LookupAnswer {
  readonly ids: readonly string[];
  readonly missing: readonly string[];
}

type MwareAsk = Extract<AskType, `mware.${string}`>;
type AskerAsk = { [T in MwareAsk]: BodyOf<T> extends Requester ? T : never }[MwareAsk];
type ListAsk = { [T in AskerAsk]: ReplyOf<T> extends ListReply ? T : never }[AskerAsk];

/** Sends an idempotent request; another mware is asked when one does not answer in time. */
export async function mwareLookup<T extends AskerAsk>(scope: RoleScope, type: T, body: BodyOf<T>): Promise<ReplyOf<T>> {
  const { requestDeadlineMs } = scope.map.topology.timings;
  const target = { role: 'mware', domain: (body as Requester).domain, isRelay: true } as const;
  const times = { deadlineMs: deadlineOf(scope), patienceMs: 0.6 * requestDeadlineMs };
  return unwrap(await askRole(scope, target, { type, body, ...times }));
}

/** Sends a command, at most once. It may take `longMs` more than other requests. */
export async function mwareCommand<T extends AskerAsk>(
  scope: RoleScope,
  type: T,
  body: BodyOf<T>,
  longMs = 0,
): Promise<ReplyOf<T>> {
  const deadlineMs = deadlineOf(scope) + longMs;
  const target = { role: 'mware', domain: (body as Requester).domain, isRelay: true } as const;
  return unwrap(await askRole(scope, target, { type, body, deadlineMs }));
}

/** A complete list, piece by piece. */
export async function mwareList<T extends ListAsk>(scope: RoleScope, type: T, body: BodyOf<T>): Promise<ListAnswer> {
  const last = withDeadline(scope);
  const { items, count, rest: first, missing } = (await mwareLookup(last, type, body)) as ListReply;
  if (count !== undefined) return { answer: { count }, missing };
  const all = [...items];
  for (let rest = first; rest !== undefined; ) {
    const piece = unwrap(await last.ask(rest.at, 'mware.rest', { name: rest.name }));
    all.push(...piece.items);
    rest = piece.rest;
  }
  return { answer: all, missing };
}
