/** What is done to a cluster all the time beside the steps of a scenario: calls, requests, logins, changes of the configuration. */
import { z } from 'zod';
import { entities } from '../../../src/model/entities/entities.ts';
import { trafficKinds } from '../../outside/call-load.ts';
import { duration } from './faults.ts';
import { path } from './requests.ts';

const mostPerSecond = 1_000;
const rateWanted = `expected a rate a second from 0 to ${mostPerSecond}, such as 5 or 0.5/s`;

/** `5`, `5/s`, `0.2/s`; a number after reading. */
export const rate = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?\/s$/, rateWanted)], rateWanted)
  .transform((value) => Number.parseFloat(String(value)))
  .refine((value) => value >= 0 && value <= mostPerSecond, rateWanted)
  .describe('So many a second, in the mean, at random: 5 or 0.5/s');

const share = z.number().min(0).describe('Share');
const through = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((sites) => (typeof sites === 'string' ? [sites] : sites))
  .optional()
  .describe('Sites whose fronts are asked, each as often as any other; default: all that have one');
const as = z.string().optional().describe('Name of a session');

const calls = z.strictObject({
  rate,
  holding: duration.optional().describe('How long a call lasts from its answer, in the mean; default 20s'),
  fixed: z.boolean().optional().describe('Each lasts exactly so long'),
  rooms: z.int().min(1).max(100).optional().describe('Rooms that the callers of a domain choose from; default 10'),
  mix: z.partialRecord(z.enum(trafficKinds), share).optional().describe('Shares of kinds of calls'),
});

const requests = z
  .strictObject({
    rate,
    through,
    as,
    method: z.string().default('GET').describe('Method of HTTP'),
    path: path.optional(),
    mix: z.record(path, share).optional().describe('Shares of paths'),
    body: z.unknown().optional(),
  })
  .refine((part) => (part.path === undefined) !== (part.mix === undefined), 'expected either "path" or "mix"');

const logins = z.strictObject({
  rate,
  through,
  domain: z.string().describe('Domain of the user'),
  login: z.string().describe('Login of a user of the domain'),
  pwd: z.string().describe('Password of the user'),
  stay: duration
    .default(5_000)
    .describe(
      'How long a session is held until it is closed; default 5s. One user has ten at most: the oldest is closed before there are more',
    ),
});

/** Those that stand for themselves; what belongs to another item would need that one first. */
export const changeable = entities.filter(({ parent }) => parent === undefined).map(({ kind }) => kind);

const changes = z.strictObject({
  rate,
  through,
  as: z.string().describe('Name of a session of somebody who may change it'),
  entity: z.enum(changeable as [string, ...string[]]),
  mix: z
    .partialRecord(z.enum(['create', 'patch', 'delete']), share)
    .optional()
    .describe('Shares; default: two, two and one. What is patched and deleted was created before'),
  most: z.int().min(1).max(10_000).default(100).describe('Of those that were created there are at most so many'),
});

export const callCommands = [
  'end',
  'transfer',
  'hold',
  'resume',
  'dtmf',
  'conference',
  'invite',
  'endConference',
] as const;

const commands = z.strictObject({
  rate,
  through,
  as: z.string().describe('Name of a session of a working domain'),
  mix: z
    .partialRecord(z.enum(callCommands), share)
    .optional()
    .describe('Shares; each is for a live call or conference of the domain, if there is one'),
});

const listed = <S extends z.ZodType>(part: S) =>
  z
    .union([part, z.array(part)], 'expected what is to be done (rate …), or a list of that')
    .transform((parts): z.output<S>[] => (Array.isArray(parts) ? parts : [parts]));
const orNone = <S extends z.ZodType>(part: S) =>
  z.union([z.literal('none'), part], 'expected none, or what is to go on from now');

const wanted = 'expected calls, requests, logins, changes or commands';

export const workloadSchema = z
  .strictObject(
    {
      calls: calls.optional().describe('Calls between phones, providers and rooms'),
      requests: listed(requests).optional().describe('HTTP requests, one kind or a list of kinds'),
      logins: logins.optional(),
      changes: listed(changes).optional().describe('Entities are created, changed and deleted'),
      commands: commands.optional().describe('Live calls and conferences are ended, transferred, held …'),
    },
    { error: ({ code }) => (code === 'invalid_type' ? wanted : undefined) },
  )
  .refine((parts) => Object.values(parts).some((part) => part !== undefined), wanted);

/** As a step: the parts that it names are replaced, `none` ends one, or all. */
export const workloadStepSchema = orNone(
  z.strictObject({
    calls: orNone(calls).optional(),
    requests: orNone(listed(requests)).optional(),
    logins: orNone(logins).optional(),
    changes: orNone(listed(changes)).optional(),
    commands: orNone(commands).optional(),
  }),
);

export type Workload = z.infer<typeof workloadSchema>;
export type WorkloadStep = z.infer<typeof workloadStepSchema>;
export type WorkloadCalls = z.infer<typeof calls>;
export type WorkloadRequests = z.infer<typeof requests>;
export type WorkloadLogins = z.infer<typeof logins>;
export type WorkloadChanges = z.infer<typeof changes>;
export type WorkloadCommands = z.infer<typeof commands>;
