/** Messages to callstore: live calls of its site, and call records. */
import { z } from 'zod';
import { recordingSchema } from '../recording.ts';
import { dialogRecordSchema, dialogStatuses } from './dialog.ts';
import { ask, tell } from './message.ts';

/** A call as the interface shows it. (documented) */
export const dialogSchema = z.strictObject({
  acallid: z.string(),
  callids: z.array(z.string()),
  dialogid: z.string(),
  esgdlg: z.string(),
  inviteid: z.string(),
  status: z.enum(dialogStatuses),
  legs: z.array(
    z.strictObject({
      callid: z.string(),
      /** Milliseconds left; `undefined` for the caller's side. */
      expirets: z.union([z.number(), z.literal('undefined')]),
      localuri: z.string(),
      remoteuri: z.string(),
      side: z.enum(['a', 'b']),
    }),
  ),
  localuri: z.string(),
  remoteuri: z.string(),
  site: z.string(),
  startts: z.int(),
  uris: z.array(z.string()),
  opts: z.record(z.string(), z.unknown()),
});
export type Dialog = z.infer<typeof dialogSchema>;

/** The record of a call that is over. Times are ISO 8601 UTC, durations milliseconds. (chosen) */
export const cdrSchema = z.strictObject({
  inviteid: z.string(),
  dialogid: z.string(),
  acallid: z.string(),
  site: z.string(),
  from: z.string(),
  to: z.string(),
  startts: z.int(),
  answerts: z.int().nullable(),
  endts: z.int(),
  durationms: z.int(),
  talkms: z.int(),
  /** Completion type of `dlg_end`, or `dead`. */
  type: z.string(),
  /** SIP status and reason that ended it, where there is one. */
  status: z.int().nullable(),
  reason: z.string(),
  participations: z.array(z.unknown()),
  domains: z.array(z.string()),
  /** Absent: none. Deleted ones are in it too. */
  recordings: z.array(recordingSchema).optional(),
});
export type Cdr = z.infer<typeof cdrSchema>;

/** A record as it is shown: `recordings` is how many files there are. */
export const shownCdrSchema = cdrSchema.extend({ recordings: z.int() });
export type ShownCdr = z.infer<typeof shownCdrSchema>;

/** A record by its inviteid, and a text that differs where the record does (see `src/model/call-record.ts`). */
const recordMarkSchema = z.tuple([z.string(), z.string()]);
export type RecordMark = z.infer<typeof recordMarkSchema>;

/** Limits what is seen to calls in which one of these SIP users of the domain takes part. */
const own = z.array(z.string()).optional();

export const callstoreMessages = {
  'callstore.list': ask({
    does: 'Lists the live calls of a domain that a query picks: its texts, as in the URL, without paging but for `limit`.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, params: z.array(z.tuple([z.string(), z.string()])) }),
    /** `count`: all that the filter lets pass. `rest`: the name of what did not go into this answer (see `src/roles/pieces.ts`). */
    reply: z.strictObject({ dialogs: z.array(dialogSchema), count: z.int(), rest: z.string().optional() }),
  }),
  'callstore.get': ask({
    does: 'Tells a live call.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, dialogid: z.string() }),
    reply: z.strictObject({ record: dialogRecordSchema.nullable(), dialog: dialogSchema.nullable() }),
  }),
  'callstore.find': ask({
    does: 'Finds live calls by one key.',
    to: ['callstore'],
    body: z.strictObject({
      domain: z.string(),
      own,
      key: z.enum(['dialogid', 'inviteid', 'callid', 'uri', 'number', 'login', 'confid']),
      values: z.array(z.string()),
    }),
    reply: z.strictObject({ records: z.array(dialogRecordSchema) }),
  }),
  'callstore.records': ask({
    does: 'Lists the records of calls that are over: of a domain, or one by its inviteid.',
    to: ['callstore'],
    body: z.strictObject({
      domain: z.string(),
      own,
      inviteid: z.string().optional(),
      params: z.array(z.tuple([z.string(), z.string()])).optional(),
    }),
    reply: z.strictObject({ records: z.array(shownCdrSchema), count: z.int(), rest: z.string().optional() }),
  }),
  'callstore.rest': ask({
    does: 'Asks for the next live calls or records of a list that was too long for one answer.',
    to: ['callstore'],
    body: z.strictObject({ rest: z.string() }),
    reply: z.strictObject({ items: z.array(z.union([dialogSchema, shownCdrSchema])), rest: z.string().optional() }),
  }),
  'callstore.recordings': ask({
    does: 'Tells which recordings of a call this site has: of one that is over, those of which there is a file.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, inviteid: z.string() }),
    /** `isKnown`: there is such a call, live or over. */
    reply: z.strictObject({ isKnown: z.boolean(), recordings: z.array(recordingSchema) }),
  }),
  'callstore.recordings.delete': ask({
    does: 'Deletes recordings of a call, by the names of their files. Tells which ones were there.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, inviteid: z.string(), names: z.array(z.string()) }),
    reply: z.strictObject({ deleted: z.array(z.string()) }),
  }),
  'callstore.recordings.deleted': tell({
    does: 'Tells another member of the group of a record whose recordings were deleted.',
    to: ['callstore'],
    body: z.strictObject({ record: cdrSchema }),
  }),
  'callstore.orphans': ask({
    does: 'Gives the active member of the group live calls of a b2b life that is over, of which that one may not know: it began to serve later.',
    to: ['callstore'],
    body: z.strictObject({ source: z.string(), epoch: z.number(), calls: z.array(dialogRecordSchema) }),
    reply: z.strictObject({}),
  }),
  'callstore.compare': ask({
    does: 'Compares call records with the active member of the group: those that each has written since the last time.',
    to: ['callstore'],
    body: z.strictObject({ after: z.int(), entries: z.array(recordMarkSchema) }),
    reply: z.strictObject({
      /** Tells a store from one that was lost and made anew. */
      store: z.string(),
      entries: z.array(recordMarkSchema),
      /** How far these entries go. */
      upTo: z.int(),
      more: z.boolean(),
      /** Of the entries given: those that the active one lacks, or has otherwise. */
      wants: z.array(z.string()),
    }),
  }),
  'callstore.exchange': ask({
    does: 'Gives call records to the active member of the group, which puts them together with its own, and gets others.',
    to: ['callstore'],
    body: z.strictObject({ give: z.array(cdrSchema), want: z.array(z.string()) }),
    reply: z.strictObject({ records: z.array(cdrSchema) }),
  }),
};
