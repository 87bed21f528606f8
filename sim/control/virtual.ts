/** Time, waits, the journal, verdicts and snapshots of a cluster in virtual time, in the control interface. */
import { z } from 'zod';
import { FaultError, fault } from '../../src/model/fault.ts';
import { isoTime } from '../../src/model/time.ts';
import { ClusterJournal } from '../embed/cluster/cluster-journal.ts';
import { NotSeen, Waiting } from '../embed/cluster/waiting.ts';
import { snapshotSchema } from '../embed/recorded/input.ts';
import type { RecordedCluster } from '../embed/recorded/recorded-cluster.ts';
import type { Observation } from '../oracles/observation.ts';
import { observationKinds } from '../oracles/observers.ts';
import { duration } from '../scenario/language/faults.ts';
import { type ControlRoute, optional, orRefuse, route } from './route.ts';

const matcher = z.looseObject({}).describe('What to wait for, as in scenarios: { "event": "callevents.dlg_start" }');
const waitSchema = z.strictObject({
  for: matcher,
  fields: z.record(z.string(), z.unknown()).default({}).describe('Fields that the data of the event must have'),
  within: duration.default(60_000).describe('Longest wait in virtual time; default 60s'),
  sinceMs: z
    .number()
    .optional()
    .describe('Matches since this time count, in milliseconds since the epoch; default: all'),
});
const advanceSchema = z
  .strictObject({ by: duration.optional(), to: z.iso.datetime().optional() })
  .refine(({ by, to }) => (by === undefined) !== (to === undefined), 'expected either "by" or "to"');
const clockSchema = z.object({ mode: z.enum(['virtual', 'live']), now: z.string(), nowMs: z.number() });

/** `virtual`: the cluster, if it runs in virtual time. `nowMs`: the time of any cluster. */
export function virtualRoutes(virtual: RecordedCluster | undefined, nowMs: () => number): ControlRoute[] {
  const present = () => {
    if (virtual !== undefined) return virtual;
    throw new FaultError(fault('conflict', 'this cluster runs in real time: start it with --clock virtual'));
  };
  return [...clockRoutes(virtual, present, nowMs), ...pastRoutes(present)];
}

function clockRoutes(
  virtual: RecordedCluster | undefined,
  present: () => RecordedCluster,
  nowMs: () => number,
): ControlRoute[] {
  const clock = () => ({ mode: virtual === undefined ? 'live' : 'virtual', now: isoTime(nowMs()), nowMs: nowMs() });
  return [
    route({
      method: 'GET',
      path: '/clock',
      does: 'Shows the time of the cluster.',
      gives: clockSchema,
      answer: clock,
    }),
    route({
      method: 'POST',
      path: '/clock/advance',
      does: 'Lets virtual time pass, by a duration or to an instant. Answers when it has passed.',
      body: advanceSchema,
      gives: clockSchema,
      answer: async ({ body: { by, to } }) => {
        const { world } = present().present;
        const ms = by ?? new Date(to ?? '').getTime() - world.now();
        if (ms < 0) throw new FaultError(fault('invalid', `to: expected an instant from ${isoTime(world.now())} on`));
        await world.wait(ms);
        return clock();
      },
    }),
    route({
      method: 'POST',
      path: '/waits',
      does: 'Lets virtual time pass until an event, a message, a state or a count is seen; what was seen before counts. 409 if it is not seen in time.',
      body: waitSchema,
      gives: z.looseObject({ atMs: z.number() }),
      answer: ({ body: { for: wanted, fields, within, sinceMs = 0 } }) =>
        orConflict(() => new Waiting(present().present).seen(wanted, fields, { within, sinceMs })),
    }),
  ];
}

/** A wait that ends without a match is a conflict with the state of the cluster. */
function orConflict<T>(work: () => Promise<T>): Promise<T> {
  return orRefuse(() =>
    work().catch((error: unknown) => {
      throw error instanceof NotSeen ? new FaultError(fault('conflict', error.message)) : error;
    }),
  );
}

function pastRoutes(present: () => RecordedCluster): ControlRoute[] {
  return [
    route({
      method: 'GET',
      path: '/journal',
      does: 'Lists requests, SIP, cluster messages, transitions and faults, the oldest first.',
      query: [
        optional('call', 'A dialogid, an inviteid or a Call-Id: everything of this call'),
        optional('fromMs', 'Milliseconds since the epoch'),
        optional('untilMs', 'Milliseconds since the epoch'),
        optional('kinds', `Kinds, separated by commas: ${observationKinds.join(', ')}`),
        optional(
          'form',
          '`json` (default), `lines` for JSON lines, `diagram` for a sequence diagram in the syntax of Mermaid',
        ),
      ],
      gives: z.array(z.looseObject({ kind: z.string(), atMs: z.number(), at: z.string() })),
      answer: ({ query }) => journalIn(new ClusterJournal(() => present().present), query),
    }),
    route({
      method: 'GET',
      path: '/verdicts',
      does: 'Shows the verdict of each oracle so far.',
      gives: z.array(z.looseObject({ name: z.string(), verdict: z.enum(['pass', 'fail', 'unknown']) })),
      answer: () => present().present.watch.verdicts(),
    }),
    route({
      method: 'GET',
      path: '/snapshot',
      does: 'Returns the past of the cluster: its seed and its inputs.',
      gives: snapshotSchema,
      answer: () => present().present.snapshot,
    }),
    route({
      method: 'PUT',
      path: '/snapshot',
      does: 'Returns the cluster to a snapshot of the same topology and seed.',
      body: snapshotSchema,
      answer: ({ body }) => orRefuse(() => present().restore(body)),
    }),
    route({
      method: 'POST',
      path: '/reset',
      does: 'Starts the cluster anew: same topology, same seed, no past.',
      answer: () => present().reset(),
    }),
  ];
}

function journalIn(journal: ClusterJournal, query: URLSearchParams): unknown {
  const [call, kinds, form] = ['call', 'kinds', 'form'].map((name) => query.get(name) ?? undefined);
  const filter = {
    ...(call !== undefined && { call }),
    ...(kinds !== undefined && { kinds: kinds.split(',') as Observation['kind'][] }),
    ...timeIn(query, 'fromMs'),
    ...timeIn(query, 'untilMs'),
  };
  if (form === 'lines') return textAnswer('application/x-ndjson', journal.lines(filter));
  if (form === 'diagram') return textAnswer('text/plain; charset=utf-8', journal.diagram(filter));
  return journal.entries(filter);
}

function timeIn(query: URLSearchParams, name: string): Readonly<Record<string, number>> {
  const text = query.get(name);
  if (text === null) return {};
  const value = Number(text);
  if (text !== '' && Number.isFinite(value)) return { [name]: value };
  throw new FaultError(fault('invalid', `${name}: expected milliseconds since the epoch, got "${text.slice(0, 100)}"`));
}

function textAnswer(type: string, text: string): Response {
  return new Response(text, { headers: { 'content-type': type } });
}
