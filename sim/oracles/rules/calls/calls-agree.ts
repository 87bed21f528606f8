import { nodeOf } from '../../../../src/model/address.ts';
import type { ClusterMap, InstanceEntry } from '../../../../src/model/cluster-map.ts';
import type { Envelope } from '../../../../src/model/envelope.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { streamConsumersOf } from '../../../../src/replication/stream-source.ts';
import { type Bounds, boundsOf } from '../../bounds.ts';
import type { ObservationOf } from '../../observation.ts';
import type { Hears, OracleContext, OracleMaker } from '../../oracle.ts';
import { Sight } from '../../reachability.ts';
import { together } from '../shared.ts';

/**
 * What the listeners of a stream may lack of its sources: messages that did not come, and what they ask for because of that. It
 * knows only of what was lost on its way; who has all and forgets it is not excused.
 */

/** Messages by which a listener learns what a source has. */
export const heardTypes = ['stream.told', 'stream.read', 'dialog.list'] as const;

interface OnItsWay {
  readonly from: string;
  readonly to: string;
  readonly sentMs: number;
}

export class Heard {
  readonly #bounds: Bounds;
  readonly #onTheirWay = new Map<string, OnItsWay>();
  /** By the two ends: until when one may lack something that the other has. */
  readonly #untilMs = new Map<string, number>();
  /** The same of all, when it is not known between whom something was lost. */
  #allUntilMs = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** To be heard by whose it is, of envelopes those of `heardTypes`. */
  readonly hears = {
    'envelope.sent': ({ envelope: { id, from, to }, atMs }) =>
      void this.#onTheirWay.set(id, { from, to, sentMs: atMs }),
    'envelope.delivered': ({ envelope, atMs }) => {
      this.#onTheirWay.delete(envelope.id);
      // Who needed that lacked it until now.
      if (brings(envelope)) this.#lacks(envelope, atMs + this.#bounds.quickMs);
    },
    // What was on its way to or from somebody who is gone is not missed: a new life asks for all.
    'node.ended': ({ node }) => this.#forget((address) => nodeOf(address) === node),
    'instance.status': ({ instance, status }) => {
      if (status === 'stopped') this.#forget((address) => address === instance);
    },
  } satisfies Hears;

  /** Looks for what should have come by now. */
  tick(nowMs: number): void {
    for (const [id, way] of this.#onTheirWay) {
      if (way.sentMs + this.#bounds.quickMs >= nowMs) continue;
      this.#onTheirWay.delete(id);
      this.#lacks(way, nowMs + this.#bounds.toldMs);
    }
  }

  /** Something was lost, nobody knows between whom. */
  lost(nowMs: number): void {
    this.#allUntilMs = nowMs + this.#bounds.toldMs;
  }

  /** Whether a listener may lack something that a source has told. */
  mayLack(listener: string, source: string, nowMs: number): boolean {
    return Math.max(this.#allUntilMs, this.#untilMs.get(pairOf(listener, source)) ?? 0) >= nowMs;
  }

  #lacks({ from, to }: { from: string; to: string }, untilMs: number): void {
    const pair = pairOf(from, to);
    this.#untilMs.set(pair, Math.max(this.#untilMs.get(pair) ?? 0, untilMs));
  }

  #forget(isGone: (address: string) => boolean): void {
    for (const [id, { from, to }] of this.#onTheirWay) if (isGone(from) || isGone(to)) this.#onTheirWay.delete(id);
  }
}

/** Whether it is an answer with what a listener did not have. */
function brings({ kind, type, body }: Envelope): boolean {
  if (kind !== 'reply') return false;
  return type === 'dialog.list' || (type === 'stream.read' && (body as ReplyOf<'stream.read'>).items.length > 0);
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/**
 * The lists of live calls show the calls that there are. While the site of a callstore is whole, and nothing that was told to it was
 * lost, it must know at once, whatever is broken elsewhere: also when it has just taken over. Else it has the time to notice.
 */

/** A live call that a b2b has told of. */
interface Call {
  readonly b2b: string;
  readonly sinceMs: number;
  goneMs: number | undefined;
}

/** A callstore, and the b2b instances that it hears. */
interface Hearer {
  readonly callstore: InstanceEntry;
  readonly sources: readonly InstanceEntry[];
}

/** What is asked of a callstore now. */
interface Demand extends Hearer {
  /** For so long both may be right, what was and what is. */
  readonly boundMs: number;
  /** Calls of these it may have or not. */
  readonly loose: ReadonlySet<string>;
}

export const callsAgree: OracleMaker = {
  name: 'calls-agree',
  rule: 'Each active callstore counts exactly the live calls of the b2b instances that it follows: within two seconds while its site is whole and no message to it was lost, else when the cluster was stable for 35 seconds; when the cluster is quiescent it counts none.',
  make: (context) => {
    const { map, fired } = context;
    const bounds = boundsOf(map);
    const [calls, sight, heard] = [new Map<string, Call>(), new Sight(map), new Heard(bounds)];
    const hearers = hearersOf(map);
    let unheard = 0;
    const told: Hears = {
      'envelope.sent': (sent) => take(calls, map, sent),
      // A life that begins has none of the calls of the one before.
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'starting') for (const call of calls.values()) if (call.b2b === instance) end(call, atMs);
      },
    };
    const demandOf = ({ callstore, sources }: Hearer, nowMs: number): Demand | undefined => {
      if (sight.statusOf(callstore) !== 'active') return undefined;
      const isNew = (each: InstanceEntry) => sight.steadyMs(each, nowMs) <= bounds.promptMs;
      const isSure = ({ site, address }: InstanceEntry) =>
        site === callstore.site && !heard.mayLack(callstore.address, address, nowMs);
      if (!isNew(callstore) && sources.every(isSure)) {
        const loose = new Set(sources.filter(isNew).map(({ address }) => address));
        return { callstore, sources, boundMs: bounds.quickMs, loose };
      }
      if (context.calmMs() <= bounds.toldMs) return undefined;
      return { callstore, sources, boundMs: bounds.toldMs, loose: new Set() };
    };
    const tick = (nowMs: number) => {
      for (const [dialogid, { goneMs = nowMs }] of calls) if (goneMs + bounds.toldMs < nowMs) calls.delete(dialogid);
      heard.tick(nowMs);
      if (fired('stream.unheard') !== unheard) heard.lost(nowMs);
      unheard = fired('stream.unheard');
      compare(context, { calls, nowMs, demands: hearers.flatMap((hearer) => demandOf(hearer, nowMs) ?? []) });
    };
    const atQuiet = async () => {
      for (const domain of context.questions.domains) await askForCalls(context, domain, bounds.letGoMs);
    };
    return { hears: together(sight.hears, heard.hears, told), tick, atQuiet, types: [...heardTypes, 'peer'] };
  },
};

function hearersOf(map: ClusterMap): Hearer[] {
  const sources = map.instancesOf('b2b').map((b2b) => ({ b2b, by: streamConsumersOf({ map, instance: b2b }) }));
  return map.instancesOf('callstore').map((callstore) => {
    return { callstore, sources: sources.filter(({ by }) => by.includes(callstore)).map(({ b2b }) => b2b) };
  });
}

function take(calls: Map<string, Call>, map: ClusterMap, { envelope, atMs }: ObservationOf<'envelope.sent'>): void {
  const { type, from: b2b, body } = envelope;
  if (type !== 'stream.told' || map.instances.get(b2b)?.role !== 'b2b') return;
  for (const { dialog, gone } of (body as BodyOf<'stream.told'>).items) {
    if (gone !== undefined) end(calls.get(gone), atMs);
    else if (dialog !== undefined && !calls.has(dialog.dialogid)) {
      calls.set(dialog.dialogid, { b2b, sinceMs: atMs, goneMs: undefined });
    }
  }
}

function end(call: Call | undefined, atMs: number): void {
  if (call !== undefined) call.goneMs ??= atMs;
}

interface Comparison {
  readonly calls: ReadonlyMap<string, Call>;
  readonly nowMs: number;
  readonly demands: readonly Demand[];
}

/** A call counts from when it was told until it is told gone; within the bound before now both may be right. */
function compare({ census, check, fail }: OracleContext, { calls, nowMs, demands }: Comparison): void {
  if (demands.length === 0) return;
  const counts = new Map(census().map((each) => [each.of, each.counts.get('calls') ?? 0]));
  for (const { callstore, sources, boundMs, loose } of demands) {
    const heard = new Set(sources.map(({ address }) => address as string));
    let [low, high] = [0, 0];
    for (const { b2b, sinceMs, goneMs } of calls.values()) {
      if (!heard.has(b2b)) continue;
      const isLoose = loose.has(b2b);
      if (isLoose || goneMs === undefined || goneMs + boundMs > nowMs) high += 1;
      if (!isLoose && goneMs === undefined && sinceMs + boundMs < nowMs) low += 1;
    }
    const has = counts.get(callstore.address) ?? 0;
    if (high > 0) check();
    if (has >= low && has <= high) continue;
    fail(`${callstore.address} has ${has} live calls, and there are ${low}${high > low ? ` to ${high}` : ''}`);
  }
}

/** At quiet no front lists a call, or counts one. */
async function askForCalls({ questions, calmMs, check, fail }: OracleContext, domain: string, withinMs: number) {
  if (calmMs() === 0) return;
  const wrong = await questions.eventually(withinMs, async () => {
    const lists = questions.sites.map((site) => livesIn(site));
    return (await Promise.all(lists)).flat();
  });
  if (calmMs() === 0) return;
  check();
  for (const what of wrong) fail(`at quiet ${what}`);

  async function livesIn(site: string): Promise<string[]> {
    const path = '/rest/v1/uc/calls';
    const list = await questions.ask({ site, domain, path });
    const count = await questions.ask({ site, domain, path: `${path}?countonly=true` });
    const listed = list?.status === 200 ? (list.body as unknown[]).length : 0;
    const counted = count?.status === 200 ? (count.body as { count: number }).count : 0;
    return listed === 0 && counted === 0 ? [] : [`${site} lists ${listed} calls of ${domain}, and counts ${counted}`];
  }
}
