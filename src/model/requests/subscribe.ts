/**
 * What a client sends over the web socket: `["subscribe", {…}]`. (public; `cursor` and bounds chosen)
 */
import { z } from 'zod';
import { done, failed, fault, type Outcome } from '../fault.ts';
import { parseJson } from '../json.ts';
import { limits } from '../limits.ts';
import { eventClasses } from '../protocol/stream.ts';

/** Classes of events that exist on the platform. Of those that no source here makes there are no events. */
const knownClasses: readonly string[] = [...eventClasses, 'ccsevents', 'ivrevents'];

const idWanted = `expected a text of 1 to ${limits.subscriptionIdLetters} letters`;
const eventWanted = `expected "<class>.<name>" or "<class>.*" with a class of ${knownClasses.join(', ')}`;
const expiresWanted = `expected seconds from 0 to ${limits.subscriptionSeconds}`;
const objectsWanted = `expected "any" or an array of at most ${limits.subscriptionNames} names`;
const nameWanted = `expected a name of at most ${limits.uriLetters} letters`;
const qidWanted = `expected a number or a text of at most ${limits.subscriptionIdLetters} letters`;

const eventSchema = z.string(eventWanted).refine((text) => {
  const dot = text.indexOf('.');
  return knownClasses.includes(text.slice(0, dot)) && /^(\*|[a-z_]+)$/.test(text.slice(dot + 1));
}, eventWanted);

const subscribeSchema = z.strictObject({
  /** Given back in the answer and in each notification. */
  qid: z.union([z.string().max(limits.subscriptionIdLetters, qidWanted), z.number(), z.null()], qidWanted).optional(),
  id: z.string(idWanted).min(1, idWanted).max(limits.subscriptionIdLetters, idWanted).optional(),
  objects: z
    .union(
      [
        z.literal('any'),
        z.array(z.string(objectsWanted).max(limits.uriLetters, nameWanted)).max(limits.subscriptionNames),
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
  return read.success ? done(read.data) : refused(complaint(read.error.issues[0]));
}

/** The qid and the id of a request that can't be read otherwise, as far as they are there. */
export function namesIn(text: string): { qid?: unknown; id?: unknown } {
  const parsed = parseJson(text, limits.jsonDepth);
  if (!parsed.ok || !Array.isArray(parsed.value)) return {};
  const [, body] = parsed.value as [unknown, ({ qid?: unknown; id?: unknown } | null)?];
  const { qid, id } = body ?? {};
  return { ...(isScalar(qid) && { qid }), ...(isScalar(id) && { id }) };
}

function complaint(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'not valid';
  if (issue.code === 'unrecognized_keys') return `${issue.keys[0]}: no such field here`;
  const place = issue.path.length === 0 ? 'body' : issue.path.join('.');
  return `${place}: ${issue.message.startsWith('expected') ? issue.message : issue.message.replace(/^Invalid input: /, '')}`;
}

function refused(message: string): Outcome<never> {
  return failed(fault('invalid', message));
}

function isScalar(value: unknown): boolean {
  return (typeof value === 'string' && value.length <= limits.subscriptionIdLetters) || typeof value === 'number';
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}
