/**
 * A fault as scenario files and the control interface write it: one verb with its parameters.
 */
import { z } from 'zod';
import { placeSchema } from './places.ts';

const durationWanted = 'expected a duration such as 250ms, 5s, 1.5m or 1h';
const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** `250ms`, `5s`, `1.5m`, `1h`; in milliseconds after reading. */
export const duration = z
  .string(durationWanted)
  .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, durationWanted)
  .transform(msOf)
  .describe('Such as 250ms, 5s, 1.5m or 1h');

const signedWanted = 'expected a duration such as 30s or -2m';
const signedDuration = z
  .string(signedWanted)
  .regex(/^-?\d+(\.\d+)?(ms|s|m|h)$/, signedWanted)
  .transform(msOf)
  .describe('Such as 30s; -2m sets the clock back');

function msOf(text: string): number {
  const [, number = '0', unit = 'ms'] = /^(-?[\d.]+)([a-z]+)$/.exec(text) ?? [];
  return Number(number) * unitsMs[unit as keyof typeof unitsMs];
}

const probability = z.number().min(0).max(1).describe('Share of messages: 1 is all, 0.5 every other one');

const between = z.strictObject({
  from: placeSchema,
  to: placeSchema.optional().describe('Default: all other nodes'),
  oneWay: z.boolean().optional().describe('Only what goes from "from" to "to"'),
  messages: z
    .array(z.string())
    .min(1)
    .optional()
    .describe(
      'Only messages of these types of docs/reference/protocol.md: dialog.originate, peer.*, sip CANCEL, sip 200',
    ),
  kinds: z
    .array(z.enum(['tell', 'ask', 'reply', 'fault']))
    .min(1)
    .optional()
    .describe('Only envelopes of these kinds'),
});

const whoOutside = z
  .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a phone or a provider, or a list of them' })
  .describe('A phone or a provider, or several: acme.root.test/1001, sip.telecom.test');

const beyond = z.strictObject({
  from: placeSchema.optional().describe('The edges at this place; default: all'),
  who: whoOutside.optional().describe('The phones and providers; default: all'),
  direction: z
    .enum(['in', 'out'])
    .optional()
    .describe('Only messages to the platform (in) or from it (out); default: both'),
  messages: z.array(z.string()).min(1).optional().describe('Only these SIP messages: INVITE, 200, 200 INVITE, 4*'),
});

const http = z.strictObject({
  url: z
    .string()
    .regex(/^https?:\/\//, 'expected the beginning of an address, such as https://crm.test/')
    .optional()
    .describe('Only requests whose address begins with this; default: all'),
  probability: probability.optional().describe('Share of requests; default 1'),
});

/** A fault has one of these verbs. `sim/scenario/run/fault-injector.ts` maps each to a method of `sim/faults/faults.ts`. */
export const faultSchema = z
  .strictObject({
    crash: placeSchema.optional().describe('Nodes or role instances crash'),
    restart: placeSchema.optional().describe('Crashed nodes or role instances start again'),
    wipe: placeSchema.optional().describe('Nodes crash, and start again with empty disks'),
    drain: placeSchema.optional().describe('Nodes finish their work and stop'),
    pause: placeSchema.optional().describe('Nodes freeze'),
    resume: placeSchema.optional().describe('Paused nodes continue'),
    cut: between.optional().describe('Frames are dropped'),
    hold: between.optional().describe('Frames are held back until this fault is lifted'),
    delay: between.extend({ by: duration }).optional().describe('Frames arrive later'),
    lose: between.extend({ probability }).optional().describe('Frames are dropped by chance'),
    duplicate: between.extend({ probability }).optional().describe('Frames arrive twice by chance'),
    flap: between
      .extend({ every: duration })
      .optional()
      .describe('The link drops frames and passes them in turn, each for this time'),
    swizzle: z
      .strictObject({ among: placeSchema.optional().describe('Default: all nodes'), over: duration })
      .optional()
      .describe(
        'Frames of some nodes, drawn by the seed, are held back; they are released node by node, in another order',
      ),
    halfOpen: z
      .strictObject({ from: placeSchema, to: placeSchema.optional() })
      .optional()
      .describe('Connections from nodes of "from" to those of "to" are lost, and only the nodes of "from" notice'),
    skew: z
      .strictObject({ at: placeSchema, by: signedDuration })
      .optional()
      .describe('Clocks of nodes are ahead or behind'),
    slowStore: z.strictObject({ at: placeSchema, by: duration }).optional().describe('Stores of nodes respond later'),
    fillStore: z
      .strictObject({ at: placeSchema })
      .optional()
      .describe('Disks of nodes are full: their stores are read-only'),
    silence: whoOutside.optional().describe('A phone or a provider stops responding'),
    revive: whoOutside.optional().describe('A phone or a provider responds again and accepts every REGISTER'),
    flapOutside: z
      .strictObject({ who: whoOutside, every: duration })
      .optional()
      .describe('A phone or a provider stops and resumes responding in turn, until it is revived'),
    refuseRegister: z
      .strictObject({
        who: whoOutside,
        status: z.int().min(400).max(699).default(503).describe('The SIP status; default 503'),
      })
      .optional()
      .describe('A provider refuses every REGISTER, until it is revived'),
    loseOutside: beyond
      .extend({ probability })
      .optional()
      .describe('SIP messages to and from the world outside are dropped'),
    duplicateOutside: beyond
      .extend({ probability })
      .optional()
      .describe('SIP messages to and from the world outside arrive twice'),
    delayOutside: beyond
      .extend({ by: duration })
      .optional()
      .describe('SIP messages to and from the world outside arrive later'),
    cutOutside: beyond
      .refine(({ from, who }) => from !== undefined || who !== undefined, 'expected "from" or "who"')
      .optional()
      .describe('No SIP message passes between the edges and the world outside'),
    refuseHttp: http.optional().describe('Connections of HTTP requests of scripts are refused'),
    delayHttp: http.extend({ by: duration }).optional().describe('HTTP requests of scripts arrive later'),
    duplicateHttp: http.optional().describe('HTTP requests of scripts arrive twice, the copy within a second'),
    reorderHttp: http
      .optional()
      .describe('An HTTP request of a script arrives after the next one, or after three seconds'),
    forgeHttp: http.optional().describe('The signatures of HTTP requests of scripts are wrong'),
    truncateHttp: http
      .optional()
      .describe('The connections of HTTP requests of scripts break in the middle of the body'),
    mend: z
      .string()
      .optional()
      .describe('Name of the active fault to lift; * lifts all faults of traffic, clocks and stores'),
    name: z.string().optional().describe('Name by which `mend` lifts this fault'),
  })
  .superRefine((value, { addIssue }) => {
    const verbs = Object.keys(value).filter((key) => key !== 'name');
    const there = verbs.length === 0 ? 'none' : verbs.join(' and ');
    if (verbs.length !== 1) addIssue(`expected exactly one verb, got ${there}`);
  });

export type ScenarioFault = z.infer<typeof faultSchema>;
export type FaultVerb = Exclude<keyof ScenarioFault, 'name'>;
export const faultVerbs = Object.keys(faultSchema.shape).filter((key) => key !== 'name') as readonly FaultVerb[];

const mending: ReadonlySet<string> = new Set<FaultVerb>(['mend', 'restart', 'resume', 'revive']);

/** The verb that breaks something; `undefined` for a fault that repairs. */
export function breakingVerb(fault: ScenarioFault): FaultVerb | undefined {
  const verbs = Object.keys(fault) as (keyof ScenarioFault)[];
  return verbs.find((verb): verb is FaultVerb => verb !== 'name' && fault[verb] !== undefined && !mending.has(verb));
}
