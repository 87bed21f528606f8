/**
 * An input of a virtual cluster as data: what a client, an operator or the code of a test does to it. A cluster is its
 * topology, its seed and its inputs at their positions; a snapshot, a fork and a replay are made from these.
 */
import { z } from 'zod';
import { limits } from '../../../src/model/limits.ts';
import { behaviourSchema } from '../../../src/model/topology/schema.ts';

const socket = z.int().describe('Number of the web socket, from 1');
const whose = z
  .union([z.string(), z.strictObject({ endpoint: z.string(), callid: z.string() })])
  .describe('A phone or provider with all its calls, or one call');
const domain = z.string();
const number = z.string();

/** Where a client connects, and from where. */
const client = {
  front: z.string().optional().describe('The ws instance; default: the first open one of the site'),
  sender: z.string().optional().describe('The address of the client; default: 127.0.0.1'),
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
    .max(limits.numberLetters)
    .optional()
    .describe('Its calls behave as this number does; default: the login'),
  site: z.string().optional().describe('The site whose sg it prefers; default: in turn'),
};

export const inputSchema = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('request'),
    site: z.string(),
    ...client,
    method: z.string(),
    target: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
    body: z.base64().optional(),
  }),
  z.strictObject({
    do: z.literal('open'),
    socket,
    site: z.string(),
    ...client,
    target: z.string(),
    headers: z.array(z.tuple([z.string(), z.string()])),
  }),
  z.strictObject({ do: z.literal('send'), socket, text: z.string() }),
  z.strictObject({ do: z.literal('close'), socket }),
  z.strictObject({ do: z.literal('inject'), fault: z.record(z.string(), z.unknown()) }),
  z.strictObject({ do: z.literal('lift'), fault: z.string() }),
  z.strictObject({ do: z.literal('liftAll') }),
  z.strictObject({ do: z.literal('behave'), domain, number, behaviour: behaviourSchema }),
  z.strictObject({ do: z.literal('unset'), domain, number }),
  z.strictObject({ do: z.literal('addPhone'), ...addedPhoneShape }),
  z.strictObject({ do: z.literal('register'), name: z.string() }),
  z.strictObject({ do: z.literal('unregister'), name: z.string() }),
  z.strictObject({ do: z.literal('attend'), name: z.string(), on: z.boolean() }),
  z.strictObject({
    do: z.literal('call'),
    from: z.string(),
    to: z.string(),
    as: z.string().optional(),
    hangupMs: z.number().optional(),
    patienceMs: z.number().optional(),
  }),
  z.strictObject({ do: z.literal('press'), name: z.string(), digits: z.string() }),
  z.strictObject({ do: z.literal('talk'), whose }),
  z.strictObject({ do: z.literal('hold'), whose }),
  z.strictObject({ do: z.literal('hangUp'), whose }),
  z.strictObject({ do: z.literal('reject'), whose, status: z.int().min(300).max(699) }),
  z.strictObject({
    do: z.literal('transfer'),
    call: z.strictObject({ endpoint: z.string(), callid: z.string() }),
    to: z.string(),
  }),
  z.strictObject({
    do: z.literal('load'),
    rate: z.number().min(0).max(1_000),
    holdingMs: z.number().min(0).optional(),
  }),
]);

export type Input = z.infer<typeof inputSchema>;
export type InputOf<D extends Input['do']> = Extract<Input, { readonly do: D }>;

const position = { events: z.int().min(0), atMs: z.number() };

/** An input at its position, or the position at which a waiting client was resumed. */
export const recordedSchema = z.strictObject({ ...position, input: inputSchema.optional() });
export type Recorded = z.infer<typeof recordedSchema>;

/** The recorded past of a cluster, as plain JSON. */
export const snapshotSchema = z.strictObject({
  format: z.literal('strowger-snapshot-1'),
  seed: z.int(),
  /** Position of the snapshot. */
  ...position,
  inputs: z.array(recordedSchema),
});
export type Snapshot = z.infer<typeof snapshotSchema>;
