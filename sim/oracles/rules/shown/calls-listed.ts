/** Lists of calls and of conferences have each one that goes on. */
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { LiveList } from '../kit/live-list.ts';
import { together } from '../kit/shared.ts';

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
    const dialogs = new Map<string, { readonly inviteid: string; readonly callids: readonly string[] }>();
    /** The dialogs of calls, by inviteid, and of legs, by Call-Id. */
    const ofCall = new Map<string, Set<string>>();
    const ofLeg = new Map<string, string>();
    const forget = (dialogid: string) => {
      const { inviteid = '', callids = [] } = dialogs.get(dialogid) ?? {};
      dialogs.delete(dialogid);
      for (const callid of callids) ofLeg.delete(callid);
      const others = ofCall.get(inviteid);
      others?.delete(dialogid);
      if (others?.size === 0) ofCall.delete(inviteid);
    };
    const live = new LiveList({ context, list: '/rest/v1/uc/calls', noun: 'call', id: 'dialogid', onOver: forget });
    const take = (owner: string, { dialog, gone, event }: StreamItem, atMs: number) => {
      if (gone !== undefined) live.over(gone);
      if (event !== undefined && ends.has(event.name))
        for (const dialogid of ofCall.get(String(event.data['inviteid'])) ?? []) live.over(dialogid);
      if (dialog === undefined) return;
      const { dialogid, inviteid, status, domains, legs } = dialog;
      forget(dialogid);
      if (status !== 'dialog') return live.over(dialogid);
      const callids = legs.map(({ callid }) => callid);
      dialogs.set(dialogid, { inviteid, callids });
      for (const callid of callids) ofLeg.set(callid, dialogid);
      ofCall.set(inviteid, (ofCall.get(inviteid) ?? new Set()).add(dialogid));
      live.begin(dialogid, { owner, domains }, atMs);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': {
        sip: ({ envelope: { body } }) => {
          const { method, callid } = body as SipMessage;
          if (ending.has(method)) live.over(ofLeg.get(callid) ?? '');
        },
        'stream.read': ({ envelope: { kind, from, body }, atMs }) => {
          if (map.instances.get(from)?.role !== 'b2b' || kind !== 'reply') return;
          for (const item of (body as ReplyOf<'stream.read'>).items) take(from, item, atMs);
        },
      },
      'published.items': ({ from, items, atMs }) => {
        if (map.instances.get(from)?.role === 'b2b') for (const item of items) take(from, item, atMs);
      },
    };
    return {
      listeners: together(live.listeners, listeners),
      tick: (nowMs) => live.tick(nowMs),
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
      'published.event': {
        confevents: ({ from, event, atMs }) => {
          const [confid, participantid] = [String(event.data['confid']), String(event.data['participantid'])];
          const there = participants.get(confid) ?? new Set();
          if (event.name === 'part_start') there.add(participantid);
          if (event.name === 'part_stop') there.delete(participantid);
          if (event.name === 'conf_stop') there.clear();
          participants.set(confid, there);
          if (there.size === 0) live.over(confid);
          else live.begin(confid, { owner: from, domains: event.domains }, atMs);
        },
      },
    };
    return {
      listeners: together(live.listeners, listeners),
      tick: (nowMs) => live.tick(nowMs),
    };
  },
};
