/** A list of calls has every call that goes on. */

import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../histories/client-requests.ts';
import { setLast, together } from '../shared.ts';
import { Undisturbed } from '../undisturbed.ts';

const list = '/rest/v1/uc/calls';
/** The last ones. */
const mostDialogs = 5_000;
const ending: ReadonlySet<string> = new Set(['BYE', 'CANCEL']);

interface LiveDialog {
  readonly b2b: string;
  readonly inviteid: string;
  readonly sinceMs: number;
  readonly domains: readonly string[];
  readonly callids: readonly string[];
}

export const callsListed: OracleMaker = {
  name: 'calls-listed',
  rule: 'A list of all calls of a domain has each call that was answered before and goes on: while nothing is broken, or has been broken for so long that lost instances are noticed and lists are read again.',
  exclusions: 'Calls of a b2b that has started since, and what a callstore has not heard of for lack of a message.',
  make: ({ map, now, fired, check, fail }) => {
    const { promptMs, noticedMs, quickMs, streamCatchUpMs } = boundsOf(map);
    const calm = new Undisturbed();
    /** By dialogid. */
    const live = new Map<string, LiveDialog>();
    const ofCall = new Map<string, string>();
    const over = (dialogid: string) => {
      for (const callid of live.get(dialogid)?.callids ?? []) ofCall.delete(callid);
      live.delete(dialogid);
    };
    const overAll = (isOver: (dialog: LiveDialog) => boolean) => {
      for (const [dialogid, dialog] of live) if (isOver(dialog)) over(dialogid);
    };
    const take = (b2b: string, { dialog, gone, event }: StreamItem, atMs: number) => {
      if (gone !== undefined) over(gone);
      if (event?.name === 'dlg_end' || event?.name === 'dlg_dead' || event?.name === 'dlg_stop')
        overAll(({ inviteid }) => inviteid === event.data['inviteid']);
      if (dialog === undefined) return;
      const { dialogid, inviteid, status, domains, legs } = dialog;
      const sinceMs = live.get(dialogid)?.sinceMs ?? atMs;
      over(dialogid);
      if (status !== 'dialog') return;
      const callids = legs.map(({ callid }) => callid);
      for (const callid of callids) ofCall.set(callid, dialogid);
      setLast(live, dialogid, { b2b, inviteid, sinceMs, domains, callids }, mostDialogs);
    };
    /** How often messages of streams were withheld, and when that was noticed last. */
    const withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const isBehind = (nowMs: number) => {
      const count = fired('stream.unheard');
      if (count > withheld.count) Object.assign(withheld, { count, atMs: nowMs });
      return nowMs - withheld.atMs <= streamCatchUpMs;
    };
    const answered = (request: ObservedRequest, { status, body, missing, returnedMs }: ObservedAnswer) => {
      const { domain, site, method, path, query, calledMs } = request;
      if (method !== 'GET' || path !== list || query.size > 0 || status !== 200 || missing !== undefined) return;
      const nowMs = now();
      if (domain === undefined || !Array.isArray(body) || isBehind(nowMs)) return;
      const calmMs = calm.forMs(nowMs) - (returnedMs - calledMs);
      const listed = new Set((body as readonly { readonly dialogid?: string }[]).map(({ dialogid }) => dialogid));
      for (const [dialogid, { domains, sinceMs, b2b }] of live) {
        if (!domains.includes(domain) || calledMs - sinceMs <= quickMs) continue;
        if (calmMs <= noticedMs + promptMs && calmMs <= calledMs - sinceMs + noticedMs) continue;
        check();
        if (!listed.has(dialogid))
          fail(
            `${site} does not list call ${dialogid} of ${domain}, which goes on at ${b2b} since ${Math.round(calledMs - sinceMs)} ms`,
          );
      }
    };
    const requests = new ClientRequests(
      (_, path) => path === list,
      answered,
      () => {},
    );
    const listeners: ObservationListeners = {
      'envelope.sent': ({ envelope: { type, kind, from, body }, atMs }) => {
        if (type === 'sip') {
          const { method, callid } = body as SipMessage;
          if (ending.has(method)) over(ofCall.get(callid) ?? '');
          return;
        }
        if (map.instances.get(from)?.role !== 'b2b' || (type === 'stream.read' && kind !== 'reply')) return;
        const { items } = body as BodyOf<'stream.published'> | ReplyOf<'stream.read'>;
        for (const item of items) take(from, item, atMs);
      },
      'instance.status': ({ instance, status }) => {
        if (status !== 'active' && status !== 'standby') overAll(({ b2b }) => b2b === instance);
      },
      'node.ended': ({ node }) => {
        const lost = new Set<string>(map.node(node).instances.map(({ address }) => address));
        overAll(({ b2b }) => lost.has(b2b));
      },
    };
    const tick = (nowMs: number) => {
      isBehind(nowMs);
    };
    return {
      listeners: together(calm.listeners, requests.listeners, listeners),
      tick,
      types: ['stream.published', 'stream.read', 'sip'],
    };
  },
};
