/** Each ended call has one record. */
import type { ClusterMap, InstanceEntry } from '../../../../src/model/cluster/cluster-map.ts';
import type { InstanceStatus } from '../../../../src/model/cluster/states.ts';
import { coverOf } from '../../../../src/model/domain-tree.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { StreamItem } from '../../../../src/model/protocol/messages/stream.ts';
import { streamConsumersOf } from '../../../../src/replication/stream-source.ts';
import { type FaultPlace, membersOf } from '../../../faults/places.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleContext, OracleMaker } from '../../oracle.ts';

/** A call, and the callstore instances that know it and either run or had the time to write its record. */
interface PublishedCall {
  domains: readonly string[];
  readonly heardBy: Set<string>;
  /** The b2b instance that has it, if known. */
  b2b: string | undefined;
  /** The callstore received its end, or its b2b has ended. */
  isOver: boolean;
  readonly dialogs: Set<string>;
  /** The callstores of its b2b, which has drained and did not stop before they had its record. */
  storedBy: readonly InstanceEntry[];
}

const path = '/rest/v1/journal/calls';
/** A callstore writes the record right after the end; it must have run for this long, with room on its disk, to be expected to. */
const writtenMs = 5_000;
/** A b2b that drains waits for so long until callstores have the records of its calls. */
const storedMs = 4_000;
/** Calls that an instance knows and has no certain record of yet. */
interface Unwritten {
  /** The ones that go on. */
  readonly going: Set<string>;
  /** When it received the last event of the others. */
  readonly ended: Map<string, number>;
}

export const oneRecordACall: OracleMaker = {
  name: 'one-record-a-call',
  rule: 'Every call that a callstore knows, or whose b2b has drained, however it ended, has exactly one record in the journal of each of its domains that this callstore serves, at every front.',
  exclusions:
    'Calls whose end is known to callstores only that end while their disks are full, or right after: these keep records in memory until there is room. Calls whose b2b has drained and then waited four seconds for a callstore.',
  make: (context) => {
    const { map, fired } = context;
    const unheard = new UnheardItems(() => fired('stream.unheard'));
    const disks = new FullDisks(map);
    const drains = new Drains();
    const calls = new Map<string, PublishedCall>();
    /** By instance. */
    const unwritten = new Map<string, Unwritten>();
    const lose = (instance: string, atMs: number) => {
      const { going = [], ended = [] } = unwritten.get(instance) ?? {};
      for (const inviteid of going) calls.get(inviteid)?.heardBy.delete(instance);
      for (const [inviteid, heardMs] of ended) {
        if (disks.writableMs(instance, heardMs) + writtenMs > atMs) calls.get(inviteid)?.heardBy.delete(instance);
      }
      unwritten.delete(instance);
    };
    const end = (instance: string, atMs: number) => {
      for (const each of unheard.heard()) takeAll(each);
      lose(instance, atMs);
      unheard.end(instance);
      for (const published of calls.values()) if (published.b2b === instance) published.isOver = true;
    };
    const take = (to: string, { event, dialog }: StreamItem, atMs: number) => {
      const isEnd = event?.name === 'dlg_end' || event?.name === 'dlg_dead';
      // While legs of a call that has ended are being ended, its record waits.
      const isLast = event?.name === 'dlg_stop' || event?.name === 'dlg_dead';
      const inviteid = isEnd || isLast ? String(event.data['inviteid']) : dialog?.inviteid;
      if (inviteid === undefined) return;
      const domains = (isEnd || isLast ? event : dialog)?.domains ?? [];
      const published = calls.get(inviteid) ?? newCall(domains);
      calls.set(inviteid, published);
      if (dialog !== undefined) published.dialogs.add(dialog.dialogid);
      published.domains = domains;
      published.b2b ??= dialog?.b2b;
      published.isOver ||= isEnd;
      const losses = unwritten.get(to) ?? { going: new Set(), ended: new Map() };
      unwritten.set(to, losses);
      // A second end, or an event after the record, changes nothing.
      if (published.heardBy.has(to) && !(isLast && losses.going.has(inviteid))) return;
      published.heardBy.add(to);
      if (!isLast) return void losses.going.add(inviteid);
      losses.going.delete(inviteid);
      losses.ended.set(inviteid, atMs);
    };
    const takeAll = ({ to, items, atMs }: Delivered) => {
      for (const item of items) take(to, item, atMs);
    };
    const listeners: ObservationListeners = {
      'fault.inflicted': ({ fault, verb, args }) => {
        if (verb === 'fillStore') disks.fill(fault, args[0] as FaultPlace);
      },
      'fault.mended': ({ fault, atMs }) => disks.mend(fault, atMs),
      'published.items': ({ from, items, atMs }) => drains.publish(from, items, atMs),
      'envelope.delivered': {
        'stream.published': ({ envelope: { id, from, to, body }, atMs }) => {
          for (const each of unheard.heard({ id, from, to, items: (body as BodyOf<'stream.published'>).items, atMs }))
            takeAll(each);
        },
      },
      'envelope.dead': { 'stream.published': ({ envelope: { id } }) => unheard.dead(id) },
      'instance.status': ({ instance, status, atMs }) => {
        unheard.note(instance, status);
        const entry = map.instance(instance);
        if (entry.role !== 'b2b') return;
        for (const inviteid of drains.note(instance, status, atMs)) {
          const published = calls.get(inviteid);
          // Where it has another dialog, its record may wait for that.
          if (published?.dialogs.size !== 1) continue;
          published.isOver = true;
          published.storedBy = streamConsumersOf({ map, instance: entry });
        }
      },
      'instance.crashed': ({ instance, atMs }) => {
        drains.crash(instance);
        end(instance, atMs);
      },
      'node.ended': ({ node, atMs }) => {
        for (const each of map.node(node).instances) end(each.address, atMs);
      },
    };
    const tick = (nowMs: number) => {
      for (const each of unheard.heard()) takeAll(each);
      for (const [instance, { ended }] of unwritten) {
        // The first one has ended first.
        for (const [inviteid, atMs] of ended) {
          if (disks.writableMs(instance, atMs) + writtenMs >= nowMs) break;
          ended.delete(inviteid);
        }
      }
    };
    /** The journal of a domain is what the callstores that serve it know. */
    const isKept = ({ domains, heardBy, isOver, storedBy }: PublishedCall, domain: string) =>
      isOver &&
      domains.includes(domain) &&
      [...[...heardBy].map((address) => map.instance(address)), ...storedBy].some(
        (callstore) => coverOf(domain, callstore.domains) !== undefined,
      );
    const atQuiescence = async () => {
      for (const each of [...unheard.heard(), ...unheard.fetched()]) takeAll(each);
      for (const domain of context.questions.domains) {
        const ids = [...calls].filter(([, published]) => isKept(published, domain)).map(([inviteid]) => inviteid);
        if (ids.length > 0) await compare(context, domain, ids);
      }
    };
    return { listeners, tick, atQuiescence };
  },
};

async function compare(
  { map, questions, stableMs, check, fail }: OracleContext,
  domain: string,
  ids: readonly string[],
) {
  if (stableMs() === 0) return;
  const look = async () => {
    const wrong: string[] = [];
    for (const site of questions.sites) {
      const answer = await questions.ask({ site, domain, path: `${path}?mask=inviteid&limit=10000` });
      if (answer?.status === 200)
        wrong.push(...differences(ids, answer.body as Row[]).map((what) => `${site}: ${what}`));
    }
    return wrong;
  };
  const wrong = await questions.eventually(boundsOf(map).streamCatchUpMs, look);
  if (stableMs() === 0) return;
  check(ids.length);
  for (const what of wrong) fail(`${what} in the journal of ${domain}`);
}

interface Row {
  readonly inviteid: string;
}

function differences(ids: readonly string[], rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { inviteid } of rows) counts.set(inviteid, (counts.get(inviteid) ?? 0) + 1);
  const missing = ids.filter((id) => !counts.has(id)).map((id) => `call ${id} has no record`);
  const doubled = [...counts].filter(([, count]) => count > 1).map(([id, count]) => `call ${id} has ${count} records`);
  return rows.length >= 10_000 ? doubled : [...missing, ...doubled];
}

function newCall(domains: readonly string[]): PublishedCall {
  return { domains, heardBy: new Set(), b2b: undefined, isOver: false, dialogs: new Set(), storedBy: [] };
}

interface Delivered {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly items: readonly StreamItem[];
  readonly atMs: number;
}

/** Items that have reached a callstore, which a fault point may let it lose: then it fetches them, while both instances run. */
class UnheardItems {
  readonly #fired: () => number;
  #last: { readonly delivered: Delivered; readonly fired: number } | undefined;
  #unheard: Delivered[] = [];
  readonly #stopped = new Set<string>();

  constructor(fired: () => number) {
    this.#fired = fired;
  }

  /** The items before `next`, if their callstore did not lose them: the fault point fires right after they have arrived. */
  heard(next?: Delivered): Delivered[] {
    const fired = this.#fired();
    const last = this.#last;
    this.#last = next && { delivered: next, fired };
    if (last === undefined) return [];
    if (last.fired === fired) return [last.delivered];
    this.#unheard.push(last.delivered);
    return [];
  }

  /** A callstore that had stopped did not take the items that have arrived last: it fetches them, where their source still runs. */
  dead(id: string): void {
    const last = this.#last?.delivered;
    if (last?.id !== id) return;
    this.#last = undefined;
    if (!this.#stopped.has(last.from)) this.#unheard.push(last);
  }

  note(instance: string, status: InstanceStatus): void {
    if (status !== 'stopped') return void this.#stopped.delete(instance);
    this.#stopped.add(instance);
    this.end(instance);
  }

  /** The items that a callstore has lost and, in a quiescent cluster, has fetched. */
  fetched(): Delivered[] {
    const fetched = this.#unheard;
    this.#unheard = [];
    return fetched;
  }

  end(instance: string): void {
    this.#unheard = this.#unheard.filter(({ from, to }) => from !== instance && to !== instance);
  }
}

/** The calls that ended while their b2b drained. */
class Drains {
  /** By b2b; and when it has published the last end. */
  readonly #ended = new Map<string, { readonly inviteids: Set<string>; atMs: number }>();

  publish(from: string, items: readonly StreamItem[], atMs: number): void {
    const ended = this.#ended.get(from);
    if (ended === undefined) return;
    for (const { event } of items) {
      if (event?.name !== 'dlg_stop' && event?.name !== 'dlg_dead') continue;
      ended.inviteids.add(String(event.data['inviteid']));
      ended.atMs = atMs;
    }
  }

  /** Returns the calls whose records callstores have by now: the b2b has stopped, and did not wait in vain. */
  note(instance: string, status: InstanceStatus, atMs: number): Iterable<string> {
    if (status === 'draining') this.#ended.set(instance, { inviteids: new Set(), atMs });
    if (status !== 'stopped') return [];
    const ended = this.#ended.get(instance);
    this.#ended.delete(instance);
    return ended === undefined || atMs - ended.atMs >= storedMs ? [] : ended.inviteids;
  }

  crash(instance: string): void {
    this.#ended.delete(instance);
  }
}

/** Until when the disks of nodes were full. */
class FullDisks {
  readonly #map: ClusterMap;
  readonly #full = new Map<number, ReadonlySet<string>>();
  readonly #roomMs = new Map<string, number>();

  constructor(map: ClusterMap) {
    this.#map = map;
  }

  fill(fault: number, place: FaultPlace): void {
    const { nodes, instances } = membersOf(this.#map, place);
    this.#full.set(fault, new Set([...nodes.map(({ name }) => name), ...instances.map(({ node }) => node)]));
  }

  mend(fault: number, atMs: number): void {
    for (const node of this.#full.get(fault) ?? []) this.#roomMs.set(node, atMs);
    this.#full.delete(fault);
  }

  /** When an instance can write, at the earliest, what it has to write since a time. */
  writableMs(instance: string, sinceMs: number): number {
    const { node } = this.#map.instance(instance);
    for (const nodes of this.#full.values()) if (nodes.has(node)) return Number.POSITIVE_INFINITY;
    return Math.max(sinceMs, this.#roomMs.get(node) ?? 0);
  }
}
