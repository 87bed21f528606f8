/** Messages to the conference server. */
import { z } from 'zod';
import { ask } from '../message.ts';

export const participantStates = ['calling', 'ringing', 'active', 'held', 'leaving'] as const;
export type ParticipantState = (typeof participantStates)[number];

/** A participant. The first seven fields are documented; the others are internal. */
export const participantRecordSchema = z.strictObject({
  participantid: z.string().describe('Id of the participant in paths'),
  state: z
    .enum(participantStates)
    .describe('`calling`: INVITE sent; `ringing`; `active`; `held`: put on hold by the device; `leaving`: BYE sent'),
  callid: z.string().describe('Call-Id of the leg between b2b and conf'),
  luri: z.string().describe('URI of the conference; the same for all participants'),
  ltag: z.string().describe('SIP tag of the conference on this leg'),
  ruri: z.string().describe('URI of the participant, as `<sip:user@domain>`'),
  rtag: z.string().describe('SIP tag of the participant on this leg; empty until the participant responds'),
  /** When it joined or was called (ms since the epoch). */
  sincems: z.number(),
  /** Of a selector meeting: the key of the seat in the meeting. */
  member: z.string().optional(),
  isHandRaised: z.boolean().optional().describe('It asks to speak'),
});
export type ParticipantRecord = z.infer<typeof participantRecordSchema>;

/** A selector meeting. One that was made again with the id of a removed one has another `ct`. */
const meetingRefSchema = z.strictObject({ id: z.string(), ct: z.string() });
export type MeetingRef = z.infer<typeof meetingRefSchema>;

export const conferenceRecordSchema = z.strictObject({
  confid: z.string(),
  confroomnum: z.string(),
  confnumber: z.string(),
  uri: z.string(),
  conftype: z.enum(['conference', 'videoconference']),
  site: z.string(),
  startts: z.int(),
  uris: z.array(z.string()),
  domain: z.string(),
  /** Address of its conf instance. */
  conf: z.string(),
  participants: z.array(participantRecordSchema),
  /** The selector meeting of the conference. */
  meeting: meetingRefSchema
    .extend({
      isEnding: z.boolean(),
      /** When each seat was called for the last time (ms since the epoch). */
      called: z.record(z.string(), z.number()),
    })
    .optional(),
});
export type ConferenceRecord = z.infer<typeof conferenceRecordSchema>;

/** The audio topology: for each participant the ids of the participants that it hears. (chosen) */
export const hearsSchema = z.record(z.string(), z.array(z.string()));

export const conferenceMessages = {
  'conference.list': ask({
    does: 'Lists the conferences of a domain, or returns one of them.',
    to: ['conf'],
    body: z.strictObject({
      domain: z.string(),
      confid: z.string().optional(),
      /** Without participants: their array is empty. */
      brief: z.boolean().optional(),
    }),
    reply: z.strictObject({
      conferences: z.array(conferenceRecordSchema),
      /** The name of the conferences that did not go into this answer. */
      rest: z.string().optional(),
      /** When selector meetings that were here have ended (ms since the epoch), by their ids. */
      ended: z.record(z.string(), z.number()).optional(),
      /** The time of the answering instance, by whose clock all these times are (ms since the epoch). */
      nowMs: z.number(),
    }),
  }),
  'conference.rest': ask({
    does: 'Gives the next conferences of a list that was too long for one answer.',
    to: ['conf'],
    body: z.strictObject({ rest: z.string() }),
    reply: z.strictObject({ items: z.array(conferenceRecordSchema), rest: z.string().optional() }),
  }),
  'conference.find': ask({
    does: 'Asks which conference a room has at a conf instance.',
    to: ['conf'],
    body: z.strictObject({
      domain: z.string(),
      /** With its feature code. */
      number: z.string(),
      /**
       * Set by another instance that resolves the home of the room: since when. The instance that has been resolving longer
       * answers once it knows.
       */
      sinceMs: z.number().optional(),
    }),
    reply: z.strictObject({ confid: z.string().nullable() }),
    deadlineMs: 1_000,
  }),
  'conference.create': ask({
    does: 'Makes a conference without a room number, for parties that are about to come; of a selector meeting one at most.',
    to: ['conf'],
    body: z.strictObject({
      domain: z.string(),
      meeting: z
        .tuple([z.string(), z.string()])
        .optional()
        .describe('The selector meeting that it is: its id, and when it was made'),
    }),
    reply: z.strictObject({ confid: z.string(), uri: z.string() }),
  }),
  'conference.end': ask({
    does: 'Ends a conference: BYE to every participant, CANCEL to the devices that are being called.',
    to: ['conf'],
    body: z.strictObject({
      confid: z.string(),
      keepsMeeting: z
        .boolean()
        .optional()
        .describe(
          'Set for a conference of a selector meeting that has not ended: it goes on as another conference, or is to begin at a later time',
        ),
    }),
    reply: z.strictObject({}),
  }),
  'conference.call': ask({
    does: 'Calls numbers from a conference, all at once: the refusal of one does not end it before others are called. Fails where none is called.',
    to: ['conf'],
    body: z.strictObject({
      confid: z.string(),
      invitations: z
        .array(z.tuple([z.string(), z.string().nullable()]))
        .describe('Numbers to call, each with the key of its seat in the selector meeting, where it is one'),
    }),
    reply: z.strictObject({ participantids: z.array(z.string()) }),
  }),
  'conference.remove': ask({
    does: 'Removes a participant; does not wait until it has left.',
    to: ['conf'],
    body: z.strictObject({ confid: z.string(), participantid: z.string() }),
    reply: z.strictObject({}),
  }),
  'conference.hears': ask({
    does: 'Sets which participants hear which others, if `hears` is given. Returns the result.',
    to: ['conf'],
    body: z.strictObject({
      confid: z.string(),
      hears: hearsSchema.optional(),
      file: z.string().optional().describe('Sound file for participants that hear no other one; empty: none'),
      seats: z
        .array(z.string())
        .optional()
        .describe('Keys of the seats that the selector meeting has: when others were called is forgotten'),
    }),
    reply: z.strictObject({ hears: hearsSchema }),
  }),
};
