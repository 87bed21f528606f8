/**
 * The topology: what a cluster consists of. Schema only; what must hold between its parts is in `checks.ts`.
 * Published as JSON Schema (`docs/reference/topology.schema.json`) for editors. Source of shapes: public facts where they exist
 * (roles, srvidx, group, order, site types, served domains), else chosen.
 */
import { z } from 'zod';
import { roleNames } from '../cluster/roles.ts';
import { limits } from '../limits.ts';
import { borderRuleSchema } from '../numbers/border-rules.ts';
import { modifierChars, modifierPattern, modifierWanted } from '../numbers/number-modifier.ts';
import { scriptSettingsSchema } from '../script/script-settings.ts';
import { zoneHours } from '../time.ts';

/** A fault in a topology: where (a path into the document) and what, with what was expected. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected lower-case letters, digits and "-", starting with a letter, at most 32');
const domainName = z
  .string()
  .max(253)
  .regex(
    /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/,
    'expected a domain name in lower case, such as acme.root.test',
  );
const ipv4 = z.ipv4('expected an IPv4 address, such as 10.1.0.11');
const hostAndPort = z
  .string()
  .regex(/^[^\s:/]+:\d{1,5}$/, 'expected host:port, such as 127.0.0.1:7101')
  .refine((text) => Number(text.split(':')[1] ?? 0) <= 65_535, 'expected a port up to 65535');
const milliseconds = (least: number) => z.int().min(least).max(3_600_000);

export const timingsSchema = z
  .strictObject({
    pingIntervalMs: milliseconds(10).default(1_000).describe('Time between two pings of a peer node'),
    pingPatienceMs: milliseconds(5).default(1_000).describe('How long a pong may take; at most the interval'),
    pingMisses: z.int().min(1).max(20).default(3).describe('Missed pongs in a row after which a peer is lost'),
    takeoverMs: milliseconds(0)
      .default(1_000)
      .describe('How long a standby waits after it lost the active instance, so that the other side can step down'),
    edgeWaitMs: milliseconds(10).default(2_000).describe('How long an edge request waits for one instance'),
    requestDeadlineMs: milliseconds(10).default(5_000).describe('From the HTTP front to the last hop'),
    restartBackoffMs: milliseconds(1)
      .default(500)
      .describe('Wait before a crashed instance is restarted; doubles each time'),
    nodeRestartMs: milliseconds(0)
      .default(15_000)
      .describe('After this time a node that was terminated through the interface comes back; 0: never'),
    sessionExpiresMs: milliseconds(1_000)
      .default(90_000)
      .describe('Session timer of calls: a party that says nothing for so long is lost (RFC 4028)'),
    callGoneMs: milliseconds(0).default(2_000).describe('How long the way to a party may be lost before its call ends'),
    reconnectMinMs: milliseconds(1).default(50).describe('First wait before a lost link is dialled again'),
    reconnectMaxMs: milliseconds(1).default(1_000).describe('Longest wait before a lost link is dialled again'),
  })
  .prefault({});

export const instanceSchema = z.strictObject({
  role: z.enum(roleNames),
  srvidx: z.int().min(1).max(65_535).describe('Number of the instance, unique in the cluster'),
  addr: ipv4.optional().describe("Address shown for the instance; default: the node's"),
  group: z.int().min(1).optional().describe('Active-passive group within the site'),
  order: z
    .int()
    .min(1)
    .optional()
    .describe('Position in the failover sequence of the group, or preference of a gateway'),
});

export const nodeSchema = z.strictObject({
  name: name.describe('Unique in the cluster'),
  ip: ipv4.describe('Address of the server in the simulated network'),
  link: hostAndPort.optional().describe('Where the node listens for its peers when it runs as a process of its own'),
  http: hostAndPort.optional().describe('Where its ws instance listens when the node runs as a process of its own'),
  instances: z.array(instanceSchema).min(1),
});

export const siteSchema = z.strictObject({
  name,
  type: z.enum(['master', 'communication', 'master_communication']),
  domains: z.array(domainName).min(1).describe('Domains served here, each with its subtree'),
  arbiters: z
    .array(z.string())
    .default([])
    .describe(
      'Nodes of other sites that decide when exactly half of this site is in reach: the first that is alive. Several are best at one site, of three nodes or more',
    ),
  groups: z
    .array(z.strictObject({ group: z.int().min(1), domains: z.array(domainName).min(1) }))
    .default([])
    .describe('Parts of the domain tree that a group serves; a group that is not listed serves all of it'),
  nodes: z.array(nodeSchema).min(1),
});

/** What a phone or a provider does when it is called; by number, else by the last digits. */
const sampleName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/,
    'expected 1 to 60 characters A-Z a-z, digits, _ or -, such as number-not-in-service',
  );

const afterMs = z.int().min(0).describe('Milliseconds after the answer');
const digitsWanted = 'expected 1 to 32 of the digits 0-9 * # A-D';
/** Digits that a party presses one after the other. */
export const digitsSchema = z.string(digitsWanted).regex(/^[0-9*#A-D]{1,32}$/, digitsWanted);

export const behaviourSchema = z.strictObject({
  ringMs: z
    .int()
    .min(0)
    .optional()
    .describe(
      'It rings so long after the INVITE; default 0, but what refuses or redirects does not ring. Alone: for ever',
    ),
  answerMs: z
    .int()
    .min(0)
    .optional()
    .describe(
      'It answers so long after it began to ring (default 2000), refuses or redirects so long after it (default 0)',
    ),
  hangupMs: z.int().min(0).optional().describe('It hangs up so long after it has answered; default: never'),
  reject: z.int().min(300).max(699).optional().describe('It refuses with this SIP status'),
  redirect: z
    .string()
    .optional()
    .describe('It redirects to this number, number@domain or URI; status 302, or that of reject'),
  silent: z.boolean().optional().describe('It never reacts'),
  trying: z.boolean().optional().describe('Whether it answers an INVITE with 100 before all else; default: true'),
  announcement: sampleName
    .optional()
    .describe('While it rings it plays this announcement (183, early media), before it answers or refuses'),
  presses: z
    .array(z.strictObject({ afterMs, digits: digitsSchema.describe('Digits, pressed one after the other') }))
    .max(limits.listItems)
    .optional()
    .describe('Digits that it presses in each of its calls, so long after the answer'),
  says: z
    .array(
      z.strictObject({
        afterMs,
        text: z.string().min(1).max(limits.textChars).describe('Words that are recognised'),
      }),
    )
    .max(limits.listItems)
    .optional()
    .describe('What it says in each of its calls, so long after the answer: for SETUP_ASR'),
});

const login = z
  .string()
  .regex(/^[A-Za-z0-9_\-.~!]{1,100}$/, 'expected 1 to 100 characters A-Z a-z, digits or _ - . ~ !');

export const userSchema = z.strictObject({
  id: z.uuid().optional(),
  login,
  pwd: login,
  name: z.string().min(1).max(1_000).optional(),
  roles: z.array(z.string()).default(['user']),
  tags: z.array(z.string()).default([]),
});

const modifier = z.string().max(modifierChars).regex(modifierPattern, modifierWanted).default('');

export const sipUserSchema = z.strictObject({
  login,
  pwd: z.string().optional(),
  name: z.string().optional(),
  phonenumber: z.string(),
  id: z.uuid().optional(),
  user: z.string().optional().describe('Login of the system user bound to the account'),
  phones: z.int().min(0).max(20).default(1).describe('Simulated devices that register as this user'),
  site: name.optional().describe('Site whose sg the phones prefer; default: in turn'),
  devices: z.int().min(1).default(2).describe('How many devices may be registered (lic.devices)'),
  calltimesec: z
    .int()
    .min(0)
    .max(limits.longestRingMs / 1_000)
    .default(30)
    .describe('How long it may ring, in seconds; 0: no limit of its own'),
  dlgtimesec: z.int().min(0).default(0).describe('How long a call may last, in seconds; 0: no limit'),
  trunks: z.int().min(-1).default(-1).describe('Calls at once; -1: any number'),
  maxexpires: z.int().min(1).default(3_600).describe('Longest life of a registration, in seconds'),
  minexpires: z.int().min(1).default(30).describe('Shortest life of a registration, in seconds'),
  modextin: modifier.describe('Modifier of the number of a caller from a provider'),
  modextout: modifier.describe('Modifier of a number that is dialled to a provider'),
});

export const providerSchema = z.strictObject({
  code: name,
  username: z.string().describe('User part sent outward'),
  pwd: z.string().default('secret').describe('Password that the provider wants at REGISTER'),
  domain: domainName.describe('Domain sent outward'),
  port: z.int().min(1).max(65_535).default(5_060),
  proto: z.enum(['udp', 'tcp', 'tls']).default('udp'),
  addrs: z.array(ipv4).default([]),
  registration: z.boolean().default(true).describe('False: the account works without registration'),
  ping: z.boolean().default(false).describe('Check the connection by OPTIONS'),
  trunks: z.int().min(1).default(30).describe('Calls at once'),
  maxexpires: z
    .int()
    .min(1)
    .default(3_600)
    .describe('Longest life of a registration that the provider grants, in seconds'),
  esg: z.int().describe('srvidx of the esg instance that holds the account'),
});

const storageRuleSchema = z.strictObject({
  id: z.uuid().toLowerCase().describe('What `storageruleid` of a record rule names'),
  keepSeconds: z
    .int()
    .min(1)
    .max(3_153_600_000)
    .describe('How long after its end a recording has a file, in seconds; the record of the call stays'),
});

const parkingFileSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,60}\.wav$/, 'expected a name such as wait.wav'),
  hertz: z.int().min(50).max(3_400).default(425).describe('Pitch of its tone'),
  ms: z.int().min(100).max(3_000).default(500).describe('Its length'),
  base64: z.base64().max(2_000_000).optional().describe('Its content; default: the tone'),
});

export const domainSchema = z.strictObject({
  name: domainName,
  solution: name.default('standard').describe('Solution type; the master domain is always "master"'),
  timezone: z
    .number()
    .min(-zoneHours)
    .max(zoneHours)
    .default(0)
    .describe('Offset from UTC in hours, of users and SIP users whose time zone is `default`'),
  unknownNumbers: z
    .enum(['provider', 'refuse'])
    .default('provider')
    .describe(
      'A call to a number that nothing in the domain has: goes to a provider, or is refused with 404. (chosen)',
    ),
  storagerules: z.array(storageRuleSchema).default([]).describe('How long recordings are kept. (chosen)'),
  parkingfiles: z
    .array(parkingFileSchema)
    .max(20)
    .default([])
    .describe('Sound files for parking that are there from the start: tones. (chosen)'),
  opts: scriptSettingsSchema.prefault({}).describe('Settings of the domain for its scripts'),
  users: z.array(userSchema).default([]),
  sipusers: z.array(sipUserSchema).default([]),
  providers: z.array(providerSchema).default([]),
  features: z
    .array(
      z.strictObject({
        prefix: z.string().regex(/^[0-9*#]+$/),
        type: z
          .enum(['conference', 'videoconference', 'ivr'])
          .describe('Kind of service behind the prefix; of a conference two digits of room follow'),
      }),
    )
    .default([]),
  numbers: z.record(z.string(), behaviourSchema).default({}),
  items: z
    .record(z.string(), z.array(z.record(z.string(), z.unknown())))
    .default({})
    .describe(
      'Items of entities that are there from the start, by kind, as a client creates them: recordrule, svcscript …; `parent` is the id of the item to which one belongs. (chosen)',
    ),
});

const firstCallSchema = z.strictObject({
  from: z.string().describe('A phone or a provider: acme.root.test/1001'),
  to: z.string().describe('A number, or number@domain; it must answer'),
  as: z.string().optional().describe('The number from which a provider calls'),
  hangupMs: z.int().min(0).optional().describe('Time from the answer to the hangup; default: never'),
});

/** The audio matcher of each mware instance. Off until its first load is requested. (settings chosen) */
const matcherSchema = z
  .strictObject({
    loadMs: milliseconds(0).default(3_000).describe('How long it takes to load the samples'),
    fails: z.int().min(0).max(1_000_000).default(0).describe('How many loads of an instance fail, from the first'),
    samplesDir: z.string().min(1).default('/var/lib/audiomatcher/samples').describe('Folder of the samples, as shown'),
    samples: z
      .array(sampleName)
      .max(100)
      .default(['number-not-in-service', 'subscriber-unavailable'])
      .describe(
        'Samples that are in the folder from the start; `serve --samples` reads a folder of this machine instead',
      ),
    matchMs: milliseconds(0).default(1_500).describe('How long an announcement must play to be recognised'),
  })
  .prefault({});

export const topologySchema = z
  .strictObject({
    name,
    format: z
      .literal(1, 'expected 1, the only format of topologies so far: a newer version of strowger may read this one')
      .optional()
      .describe('The version of the format of this file; default: 1'),
    title: z.string().optional(),
    metadata: z
      .string()
      .optional()
      .describe('Folder of the user-interface metadata, relative to this file; default: the one that ships'),
    secret: z.string().min(8).optional().describe('Cluster secret; default: a fresh one for each start of `serve`'),
    timings: timingsSchema,
    sites: z.array(siteSchema).min(1),
    domains: z.array(domainSchema).min(1),
    borderrules: z.array(borderRuleSchema).default([]),
    bans: z
      .boolean()
      .default(true)
      .describe('Whether an address is banned that fails to identify too often; false is for tests. (chosen)'),
    calls: z
      .array(firstCallSchema)
      .max(1_000)
      .default([])
      .describe('Calls in progress when the cluster is ready. (chosen)'),
    matcher: matcherSchema,
  })
  .meta({ title: 'Strowger topology', description: 'Sites, nodes, role instances and domains of a simulated cluster' });

export type Topology = z.infer<typeof topologySchema>;
export type TopologySite = Topology['sites'][number];
export type TopologyNode = TopologySite['nodes'][number];
export type TopologyInstance = TopologyNode['instances'][number];
export type TopologyDomain = Topology['domains'][number];
export type TopologyUser = TopologyDomain['users'][number];
export type TopologyProvider = TopologyDomain['providers'][number];
export type TopologySipUser = TopologyDomain['sipusers'][number];
export type TopologyParkingFile = TopologyDomain['parkingfiles'][number];
export type TopologyCall = Topology['calls'][number];
export type Behaviour = z.infer<typeof behaviourSchema>;
export type Timings = Topology['timings'];
