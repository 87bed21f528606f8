/**
 * Classes confevents and selectorevents: conferences, and meetings of selectors, as their conf instance sends them. conf_start,
 * conf_stop and their fields are public; part_start, part_stop, what is in `participantsdata`, and the name and fields of the
 * events of meetings are chosen.
 */
import { z } from 'zod';
import { chosen } from '../provenance.ts';
import { event } from './event-declaration.ts';

const conference = {
  confid: z.string().describe('Id of the conference, as in `/rest/v1/uc/conferences`'),
  confnum: z.string().describe('Number of the room in hexadecimal notation; empty where the conference has no room'),
  room: z.string().describe('Room: the last two digits of that number; empty where it has none'),
  confdomain: z.string().describe('Domain of the conference'),
  invitets: z.iso.datetime().describe('When the conference began'),
  isrec: z.boolean().describe('Whether the conference is recorded; always false: only calls are recorded'),
};

const end = {
  type: z
    .enum(['bye', 'cancel', 'call_final', 'conf_terminate', 'timeout', 'error'])
    .describe(
      'How it ended. `bye`: BYE; `cancel`: CANCEL; `call_final`: a final answer; `conf_terminate`: a request or a stop of the server; `timeout`: no answer, or no participant; `error`: the leg was lost',
    ),
  reason: z.string().describe('The same in words; may be empty'),
  by: z.string().describe('What ended it: URI of a participant, `api`, or `platform`'),
};

const departed = {
  participantid: z.string().describe('Id of the participant, as in the path of a participant'),
  callid: z.string().describe('Call-Id of the leg'),
  ruri: z.string().describe('URI of the participant'),
  direction: z.enum(['in', 'out']).describe('`in`: it called the conference; `out`: the conference called it'),
  since: z.iso.datetime().describe('When its leg began'),
  joined: z.iso.datetime().optional().describe('When it was connected; absent where it never was'),
  left: z.iso.datetime().describe('When its leg ended'),
};

export const confevents = {
  conf_start: event('A conference begins.', 'The first event of a conference. Once.', {
    ...conference,
    participants: z.int().describe('Number of participants that were connected so far: 0'),
    participantsdata: z.array(z.strictObject(departed)).describe('Participants that have left so far: none'),
  }),
  part_start: event('A participant is connected.', 'After `conf_start`. Once for each participant.', {
    ...conference,
    participantid: departed.participantid,
    callid: departed.callid,
    ruri: departed.ruri,
  }),
  part_stop: event(
    'A participant has left, or was called and did not join.',
    'After `part_start` of the participant, where it was connected. Once for each participant.',
    { ...conference, ...departed, ...end },
  ),
  conf_stop: event(
    'The conference ended 3 s ago.',
    '3 s after the last participant has left. Once. The last event of a conference.',
    {
      ...conference,
      participants: z.int().describe('Number of participants that were connected'),
      participantsdata: z.array(z.strictObject(departed)).describe('Each participant, with its times').meta(chosen),
      ...end,
    },
  ),
};

export const selectorevents = {
  state_changed: event(
    'A selector meeting has entered a state.',
    '`$connecting` when its conference begins, `$online` when the first participant is connected, `$terminating` when the conference ends. Each once.',
    {
      selectorid: z.string().describe('Id of the selector'),
      confid: z.string().describe('Id of the conference of the meeting'),
      state: z.enum(['$connecting', '$online', '$terminating']).describe('The state, with a leading `$`'),
    },
  ),
  hand_changed: event(
    'A participant of a selector meeting asks to speak, or no longer does.',
    'While the participant is connected.',
    {
      selectorid: z.string().describe('Id of the selector'),
      confid: z.string().describe('Id of the conference of the meeting'),
      participantid: z.string().describe('Id of the participant of the selector').meta(chosen),
      is_hand_raised: z.boolean().describe('Whether it asks to speak').meta(chosen),
    },
  ),
};
