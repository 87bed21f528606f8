/** Lists of calls and of conferences have each one that goes on. */
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { together } from '../shared.ts';
import { LiveList } from './live-list.ts';

const ending: ReadonlySet<string> = new Set(['BYE', 'CANCEL']);
const ends: ReadonlySet<string> = new Set(['dlg_end', 'dlg_dead', 'dlg_stop']);
const after =
  'while nothing is broken, or has been broken for so long that lost instances are noticed and lists are read again';

export const callsListed: OracleMaker = {
  name: 'calls-listed',
  rule: `A list of all calls of a domain has each call that was answered before and goes on: ${after}.`,
  exclusions: 'Calls of a b2b that has started since, and what a callstore has not heard of for lack of a message.',
  make: (context) => {
    const { map } = context;
    const inviteids = new Map<string, string>();
    const callidsOf = new Map<string, readonly string[]>();
    const dialogOf = new Map<string, string>();
    const forget = (dialogid: string) => {
      for (const callid of callidsOf.get(dialogid) ?? []) dialogOf.delete(callid);
      callidsOf.delete(dialogid);
      inviteids.delete(dialogid);
    };
    const live = new LiveList({ context, list: '/rest/v1/uc/calls', noun: 'call', id: 'dialogid', onOver: forget });
    const take = (owner: string, { dialog, gone, event }: StreamItem, atMs: number) => {
      if (gone !== undefined) live.over(gone);
      if (ends.has(event?.name ?? ''))
        live.overWhere((_, dialogid) => inviteids.get(dialogid) === event?.data['inviteid']);
      if (dialog === undefined) return;
      const { dialogid, inviteid, status, domains, legs } = dialog;
      forget(dialogid);
      if (status !== 'dialog') return live.over(dialogid);
      inviteids.set(dialogid, inviteid);
      const callids = legs.map(({ callid }) => callid);
      callidsOf.set(dialogid, callids);
      for (const callid of callids) dialogOf.set(callid, dialogid);
      live.begin(dialogid, { owner, domains }, atMs);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': ({ envelope: { type, kind, from, body }, atMs }) => {
        if (type === 'sip') {
          const { method, callid } = body as SipMessage;
          if (ending.has(method)) live.over(dialogOf.get(callid) ?? '');
          return;
        }
        if (map.instances.get(from)?.role !== 'b2b' || (type === 'stream.read' && kind !== 'reply')) return;
        const { items } = body as BodyOf<'stream.published'> | ReplyOf<'stream.read'>;
        for (const item of items) take(from, item, atMs);
      },
    };
    return {
      listeners: together(live.listeners, listeners),
      tick: (nowMs) => live.tick(nowMs),
      types: ['stream.published', 'stream.read', 'sip'],
    };
  },
};

export const conferencesListed: OracleMaker = {
  name: 'conferences-listed',
  rule: `A list of all conferences of a domain has each one with a participant who was there before and stays: ${after}.`,
  make: (context) => {
    const participants = new Map<string, Set<string>>();
    const onOver = (confid: string) => void participants.delete(confid);
    const live = new LiveList({ context, list: '/rest/v1/uc/conferences', noun: 'conference', id: 'confid', onOver });
    const listeners: ObservationListeners = {
      'envelope.sent': ({ envelope: { from, body }, atMs }) => {
        for (const { event } of (body as BodyOf<'stream.published'>).items) {
          if (event?.class !== 'confevents') continue;
          const [confid, participantid] = [String(event.data['confid']), String(event.data['participantid'])];
          const there = participants.get(confid) ?? new Set();
          if (event.name === 'part_start') there.add(participantid);
          if (event.name === 'part_stop') there.delete(participantid);
          if (event.name === 'conf_stop') there.clear();
          participants.set(confid, there);
          if (there.size === 0) live.over(confid);
          else live.begin(confid, { owner: from, domains: event.domains }, atMs);
        }
      },
    };
    return {
      listeners: together(live.listeners, listeners),
      tick: (nowMs) => live.tick(nowMs),
      types: ['stream.published'],
    };
  },
};
