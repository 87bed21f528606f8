/** A fault as scenario files and the control interface write it: one verb of `sim/faults/faults.ts`, and what it is about. */
import { z } from 'zod';

/** `250ms`, `5s`, `1.5m`, `1h`; in milliseconds after reading. */
export const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, 'expected a duration such as 250ms, 5s, 1.5m or 1h')
  .transform((text) => {
    const [, number = '0', unit = 'ms'] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
    return Number(number) * { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit as 'ms' | 's' | 'm' | 'h'];
  })
  .describe('Such as 250ms, 5s, 1.5m or 1h');

const place = z.string().describe('A site, a node, or * for all nodes');

const between = z.strictObject({
  from: place,
  to: place.optional().describe('Default: everywhere else'),
  oneWay: z.boolean().optional().describe('Only what goes from "from" to "to"'),
});

/** Faults by the names of the verbs of `sim/faults/faults.ts`; one a step. */
export const faultSchema = z
  .strictObject({
    crash: z.string().optional().describe('A node or a role instance dies'),
    restart: z.string().optional().describe('A node or a role instance starts again'),
    pause: z.string().optional().describe('A node stops doing anything'),
    resume: z.string().optional().describe('A paused node goes on'),
    cut: between.optional().describe('Frames vanish'),
    hold: between.optional().describe('Frames wait until the hold is mended'),
    delay: between.extend({ by: duration }).optional().describe('Frames take longer'),
    lose: between.extend({ probability: z.number().min(0).max(1) }).optional(),
    duplicate: between.extend({ probability: z.number().min(0).max(1) }).optional(),
    silence: z
      .string()
      .optional()
      .describe('A phone or a provider falls silent: acme.root.test/1001, sip.telecom.test'),
    revive: z.string().optional().describe('A silent phone or provider comes back'),
    loseOutside: z
      .strictObject({ probability: z.number().min(0).max(1) })
      .optional()
      .describe('Messages between the edges and the world outside vanish'),
    duplicateOutside: z
      .strictObject({ probability: z.number().min(0).max(1) })
      .optional()
      .describe('They arrive twice'),
    cutOutside: z
      .strictObject({ from: z.string().describe('A site, an edge instance such as esg-221, or *') })
      .optional()
      .describe('Nothing passes between the edges there and the world outside'),
    mend: z.string().optional().describe('Name of a standing fault, or * for all'),
    name: z.string().optional().describe('To mend this fault by'),
  })
  .refine((value) => Object.keys(value).filter((key) => key !== 'name').length === 1, 'expected exactly one verb');

export type ScenarioFault = z.infer<typeof faultSchema>;
