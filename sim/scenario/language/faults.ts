/** A fault as scenario files and the control interface write it: one verb of `sim/faults/faults.ts`, and what it is about. */
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
  .describe('Such as 30s, or -2m: behind');

function msOf(text: string): number {
  const [, number = '0', unit = 'ms'] = /^(-?[\d.]+)([a-z]+)$/.exec(text) ?? [];
  return Number(number) * unitsMs[unit as keyof typeof unitsMs];
}

const probability = z.number().min(0).max(1).describe('Of how many it is true: 1 is all, 0.5 one of two');

const between = z.strictObject({
  from: placeSchema,
  to: placeSchema.optional().describe('Default: everywhere else'),
  oneWay: z.boolean().optional().describe('Only what goes from "from" to "to"'),
  messages: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('Only these types of docs/reference/protocol.md: dialog.originate, peer.*, sip CANCEL, sip 200'),
  kinds: z
    .array(z.enum(['tell', 'ask', 'reply', 'fault']))
    .min(1)
    .optional()
    .describe('Only what asks, answers or tells'),
});

const whoOutside = z
  .union([z.string(), z.array(z.string()).min(1)], { error: 'expected a phone or a provider, or a list of them' })
  .describe('A phone or a provider, or several: acme.root.test/1001, sip.telecom.test');

const beyond = z.strictObject({
  from: placeSchema.optional().describe('The edges there; default: all'),
  who: whoOutside.optional().describe('The other side; default: everybody'),
  direction: z.enum(['in', 'out']).optional().describe('Towards the platform, or away from it; default: both'),
  messages: z.array(z.string()).min(1).optional().describe('Only these: INVITE, 200, 200 INVITE, 4*'),
});

/** Faults by the names of the verbs of `sim/faults/faults.ts`; one a step. */
export const faultSchema = z
  .strictObject({
    crash: placeSchema.optional().describe('Nodes or role instances die'),
    restart: placeSchema.optional().describe('Nodes or role instances start again'),
    drain: placeSchema.optional().describe('Nodes finish what is under way, and leave'),
    pause: placeSchema.optional().describe('Nodes stop doing anything'),
    resume: placeSchema.optional().describe('Paused nodes go on'),
    cut: between.optional().describe('Frames vanish'),
    hold: between.optional().describe('Frames wait until the hold is mended'),
    delay: between.extend({ by: duration }).optional().describe('Frames take longer'),
    lose: between.extend({ probability }).optional(),
    duplicate: between.extend({ probability }).optional(),
    flap: between.extend({ every: duration }).optional().describe('Frames vanish and pass in turn, each for so long'),
    swizzle: z
      .strictObject({ among: placeSchema.optional().describe('Default: all nodes'), over: duration })
      .optional()
      .describe('The frames of some nodes, drawn, wait: of one after the other, and go on in another order'),
    halfOpen: z
      .strictObject({ from: placeSchema, to: placeSchema.optional() })
      .optional()
      .describe('Nodes of "from" lose their connections to those of "to", which do not know'),
    skew: z
      .strictObject({ at: placeSchema, by: signedDuration })
      .optional()
      .describe('Clocks of nodes are ahead, or behind'),
    slowStore: z.strictObject({ at: placeSchema, by: duration }).optional().describe('Stores of nodes take longer'),
    fillStore: z
      .strictObject({ at: placeSchema })
      .optional()
      .describe('Disks of nodes are full: stores can only be read'),
    silence: whoOutside.optional().describe('A phone or a provider falls silent'),
    revive: whoOutside.optional().describe('It comes back, and takes every REGISTER again'),
    flapOutside: z
      .strictObject({ who: whoOutside, every: duration })
      .optional()
      .describe('It falls silent and comes back in turn, until it is revived'),
    refuseRegister: z
      .strictObject({ who: whoOutside, status: z.int().min(400).max(699).default(503) })
      .optional()
      .describe('A provider refuses every REGISTER, until it is revived'),
    loseOutside: beyond.extend({ probability }).optional().describe('Messages with the world outside vanish'),
    duplicateOutside: beyond.extend({ probability }).optional().describe('They arrive twice'),
    delayOutside: beyond.extend({ by: duration }).optional().describe('They take longer'),
    cutOutside: beyond
      .refine(({ from, who }) => from !== undefined || who !== undefined, 'expected "from" or "who"')
      .optional()
      .describe('Nothing passes between the edges there and the world outside'),
    mend: z.string().optional().describe('Name of a standing fault, or * for all of the traffic, clocks and stores'),
    name: z.string().optional().describe('To mend this fault by'),
  })
  .superRefine((value, { addIssue }) => {
    const verbs = Object.keys(value).filter((key) => key !== 'name');
    const there = verbs.length === 0 ? 'none' : verbs.join(' and ');
    if (verbs.length !== 1) addIssue(`expected exactly one verb, got ${there}`);
  });

export type ScenarioFault = z.infer<typeof faultSchema>;
export type FaultVerb = Exclude<keyof ScenarioFault, 'name'>;

const mending: ReadonlySet<string> = new Set<FaultVerb>(['mend', 'restart', 'resume', 'revive']);

/** The verb by which it breaks something; `undefined`: it mends. */
export function breakingVerb(fault: ScenarioFault): FaultVerb | undefined {
  const verbs = Object.keys(fault) as (keyof ScenarioFault)[];
  return verbs.find((verb): verb is FaultVerb => verb !== 'name' && fault[verb] !== undefined && !mending.has(verb));
}
