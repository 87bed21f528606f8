/** The workload that runs beside the steps of a scenario: calls, requests, logins, changes of the configuration. */
import { z } from 'zod';
import { entities } from '../../../src/model/entities/entities.ts';
import { trafficKinds } from '../../outside/call-load.ts';
import { duration } from './fault-schema.ts';
import { path } from './request-schema.ts';

const mostPerSecond = 1_000;
const rateWanted = `expected a rate a second from 0 to ${mostPerSecond}, such as 5 or 0.5/s`;

/** `5`, `5/s`, `0.2/s`; a number after reading. */
export const rate = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?\/s$/, rateWanted)], rateWanted)
  .transform((value) => Number.parseFloat(String(value)))
  .refine((value) => value >= 0 && value <= mostPerSecond, rateWanted)
  .describe('Mean number a second, at random intervals: 5 or 0.5/s');

const share = z.number().min(0).describe('Share');
const through = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((sites) => (typeof sites === 'string' ? [sites] : sites))
  .optional()
  .describe('Sites whose fronts receive the requests, with equal shares; default: all sites with a front');
const as = z.string().optional().describe('Name of a session');

const calls = z.strictObject({
  rate,
  holding: duration.optional().describe('Mean duration of a call from its answer; default 20s'),
  fixed: z.boolean().optional().describe('Each call has exactly this duration'),
  rooms: z.int().min(1).max(100).optional().describe('Number of rooms for the callers of a domain; default 10'),
  mix: z.partialRecord(z.enum(trafficKinds), share).optional().describe('Shares of the kinds of calls'),
});

const requests = z
  .strictObject({
    rate,
    through,
    as,
    method: z.string().default('GET').describe('HTTP method'),
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
      'Time until a session is closed; default 5s. A user has at most ten sessions: the workload closes the oldest before an eleventh',
    ),
});

/** Entities without a parent; others would need an item to belong to. */
export const changeable = entities.filter(({ parent }) => parent === undefined).map(({ kind }) => kind);

const changes = z.strictObject({
  rate,
  through,
  as: z.string().describe('Name of a session whose user may change the entity'),
  entity: z.enum(changeable as [string, ...string[]]),
  mix: z
    .partialRecord(z.enum(['create', 'patch', 'delete']), share)
    .optional()
    .describe('Shares; default: two, two and one. Patches and deletions use items that the workload created'),
  most: z.int().min(1).max(10_000).default(100).describe('Upper limit of the number of created items'),
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
    .describe('Shares; each command needs a live call or conference of the domain'),
});

/** What clients do. The last ones are what one client does in sequence. */
export const clientActivities = [
  'any',
  'shared',
  'lists',
  'session',
  'meeting',
  'file',
  'recordedCall',
  'conference',
  'bans',
  'matcher',
  'border',
  'device',
  'devices',
  'unknownCaller',
] as const;
export type ClientActivity = (typeof clientActivities)[number];

const clients = z.strictObject({
  rate,
  through,
  as: z.array(z.string()).min(1).describe('Names of sessions; the clients of one session share what they make'),
  mix: z
    .partialRecord(z.enum(clientActivities), share)
    .optional()
    .describe(
      'Shares of any operation, changes of shared items, comparisons of lists, sessions, meetings, files, recorded calls, conferences, bans, loads of the audio matchers, border rules with devices that the platform does not know, SIP users with a device, and with several, and calls of devices that the platform does not know',
    ),
});

const subscribers = z.strictObject({
  count: z.int().min(1).max(100).describe('Number of subscribers, each with a session and a web socket of its own'),
  as: z.array(z.string()).min(1).describe('Names of sessions, whose users the subscribers are'),
  rate: rate
    .default(0)
    .describe(
      'Mean number of disturbances a second: a subscriber leaves and comes back with its cursor, or renews; default 0',
    ),
});

/** What phones do: the first four, and the last, in calls. */
export const phoneActions = [
  'hold',
  'hangUp',
  'transfer',
  'press',
  'switch',
  'callWhileOff',
  'register',
  'divert',
  'announce',
  'call',
  'glare',
  'dial',
  'consult',
] as const;
export type PhoneAction = (typeof phoneActions)[number];

const phones = z.strictObject({
  rate: rate.describe('Mean number of actions a second, of all phones'),
  mix: z
    .partialRecord(z.enum(phoneActions), share)
    .optional()
    .describe(
      'Shares: phones hold, end or transfer calls, or press digits in them; are switched off and on, or called while they are off; register again; divert calls, or play an announcement; call, or call each other at once; dial numbers that few have: unknown ones, outside, of another domain, of rooms; ask another one before they transfer a call to it',
    ),
});

const listed = <S extends z.ZodType>(part: S) =>
  z
    .union([part, z.array(part)], 'expected a part of a workload (rate …), or a list of them')
    .transform((parts): z.output<S>[] => (Array.isArray(parts) ? parts : [parts]));
const orNone = <S extends z.ZodType>(part: S) =>
  z.union([z.literal('none'), part], 'expected none, or the part that replaces the present one');

const wanted = 'expected calls, requests, logins, changes, commands, clients, phones or subscribers';

export const workloadSchema = z
  .strictObject(
    {
      calls: calls.optional().describe('Calls between phones, providers and rooms'),
      requests: listed(requests).optional().describe('HTTP requests, one kind or a list of kinds'),
      logins: logins.optional(),
      changes: listed(changes).optional().describe('Creates, changes and deletes entities'),
      commands: commands.optional().describe('Ends, transfers, holds … live calls and conferences'),
      phones: phones.optional().describe('Phones are switched off and on, hold, transfer, divert and end calls'),
      clients: clients
        .optional()
        .describe('Clients that use all operations of the interface, with valid, extreme and wrong values'),
      subscribers: subscribers
        .optional()
        .describe('Web sockets that follow events, and continue after a lost connection'),
    },
    { error: ({ code }) => (code === 'invalid_type' ? wanted : undefined) },
  )
  .refine((parts) => Object.values(parts).some((part) => part !== undefined), wanted);

/** A `workload` step replaces the parts that it names; `none` ends one part, or all. */
export const workloadStepSchema = orNone(
  z.strictObject({
    calls: orNone(calls).optional(),
    requests: orNone(listed(requests)).optional(),
    logins: orNone(logins).optional(),
    changes: orNone(listed(changes)).optional(),
    commands: orNone(commands).optional(),
    clients: orNone(clients).optional(),
    phones: orNone(phones).optional(),
    subscribers: orNone(subscribers).optional(),
  }),
);

export type Workload = z.infer<typeof workloadSchema>;
export type WorkloadStep = z.infer<typeof workloadStepSchema>;
export type WorkloadCalls = z.infer<typeof calls>;
export type WorkloadRequests = z.infer<typeof requests>;
export type WorkloadLogins = z.infer<typeof logins>;
export type WorkloadChanges = z.infer<typeof changes>;
export type WorkloadCommands = z.infer<typeof commands>;
export type WorkloadClients = z.infer<typeof clients>;
export type WorkloadSubscribers = z.infer<typeof subscribers>;
export type WorkloadPhones = z.infer<typeof phones>;
