/**
 * An input of a virtual cluster as data: what a client, an operator or the code of a test does to it. A cluster is its
 * topology, its seed and its inputs at their positions; a snapshot, a fork and a replay are made from these.
 */
import { z } from 'zod';
import { limits } from '../../../src/model/limits.ts';
import { behaviourSchema } from '../../../src/model/topology/schema.ts';
import { stubAnswerSchema, stubUrlSchema } from '../../outside/http/stub-answer.ts';

const socket = z.int().describe('Number of the web socket, from 1');
const placed = z
  .strictObject({
    endpoint: z.string().describe('The address of the phone or the provider'),
    callid: z.string().describe('The Call-Id'),
  })
  .describe('A call at a phone or a provider');
const whose = z.union([z.string(), placed]).describe('A phone or provider with all its calls, or one call');
const domain = z.string().describe('The domain of the number');
const number = z.string().describe('The number');
const name = z.string().describe('A phone or a provider');

/** Where a client connects, and from where. */
const client = {
  site: z.string().describe('The site of the front'),
  front: z.string().optional().describe('The ws instance; default: the first open one of the site'),
  sender: z.string().optional().describe('The address of the client; default: 127.0.0.1'),
  target: z.string().describe('Path and query'),
  headers: z.array(z.tuple([z.string(), z.string()])).describe('Names and values of the header fields'),
};

const domainText = domain.regex(/^[a-z0-9.-]{1,253}$/, 'expected a domain name, such as acme.root.test');
const login = z
  .string()
  .regex(/^[A-Za-z0-9_\-.~!]{1,100}$/, 'expected 1 to 100 characters A-Z a-z, digits or _ - . ~ !');

/** A phone that is added to a running cluster. */
export const addedPhoneShape = {
  domain: domainText.describe('The domain of its SIP user'),
  login: login.describe('The SIP user as which it registers'),
  pwd: z.string().max(100).optional().describe('The password; default: the login'),
  number: z
    .string()
    .max(limits.numberChars)
    .optional()
    .describe('Its calls behave as this number does; default: the login'),
  site: z.string().optional().describe('The site whose sg it prefers; default: in turn'),
};

function input<D extends string, S extends z.ZodRawShape>(of: D, fields: S) {
  return z.strictObject({ do: z.literal(of).describe('What is done'), ...fields });
}

export const inputSchema = z.discriminatedUnion('do', [
  input('request', {
    ...client,
    method: z.string().describe('The method'),
    body: z.base64().optional().describe('The body'),
  }),
  input('open', { socket, ...client }),
  input('send', { socket, text: z.string().describe('The message') }),
  input('close', { socket }),
  input('inject', { fault: z.record(z.string(), z.unknown()).describe('The fault, as it was written') }),
  input('lift', { fault: z.string().describe('Its id or its name') }),
  input('liftAll', {}),
  input('behave', { domain, number, behaviour: behaviourSchema.describe('How it reacts to calls') }),
  input('unset', { domain, number }),
  input('addPhone', addedPhoneShape),
  input('register', { name }),
  input('unregister', { name }),
  input('attend', { name, on: z.boolean().describe('Whether its calls ring until they are answered or refused') }),
  input('call', {
    from: name,
    to: z.string().describe('A number, or number@domain'),
    as: z.string().optional().describe('The number from which a provider calls'),
    hangupMs: z.number().optional().describe('Time from the answer to the hangup'),
    patienceMs: z.number().optional().describe('Time after which it gives up'),
  }),
  input('press', { name, digits: z.string().describe('The digits, in order') }),
  input('talk', { whose }),
  input('hold', { whose }),
  input('hangUp', { whose }),
  input('reject', { whose, status: z.int().min(300).max(699).describe('The SIP status of the refusal') }),
  input('transfer', { call: placed, to: z.string().describe('A URI') }),
  input('stub', { url: stubUrlSchema, answer: stubAnswerSchema }),
  input('unstub', { url: z.string().describe('The beginning of the addresses of the stub') }),
  input('replay', { delivery: z.string().describe('The id of the delivery') }),
  input('load', {
    rate: z.number().min(0).max(1_000).describe('Calls a second; 0 ends the load'),
    holdingMs: z.number().min(0).optional().describe('Mean duration of a call'),
  }),
]);

export type Input = z.infer<typeof inputSchema>;
export type InputOf<D extends Input['do']> = Extract<Input, { readonly do: D }>;

const position = {
  events: z.int().min(0).describe('The number of events before it'),
  atMs: z.number().describe('The time, in milliseconds since the epoch'),
};

/** An input at its position, or the position at which a waiting client was resumed. */
export const recordedSchema = z
  .strictObject({ ...position, input: inputSchema.optional().describe('The input; absent: a client was resumed') })
  .describe('An input at its position');
export type Recorded = z.infer<typeof recordedSchema>;

const stubDecision = z.union([stubAnswerSchema, z.literal('refused')]);

/** The recorded past of a cluster, as plain JSON. */
export const snapshotSchema = z.strictObject({
  format: z.literal('strowger-snapshot-1').describe('The format of the snapshot'),
  seed: z.int().describe('The seed of the cluster'),
  ...position,
  inputs: z.array(recordedSchema).describe('Its inputs, in order'),
  stubs: z
    .array(stubDecision)
    .optional()
    .describe('What other systems answered to requests of scripts, in the order of the requests'),
});
export type Snapshot = z.infer<typeof snapshotSchema>;
