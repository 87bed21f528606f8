/**
 * The operations of the interface that a script may execute by the component Operation. Names and parameters are chosen; which
 * operations there are, and that a call or conference is named by any key of LOOKUP, is documented.
 */
import { z } from 'zod';
import {
  type CallVerb,
  callBodySchema,
  callKeys,
  callVerbSchemas,
  conferenceKeys,
  modeSchema,
  numberSchema,
  uriText,
} from '../call-request-bodies.ts';
import { limits } from '../limits.ts';

export interface OperationDeclaration {
  readonly does: string;
  /** Its target is found by the first of these keys that is among the parameters; of several matches the first one counts. */
  readonly target?: 'call' | 'conference';
  readonly params: z.ZodObject;
}

const nothing = z.strictObject({});
const filter = z.strictObject({
  filter: z.unknown().optional().describe('As the parameter `filter` of a list'),
  limit: z.int().min(0).max(100).default(100).describe('Number of items at most'),
});
const participant = z.strictObject({ participantid: uriText.describe('Id of the participant') });

/** The kinds of entities that scripts may work with. */
const kind = z.string().describe('Kind of the entity, such as `sipuser`');
const id = z.string().describe('Id of the item');
const parent = z.string().optional().describe('Id of the item to which it belongs, such as a meeting');
const values = z.record(z.string(), z.unknown());

function onCall(verb: CallVerb, does: string, params: z.ZodObject = callVerbSchemas[verb]) {
  return { does, target: 'call', params } as const;
}

const replaces = z.strictObject({
  by: uriText.describe('Party that asks for it: `a`, `b` or its URI'),
  otherdialogid: uriText.describe('Id of the second call of that party'),
});

/** What a script can do, by name. */
export const operations = {
  'session.create': {
    does: 'External authentication: creates the session of a user; the front answers with its cookie when the script ends with `success`.',
    params: z.strictObject({
      domain: z.string().describe('Domain of the user: that of the script or one below it'),
      login: z.string().describe('Login of the user'),
    }),
  },
  'webban.add': {
    does: 'External authentication: adds an address to the ban list of the front that has received the request.',
    params: z.strictObject({
      address: z.ipv4('expected an IPv4 address').describe('Address'),
      seconds: z.int().min(1).max(limits.banSeconds).default(180).describe('How long, in seconds'),
    }),
  },
  'call.start': { does: 'Starts a call by IVR, as POST of the calls does.', params: callBodySchema },
  'call.invite': { does: 'Starts a call of two legs, as INVITE of the calls does.', params: callBodySchema },
  'call.list': { does: 'Lists the live calls of the domain.', params: filter },
  'call.find': { does: 'Returns the ids of the live calls that a key leads to.', target: 'call', params: nothing },
  'call.get': { does: 'Returns a live call.', target: 'call', params: nothing },
  'call.refer': onCall('REFER', 'Transfers the opponent of a party.'),
  'call.referreplaces': onCall('REFERREPLACES', 'Connects the opponents of two calls of a party.', replaces),
  'call.switchconf': onCall('SWITCHCONF', 'Turns the call into a conference.'),
  'call.referconf': onCall('REFERCONF', 'Transfers the opponent of a party into a conference.'),
  'call.notify': onCall('NOTIFY', 'Sends an event to the device of a side.'),
  'call.send_dtmf': onCall('SEND_DTMF', 'Sends a DTMF character to a side.'),
  'call.setup_record': onCall('SETUP_RECORD', 'Starts or stops a recording.'),
  'call.setup_asr': onCall('SETUP_ASR', 'Starts or stops the transcription of a side.'),
  'call.setup_bindings': onCall('SETUP_BINDINGS', 'Adds and removes labels of the call.'),
  'call.delete': onCall('DELETE', 'Ends the call.'),
  'conference.list': { does: 'Lists the conferences of the domain.', params: filter },
  'conference.find': {
    does: 'Returns the ids of the conferences that a key leads to.',
    target: 'conference',
    params: nothing,
  },
  'conference.get': { does: 'Returns a conference.', target: 'conference', params: nothing },
  'conference.delete': { does: 'Ends a conference.', target: 'conference', params: nothing },
  'conference.participants': { does: 'Lists the participants.', target: 'conference', params: filter },
  'conference.add': {
    does: 'Calls a number from the conference; the answer repeats `confid`.',
    target: 'conference',
    params: z.strictObject({ to: numberSchema.describe('Number of the new participant') }),
  },
  'conference.remove': { does: 'Removes a participant.', target: 'conference', params: participant },
  'entity.list': { does: 'Lists items of the domain data.', params: filter.extend({ kind, parent }) },
  'entity.get': { does: 'Returns an item of the domain data.', params: z.strictObject({ kind, id, parent }) },
  'entity.lookup': {
    does: 'Returns the ids of the items that have a key.',
    params: z.strictObject({ kind, parent, key: z.string().describe('Value of a lookup field') }),
  },
  'entity.create': {
    does: 'Creates an item.',
    params: z.strictObject({ kind, parent, values: values.describe('Its fields') }),
  },
  'entity.patch': {
    does: 'Changes an item. A user must have `opts.allow_script_crud`.',
    params: z.strictObject({ kind, id, parent, values: values.describe('Changed fields') }),
  },
  'entity.delete': {
    does: 'Removes an item. A user must have `opts.allow_script_crud`.',
    params: z.strictObject({ kind, id, parent }),
  },
} as const satisfies Readonly<Record<string, OperationDeclaration>>;

export type ScriptOperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as ScriptOperationName[];

/** Keys of the target of an operation, in the order in which they count. (documented) */
export function targetKeys({ target }: OperationDeclaration): readonly string[] {
  if (target === undefined) return [];
  return target === 'call' ? callKeys : conferenceKeys;
}

export const targetMode = modeSchema.default('number');
