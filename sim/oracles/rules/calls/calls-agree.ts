/**
 * Compares the lists of live calls with the calls of the b2b instances. While the site of a callstore is connected and
 * it has lost nothing, it must be current at once, whatever happens elsewhere, and also after a takeover. Otherwise it
 * has the time to detect the loss.
 */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { ClusterMap, InstanceEntry } from '../../../../src/model/cluster/cluster-map.ts';
import type { Envelope } from '../../../../src/model/cluster/envelope.ts';
import type { ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import { type Bounds, boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { byType, together } from '../kit/shared.ts';

/** Messages by which a consumer learns the state of a source. */
export const streamTypes = ['stream.published', 'stream.read', 'dialog.list'] as const;

interface InFlight {
  readonly from: string;
  readonly to: string;
  readonly sentMs: number;
}

/**
 * What a stream consumer may lack of its sources: lost messages, and what it asks for because of them. A loss is known
 * from the network only; a consumer that received an item and forgot it has no excuse.
 */
export class StreamLosses {
  readonly #bounds: Bounds;
  readonly #onTheirWay = new Map<string, InFlight>();
  /** By source and consumer: until when the copy may differ. */
  readonly #untilMs = new Map<string, number>();
  /** The same for all pairs, after a loss between unknown ends. */
  #allUntilMs = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** For the owner's subscriptions. */
  readonly listeners: ObservationListeners = {
    'envelope.sent': byType(streamTypes, ({ envelope: { id, from, to }, atMs }) => {
      this.#onTheirWay.set(id, { from, to, sentMs: atMs });
    }),
    'envelope.delivered': byType(streamTypes, ({ envelope, atMs }) => {
      this.#onTheirWay.delete(envelope.id);
      // Consumers that lacked something until now.
      if (brings(envelope)) this.#lacks(envelope, atMs + this.#bounds.quickMs);
    }),
    // A loss to or from an ended instance has no effect: the next incarnation asks for everything.
    'node.ended': ({ node }) => this.#forget((address) => nodeOf(address) === node),
    'instance.status': ({ instance, status }) => {
      if (status === 'stopped') this.#forget((address) => address === instance);
    },
  };

  /** Checks for messages that are overdue. What a paused consumer has lost it can notice only when it goes on. */
  tick(nowMs: number, isPaused: (address: string) => boolean): void {
    for (const [pair, untilMs] of this.#untilMs)
      if (untilMs >= nowMs && pair.split(' ').some(isPaused))
        this.#untilMs.set(pair, nowMs + this.#bounds.streamCatchUpMs);
    for (const [id, way] of this.#onTheirWay) {
      if (way.sentMs + this.#bounds.quickMs >= nowMs) continue;
      this.#onTheirWay.delete(id);
      this.#lacks(way, nowMs + this.#bounds.streamCatchUpMs);
    }
  }

  /** Records a loss between unknown ends. */
  lost(nowMs: number): void {
    this.#allUntilMs = nowMs + this.#bounds.streamCatchUpMs;
  }

  /** Whether a consumer may lack an item of a source. */
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

/** Whether an answer contains items that the consumer lacked. */
function brings({ kind, type, body }: Envelope): boolean {
  if (kind !== 'reply') return false;
  return type === 'dialog.list' || (type === 'stream.read' && (body as ReplyOf<'stream.read'>).items.length > 0);
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}

/** A live call that a b2b has published. */
interface Call {
  readonly b2b: string;
  readonly sinceMs: number;
  goneMs: number | undefined;
}

/** A callstore and the b2b instances that it receives events from. */
interface StreamConsumer {
  readonly callstore: InstanceEntry;
  readonly sources: readonly InstanceEntry[];
}

/** The present expectation of a callstore. */
interface ExpectedCalls extends StreamConsumer {
  /** For this long both the state before and after a change count as right. */
  readonly boundMs: number;
  /** Calls that the callstore may or may not list. */
  readonly loose: ReadonlySet<string>;
}

export const callsAgree: OracleMaker = {
  name: 'calls-agree',
  rule: 'Each active callstore counts exactly the live calls of the b2b instances that it receives events from: within two seconds while its site is connected and it has lost no event, otherwise after 35 seconds of stability; and no calls in a quiescent cluster.',
  make: (context) => {
    const { map, fired } = context;
    const bounds = boundsOf(map);
    const [calls, reachability, losses] = [new Map<string, Call>(), new Reachability(map), new StreamLosses(bounds)];
    const consumers = hearersOf(map);
    /** When calls ended that are in `calls` still. */
    const over = new Map<string, number>();
    const end = (dialogid: string, atMs: number) => {
      const call = calls.get(dialogid);
      if (call === undefined || call.goneMs !== undefined) return;
      call.goneMs = atMs;
      over.set(dialogid, atMs);
    };
    let unheard = 0;
    const published: ObservationListeners = {
      'published.items': ({ from: b2b, items, atMs }) => {
        if (map.instances.get(b2b)?.role !== 'b2b') return;
        for (const { dialog, gone } of items) {
          if (gone !== undefined) end(gone, atMs);
          else if (dialog !== undefined && !calls.has(dialog.dialogid))
            calls.set(dialog.dialogid, { b2b, sinceMs: atMs, goneMs: undefined });
        }
      },
      // A new incarnation has none of the calls of the one before.
      'instance.status': ({ instance, status, atMs }) => {
        if (status === 'starting') for (const [dialogid, { b2b }] of calls) if (b2b === instance) end(dialogid, atMs);
      },
    };
    const isStill = (address: string, nowMs: number) => {
      const instance = map.instances.get(address);
      return instance !== undefined && reachability.stableMs(map.node(instance.node), nowMs) === 0;
    };
    const demandOf = ({ callstore, sources }: StreamConsumer, nowMs: number): ExpectedCalls | undefined => {
      if (reachability.statusOf(callstore) !== 'active') return undefined;
      const isNew = (each: InstanceEntry) => reachability.steadyMs(each, nowMs) <= bounds.promptMs;
      const isSure = ({ site, address }: InstanceEntry) =>
        site === callstore.site && !losses.mayLack(callstore.address, address, nowMs);
      if (!isNew(callstore) && sources.every(isSure)) {
        const loose = new Set(sources.filter(isNew).map(({ address }) => address));
        return { callstore, sources, boundMs: bounds.quickMs, loose };
      }
      if (context.stableMs() <= bounds.streamCatchUpMs) return undefined;
      return { callstore, sources, boundMs: bounds.streamCatchUpMs, loose: new Set() };
    };
    const tick = (nowMs: number) => {
      // The first one has ended first.
      for (const [dialogid, goneMs] of over) {
        if (goneMs + bounds.streamCatchUpMs >= nowMs) break;
        over.delete(dialogid);
        calls.delete(dialogid);
      }
      losses.tick(nowMs, (address) => isStill(address, nowMs));
      if (fired('stream.unheard') !== unheard) losses.lost(nowMs);
      unheard = fired('stream.unheard');
      compare(context, { calls, nowMs, demands: consumers.flatMap((consumer) => demandOf(consumer, nowMs) ?? []) });
    };
    const atQuiescence = async () => {
      for (const domain of context.questions.domains) await askForCalls(context, domain, bounds.orphanedCallMs);
    };
    return {
      listeners: together(reachability.listeners, losses.listeners, published),
      tick,
      atQuiescence,
    };
  },
};

/** The callstores to which a b2b publishes: of its site or, where it has none, of the master site, else of the first with one. */
function consumersOf(map: ClusterMap, { site }: InstanceEntry): readonly InstanceEntry[] {
  const all = map.instancesOf('callstore');
  const near = [site, map.masterSite.name, ...map.sites.keys()].find((name) => all.some((each) => each.site === name));
  return all.filter((each) => each.site === near);
}

function hearersOf(map: ClusterMap): StreamConsumer[] {
  const sources = map.instancesOf('b2b').map((b2b) => ({ b2b, by: consumersOf(map, b2b) }));
  return map.instancesOf('callstore').map((callstore) => {
    return { callstore, sources: sources.filter(({ by }) => by.includes(callstore)).map(({ b2b }) => b2b) };
  });
}

interface Comparison {
  readonly calls: ReadonlyMap<string, Call>;
  readonly nowMs: number;
  readonly demands: readonly ExpectedCalls[];
}

/** A call counts from its first to its last event. Within the bound both states are right. */
function compare({ census, check, fail }: OracleContext, { calls, nowMs, demands }: Comparison): void {
  if (demands.length === 0) return;
  const of = new Set<string>(demands.map(({ callstore }) => callstore.address));
  const counts = new Map(census({ of }).map((each) => [each.of, each.counts.get('calls') ?? 0]));
  const callsOf = new Map<string, Call[]>();
  for (const call of calls.values()) {
    const others = callsOf.get(call.b2b);
    if (others === undefined) callsOf.set(call.b2b, [call]);
    else others.push(call);
  }
  for (const { callstore, sources, boundMs, loose } of demands) {
    let [low, high] = [0, 0];
    for (const { address } of sources) {
      const isLoose = loose.has(address);
      for (const { sinceMs, goneMs } of callsOf.get(address) ?? []) {
        if (isLoose || goneMs === undefined || goneMs + boundMs > nowMs) high += 1;
        if (!isLoose && goneMs === undefined && sinceMs + boundMs < nowMs) low += 1;
      }
    }
    const has = counts.get(callstore.address) ?? 0;
    if (high > 0) check();
    if (has >= low && has <= high) continue;
    fail(`${callstore.address} has ${has} live calls, and there are ${low}${high > low ? ` to ${high}` : ''}`);
  }
}

/** In a quiescent cluster no front lists or counts a call. */
async function askForCalls({ questions, stableMs, check, fail }: OracleContext, domain: string, withinMs: number) {
  if (stableMs() === 0) return;
  const wrong = await questions.eventually(withinMs, async () => {
    const lists = questions.sites.map((site) => livesIn(site));
    return (await Promise.all(lists)).flat();
  });
  if (stableMs() === 0) return;
  check();
  for (const what of wrong) fail(`quiescent: ${what}`);

  async function livesIn(site: string): Promise<string[]> {
    const path = '/rest/v1/uc/calls';
    const list = await questions.ask({ site, domain, path });
    const count = await questions.ask({ site, domain, path: `${path}?countonly=true` });
    const listed = list?.status === 200 ? (list.body as unknown[]).length : 0;
    const counted = count?.status === 200 ? (count.body as { count: number }).count : 0;
    return listed === 0 && counted === 0 ? [] : [`${site} lists ${listed} calls of ${domain}, and counts ${counted}`];
  }
}
