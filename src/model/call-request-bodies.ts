/**
 * The bodies of requests about calls, each by one schema: the front checks with it what a client sends, and the message to
 * mware carries what it gives. (names of `from`, `to`, `by`, `referto`, `response_mode` documented, all else chosen)
 */
import { z } from 'zod';
import { eventClasses } from './events/event-catalogue.ts';
import { done, failed, fault, type Outcome } from './fault.ts';
import { parseJson } from './json.ts';
import { limits } from './limits.ts';
import { chosen } from './provenance.ts';
import { scriptCodePattern } from './script/component.ts';
import { complaint } from './shapes/complaint.ts';

/** A text of 1 to `most` characters. */
function text(what: string, most: number) {
  const wanted = `expected ${what} of 1 to ${most} characters`;
  return z.string(wanted).min(1, wanted).max(most, wanted);
}

function integer(least: number, most: number) {
  const wanted = `expected an integer from ${least} to ${most}`;
  return z.int(wanted).min(least, wanted).max(most, wanted);
}

const numberWanted = `expected a number of 1 to ${limits.numberChars} characters without blanks, alone or as number@domain`;

/** A phone number or a login, which may name its domain: `1002`, `1002@acme.root.test`. */
export const numberSchema = z
  .string(numberWanted)
  .max(limits.numberChars, numberWanted)
  .regex(/^[^\s<>"@]+(@[^\s<>"@]+)?$/, numberWanted);

const labelSchema = text('a label', limits.labelChars);
const callLabelSchema = labelSchema
  .optional()
  .describe('Label that is attached to the call; default: none')
  .meta(chosen);
const responseModeSchema = integer(0, 3)
  .default(1)
  .describe(
    'When to answer: `0` the call is queued; `1` X has answered or failed; `2` Y has sent a provisional or final response; `3` Y has answered or failed. A later answer has more fields',
  );
export const modeSchema = z.enum(['number', 'sipuser'], 'expected "number" or "sipuser"');
const sideSchema = z.enum(['a', 'b'], 'expected "a" or "b"');
const bySchema = text('"a", "b" or the URI of a party,', limits.uriChars).describe(
  'Party that asks for it: `a`, `b` or its URI, as `<sip:user@domain>`. The other party is transferred',
);
const idSchema = text('an id', limits.uriChars);
/** An id or a URI in the parameters of an operation. */
export const uriText = text('a text', limits.uriChars);

/** POST and INVITE of the collection: call X (`from`), and when X has answered connect it with Y (`to`). */
export const callBodySchema = z.strictObject({
  from: numberSchema.describe('X: the party that is called first, as a number or, with `mode`, a SIP login'),
  to: numberSchema.describe('Y: the number that X is connected with; `1002@acme.root.test` names its domain'),
  mode: modeSchema
    .default('number')
    .describe('What `from` is: `number` a phone number; `sipuser` the login of a SIP user')
    .meta(chosen),
  callerid: numberSchema.optional().describe('Number shown to X; default: `from`').meta(chosen),
  callername: text('a name', limits.labelChars).optional().describe('Name shown to X; default: none').meta(chosen),
  timeout: integer(1, limits.callTimeoutSeconds)
    .default(30)
    .describe('Seconds that X may ring before the call fails')
    .meta(chosen),
  label: callLabelSchema,
  response_mode: responseModeSchema,
});
export type CallBody = z.infer<typeof callBodySchema>;

/** INVITEBYIVR of the collection: call X (`from`), and when X has answered run an IVR script in the call. (name public, body chosen) */
export const callByScriptSchema = callBodySchema.omit({ to: true }).extend({
  ivrscript: z
    .string('expected the code of an IVR script')
    .regex(scriptCodePattern, 'expected the code of an IVR script')
    .describe('Code of the IVR script that serves the call')
    .meta(chosen),
});

/** What a verb on one call takes, by its HTTP method. */
export const callVerbSchemas = {
  REFER: z.strictObject({
    by: bySchema,
    referto: numberSchema.describe('Number that the other party is transferred to'),
    response_mode: responseModeSchema,
    label: callLabelSchema,
  }),
  REFERREPLACES: z.strictObject({
    by: bySchema,
    dialogid: idSchema.describe('Id of the second call of that party; the opponents of both calls are connected'),
  }),
  SWITCHCONF: z.strictObject({}),
  REFERCONF: z.strictObject({
    by: bySchema,
    confid: idSchema.describe('Id of the conference that the other party joins'),
  }),
  NOTIFY: z.strictObject({
    to: sideSchema.describe('Side whose device gets the event: `a` the caller, `b` the callee'),
    event: z
      .enum(['talk', 'hold'], 'expected "talk" or "hold"')
      .describe('`talk`: the device answers or resumes; `hold`: it puts the call on hold'),
  }),
  SEND_DTMF: z.strictObject({
    to: sideSchema.describe('Side that gets the character: `a` the caller, `b` the callee'),
    dtmf: z
      .string('expected one of 0-9, *, #, A-D')
      .regex(/^[0-9*#A-D]$/, 'expected one of 0-9, *, #, A-D')
      .describe('One DTMF character: `0` to `9`, `*`, `#`, `A` to `D`'),
  }),
  SETUP_RECORD: z.strictObject({
    action: z
      .enum(['start', 'stop'], 'expected "start" or "stop"')
      .describe('`start`: record the call from now on; `stop`: end the recording'),
  }),
  SETUP_ASR: z.strictObject({
    side: sideSchema.describe('Side whose speech is transcribed: `a` the caller, `b` the callee'),
    action: z
      .enum(['start', 'stop'], 'expected "start" or "stop"')
      .describe('`start`: transcribe what the party says from now on; `stop`: end it'),
  }),
  SETUP_BINDINGS: z.strictObject({ add: labels('Labels to add'), remove: labels('Labels to remove') }),
  DELETE: z.strictObject({}),
};
export type CallVerb = keyof typeof callVerbSchemas;

function labels(does: string) {
  const wanted = `expected an array of at most ${limits.bindings} labels`;
  return z.array(labelSchema, wanted).max(limits.bindings, wanted).default([]).describe(does);
}

/** A verb with its body. */
export const callCommandSchema = z.discriminatedUnion('verb', [
  verbed('REFER'),
  verbed('REFERREPLACES'),
  verbed('SWITCHCONF'),
  verbed('REFERCONF'),
  verbed('NOTIFY'),
  verbed('SEND_DTMF'),
  verbed('SETUP_RECORD'),
  verbed('SETUP_ASR'),
  verbed('SETUP_BINDINGS'),
  verbed('DELETE'),
]);
export type CallCommand = z.infer<typeof callCommandSchema>;
/** The command of one verb. */
export type CommandOf<V extends CallVerb> = Extract<CallCommand, { verb: V }>;

function verbed<V extends CallVerb>(verb: V) {
  return z.strictObject({ verb: z.literal(verb), body: callVerbSchemas[verb] as (typeof callVerbSchemas)[V] });
}

/** Keys by which a call is found, in the order in which they count. (documented) */
export const callKeys = [
  'dialogid',
  'inviteid',
  'callid',
  'uri',
  'from',
  'sipuserid',
  'sipuserlogin',
  'sipuserphonenumber',
  'userid',
] as const;
export type CallKey = (typeof callKeys)[number];

/** Keys by which a conference is found: through a call, or directly. (documented; the name `confuri` chosen) */
export const conferenceKeys = [...callKeys, 'confid', 'confuri', 'confroomnum', 'confnumber'] as const;
export type ConferenceKey = (typeof conferenceKeys)[number];

/** What the value of a search key is. */
const keyWords: Readonly<Record<ConferenceKey, string>> = {
  dialogid: 'Id of a live call',
  inviteid: 'Globally unique id of a call',
  callid: 'Call-Id of a leg',
  uri: 'URI of a party, as `<sip:user@domain>`',
  from: 'Number of a party or, with `mode`, its SIP login',
  sipuserid: 'Id of a SIP user that takes part',
  sipuserlogin: 'Login of a SIP user that takes part',
  sipuserphonenumber: 'Phone number of a SIP user that takes part',
  userid: 'Id of a user; any SIP user that is bound to it',
  confid: 'Id of a conference',
  confuri: 'URI of the room',
  confroomnum: 'Number of the room, decimal digits',
  confnumber: 'Number with the feature-code prefix, in hexadecimal notation',
};

/** LOOKUP: an object of search keys, of which the first in the documented order decides. */
export const callLookupSchema = lookup(callKeys);
export const conferenceLookupSchema = lookup(conferenceKeys);

/** The key that decides, with its value. `mode` says what `from` is. */
export interface SearchKey<K extends string = ConferenceKey> {
  readonly key: K;
  readonly value: string;
  readonly mode: 'number' | 'sipuser';
}

export function searchKeyOf<K extends string>(
  keys: readonly K[],
  body: { readonly [N in K]?: string | undefined } & { readonly mode?: 'number' | 'sipuser' | undefined },
): SearchKey<K> {
  for (const key of keys) {
    const value = body[key];
    if (value !== undefined) return { key, value, mode: body.mode ?? 'number' };
  }
  throw new Error('a checked search has a key');
}

function lookup<K extends ConferenceKey>(keys: readonly K[]) {
  const value = text('a value', limits.uriChars);
  const shape = Object.fromEntries(keys.map((key) => [key, value.optional().describe(keyWords[key])])) as {
    [N in K]: z.ZodOptional<typeof value>;
  };
  return z
    .strictObject({
      ...shape,
      mode: modeSchema.optional().describe('What `from` is: `number` (default) or `sipuser`, a login'),
    })
    .refine((body) => keys.some((key) => (body as Record<string, unknown>)[key] !== undefined), {
      error: `expected one of ${keys.join(', ')}`,
    });
}

/** Classes of events of the platform. Classes without a source here have no events. */
const knownClasses: readonly string[] = [...eventClasses, 'ccsevents'];

const idWanted = `expected a text of 1 to ${limits.subscriptionIdChars} characters`;
const eventWanted = `expected "<class>.<name>" or "<class>.*" with a class of ${knownClasses.join(', ')}`;
const expiresWanted = `expected seconds from 0 to ${limits.subscriptionSeconds}`;
const objectsWanted = `expected "any" or an array of at most ${limits.subscriptionNames} names`;
const nameWanted = `expected a name of at most ${limits.uriChars} characters`;
const qidWanted = `expected a number or a text of at most ${limits.subscriptionIdChars} characters`;

const eventSchema = z.string(eventWanted).refine((text) => {
  const dot = text.indexOf('.');
  return knownClasses.includes(text.slice(0, dot)) && /^(\*|[a-z_]+)$/.test(text.slice(dot + 1));
}, eventWanted);

const subscribeSchema = z.strictObject({
  /** Given back in the answer and in each notification. */
  qid: z.union([z.string().max(limits.subscriptionIdChars, qidWanted), z.number(), z.null()], qidWanted).optional(),
  id: z.string(idWanted).min(1, idWanted).max(limits.subscriptionIdChars, idWanted).optional(),
  objects: z
    .union(
      [
        z.literal('any'),
        z.array(z.string(objectsWanted).max(limits.uriChars, nameWanted)).max(limits.subscriptionNames),
      ],
      objectsWanted,
    )
    .optional(),
  events: z
    .array(eventSchema, 'expected an array of events')
    .min(1, 'expected one event at least')
    .max(limits.subscriptionNames, `expected at most ${limits.subscriptionNames} events`)
    .optional(),
  /** Seconds; 0 ends the subscription. */
  expires: z.int(expiresWanted).min(0, expiresWanted).max(limits.subscriptionSeconds, expiresWanted).optional(),
  exargs: z.unknown().optional(),
  classpath: z.unknown().optional(),
  /** Of a notification, or of an answer: the subscription goes on behind it. */
  cursor: z.string('expected the cursor of a notification').optional(),
});
/** A message of a client over the web socket: `["subscribe", {…}]`. (public; `cursor` and bounds chosen) */
export type SubscribeRequest = z.infer<typeof subscribeSchema>;

/** Reads what a client sends. */
export function readMessage(text: string): Outcome<SubscribeRequest> {
  const parsed = parseJson(text, limits.jsonDepth);
  if (!parsed.ok) return refused(`${parsed.fault.message}; a message is ["subscribe", {…}]`);
  const { value: message } = parsed;
  if (!Array.isArray(message)) return refused('expected an array: ["subscribe", {…}]');
  const [command, body, ...rest] = message as unknown[];
  if (command !== 'subscribe') return refused(`unknown command ${shown(command)}: expected "subscribe"`);
  if (rest.length > 0) return refused('expected ["subscribe", {…}] and nothing behind it');
  const read = subscribeSchema.safeParse(body);
  if (read.success) return done(read.data);
  return refused(complaint(read.error.issues[0], { schema: subscribeSchema, value: body, what: 'body' }));
}

/** The qid and the id of a request that can't be read otherwise, as far as they are there. */
export function namesIn(text: string): { qid?: unknown; id?: unknown } {
  const parsed = parseJson(text, limits.jsonDepth);
  if (!parsed.ok || !Array.isArray(parsed.value)) return {};
  const [, body] = parsed.value as [unknown, ({ qid?: unknown; id?: unknown } | null)?];
  const { qid, id } = body ?? {};
  return { ...(isScalar(qid) && { qid }), ...(isScalar(id) && { id }) };
}

function refused(message: string): Outcome<never> {
  return failed(fault('invalid', message));
}

function isScalar(value: unknown): boolean {
  return (typeof value === 'string' && value.length <= limits.subscriptionIdChars) || typeof value === 'number';
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}
