/** Messages to mware: lists, look-ups and commands of the front. */
import { z } from 'zod';
import { callBodySchema, callCommandSchema, callKeys, conferenceKeys } from '../../call-request-bodies.ts';
import { participantStates as memberStates, selectorStates } from '../../entities/selector.ts';
import { chosen } from '../../provenance.ts';
import { recordingSchema } from '../../recording/recording.ts';
import { ask, tell } from '../message.ts';
import { dialogSchema } from './callstore.ts';
import { hearsSchema } from './conference.ts';
import { callResultSchema, callResults } from './dialog.ts';

/**
 * The requester: all is limited to this domain and, with `iduser`, to objects in which a SIP user bound to that user takes
 * part.
 */
const requester = { domain: z.string(), iduser: z.string().optional() };

/** The query of a list: its texts, as in the URL. */
const params = z.array(z.tuple([z.string(), z.string()]));

/** Sites that serve the domain and did not answer. */
const missing = z.array(z.string());

/** The rest of a list that was too long for one answer: its name, and the address of the instance that keeps it. */
const rest = z.strictObject({ name: z.string(), at: z.string() });

/** A page of a list for the client; `count` instead for `countonly`. */
const listReply = z.strictObject({
  items: z.array(z.record(z.string(), z.unknown())),
  count: z.int().optional(),
  rest: rest.optional(),
  missing,
});
export type ListReply = z.infer<typeof listReply>;

const idsReply = z.strictObject({ ids: z.array(z.string()), missing });

const itemReply = z.strictObject({ item: z.record(z.string(), z.unknown()) });

function searchKey<K extends string>(keys: readonly K[]) {
  return z.strictObject({ key: z.enum(keys), value: z.string(), mode: z.enum(['number', 'sipuser']) });
}

/** The outcome of a command: `result`, and the fields of the verb. */
export const commandReplySchema = z.strictObject({
  dialogid: z.string().describe('Id of the call, as in the path'),
  result: z.enum(callResults).describe('`ok`, or the outcome of the call that a transfer starts, as for POST'),
  /** REFER: the new call and its legs. */
  ...callResultSchema.omit({ result: true, dialogid: true }).shape,
  referdialogid: z.string().optional().describe('REFER: id of the transferred call, once it is known').meta(chosen),
  confid: z.string().optional().describe('SWITCHCONF, REFERCONF: id of the conference'),
  bindings: z.array(z.string()).optional().describe('SETUP_BINDINGS: labels of the call after the change'),
});
export type CommandReply = z.infer<typeof commandReplySchema>;

/** X may ring for 300 s, and Y then for 180 s. */
const longMs = 600_000;

export const mwareMessages = {
  'mware.calls': ask({
    does: 'Lists the live calls of a domain, at all sites that serve it.',
    to: ['mware'],
    body: z.strictObject({ ...requester, params }),
    reply: listReply,
    deadlineMs: 5_000,
  }),
  'mware.call': ask({
    does: 'Returns a live call, or `not_found`.',
    to: ['mware'],
    body: z.strictObject({ ...requester, dialogid: z.string() }),
    reply: z.strictObject({ dialog: dialogSchema }),
    deadlineMs: 5_000,
  }),
  'mware.calls.find': ask({
    does: 'Finds live calls by one key.',
    to: ['mware'],
    body: z.strictObject({ ...requester, search: searchKey(callKeys) }),
    reply: idsReply,
    deadlineMs: 5_000,
  }),
  'mware.call.start': ask({
    does: 'Starts a call of X and Y, by IVR or directly as two legs of one dialog, or of X and an IVR script.',
    to: ['mware'],
    body: z.strictObject({ ...requester, by: z.enum(['ivr', 'direct', 'script']), call: callBodySchema }),
    reply: callResultSchema,
    deadlineMs: longMs,
  }),
  'mware.call.command': ask({
    does: 'Gives a command to a live call.',
    to: ['mware'],
    body: z.strictObject({ ...requester, dialogid: z.string(), command: callCommandSchema }),
    reply: commandReplySchema,
    deadlineMs: longMs,
  }),
  'mware.conferences': ask({
    does: 'Lists the conferences of a domain, at all sites.',
    to: ['mware'],
    body: z.strictObject({ ...requester, params }),
    reply: listReply,
    deadlineMs: 5_000,
  }),
  'mware.conference': ask({
    does: 'Returns a conference, or `not_found`.',
    to: ['mware'],
    body: z.strictObject({ ...requester, confid: z.string() }),
    reply: itemReply,
    deadlineMs: 5_000,
  }),
  'mware.conferences.find': ask({
    does: 'Finds conferences by one key: directly, or through a call of which one party is a conference.',
    to: ['mware'],
    body: z.strictObject({ ...requester, search: searchKey(conferenceKeys) }),
    reply: idsReply,
    deadlineMs: 5_000,
  }),
  'mware.participants': ask({
    does: 'Lists the participants of a conference.',
    to: ['mware'],
    body: z.strictObject({ ...requester, confid: z.string(), params }),
    reply: listReply,
    deadlineMs: 5_000,
  }),
  'mware.participant': ask({
    does: 'Returns a participant of a conference.',
    to: ['mware'],
    body: z.strictObject({ ...requester, confid: z.string(), participantid: z.string() }),
    reply: itemReply,
    deadlineMs: 5_000,
  }),
  'mware.conference.command': ask({
    does: 'Gives a command to a conference: end it, call a number from it, remove a participant, return or set which participants hear which others.',
    to: ['mware'],
    body: z.strictObject({
      ...requester,
      confid: z.string(),
      command: z.discriminatedUnion('verb', [
        z.strictObject({ verb: z.literal('end') }),
        z.strictObject({ verb: z.literal('call'), to: z.string() }),
        z.strictObject({ verb: z.literal('remove'), participantid: z.string() }),
        z.strictObject({ verb: z.literal('hears'), hears: hearsSchema.optional() }),
      ]),
    }),
    reply: z.strictObject({ participantid: z.string().optional(), hears: hearsSchema.optional() }),
    deadlineMs: 5_000,
  }),
  'mware.records': ask({
    does: 'Lists the records of calls of a domain that are over, at all sites that serve it.',
    to: ['mware'],
    body: z.strictObject({ ...requester, params }),
    reply: listReply,
    deadlineMs: 5_000,
  }),
  'mware.record': ask({
    does: 'Returns the record of a call by its inviteid.',
    to: ['mware'],
    body: z.strictObject({ ...requester, inviteid: z.string() }),
    reply: itemReply,
    deadlineMs: 5_000,
  }),
  'mware.recordings': ask({
    does: 'Returns the recordings of a call, by site; `not_found` where every site was asked and none knows the call.',
    to: ['mware'],
    body: z.strictObject({ ...requester, inviteid: z.string() }),
    reply: z.strictObject({
      sites: z.array(z.strictObject({ site: z.string(), recordings: z.array(recordingSchema) })),
      missing,
    }),
    deadlineMs: 5_000,
  }),
  'mware.recordings.delete': ask({
    does: 'Deletes one recording of a call, by the name of its file, or all of them at the sites in reach; `missing` are the others.',
    to: ['mware'],
    body: z.strictObject({ ...requester, inviteid: z.string(), name: z.string().optional() }),
    reply: z.strictObject({ missing }),
    deadlineMs: 5_000,
  }),
  'mware.meetings': ask({
    does: 'Returns the selector meetings of a domain that run or have ended, with the states of their participants.',
    to: ['mware'],
    body: z.strictObject({ ...requester }),
    reply: z.strictObject({
      meetings: z.array(
        z.strictObject({
          id: z.string(),
          /** Absent: it has ended. */
          ct: z.string().optional(),
          state: z.enum(selectorStates),
          members: z
            .array(
              z.strictObject({
                id: z.string(),
                ct: z.string(),
                state: z.enum(memberStates),
                isHandRaised: z.boolean(),
              }),
            )
            .describe('Participants of the meeting that its conference has'),
          /** When its conference ended (ms since the epoch), while a conf instance remembers it. */
          endedMs: z.number().optional(),
        }),
      ),
    }),
    deadlineMs: 5_000,
  }),
  'mware.meetings.changed': tell({
    does: 'Notifies mware that selector meetings of a domain, or their participants, have changed, or that one has ended.',
    to: ['mware'],
    body: z.strictObject({
      domain: z.string(),
      ended: z.string().optional().describe('Id of the meeting whose conference has ended'),
    }),
  }),
  'mware.rest': ask({
    does: 'Asks for the next items of a list that was too long for one answer.',
    to: ['mware'],
    body: z.strictObject({ name: z.string() }),
    reply: z.strictObject({ items: z.array(z.record(z.string(), z.unknown())), rest: rest.optional() }),
  }),
};

/** The status of a matcher. Shape: documented. */
export const matcherInfoSchema = z.strictObject({
  is_loaded: z.boolean().describe('The matcher has samples to compare with'),
  is_reload_needed: z.boolean().describe('Its folder differs from the loaded samples'),
  samples_dir: z.string().describe('Folder of the reference samples'),
  jobs_count: z.int().describe('Calls whose announcement it compares now'),
});
export type MatcherInfo = z.infer<typeof matcherInfoSchema>;

const callidSchema = z.string().describe('Call-Id of the leg that plays it');

export const matcherMessages = {
  'matcher.listen': tell({
    does: 'Compares the announcement that a called number plays with the samples; `matcher.matched` answers if one fits.',
    to: ['mware'],
    body: z.strictObject({
      dialogid: z.string(),
      callid: callidSchema,
      plays: z.string().describe('Name of the announcement that it plays'),
    }),
  }),
  'matcher.leave': tell({
    does: 'Ends a comparison: the announcement is over.',
    to: ['mware'],
    body: z.strictObject({ callid: callidSchema }),
  }),
  'matcher.matched': tell({
    does: 'Names the sample that the announcement of a leg equals.',
    to: ['b2b'],
    body: z.strictObject({ callid: callidSchema, sample: z.string().describe('Name of the sample') }),
  }),
  'matcher.reload': ask({
    does: 'Starts the audio matcher anew, so that it loads its samples; does not wait until it has.',
    to: ['mware'],
    body: z.strictObject({}),
    reply: z.strictObject({}),
    isForStandbys: true,
  }),
  'matcher.status': ask({
    does: 'Returns whether the audio matcher has loaded its samples.',
    to: ['mware'],
    body: z.strictObject({}),
    reply: matcherInfoSchema,
    isForStandbys: true,
  }),
};
