/** Lists of live calls and of call records. */
import type { CollectionShape } from '../collection/shape.ts';
import { type Cdr, type Dialog, dialogSchema, type ShownCdr, shownCdrSchema } from '../protocol/callstore.ts';
import type { DialogRecord, LegRecord } from '../protocol/dialog.ts';
import { filesOf } from '../recording.ts';

/** Names that a list's mask knows: documented. */
export const dialogShape: CollectionShape<Dialog> = {
  item: dialogSchema,
  fields: [
    'acallid',
    'callids',
    'dialogid',
    'esgdlg',
    'inviteid',
    'status',
    'legs',
    'localuri',
    'remoteuri',
    'site',
    'startts',
    'uris',
    'opts',
  ],
  defaultOrder: ['startts', 'dialogid'],
  tieBreak: ['dialogid'],
  isCountable: true,
};

/** A live call as the interface shows it at a moment. (documented) */
export function dialogOf(record: DialogRecord, nowMs: number): Dialog {
  const { acallid, dialogid, esgdlg, inviteid, status, localuri, remoteuri, site, startts, opts } = record;
  const legs = record.legs.map((leg) => legOf(leg, nowMs));
  const uris = new Set([localuri, remoteuri]);
  const callids = new Set<string>();
  for (const leg of record.legs) {
    callids.add(leg.callid);
    uris.add(leg.localuri).add(leg.remoteuri);
  }
  return {
    acallid,
    callids: [...callids],
    dialogid,
    esgdlg,
    inviteid,
    status,
    legs,
    localuri,
    remoteuri,
    site,
    startts,
    uris: [...uris],
    opts,
  };
}

/** `expirets`: milliseconds left, `undefined` for the caller's side. (documented) */
function legOf({ callid, localuri, remoteuri, side, untilMs }: LegRecord, nowMs: number): Dialog['legs'][number] {
  const isLimited = side === 'b' && untilMs !== undefined;
  const expirets = isLimited ? Math.max(0, Math.round(untilMs - nowMs)) : 'undefined';
  return { callid, expirets, localuri, remoteuri, side };
}

/** Call records, the one that ended last at the end, so that who comes back finds what is new behind what it has. (chosen) */
export const recordShape: CollectionShape<ShownCdr> = {
  item: shownCdrSchema,
  defaultOrder: ['endts', 'inviteid'],
  tieBreak: ['inviteid'],
  isCountable: true,
};

/** A record as it is shown. */
export function shownRecord({ recordings, ...record }: Cdr): ShownCdr {
  return { ...record, recordings: recordings === undefined ? 0 : filesOf(recordings).length };
}
