/** Conferences and their participants as the interface shows them. (documented; `confuri` beside `uri` chosen) */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';
import { type ConferenceRecord, participantRecordSchema } from '../protocol/conference.ts';

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
export type Conference = z.infer<typeof conferenceSchema>;

/** A list does not show `conftype`, but a filter may ask for it. (documented) */
const listed = ['confid', 'confroomnum', 'confnumber', 'uri', 'confuri', 'site', 'startts', 'uris'] as const;

export const conferenceShape: CollectionShape<Conference> = {
  item: conferenceSchema,
  fields: listed,
  defaultFields: listed,
  defaultOrder: ['startts', 'confid'],
  tieBreak: ['confid'],
  isCountable: true,
};

export function conferenceOf(record: ConferenceRecord): Conference {
  const { confid, confroomnum, confnumber, uri, conftype, site, startts, uris } = record;
  return { confid, confroomnum, confnumber, uri, confuri: uri, conftype, site, startts, uris };
}

export const participantSchema = participantRecordSchema.omit({ sincems: true, member: true });
export type Participant = z.infer<typeof participantSchema>;

/** Without an `order` a list is in the order in which they came. (chosen) */
export const participantShape: CollectionShape<Participant> = {
  item: participantSchema,
  defaultOrder: [],
  tieBreak: ['participantid'],
  isOrdered: true,
  isCountable: true,
};

/** The participants of a conference, in the order in which they came. */
export function participantsOf({ participants }: ConferenceRecord): Participant[] {
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
