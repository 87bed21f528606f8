/** The record of a call says what its b2b has published of the call. */
import type { Participation } from '../../../../src/model/protocol/messages/dialog.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** What was published of a call: its record has all of it. */
interface PublishedCall {
  readonly parties: Set<string>;
  readonly domains: Set<string>;
  readonly sinceMs: number;
  /** The parties of its last version. */
  last: readonly Participation[];
  startts: number;
  answerts: number | undefined;
  /** How it ended, and when that was published. */
  end: { readonly type: unknown; readonly atMs: number } | undefined;
}

interface Row {
  readonly inviteid: string;
  readonly participations: readonly Participation[];
  readonly domains: readonly string[];
  readonly startts: number;
  readonly answerts: number | null;
  readonly type: string;
}

const journal = /^\/rest\/v1\/journal\/calls(_by_participation)?(\/[^/]+)?$/;
/** Of calls, the last ones. */
const mostKept = 2_000;

export const recordsTrue: OracleMaker = {
  name: 'records-true',
  rule: 'The record of a call that nothing has disturbed names every party and domain with which the call was published, when it began and was answered, and how it ended.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const calls = new Map<string, PublishedCall>();
    const take = ({ event, dialog }: StreamItem, atMs: number) => {
      if (dialog !== undefined) {
        const { inviteid, startts, answerts, participations, domains } = dialog;
        const call = calls.get(inviteid) ?? newCall(startts, atMs);
        setLast(calls, inviteid, call, mostKept);
        call.startts = Math.min(call.startts, startts);
        if (answerts !== undefined) call.answerts = Math.min(call.answerts ?? answerts, answerts);
        call.end = undefined;
        // Most versions of a call name the same parties.
        if (!areSame(call.last, participations)) for (const party of participations) call.parties.add(nameOf(party));
        call.last = participations;
        for (const domain of domains) call.domains.add(domain);
      }
      const call = event?.name === 'dlg_end' ? calls.get(String(event.data['inviteid'])) : undefined;
      if (event !== undefined && call !== undefined) call.end = { type: event.data['type'], atMs };
    };
    const published: ObservationListeners = {
      'published.items': ({ from, items, atMs }) => {
        if (map.instances.get(from)?.role === 'b2b') for (const item of items) take(item, atMs);
      },
    };
    const judge = (row: Row, { calledMs }: ObservedRequest, { returnedMs }: ObservedAnswer) => {
      const call = Array.isArray(row.participations) ? calls.get(row.inviteid) : undefined;
      if (call?.end === undefined || calledMs - call.end.atMs <= quickMs) return;
      if (!undisturbed.isSince(call.sinceMs - quickMs, returnedMs)) return;
      check();
      const problem = problemOf(row, call);
      if (problem !== undefined) fail(`the record of call ${row.inviteid} ${problem}`);
    };
    const requests = new ClientRequests(
      (method, path) => method === 'GET' && journal.test(path),
      (request, answer) => {
        if (answer.status !== 200 || !journal.test(request.path)) return;
        for (const row of (Array.isArray(answer.body) ? answer.body : [answer.body]) as Row[])
          judge(row, request, answer);
      },
      () => {},
    );
    return { listeners: together(undisturbed.listeners, published, requests.listeners) };
  },
};

function newCall(startts: number, sinceMs: number): PublishedCall {
  return { parties: new Set(), domains: new Set(), sinceMs, last: [], startts, answerts: undefined, end: undefined };
}

function areSame(some: readonly Participation[], others: readonly Participation[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ side, kind, domain, name }, index) => {
    const other = others[index];
    return other?.name === name && other.side === side && other.kind === kind && other.domain === domain;
  });
}

function nameOf({ side, kind, domain, name }: Participation): string {
  return `${side} ${kind} ${name} of ${domain}`;
}

function problemOf(row: Row, { parties, domains, startts, answerts, end }: PublishedCall): string | undefined {
  const named = new Set(row.participations.map(nameOf));
  const party = [...parties].find((each) => !named.has(each));
  if (party !== undefined) return `does not name the party ${party}`;
  const domain = [...domains].find((each) => !row.domains.includes(each));
  if (domain !== undefined) return `does not name the domain ${domain}`;
  if (row.startts !== startts) return `has startts ${row.startts}, and the call began at ${startts}`;
  if (row.answerts !== (answerts ?? null))
    return `has answerts ${row.answerts}, and the call was answered at ${answerts ?? 'no time'}`;
  return row.type === end?.type
    ? undefined
    : `says that it ended by ${row.type}, and its end was published as ${end?.type}`;
}
