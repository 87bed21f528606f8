/** The clock of a world and waits, in the control interface. */
import { z } from 'zod';
import { FaultError, fault } from '../../src/model/fault.ts';
import { isoTime } from '../../src/model/time.ts';
import { NotSeen, noticed, type Seen, Waiting } from '../embed/cluster/waiting.ts';
import type { HostedWorld } from '../embed/hosting/worlds.ts';
import { fastestPace } from '../embed/recorded/pace.ts';
import { duration } from '../scenario/language/fault-schema.ts';
import { type ControlRoute, orRefuse, route, virtualOf } from './route.ts';

const matcher = z
  .looseObject({})
  .describe('A matcher of scenarios: { "event": "callevents.dlg_start" }, { "state": "talking", "times": 3 } …');
const fields = z
  .record(z.string(), z.unknown())
  .default({})
  .describe('Fields that the data of the event must have, such as its dialogid');
const sinceMs = z
  .number()
  .optional()
  .describe('Matches since this time count, in milliseconds since the epoch; default: all');

const advanceSchema = z
  .strictObject({
    by: duration.optional().describe('A duration: 250ms, 5s, 1.5m or 1h'),
    to: z.iso.datetime().optional().describe('An instant, such as 2026-01-01T01:00:00Z'),
    until: matcher.optional(),
    fields: fields.optional(),
    within: duration.optional().describe('With "until", the longest time that passes; default 60s'),
    sinceMs,
  })
  .refine(
    ({ by, to, until }) => [by, to, until].filter((part) => part !== undefined).length === 1,
    'expected exactly one of "by", "to" and "until"',
  );

const waitSchema = z.strictObject({
  for: matcher,
  fields,
  within: duration
    .default(60_000)
    .describe('Longest wait: in time of the cluster if the wait drives it, else in real time; default 60s'),
  sinceMs,
  drives: z
    .boolean()
    .default(false)
    .describe('Whether virtual time passes while this wait is open; default: something else must make it pass'),
});

const paceSchema = z.strictObject({
  pace: z
    .number()
    .positive()
    .max(fastestPace)
    .nullable()
    .describe('Virtual seconds for each second of real time; null: on demand, as fast as it can'),
});

const clockSchema = z.object({
  mode: z.enum(['virtual', 'live']).describe('live: the time of the computer'),
  now: z.string().describe('The time of the cluster'),
  nowMs: z.number().describe('The same in milliseconds since the epoch'),
  pace: z
    .number()
    .nullable()
    .describe('Seconds of the cluster for each second of real time; null: while requests are open, as fast as it can'),
  isPaused: z.boolean().describe('Whether time is stopped, also while requests are open'),
});

const seenSchema = z
  .looseObject({
    atMs: z.number().describe('When it was seen, in milliseconds since the epoch'),
    event: z.looseObject({}).optional().describe('The event of the platform, with its name and its data'),
    observation: z.looseObject({}).optional().describe('What was seen instead: an entry of the journal'),
  })
  .describe('The match that ended the wait');

export const clockRoutes: readonly ControlRoute[] = [
  route({
    method: 'GET',
    path: '/clock',
    does: 'Shows the time of the cluster.',
    gives: clockSchema,
    answer: ({ world }) => clockOf(world),
  }),
  route({
    method: 'POST',
    path: '/clock/advance',
    does: 'Lets virtual time pass as fast as it can: by a duration, to an instant, or until a matcher is seen (409 if it is not seen in time). Answers when it has passed. It moves a paused clock, too.',
    body: advanceSchema,
    gives: clockSchema.extend({ seen: seenSchema.optional() }),
    answer: async ({ world, signal, body: { until, fields: wanted = {}, within, sinceMs: since, ...passing } }) => {
      if (until !== undefined) {
        const seen = await driven(world, () =>
          new Waiting(virtualOf(world).present).seen(until, wanted, { within, sinceMs: since }),
        );
        return { ...clockOf(world), seen };
      }
      await advance(world, passing, signal);
      return clockOf(world);
    },
  }),
  route({
    method: 'PUT',
    path: '/clock/pace',
    does: 'Lets virtual time pass by itself, at a multiple of real time, for open requests too.',
    body: paceSchema,
    gives: clockSchema,
    answer: ({ world, body: { pace } }) => {
      virtualOf(world).pace.set(pace ?? undefined);
      return clockOf(world);
    },
  }),
  paused('pause', 'Stops virtual time, also for open requests, until it is resumed or advanced.'),
  paused('resume', 'Lets virtual time pass again as it did before the pause.'),
  route({
    method: 'POST',
    path: '/waits',
    does: 'Waits until an event, a message, a state or a count is seen; what was seen before counts. 409 if it is not seen in time.',
    body: waitSchema,
    gives: seenSchema,
    answer: ({ world, body: { for: wanted, drives, ...options } }) => {
      if (!drives) return orConflict(() => noticed(world.present, wanted, options));
      const { fields: data, ...limits } = options;
      return driven(world, () => new Waiting(virtualOf(world).present).seen(wanted, data, limits));
    },
  }),
];

function paused(verb: 'pause' | 'resume', does: string): ControlRoute {
  return route({
    method: 'POST',
    path: `/clock/${verb}`,
    does,
    gives: clockSchema,
    answer: ({ world }) => {
      virtualOf(world).pace[verb]();
      return clockOf(world);
    },
  });
}

function clockOf({ present, virtual }: HostedWorld): z.infer<typeof clockSchema> {
  const nowMs = present.world.now();
  const mode = virtual === undefined ? 'live' : 'virtual';
  const { pace = null, isPaused } = virtual?.pace.view ?? { pace: 1, isPaused: false };
  return { mode, now: isoTime(nowMs), nowMs, pace, isPaused };
}

/** Limit of one advance: an idle day takes some tens of seconds. */
const longestMs = 31 * 86_400_000;
/** The client is looked for so often: a minute of the cluster. */
const sliceMs = 60_000;

async function advance(world: HostedWorld, { by, to }: Passing, signal: AbortSignal): Promise<void> {
  const { present, pace } = virtualOf(world);
  const nowMs = present.world.now();
  const ms = by ?? new Date(to ?? '').getTime() - nowMs;
  if (ms < 0) throw new FaultError(fault('invalid', `to: expected an instant from ${isoTime(nowMs)} on`));
  if (ms > longestMs)
    throw new FaultError(fault('invalid', `expected at most 31 days, to ${isoTime(nowMs + longestMs)}`));
  await pace.lifted(async () => {
    for (let left = ms; left > 0 && !signal.aborted; left -= sliceMs) await present.world.wait(Math.min(left, sliceMs));
  });
}

interface Passing {
  readonly by?: number | undefined;
  readonly to?: string | undefined;
}

function driven(world: HostedWorld, wait: () => Promise<Seen>): Promise<Seen> {
  return virtualOf(world).pace.lifted(() => orConflict(wait));
}

/** A wait that ends without a match is a conflict with the state of the cluster. */
function orConflict(work: () => Promise<Seen>): Promise<Seen> {
  return orRefuse(() =>
    work().catch((error: unknown) => {
      throw error instanceof NotSeen ? new FaultError(fault('conflict', error.message)) : error;
    }),
  );
}
