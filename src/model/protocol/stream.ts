/**
 * The event stream: each source (an instance of b2b, conf, sr, callstore) numbers what it tells, so that whoever hears it
 * knows what is missing and asks for it; callstore keeps it for subscribers and makes live calls and call records of it.
 */
import { z } from 'zod';
import { dialogRecordSchema } from './dialog.ts';
import { ask, tell } from './message.ts';

export const eventClasses = ['callevents', 'confevents', 'registrarevents', 'modelevents'] as const;

/** An event as a subscriber gets it; `data` has at least `eventid` (uuid) and `eventts` (ISO 8601 UTC). */
export const eventSchema = z.strictObject({
  class: z.enum(eventClasses),
  name: z.string(),
  /** Domains whose subscribers may see it. */
  domains: z.array(z.string()),
  /** Objects that it is about, for the `objects` of a subscription: ids, logins, numbers. */
  objects: z.array(z.string()),
  data: z.record(z.string(), z.unknown()),
});
export type PlatformEvent = z.infer<typeof eventSchema>;

/** One item of a source's stream: an event, a change of a live call, or the end of one (its dialogid). */
export const streamItemSchema = z.strictObject({
  /** 1 for the first of the source's life; then one more each. */
  n: z.int(),
  event: eventSchema.optional(),
  dialog: dialogRecordSchema.optional(),
  gone: z.string().optional(),
});
export type StreamItem = z.infer<typeof streamItemSchema>;

export const streamMessages = {
  'stream.told': tell({
    does: 'Tells the next items of a source.',
    to: ['callstore'],
    body: z.strictObject({ epoch: z.number(), items: z.array(streamItemSchema) }),
  }),
  'stream.read': ask({
    does: 'Asks a source for the items after a number, as far as it has kept them.',
    to: ['b2b', 'conf', 'sr'],
    body: z.strictObject({ after: z.int() }),
    reply: z.strictObject({
      epoch: z.number(),
      /** Number of the last item that the source has told. */
      last: z.int(),
      items: z.array(streamItemSchema),
    }),
  }),
};
