/** Messages to callstore: live calls of its site, and call records. */
import { z } from 'zod';
import { recordingSchema } from '../../recording/recording.ts';
import { ask } from '../message.ts';
import { dialogRecordSchema, dialogStatuses } from './dialog.ts';

/** A call as the interface shows it. (documented) */
export const dialogSchema = z.strictObject({
  acallid: z.string().describe('Call-Id of the leg of side a'),
  callids: z.array(z.string()).describe('Call-Ids of all active legs; each device that is being called has its own'),
  dialogid: z.string().describe('Id of the call in paths; unique while the call lives, reused after some time'),
  esgdlg: z
    .string()
    .describe('Id that esg gave to a call from outside through a provider account; empty for any other call'),
  inviteid: z.string().describe('Globally unique id of the call; all events and the record of the call carry it'),
  status: z
    .enum(dialogStatuses)
    .describe(
      '`init`: routing; `forking`: the devices of side b are being called; `dialog`: answered; `ending`: BYE or CANCEL is under way',
    ),
  legs: z
    .array(
      z.strictObject({
        callid: z.string().describe('Call-Id of the leg'),
        expirets: z
          .union([z.number(), z.literal('undefined')])
          .describe(
            'Milliseconds until a time limit ends the leg of side b: while it rings that of the callee, after the answer the shorter one of both parties, else that of the platform; `"undefined"` for side a',
          ),
        localuri: z.string().describe('URI of the platform on this leg, as `<sip:user@domain>`'),
        remoteuri: z.string().describe('URI of the device, provider or service on this leg, as `<sip:user@domain>`'),
        side: z.enum(['a', 'b']).describe('`a`: the caller; `b`: a callee'),
      }),
    )
    .describe('One leg of side a, followed by one or more legs of side b'),
  localuri: z.string().describe('URI of side a, as `<sip:user@domain>`'),
  remoteuri: z.string().describe('URI of side b, as `<sip:user@domain>`'),
  site: z.string().describe('Site whose b2b instance serves the call'),
  startts: z.int().describe('When the first INVITE entered the platform, milliseconds since the epoch'),
  uris: z.array(z.string()).describe('URIs of all parties of the call'),
  opts: z
    .record(z.string(), z.unknown())
    .describe(
      'Further parameters of the call: `referred-by` is the URI of the party that transferred it, `bindings` are its labels',
    ),
});
export type Dialog = z.infer<typeof dialogSchema>;

/** The record of a call that is over. Times are milliseconds since the epoch. (chosen) */
export const cdrSchema = z.strictObject({
  inviteid: z.string().describe('Globally unique id of the call, as in its events'),
  dialogid: z.string().describe('Id that the call had while it was live'),
  acallid: z.string().describe('Call-Id of the leg of side a'),
  site: z.string().describe('Site whose b2b instance served the call'),
  from: z.string().describe('URI of the caller, as `<sip:user@domain>`'),
  to: z.string().describe('URI that was called, as `<sip:user@domain>`'),
  startts: z.int().describe('When the first INVITE entered the platform, milliseconds since the epoch'),
  answerts: z.int().nullable().describe('When the callee answered, milliseconds since the epoch; null: never'),
  endts: z.int().describe('When the call ended, milliseconds since the epoch'),
  durationms: z.int().describe('From `startts` to `endts`, milliseconds'),
  talkms: z.int().describe('From `answerts` to `endts`, milliseconds; 0: not answered'),
  type: z
    .string()
    .describe(
      'How the call ended: the completion type of its `dlg_end` event, such as `bye`, `cancel`, `timeout` or `error`; `dead`: its b2b instance was lost',
    ),
  status: z
    .int()
    .nullable()
    .describe(
      'SIP status that ended the call (480 where a client ended it by DELETE before an answer); null where none did',
    ),
  reason: z.string().describe('Reason phrase of that status; may be empty'),
  participations: z
    .array(z.unknown())
    .describe(
      'Parties of the call: `side`, `kind` (`sipuser`, `account`, `conference`, `ivr`, `outside`), `domain`, `name` (login, provider code, confid or srvidx), `id` (of a SIP user) and `number`',
    ),
  domains: z.array(z.string()).describe('Domains that the call belongs to, as the domain of at least one leg'),
  /** Absent: none. Deleted ones are in it too. */
  recordings: z.array(recordingSchema).optional(),
});
export type Cdr = z.infer<typeof cdrSchema>;

/** A record for clients: `recordings` is the number of files. */
export const shownCdrSchema = cdrSchema.extend({
  recordings: z.int().describe('Number of recordings that can be downloaded'),
});
export type ShownCdr = z.infer<typeof shownCdrSchema>;

/** A record by its inviteid, and a text that differs where the record does (see `src/model/recording/call-record.ts`). */
const recordMarkSchema = z.tuple([z.string(), z.string()]);
export type RecordMark = z.infer<typeof recordMarkSchema>;

/**
 * Limits the answer to calls in which one of these SIP users of the domain takes part, each by its id and its login. The login counts for
 * records of earlier builds, in which parties have no id.
 */
const own = z.array(z.tuple([z.string(), z.string()])).optional();

export const callstoreMessages = {
  'callstore.list': ask({
    does: 'Lists the live calls of a domain that match a query. The query has the texts of the URL; of paging only `limit` applies.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, params: z.array(z.tuple([z.string(), z.string()])) }),
    /**
     * `count`: the items that pass the filter. `rest`: the name of the items that did not fit into this answer (see
     * `src/roles/pieces.ts`).
     */
    reply: z.strictObject({ dialogs: z.array(dialogSchema), count: z.int(), rest: z.string().optional() }),
  }),
  'callstore.get': ask({
    does: 'Returns a live call.',
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
      key: z.enum(['dialogid', 'inviteid', 'callid', 'uri', 'number', 'login', 'sipuserid', 'confid']),
      values: z.array(z.string()),
    }),
    reply: z.strictObject({ records: z.array(dialogRecordSchema), rest: z.string().optional() }),
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
    reply: z.strictObject({
      items: z.array(z.union([dialogSchema, dialogRecordSchema, shownCdrSchema])),
      rest: z.string().optional(),
    }),
  }),
  'callstore.recordings': ask({
    does: 'Returns the recordings of a call at this site. Of a call that is over: the recordings with a file.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, inviteid: z.string() }),
    /** `isKnown`: the instance knows the call, live or ended. */
    reply: z.strictObject({ isKnown: z.boolean(), recordings: z.array(recordingSchema) }),
  }),
  'callstore.recordings.delete': ask({
    does: 'Deletes recordings of a call, by the names of their files. Returns the names that were found.',
    to: ['callstore'],
    body: z.strictObject({ domain: z.string(), own, inviteid: z.string(), names: z.array(z.string()) }),
    reply: z.strictObject({ deleted: z.array(z.string()) }),
  }),
  'callstore.recordings.deleted': ask({
    does: 'Sends another member of the group a record whose recordings were deleted: answers when it is written.',
    to: ['callstore'],
    body: z.strictObject({ record: cdrSchema }),
    reply: z.strictObject({}),
    deadlineMs: 1_000,
    isForStandbys: true,
    isWhileDraining: true,
  }),
  'callstore.orphans': ask({
    does: 'Sends the active member of the group live calls of an ended b2b incarnation, which it may not know because it became active later.',
    to: ['callstore'],
    body: z.strictObject({ source: z.string(), epoch: z.number(), calls: z.array(dialogRecordSchema) }),
    reply: z.strictObject({}),
  }),
  'callstore.consumes': ask({
    does: 'Asks a member of the group whether it consumes the streams of the site: an answer says so. One that drains does not answer.',
    to: ['callstore'],
    body: z.strictObject({}),
    reply: z.strictObject({}),
    deadlineMs: 1_000,
    isForStandbys: true,
  }),
  'callstore.stored': ask({
    does: 'Asks whether the calls that have ended, by the items of the asking source up to this one, have their records: answers when they have.',
    to: ['callstore'],
    body: z.strictObject({ epoch: z.number(), upTo: z.int() }),
    reply: z.strictObject({}),
    deadlineMs: 1_000,
    isForStandbys: true,
    isWhileDraining: true,
  }),
  'callstore.compare': ask({
    does: 'Compares call records with the active member of the group: the records that each has written since the last comparison.',
    to: ['callstore'],
    body: z.strictObject({ after: z.int(), entries: z.array(recordMarkSchema) }),
    reply: z.strictObject({
      /** Identifies the store; a lost store that was created again has another one. */
      store: z.string(),
      entries: z.array(recordMarkSchema),
      /** The position up to which these entries reach. */
      upTo: z.int(),
      more: z.boolean(),
      /** Of the given entries, the ids of records that the active instance lacks or has in another version. */
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
