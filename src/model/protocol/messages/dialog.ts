/** Messages about calls, to the b2b that has them, and to ivr. */
import { z } from 'zod';
import { chosen } from '../../provenance.ts';
import { recordingSchema } from '../../recording/recording.ts';
import { referredBySchema, referToSchema, replacesSchema } from '../../sip/message.ts';
import { ask } from '../message.ts';

export const dialogStatuses = ['init', 'forking', 'dialog', 'ending'] as const;
export type DialogStatus = (typeof dialogStatuses)[number];

export const sideSchema = z.enum(['a', 'b']);
export type Side = z.infer<typeof sideSchema>;

/** One leg of a call. `untilMs`: its time limit (ms since the epoch), shown as the remaining time. */
export const legRecordSchema = z.strictObject({
  callid: z.string(),
  side: sideSchema,
  localuri: z.string(),
  remoteuri: z.string(),
  untilMs: z.number().optional(),
});
export type LegRecord = z.infer<typeof legRecordSchema>;

/** A party of a call. */
export const participationSchema = z.strictObject({
  side: sideSchema.describe('Side of the dialog'),
  kind: z.enum(['sipuser', 'account', 'conference', 'ivr', 'outside']).describe('Kind of the party'),
  domain: z.string().describe('Domain of the party'),
  name: z.string().describe('Login, provider code, confid, or srvidx of ivr'),
  id: z.string().optional().describe('Id of the SIP user, which stays when its login changes; absent: another party'),
  number: z.string().describe('Number of the party'),
});
export type Participation = z.infer<typeof participationSchema>;

/** A call as reported by b2b. URIs are in angle brackets, as in the interface. */
export const dialogRecordSchema = z.strictObject({
  dialogid: z.string(),
  inviteid: z.string(),
  acallid: z.string(),
  esgdlg: z.string(),
  status: z.enum(dialogStatuses),
  legs: z.array(legRecordSchema),
  localuri: z.string(),
  remoteuri: z.string(),
  site: z.string(),
  /** When the initiating INVITE entered the system (ms since the epoch). */
  startts: z.int(),
  /** When the callee answered (ms since the epoch). */
  answerts: z.int().optional(),
  opts: z.record(z.string(), z.unknown()),
  /** Domains of the call: those of its accounts, SIP users, conferences and scripts. */
  domains: z.array(z.string()),
  /** Address of its b2b instance. */
  b2b: z.string(),
  participations: z.array(participationSchema),
  bindings: z.array(z.string()),
  /** Recordings so far; absent: none. */
  recordings: z.array(recordingSchema).optional(),
});
export type DialogRecord = z.infer<typeof dialogRecordSchema>;

/** The results of a call started by the platform. (documented and chosen) */
export const callResults = ['ok', 'failed', 'redirected', 'timeout', 'no_answer', 'unknown'] as const;

export const callResultSchema = z.strictObject({
  result: z
    .enum(callResults)
    .describe(
      '`ok`: the request was carried out, and `last_response` says whether Y answered; `failed`: the call to X failed; `redirected`: X redirected it; `timeout`: X rang and did not answer in time; `no_answer`: no response from X; `unknown`: X answered, the state of the call to Y is not known',
    ),
  ivrcallid: z.string().optional().describe('Call-Id of the call from IVR to X'),
  acallid: z.string().optional().describe('Call-Id of the leg of X in the call to Y'),
  bcallid: z.string().optional().describe('Call-Id of the leg of Y').meta(chosen),
  last_response: z
    .string()
    .optional()
    .describe('Status line of the last response from Y, such as `SIP/2.0 180 Ringing`'),
  dialogid: z
    .string()
    .optional()
    .describe('Id of the call from X to Y; absent where that call does not exist or has ended at once'),
});
export type CallResult = z.infer<typeof callResultSchema>;

/** A call to start: X (`from`) is called first, and Y (`to`) when X has answered. */
export const callRequestSchema = z.strictObject({
  domain: z.string(),
  from: z.string(),
  to: z.string(),
  mode: z.enum(['number', 'sipuser']),
  callerid: z.string().optional().describe('Number shown to X; default: the one of X'),
  callername: z.string().optional(),
  timeoutMs: z.int().describe('How long X may ring'),
  label: z.string().optional(),
  responseMode: z.int().min(0).max(3),
});
export type CallRequest = z.infer<typeof callRequestSchema>;

/** A device's side of a leg: the Replaces that takes its place, and the number of the device. */
export const legIdentitySchema = z.strictObject({ number: z.string(), uri: z.string(), replaces: replacesSchema });
export type LegIdentity = z.infer<typeof legIdentitySchema>;

export const dialogCommandSchema = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('end') }),
  /** Sends REFER to the party at each of `sides`, or to none where one of them can't be referred now. */
  z.strictObject({
    verb: z.literal('refer'),
    sides: z.array(sideSchema).min(1).max(2).readonly(),
    referTo: referToSchema,
    referredBy: referredBySchema.optional(),
  }),
  z.strictObject({ verb: z.literal('identify'), side: sideSchema }),
  z.strictObject({ verb: z.literal('replace'), newinviteid: z.string() }),
  z.strictObject({ verb: z.literal('notify'), to: sideSchema, event: z.enum(['talk', 'hold']) }),
  z.strictObject({ verb: z.literal('dtmf'), to: sideSchema, dtmf: z.string() }),
  z.strictObject({ verb: z.literal('record'), action: z.enum(['start', 'stop']) }),
  z.strictObject({ verb: z.literal('transcribe'), side: sideSchema, action: z.enum(['start', 'stop']) }),
  z.strictObject({ verb: z.literal('bind'), add: z.array(z.string()), remove: z.array(z.string()) }),
]);
export type DialogCommandBody = z.infer<typeof dialogCommandSchema>;

export const dialogMessages = {
  'dialog.command': ask({
    does: 'Gives a command to a call: end it, refer a party, hold, DTMF, record, transcribe, label. `not_found` when it is over, `conflict` when it can not take the command now.',
    to: ['b2b'],
    body: z.strictObject({
      dialogid: z.string().describe('Id of the call, or Call-Id of one of its legs'),
      command: dialogCommandSchema,
    }),
    reply: z.strictObject({
      /** After `bind`. */
      bindings: z.array(z.string()).optional(),
      /** After `identify`. */
      identity: legIdentitySchema.optional(),
      /** After `record`: the recording, and whether this command has started it. */
      recording: z.strictObject({ inviteid: z.string(), name: z.string(), isNew: z.boolean() }).optional(),
    }),
  }),
  'dialog.originate': ask({
    does: 'Calls X and, when X has answered, Y; as two legs of one dialog.',
    to: ['b2b'],
    body: z.strictObject({ request: callRequestSchema }),
    reply: callResultSchema,
    deadlineMs: 600_000,
  }),
  'dialog.list': ask({
    does: 'Lists the live calls of a b2b, in pages: for a callstore that begins to serve.',
    to: ['b2b'],
    body: z.strictObject({ after: z.string().optional() }),
    reply: z.strictObject({
      epoch: z.number(),
      /** Number of the last item of its stream that the list includes. */
      upTo: z.int(),
      dialogs: z.array(dialogRecordSchema),
      next: z.string().optional(),
    }),
    isWhileDraining: true,
  }),
  'ivr.call': ask({
    does: 'Calls X by IVR and refers it to Y. With `replaces` the call takes the place of a leg that X has.',
    to: ['ivr'],
    body: z.strictObject({
      request: callRequestSchema,
      replaces: replacesSchema.optional(),
      /** URI of the side that asked for the transfer; the referred call goes back to its number when it fails. */
      referredBy: z.string().optional(),
      returnTo: z.string().optional(),
    }),
    reply: callResultSchema,
    deadlineMs: 600_000,
  }),
};
