/** Conferences and their participants as the interface shows them. (documented; `confuri` beside `uri` chosen) */
import { z } from 'zod';
import type { CollectionShape } from '../collection/shape.ts';
import { type ConferenceRecord, participantRecordSchema } from '../protocol/conference.ts';

export const conferenceSchema = z.object({
  confid: z.string(),
  confroomnum: z.string(),
  confnumber: z.string(),
  uri: z.string(),
  confuri: z.string(),
  conftype: z.enum(['conference', 'videoconference']),
  site: z.string(),
  startts: z.int(),
  uris: z.array(z.string()),
});
export type Conference = z.infer<typeof conferenceSchema>;

/** A list does not show `conftype`, but a filter may ask for it. (documented) */
const listed = ['confid', 'confroomnum', 'confnumber', 'uri', 'confuri', 'site', 'startts', 'uris'] as const;

export const conferenceShape: CollectionShape<Conference> = {
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
