/**
 * The callstore: consumes the streams of its site's sources and keeps what they make: live calls, the records of calls that are
 * over, and the last events for the ws instances. Every member of a group consumes all; the one that serves answers.
 */

import { ClockShifts } from '../../cluster/membership/clock-shifts.ts';
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import type { InstanceStatus } from '../../model/cluster/states.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { Dialog, ShownCdr } from '../../model/protocol/messages/callstore.ts';
import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import type { ForwardedEvent, StreamItem } from '../../model/protocol/messages/stream.ts';
import { dialogOf, shownRecord } from '../../model/shapes/call-shapes.ts';
import { passed } from '../../ports/clock.ts';
import { Pace } from '../../ports/pace.ts';
import type { Stores } from '../../ports/store.ts';
import { StreamSource } from '../../replication/stream-source.ts';
import { Pieces } from '../pieces.ts';
import { CallLedger } from './call-ledger.ts';
import { isRecordOf, listCalls, listRecords } from './call-queries.ts';
import { CallRecords } from './call-records.ts';
import { CallSources } from './call-sources.ts';
import { EventLog, EventLogCopy, EventPublisher } from './event-log.ts';
import { isOwn } from './live-calls.ts';
import { OrphanHandover } from './orphan-handover.ts';
import { RecordSync } from './record-sync.ts';
import { RecordingFiles } from './recording-files.ts';
import { SiteCalls } from './site-calls.ts';

/** How long an instance that drains waits for its records: its disk may be full for long. */
const writingMs = 3_000;
/** In these a callstore consumes the streams, and goes on to. */
const consuming: ReadonlySet<InstanceStatus | undefined> = new Set(['active', 'standby']);
/** In these a b2b may have calls. */
const withCalls: ReadonlySet<InstanceStatus> = new Set(['active', 'draining']);
/** Longer than a b2b drains, and how often it is looked whether it still does (ms). */
const drainMs = 12_000;
const drainPollMs = 100;

type Answer<T> = Outcome<T> | Promise<Outcome<T>>;

class Callstore implements Role<'callstore'> {
  readonly handlers: Handlers<'callstore'>;
  readonly #scope: RoleScope;
  readonly #site: SiteCalls;
  readonly #log: EventLog;
  readonly #copy: EventLogCopy;
  /** How the clocks of the sources differ from the own. */
  readonly #shifts: ClockShifts;
  readonly #publisher: EventPublisher;
  readonly #records: CallRecords;
  readonly #ledger: CallLedger;
  readonly #handover: OrphanHandover;
  readonly #sources: CallSources;
  readonly #pieces: Pieces<Dialog | DialogRecord | ShownCdr>;
  #isServing = false;
  /** While this instance, beginning to serve, makes sure that it knows all live calls. */
  #reconciling: Promise<void> | undefined;

  constructor(scope: RoleScope, stores: Stores) {
    const { instance } = scope;
    this.#scope = scope;
    this.#pieces = new Pieces(scope);
    scope.counters.gauge('calls', () => this.#site.live.size);
    this.#publisher = new EventPublisher(scope);
    this.#shifts = new ClockShifts(scope.clock);
    this.#log = new EventLog(this.#publisher);
    // What it published before it started is lost now, and not when it first publishes again.
    this.#log.begin(instance.name, scope.epoch, scope.clock.now());
    this.#records = new CallRecords(scope, () => stores.open(`callstore-${instance.srvidx}`));
    this.#ledger = new CallLedger(instance.site, {
      nowMs: () => scope.clock.now(),
      onOver: (record) => void this.#records.put(record),
    });
    const source = new StreamSource(scope);
    this.#sources = this.#makeSources();
    this.#site = new SiteCalls({
      name: instance.name,
      ledger: this.#ledger,
      isServing: () => this.#isServing,
      isInReach: (name, epoch) => this.#sources.isInReach(name, epoch),
      isOver: (name, epoch, isForGood) => this.#sources.isOver(name, epoch, isForGood),
      onDoubt: (name) => this.#sources.needList(name),
      publish: (item) => this.#receive(instance, scope.epoch, source.publish(item)),
      nowMs: () => scope.clock.now(),
    });
    this.#handover = new OrphanHandover(scope, this.#site);
    this.handlers = {
      ...source.handlers,
      ...this.#handover.handlers,
      ...new RecordSync(scope, this.#records).handlers,
      ...new RecordingFiles(scope, this.#site.live, this.#records).handlers,
      ...this.#streamHandlers,
      ...this.#queryHandlers,
    };
    this.#copy = new EventLogCopy(scope, this.#log);
    this.#sources.look();
  }

  serve(): void {
    const { clock } = this.#scope;
    const patience = passed(clock, limits.reconcileMs);
    this.#isServing = true;
    const reconciled = Promise.race([Promise.all([this.#sources.refresh(), this.#copy.copied()]), patience]);
    const begin = () => {
      // Not where it has stood by and was elected again meanwhile.
      if (this.#reconciling === reconciling) this.#begin();
    };
    const reconciling: Promise<void> = reconciled.then(begin).catch(this.#scope.crash);
    this.#reconciling = reconciling;
  }

  standBy(): void {
    this.#isServing = false;
    this.#publisher.clear();
  }

  /**
   * Writes the records of all calls that have ended, also with a leg left: that leg may end when no callstore runs.
   * Where no other member hears how the calls of this node end, which drains as a whole, it waits for them first. The members must
   * say so themselves: the view shows one that has crashed until its pings are missed.
   */
  async drain(): Promise<void> {
    if (!(await this.#isAnotherConsuming())) await this.#sourcesOfNodeAreIdle();
    this.#ledger.closeEnded();
    await Promise.race([this.#records.settled(), passed(this.#scope.clock, writingMs)]);
  }

  async #isAnotherConsuming(): Promise<boolean> {
    const { map, instance, view, ask } = this.#scope;
    const others = map.groupOf(instance).filter((each) => each !== instance && consuming.has(view.statusOf(each)));
    const answers = await Promise.all(others.map(({ address }) => ask(address, 'callstore.consumes', {})));
    return answers.some(({ ok }) => ok);
  }

  async #sourcesOfNodeAreIdle(): Promise<void> {
    const { map, instance, view } = this.#scope;
    const sources = map.node(instance.node).instances.filter(({ role }) => role === 'b2b');
    const areBusy = () => sources.some((each) => withCalls.has(view.statusOf(each) ?? 'stopped'));
    for (let ms = 0; ms < drainMs && areBusy(); ms += drainPollMs) await passed(this.#scope.clock, drainPollMs);
  }

  stop(): void {
    this.#records.stop();
  }

  readonly #streamHandlers = {
    'callstore.consumes': (): Outcome<ReplyOf<'callstore.consumes'>> => done({}),
    'callstore.stored': async (
      { epoch, upTo }: BodyOf<'callstore.stored'>,
      { from }: { from: string },
    ): Promise<Outcome<ReplyOf<'callstore.stored'>>> => {
      if (!(await this.#sources.has(from, { epoch, n: upTo })))
        return failed(fault('unreachable', `items of ${from} are missing`));
      await this.#records.settled();
      return done({});
    },
    'stream.published': ({ epoch, items }: BodyOf<'stream.published'>, { from }: { from: string }): void => {
      if (!this.#scope.faultPoints.fires('stream.unheard')) this.#sources.receive(from, epoch, items);
    },
    'events.follow': (body: BodyOf<'events.follow'>, { from }: { from: string }): Answer<ReplyOf<'events.follow'>> =>
      this.#whenReady(() => {
        const atMs = this.#scope.clock.now();
        const sinceMs = body.lastMs === undefined ? 0 : atMs - body.lastMs;
        const read = this.#log.read(body.after, { sinceMs });
        if (!read.more) this.#publisher.add(from, body.follow);
        return done({ ...read, atMs });
      }),
    'events.read': (
      { after, most, unnamedMs }: BodyOf<'events.read'>,
      { from }: { from: string },
    ): Answer<ReplyOf<'events.read'>> =>
      this.#isServing || this.#isMember(from)
        ? this.#whenReady(() => {
            const atMs = this.#scope.clock.now();
            const unnamed = unnamedMs === undefined ? {} : { unnamedSinceMs: atMs - unnamedMs };
            const read = this.#log.read(after, { ...(most !== undefined && { most }), ...unnamed });
            return done({ ...read, atMs });
          })
        : failed(fault('standby', `${this.#scope.instance.address} stands by`)),
  };

  readonly #queryHandlers = {
    'callstore.list': (body: BodyOf<'callstore.list'>, { deadlineMs }: Envelope): Answer<ReplyOf<'callstore.list'>> =>
      this.#whenReady(async (): Promise<Outcome<ReplyOf<'callstore.list'>>> => {
        const { clock } = this.#scope;
        const work = listCalls(this.#site.live, body, clock.now());
        if (!work.ok) return work;
        const listed = await new Pace(clock, deadlineMs).inTime(work.value, `${this.#site.live.size} calls`);
        if (!listed.ok) return listed;
        const { items: dialogs, ...rest } = this.#pieces.first(listed.value.items);
        return done({ dialogs: dialogs as Dialog[], count: listed.value.count, ...rest });
      }),
    'callstore.get': ({ domain, own, dialogid }: BodyOf<'callstore.get'>): Answer<ReplyOf<'callstore.get'>> =>
      this.#whenReady((): Outcome<ReplyOf<'callstore.get'>> => {
        const record = this.#site.live.get(dialogid);
        const isSeen = record?.domains.includes(domain) && isOwn(record.participations, domain, own);
        if (record === undefined || !isSeen) return done({ record: null, dialog: null });
        return done({ record, dialog: dialogOf(record, this.#scope.clock.now()) });
      }),
    'callstore.find': ({ domain, own, key, values }: BodyOf<'callstore.find'>): Answer<ReplyOf<'callstore.find'>> =>
      this.#whenReady(() => {
        const found = this.#site.live.find(domain, key, values);
        const visible = found.filter(({ participations }) => isOwn(participations, domain, own));
        const { items: records, ...rest } = this.#pieces.first(visible);
        return done({ records: records as DialogRecord[], ...rest });
      }),
    'callstore.records': async (
      body: BodyOf<'callstore.records'>,
      { deadlineMs }: Envelope,
    ): Promise<Outcome<ReplyOf<'callstore.records'>>> => {
      const { domain, own, inviteid } = body;
      const { clock } = this.#scope;
      const nowMs = clock.now();
      if (inviteid !== undefined) {
        const record = await this.#records.get(inviteid);
        const records = record !== undefined && isRecordOf(record, domain, own) ? [shownRecord(record, nowMs)] : [];
        return done({ records, count: records.length });
      }
      await this.#records.written();
      const listed = await listRecords(this.#records, body, { pace: new Pace(clock, deadlineMs), nowMs });
      if (!listed.ok) return listed;
      const { items: records, ...rest } = this.#pieces.first(listed.value.items);
      return done({ records: records as ShownCdr[], count: listed.value.count, ...rest });
    },
    'callstore.rest': ({ rest }: BodyOf<'callstore.rest'>): Answer<ReplyOf<'callstore.rest'>> =>
      this.#pieces.answerNext(rest),
  };

  #makeSources(): CallSources {
    return new CallSources({
      scope: this.#scope,
      onPage: ({ name }, { epoch, atMs, begunMs }) => {
        // Before its items, of which even the last one may be old.
        const offsetMs = this.#shifts.offsetMs(name, atMs);
        this.#log.begin(name, epoch, begunMs + offsetMs);
      },
      onItem: (from, epoch, item) => this.#receive(from, epoch, item),
      onLoss: ({ name }, epoch, n) => this.#log.lose([name, epoch, n]),
      onList: ({ name }, epoch, list) => this.#site.takeList({ source: name, epoch }, list),
      onOver: ({ name }, epoch) => {
        if (this.#isServing) this.#site.terminateAll({ source: name, epoch });
        else this.#handover.later();
      },
    });
  }

  #isMember(address: string): boolean {
    const { map, instance } = this.#scope;
    return map.groupOf(instance).some((each) => each.address === address);
  }

  #begin(): void {
    this.#reconciling = undefined;
    if (!this.#isServing) return;
    this.#copy.stop();
    this.#site.serve();
  }

  #whenReady<T>(work: () => Answer<T>): Answer<T> {
    return this.#reconciling === undefined ? work() : this.#reconciling.then(work);
  }

  /** Takes an item of a source, or of this instance itself. */
  #receive({ name, role }: InstanceEntry, epoch: number, item: StreamItem): void {
    const { n, event } = item;
    const atMs = Math.floor(item.atMs ?? this.#scope.clock.now());
    this.#shareTexts(item);
    const sipusers = this.#site.take(item, { source: name, epoch }, atMs);
    if (event === undefined) return this.#log.receive([name, epoch, n]);
    const hereMs = atMs + this.#shifts.offsetMs(name, atMs);
    const forwarded: ForwardedEvent = { source: name, epoch, n, atMs: hereMs, event, sipusers };
    if (role === 'callstore') this.#log.receiveOnce([name, epoch, n], forwarded);
    else this.#log.receive([name, epoch, n], forwarded);
  }

  /**
   * A call and its events repeat the same texts: each is in memory once, for there are many calls. An item as its source has made it
   * has the texts of the source, and is not to be changed.
   */
  #shareTexts(item: StreamItem): void {
    if (Object.isFrozen(item)) return;
    const { event, dialog, gone } = item;
    const known = this.#site.live.get(dialog?.dialogid ?? gone ?? String(event?.data['dialogid'])) ?? dialog;
    if (known === undefined) return;
    const texts = [known.dialogid, known.inviteid, known.acallid, known.localuri, known.remoteuri];
    if (event !== undefined) {
      shareIn(event.data, ['dialogid', 'inviteid', 'cid', 'acallid', 'localuri', 'remoteuri'], texts);
      for (const [index, object] of event.objects.entries()) event.objects[index] = shared(object, texts);
    }
    if (dialog === undefined) return;
    shareIn(dialog, ['dialogid', 'inviteid', 'acallid', 'localuri', 'remoteuri'], texts);
    for (const leg of dialog.legs) shareIn(leg, ['callid', 'localuri', 'remoteuri'], texts);
  }
}

function shareIn<N extends string>(
  part: { [name in N]?: unknown },
  names: readonly N[],
  texts: readonly string[],
): void {
  for (const name of names) {
    const text = part[name];
    if (typeof text === 'string') part[name] = shared(text, texts);
  }
}

/** The one of `texts` that is equal, if there is one. */
function shared(text: string, texts: readonly string[]): string {
  return texts.find((each) => each === text) ?? text;
}

export function createCallstore(scope: RoleScope, stores: Stores): Role<'callstore'> {
  return new Callstore(scope, stores);
}
