/**
 * The event stream: each source (an instance of b2b, conf, sr, callstore) numbers its items, so that a consumer detects
 * gaps and fetches missing items; callstore stores them for subscribers and derives live calls and call records.
 */
import { z } from 'zod';
import { eventClasses } from '../../events/event-catalogue.ts';
import { ask, tell } from '../message.ts';
import { dialogRecordSchema } from './dialog.ts';

/** An event for subscribers; `data` has at least `eventid` (uuid) and `eventts` (ISO 8601 UTC). */
export const eventSchema = z.strictObject({
  class: z.enum(eventClasses),
  name: z.string(),
  /** Domains whose subscribers may receive it. */
  domains: z.array(z.string()),
  /** Objects that it is about, for the `objects` of a subscription: ids, logins, numbers. */
  objects: z.array(z.string()),
  data: z.record(z.string(), z.unknown()),
});
export type PlatformEvent = z.infer<typeof eventSchema>;

/** One item of a source's stream: an event, a change of a live call, or the end of one (its dialogid). */
export const streamItemSchema = z.strictObject({
  /** 1 for the first item of the source's incarnation; then one more each. */
  n: z.int(),
  event: eventSchema.optional(),
  dialog: dialogRecordSchema.optional(),
  gone: z.string().optional(),
  /** When it was published, by the source's clock (ms since the epoch). */
  atMs: z.number().optional(),
});
export type StreamItem = z.infer<typeof streamItemSchema>;

/** A position in the numbered entries of a source: its epoch, and the number of an entry, or 0. */
export const logPlaceSchema = z.strictObject({ epoch: z.number(), n: z.int() });

/** How far streams were received; see `src/model/position.ts`. */
const positionsSchema = z.array(z.tuple([z.string(), z.number(), z.int()]));

/** An event of a source as forwarded by callstore. */
export const forwardedEventSchema = z.strictObject({
  /** Name of the source's instance. */
  source: z.string(),
  epoch: z.number(),
  n: z.int(),
  /** When it was published, by the clock of the forwarding instance (ms since the epoch). */
  atMs: z.number(),
  event: eventSchema,
  /** Ids of the SIP users that take part in the call. */
  sipusers: z.array(z.string()),
});
export type ForwardedEvent = z.infer<typeof forwardedEventSchema>;

const eventsReply = z.strictObject({
  /** The events after the position asked for, those of one source in order. */
  items: z.array(forwardedEventSchema),
  /** How far the streams were received. `items` are complete up to there only when `more` is false. */
  position: positionsSchema,
  more: z.boolean(),
  /** Events after the requested position have been dropped from the log. */
  gap: z.boolean(),
  lostUntilMs: z
    .number()
    .optional()
    .describe(
      'With `gap`: the events that are missing happened before, by the clock of the instance; absent: not known',
    ),
  /** Events up to here have been dropped from the log. */
  floor: positionsSchema,
  atMs: z.number().describe('When the instance answered, by its clock: the events may be old'),
});
export type EventsReply = z.infer<typeof eventsReply>;

export const streamMessages = {
  'stream.published': tell({
    does: 'Sends the next items of a source.',
    to: ['callstore'],
    body: z.strictObject({ epoch: z.number(), items: z.array(streamItemSchema) }),
  }),
  'stream.read': ask({
    does: 'Asks a source for the items after a position, as far as it has kept them. A position of another epoch counts as the beginning.',
    to: ['b2b', 'conf', 'ivr', 'sr', 'callstore'],
    body: z.strictObject({ after: logPlaceSchema }),
    reply: z.strictObject({
      epoch: z.number(),
      /** Number of the last item that the source has published. */
      last: z.int(),
      atMs: z.number().describe('When the source answered, by its clock: the items may be old'),
      begunMs: z.number().describe('When the epoch began, by the clock of the source'),
      items: z.array(streamItemSchema),
    }),
    isForStandbys: true,
    isWhileDraining: true,
  }),
  'events.follow': ask({
    does: 'Follows the events of a site for a while: gives what came after a position, and once that is all, each new one is pushed. Renews, and mends what was lost, when it is asked again.',
    to: ['callstore'],
    body: z.strictObject({
      /** Name of the pushed stream. */
      follow: z.string(),
      after: positionsSchema,
      /** Only events of the last so many milliseconds: for a new follower. */
      lastMs: z.number().optional(),
    }),
    reply: eventsReply,
  }),
  'events.read': ask({
    does: 'Reads events of the past after a position, in pages. A member that stands by answers the others of its group only.',
    to: ['callstore'],
    body: z.strictObject({
      after: positionsSchema,
      most: z.int().min(0).optional(),
      unnamedMs: z.number().optional(),
    }),
    reply: eventsReply,
    isForStandbys: true,
  }),
  'events.pushed': tell({
    does: 'Sends new events to a follower. `seq` counts from 1 since the last `events.follow`, so that the follower notices a loss.',
    to: ['ws'],
    body: z.strictObject({ follow: z.string(), seq: z.int(), items: z.array(forwardedEventSchema) }),
  }),
};
