/**
 * The event stream: each source (an instance of b2b, conf, sr, callstore) numbers what it tells, so that whoever hears it
 * knows what is missing and asks for it; callstore keeps it for subscribers and makes live calls and call records of it.
 */
import { z } from 'zod';
import { eventClasses } from '../events/event-catalogue.ts';
import { dialogRecordSchema } from './dialog.ts';
import { ask, tell } from './message.ts';

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
  /** When it was told, by the source's clock (ms since the epoch). */
  atMs: z.number().optional(),
});
export type StreamItem = z.infer<typeof streamItemSchema>;

/** A place in the numbered entries of a source: its epoch, and the number of an entry, or 0. */
export const logPlaceSchema = z.strictObject({ epoch: z.number(), n: z.int() });

/** How far streams have been heard; see `src/model/position.ts`. */
const placesSchema = z.array(z.tuple([z.string(), z.number(), z.int()]));

/** An event of a source as callstore passes it on. */
export const toldEventSchema = z.strictObject({
  /** Name of the source's instance. */
  source: z.string(),
  epoch: z.number(),
  n: z.int(),
  /** When it was told, by the clock of who passes it on (ms since the epoch). */
  atMs: z.number(),
  event: eventSchema,
  /** SIP users that take part in the call, as `login@domain`: whose own call it is. */
  sipusers: z.array(z.string()),
});
export type ToldEvent = z.infer<typeof toldEventSchema>;

const eventsReply = z.strictObject({
  /** The events after the position asked for, those of one source in order. */
  items: z.array(toldEventSchema),
  /** What is heard so far. Only where `more` is false are `items` all that came up to there. */
  position: placesSchema,
  more: z.boolean(),
  /** Events after the position asked for were kept once and are not any more. */
  gap: z.boolean(),
  /** What comes up to here is not kept. */
  floor: placesSchema,
});
export type EventsReply = z.infer<typeof eventsReply>;

export const streamMessages = {
  'stream.told': tell({
    does: 'Sends the next items of a source.',
    to: ['callstore'],
    body: z.strictObject({ epoch: z.number(), items: z.array(streamItemSchema) }),
  }),
  'stream.read': ask({
    does: 'Asks a source for the items after a place, as far as it has kept them. A place of another epoch counts as the beginning.',
    to: ['b2b', 'conf', 'sr', 'callstore'],
    body: z.strictObject({ after: logPlaceSchema }),
    reply: z.strictObject({
      epoch: z.number(),
      /** Number of the last item that the source has told. */
      last: z.int(),
      items: z.array(streamItemSchema),
    }),
  }),
  'events.follow': ask({
    does: 'Follows the events of a site for a while: gives what came after a position, and once that is all, each new one is pushed. Renews, and mends what was lost, when it is asked again.',
    to: ['callstore'],
    body: z.strictObject({
      /** Name of what is pushed from now on. */
      follow: z.string(),
      after: placesSchema,
      /** Nothing older than so many milliseconds counts: for one that has followed nothing yet. */
      lastMs: z.number().optional(),
    }),
    reply: eventsReply,
  }),
  'events.read': ask({
    does: 'Reads events of the past after a position, in pages.',
    to: ['callstore'],
    body: z.strictObject({ after: placesSchema }),
    reply: eventsReply,
  }),
  'events.pushed': tell({
    does: 'Sends new events to a follower. `seq` counts from 1 since the last `events.follow`, so that the follower notices a loss.',
    to: ['ws'],
    body: z.strictObject({ follow: z.string(), seq: z.int(), items: z.array(toldEventSchema) }),
  }),
};
