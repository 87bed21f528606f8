/**
 * Class callevents: the events of a call, sent by its b2b instance. Names and common fields are public; `sipcode`, `reason`
 * and the marked fields are chosen.
 */
import { z } from 'zod';
import { participationSchema, sideSchema } from '../protocol/messages/dialog.ts';
import { chosen } from '../provenance.ts';
import { event } from './event-declaration.ts';

/** Completion types: how a call ended. (public) */
export const endTypes = ['error', 'timeout', 'call_terminate', 'cancel', 'call_final', 'bye'] as const;

const call = {
  acallid: z.string().describe('Call-Id of the leg of the caller'),
  cid: z.string().describe('Id of the call; the same as `inviteid`'),
  inviteid: z.string().describe('Id of the call, as in `/rest/v1/uc/calls` and in the call record'),
  invitets: z.iso.datetime().describe('When the first INVITE entered the platform'),
  dialogid: z.string().describe('Id of the dialog, as in the path of a call'),
};

const parties = {
  participations: z
    .array(participationSchema)
    .describe('Parties that are known so far, each with its side, kind, domain, name and number')
    .meta(chosen),
};

const referredBy = { referredby: z.string().describe('URI of the party that asked for the transfer').meta(chosen) };

const fork = {
  localuri: z.string().describe('URI of the caller'),
  localname: z.string().optional().describe('Display name of the caller, where it has one').meta(chosen),
  remoteuri: z.string().describe('URI that the fork calls'),
  forkcallid: z.string().describe('Call-Id of the leg of this fork'),
  forkcallednum: z.string().describe('Number that the fork calls'),
  forkdir: z.enum(['inner', 'outer']).describe('`inner`: within the platform; `outer`: through a provider account'),
  side: sideSchema.describe('Side of the dialog that the fork is called for').meta(chosen),
};

const end = {
  type: z.enum(endTypes).describe('How the call ended'),
  sipcode: z.int().optional().describe('SIP status that ended the call; absent where none did').meta(chosen),
  reason: z.string().describe('Reason phrase of that status; may be empty').meta(chosen),
  by: sideSchema.optional().describe('Side that ended the call; absent where neither did').meta(chosen),
};

export const callevents = {
  invite: event('An INVITE has arrived: the call is known.', 'The first event of a call. Once.', {
    ...call,
    from: z.string().describe('URI of the caller').meta(chosen),
    fromname: z.string().optional().describe('Display name of the caller, where it has one').meta(chosen),
    to: z.string().describe('URI that is called').meta(chosen),
    ...parties,
  }),
  referring_invite: event(
    'The call results from a transfer: its INVITE has a Referred-By.',
    'Directly after `invite`.',
    { ...call, ...referredBy },
  ),
  route_referred: event('A call that results from a transfer is routed.', 'Directly before `dlg_init`.', {
    ...call,
    ...referredBy,
  }),
  dlg_init: event('The routes are known; no device has been called yet.', 'After `invite`. Once.', {
    ...call,
    ...parties,
  }),
  dlg_call: event("The dialog's first outgoing INVITE is about to be sent.", 'Directly after `dlg_init`. Once.', {
    ...call,
  }),
  fork_start: event('The platform starts to call one device or trunk.', 'After `dlg_call`. Once for each fork.', {
    ...call,
    ...fork,
  }),
  fork_redirect: event('The device that a fork calls has answered 3xx.', 'After `fork_start` of the same fork.', {
    ...call,
    ...fork,
    contacts: z.array(z.string()).describe('URIs of its Contact header, which are called next').meta(chosen),
  }),
  fork_announcement: event(
    'The audio matcher has recognised the announcement that the called number plays before an answer.',
    'After `fork_start` of the same fork, before its end. Only while the matcher has loaded its samples.',
    { ...call, ...fork, sample: z.string().describe('Name of the sample that fits').meta(chosen) },
  ),
  fork_stop: event(
    'A fork has ended without an answer: it was refused with 4xx to 6xx, cancelled, or has timed out.',
    'After `fork_start` of the same fork; may come after `dlg_start` of another fork, and after `dlg_end`.',
    {
      ...call,
      ...fork,
      sipcode: z.int().describe('SIP status with which the fork ended'),
      reason: z.string().describe('Reason phrase of that status'),
    },
  ),
  dlg_start: event(
    'The callee has answered: both parties talk.',
    'After `fork_start` of the fork that answered. Once.',
    {
      ...call,
      ...fork,
      bcallid: z.string().describe('Call-Id of the leg that answered').meta(chosen),
      ...parties,
    },
  ),
  refer: event('A party, or a command, has started a transfer in the dialog.', 'After `invite`.', {
    ...call,
    by: sideSchema.describe('Side that refers the other one').meta(chosen),
    referto: z.string().describe('URI that the other side is referred to').meta(chosen),
  }),
  replaces_refer: event(
    'Another call takes the place of a leg of this dialog: its INVITE has a Replaces.',
    'After `invite`; before `dlg_end`.',
    { ...call, newinviteid: z.string().describe('`inviteid` of the call that takes the place').meta(chosen) },
  ),
  transcription: event(
    'A party has said something, and its speech is transcribed (SETUP_ASR).',
    'After `dlg_start`; before `dlg_end`.',
    {
      ...call,
      side: sideSchema.describe('Side that has spoken').meta(chosen),
      text: z.string().describe('What it has said').meta(chosen),
    },
  ),
  dlg_end: event('The dialog is over.', 'After `invite`. Once. Only `fork_stop`, `dlg_stop` and `dlg_dead` follow.', {
    ...call,
    ...end,
    answerts: z.iso.datetime().optional().describe('When the callee answered; absent where none did').meta(chosen),
    ...parties,
  }),
  dlg_stop: event('The dialog was over for 3 s.', '3 s after `dlg_end`. Once. The last event of the call.', {
    ...call,
    ...end,
  }),
  dlg_dead: event(
    'The call has ended because its b2b instance could not go on with it. Where the instance is gone the callstore of its site sends the event.',
    'In place of the events that did not come. Once, and the last event of the call; unless the instance was only cut off, and the call goes on.',
    {
      ...call,
      dialogid: z.string().describe('Id of the dialog; empty where the call had none yet'),
      type: z.literal('dead').describe('Always `dead`').meta(chosen),
      reason: z.string().describe('Why the instance could not go on').meta(chosen),
    },
  ),
};
