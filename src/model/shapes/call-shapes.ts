/** Calls, call records, conferences and recordings as the interface shows them. */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';
import { type Cdr, type Dialog, dialogSchema, type ShownCdr, shownCdrSchema } from '../protocol/messages/callstore.ts';
import { type ConferenceRecord, participantRecordSchema } from '../protocol/messages/conference.ts';
import type { DialogRecord, LegRecord } from '../protocol/messages/dialog.ts';
import { fileNameOf, filesOf, type RecordingList } from '../recording/recording.ts';
import { wavSizeOf } from '../recording/sound.ts';

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
export function shownRecord({ recordings, ...record }: Cdr, nowMs: number): ShownCdr {
  return { ...record, recordings: recordings === undefined ? 0 : filesOf(recordings, nowMs).length };
}

/** A conference as the interface shows it. (documented; `confuri` beside `uri` chosen) */
export const conferenceSchema = z.object({
  confid: z
    .string()
    .describe('Id of the conference in paths; unique while the conference lives, reused after some time'),
  confroomnum: z.string().describe('Number of the room, decimal digits'),
  confnumber: z.string().describe('Number with the feature-code prefix, in hexadecimal notation'),
  uri: z.string().describe('URI of the room'),
  confuri: z.string().describe('The same as `uri`'),
  conftype: z
    .enum(['conference', 'videoconference'])
    .describe('Kind of conference; shown for a single conference, and usable in `filter`'),
  site: z.string().describe('Site that serves the conference'),
  startts: z.int().describe('When the first INVITE reached the conference server, milliseconds since the epoch'),
  uris: z.array(z.string()).describe('URIs of the room and its participants'),
});
export type ConferenceShape = z.infer<typeof conferenceSchema>;

/** A list does not show `conftype`, but a filter may ask for it. (documented) */
const listed = ['confid', 'confroomnum', 'confnumber', 'uri', 'confuri', 'site', 'startts', 'uris'] as const;

export const conferenceShape: CollectionShape<ConferenceShape> = {
  item: conferenceSchema,
  fields: listed,
  defaultFields: listed,
  defaultOrder: ['startts', 'confid'],
  tieBreak: ['confid'],
  isCountable: true,
};

export function conferenceOf(record: ConferenceRecord): ConferenceShape {
  const { confid, confroomnum, confnumber, uri, conftype, site, startts, uris } = record;
  return { confid, confroomnum, confnumber, uri, confuri: uri, conftype, site, startts, uris };
}

export const participantSchema = participantRecordSchema.omit({ sincems: true, member: true });
export type ParticipantShape = z.infer<typeof participantSchema>;

/** Without an `order` a list is in the order in which they came. (chosen) */
export const participantShape: CollectionShape<ParticipantShape> = {
  item: participantSchema,
  defaultOrder: [],
  tieBreak: ['participantid'],
  isOrdered: true,
  isCountable: true,
};

/** The participants of a conference, in the order in which they came. */
export function participantsOf({ participants }: ConferenceRecord): ParticipantShape[] {
  return participants
    .toSorted((a, b) => a.sincems - b.sincems)
    .map(({ participantid, state, callid, luri, ltag, ruri, rtag }) => ({
      participantid,
      state,
      callid,
      luri,
      ltag,
      ruri,
      rtag,
    }));
}

/** The recordings of a call at one site. (documented) */
export const recordingEntrySchema = z.strictObject({
  site: z.string().describe('Site that keeps the files'),
  files: z
    .array(
      z.strictObject({
        name: z.string().describe('Name of the file'),
        size: z.int().describe('Size in bytes'),
        _links: z
          .strictObject({
            self: z.strictObject({ href: z.string().describe('Path of the file') }).describe('The file'),
          })
          .describe('Links'),
      }),
    )
    .describe('Recordings of the call at this site'),
});
export type RecordingEntry = z.infer<typeof recordingEntrySchema>;

/** The entry of a site; `base`: the path under which its files are. */
export function recordingEntry(site: string, recordings: RecordingList, base: string): RecordingEntry {
  const files = recordings.map((recording) => {
    const name = fileNameOf(recording);
    return { name, size: wavSizeOf(recording), _links: { self: { href: `${base}/${encodeURIComponent(name)}` } } };
  });
  return { site, files };
}
