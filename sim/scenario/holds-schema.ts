/** What must hold over a whole run: rules, things that must become true, things that must be seen, promised times. */
import { z } from 'zod';
import { expectSchema, outside, path, requestSchema } from './expect-schema.ts';
import { duration } from './fault-schema.ts';
import { sightSchema } from './sight-schema.ts';

const title = z.string().min(1).describe('What it is about; names it in reports');

export const alwaysSchema = z
  .union([z.literal('all'), z.array(z.string())], 'expected all, or a list of oracles')
  .describe('Oracles: each by name must have been exercised and never have failed; all (default): none may fail');

const eventually = z
  .strictObject({
    name: title,
    within: duration.describe('Since the cluster was ready'),
    request: requestSchema.optional(),
    look: outside.optional(),
    expect: expectSchema.optional(),
    seen: sightSchema.optional(),
  })
  .refine(
    ({ request, look, seen }) => [request, look, seen].filter((part) => part !== undefined).length === 1,
    'expected exactly one of request, look, seen',
  )
  .refine(
    ({ seen, expect }) => (seen === undefined) === (expect !== undefined),
    'expected "expect" beside a request or a look',
  );

const sometimes = z.strictObject({ name: title, seen: sightSchema });

const promise = z
  .strictObject({
    of: z.string().optional().describe('Name of the fault; default: each that breaks something'),
    detect: duration.optional().describe('From the fault until a node sees something as gone that it saw before'),
    failOver: duration.optional().describe('From the fault until "request" succeeds and goes on to'),
    recover: duration
      .optional()
      .describe('From the last mend, or the fault where nothing is mended, until all views and "agree" agree'),
    request: requestSchema.omit({ save: true }).optional().describe('Asked again and again; it succeeds below 400'),
    agree: z
      .strictObject({
        path,
        as: z.string().optional(),
        through: z.array(z.string()).min(2).optional().describe('Default: all sites that have a front'),
      })
      .optional()
      .describe('A list that all these sites must show alike'),
  })
  .refine(
    ({ detect, failOver, recover }) => [detect, failOver, recover].some((part) => part !== undefined),
    'expected detect, failOver or recover',
  )
  .refine(
    ({ failOver, request }) => failOver === undefined || request !== undefined,
    'expected "request" beside "failOver"',
  );

export const holdsShape = {
  always: alwaysSchema.optional(),
  atFailure: z
    .enum(['stop', 'goOn'])
    .default('stop')
    .describe('What the run does when an oracle fails, which fails the run in any case'),
  eventually: z.array(eventually).default([]).describe('What must become true once'),
  sometimes: z
    .array(sometimes)
    .default([])
    .describe(
      'What must be seen at least once, in this run or, in a sweep, with any of its seeds; else nothing was proved',
    ),
  promise: promise.optional().describe('Times that are promised; they are measured, and reported beside'),
};

export type Always = z.infer<typeof alwaysSchema>;
export type Eventually = z.infer<typeof eventually>;
export type Sometimes = z.infer<typeof sometimes>;
export type Promised = z.infer<typeof promise>;
