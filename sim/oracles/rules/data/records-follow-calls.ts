/** A call that goes on has no record yet. */
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { together, whenLost } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** A call whose dialogs a b2b has published, without a moment in which it had none. */
interface LiveCall {
  readonly b2b: string;
  readonly sinceMs: number;
  readonly dialogs: Set<string>;
}

interface Row {
  readonly inviteid?: unknown;
}

const journal = /^\/rest\/v1\/journal\/calls(_by_participation)?(\/[^/]+)?$/;

export const recordsFollowCalls: OracleMaker = {
  name: 'records-follow-calls',
  rule: 'No front shows a record of a call that goes on: one with a dialog at its b2b since before the request was sent; while nothing is broken.',
  exclusions: 'Calls that go on after a moment without a dialog: they have a record of what was before.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const live = new Map<string, LiveCall>();
    /** The calls of dialogs, by their ids. */
    const callOf = new Map<string, string>();
    const over = (inviteid: string) => {
      for (const dialogid of live.get(inviteid)?.dialogs ?? []) callOf.delete(dialogid);
      live.delete(inviteid);
    };
    const take = (b2b: string, { event, dialog, gone }: StreamItem, atMs: number) => {
      if (dialog !== undefined) {
        const { inviteid, dialogid } = dialog;
        const call = live.get(inviteid) ?? { b2b, sinceMs: atMs, dialogs: new Set() };
        live.set(inviteid, call);
        call.dialogs.add(dialogid);
        callOf.set(dialogid, inviteid);
      }
      if (event?.name === 'dlg_end' || event?.name === 'dlg_dead') over(String(event.data['inviteid']));
      if (gone !== undefined) over(callOf.get(gone) ?? '');
    };
    const lost = whenLost(map, (address) => {
      for (const [inviteid, { b2b }] of live) if (b2b === address) over(inviteid);
    });
    const published: ObservationListeners = {
      'published.items': ({ from, items, atMs }) => {
        if (map.instances.get(from)?.role === 'b2b') for (const item of items) take(from, item, atMs);
      },
    };
    const answered = ({ calledMs }: ObservedRequest, { status, body, returnedMs }: ObservedAnswer) => {
      const isJudged = ({ sinceMs }: LiveCall) =>
        sinceMs < calledMs && undisturbed.forMs(returnedMs) > returnedMs - sinceMs + quickMs;
      const goingOn = [...live].filter(([, call]) => isJudged(call));
      if (goingOn.length === 0 || (status !== 200 && status !== 404)) return;
      check();
      if (status === 404) return;
      const shown = new Set((Array.isArray(body) ? body : [body]).map((row: Row) => row?.inviteid));
      for (const [inviteid, { b2b, sinceMs }] of goingOn)
        if (shown.has(inviteid))
          fail(`the journal has a record of call ${inviteid}, which goes on at ${b2b} for ${returnedMs - sinceMs} ms`);
    };
    const requests = new ClientRequests(
      (method, path) => method === 'GET' && journal.test(path),
      (request, answer) => {
        if (journal.test(request.path)) answered(request, answer);
      },
      () => {},
    );
    return { listeners: together(undisturbed.listeners, lost, published, requests.listeners) };
  },
};
