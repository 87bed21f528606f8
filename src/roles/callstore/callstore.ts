/**
 * The callstore: hears the streams of its site's sources and keeps what they make: live calls, the records of those that are
 * over, and the last events for followers. Every member of a group hears all; the one that serves answers.
 */

import { ClockShifts } from '../../cluster/peers.ts';
import type { Handlers, Role, RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import type { Envelope } from '../../model/envelope.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { Dialog, ShownCdr } from '../../model/protocol/callstore.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DialogRecord } from '../../model/protocol/dialog.ts';
import type { StreamItem, ToldEvent } from '../../model/protocol/stream.ts';
import { dialogOf, shownRecord } from '../../model/shapes/calls.ts';
import type { Stores } from '../../ports/store.ts';
import { Pace } from '../../storage/pace.ts';
import { Pieces } from '../pieces.ts';
import { EventSource } from '../stream/source.ts';
import { Comparing } from './comparing.ts';
import { EventLog } from './event-log.ts';
import { Followers } from './followers.ts';
import { Ledger } from './ledger.ts';
import { isRecordOf, listCalls, listRecords } from './listing.ts';
import { isOwn, LiveCalls, type Told } from './live-calls.ts';
import { LogCopy } from './log-copy.ts';
import { Orphans } from './orphans.ts';
import { RecordingFiles } from './recording-files.ts';
import { Records } from './records.ts';
import { type Listed, Sources } from './sources.ts';
import { Undertaker } from './undertaker.ts';

type Answer<T> = Outcome<T> | Promise<Outcome<T>>;

class Callstore implements Role<'callstore'> {
  readonly handlers: Handlers<'callstore'>;
  readonly #scope: RoleScope;
  readonly #calls = new LiveCalls();
  readonly #log: EventLog;
  /** How the clocks of the sources differ from the own. */
  readonly #shifts: ClockShifts;
  readonly #followers: Followers;
  readonly #records: Records;
  readonly #ledger: Ledger;
  readonly #undertaker: Undertaker;
  readonly #sources: Sources;
  readonly #pieces: Pieces<Dialog | ShownCdr>;
  #isServing = false;
  /** While this instance, beginning to serve, makes sure that it knows all live calls. */
  #reconciling: Promise<void> | undefined;

  constructor(scope: RoleScope, stores: Stores) {
    const { instance } = scope;
    this.#scope = scope;
    this.#pieces = new Pieces(scope);
    scope.counters.gauge('calls', () => this.#calls.size);
    this.#followers = new Followers(scope);
    this.#shifts = new ClockShifts(scope.clock);
    this.#log = new EventLog((event) => this.#followers.tell(event));
    this.#records = new Records(scope, () => stores.open(`callstore-${instance.srvidx}`));
    this.#ledger = new Ledger(instance.site, (record) => void this.#records.put(record));
    const source = new EventSource(scope);
    this.#undertaker = new Undertaker({
      calls: this.#calls,
      ledger: this.#ledger,
      source,
      onTold: (item) => this.#hear(instance, scope.epoch, item),
    });
    const comparing = new Comparing(scope, this.#records);
    const recordings = new RecordingFiles(scope, this.#calls, this.#records);
    const logCopy = new LogCopy(scope, this.#log);
    const orphans = new Orphans({
      scope,
      calls: this.#calls,
      isOver: (name, epoch) => this.#sources.isOver(name, epoch),
      onGiven: (given) => this.#takeOrphans(given),
    });
    this.handlers = {
      ...source.handlers,
      ...orphans.handlers,
      ...comparing.handlers,
      ...recordings.handlers,
      ...this.#streamHandlers,
      ...this.#queryHandlers,
    };
    this.#sources = new Sources({
      scope,
      onItem: (from, epoch, item) => this.#hear(from, epoch, item),
      onLoss: ({ name }, epoch, n) => this.#log.lose([name, epoch, n]),
      onList: (from, epoch, list) => this.#takeList(from, epoch, list),
      onOver: ({ name }, epoch) => {
        if (this.#isServing) this.#undertaker.bury(name, epoch);
        else orphans.expect();
      },
    });
    logCopy.start();
  }

  serve(): void {
    const { clock } = this.#scope;
    const patience = new Promise<void>((resolve) => clock.setTimer(limits.reconcileMs, resolve));
    this.#isServing = true;
    const reconciled = Promise.race([this.#sources.reconcile(), patience]);
    this.#reconciling = reconciled.then(() => this.#begin()).catch(this.#scope.crash);
  }

  standBy(): void {
    this.#isServing = false;
    this.#followers.clear();
  }

  stop(): void {
    this.#records.stop();
  }

  readonly #streamHandlers = {
    'stream.told': ({ epoch, items }: BodyOf<'stream.told'>, { from }: { from: string }): void => {
      if (!this.#scope.faultPoints.fires('stream.unheard')) this.#sources.told(from, epoch, items);
    },
    'events.follow': (body: BodyOf<'events.follow'>, { from }: { from: string }): Answer<ReplyOf<'events.follow'>> =>
      this.#whenReady(() => {
        const read = this.#log.read(body.after, body.lastMs === undefined ? 0 : this.#scope.clock.now() - body.lastMs);
        if (!read.more) this.#followers.add(from, body.follow);
        return done(read);
      }),
    'events.read': ({ after }: BodyOf<'events.read'>): Answer<ReplyOf<'events.read'>> =>
      this.#whenReady(() => done(this.#log.read(after))),
  };

  readonly #queryHandlers = {
    'callstore.list': (body: BodyOf<'callstore.list'>, { deadlineMs }: Envelope): Answer<ReplyOf<'callstore.list'>> =>
      this.#whenReady(async (): Promise<Outcome<ReplyOf<'callstore.list'>>> => {
        const { clock } = this.#scope;
        const work = listCalls(this.#calls, body, clock.now());
        if (!work.ok) return work;
        const listed = await new Pace(clock, deadlineMs).inTime(work.value, `${this.#calls.size} calls`);
        if (!listed.ok) return listed;
        const { items: dialogs, ...rest } = this.#pieces.first(listed.value.items);
        return done({ dialogs: dialogs as Dialog[], count: listed.value.count, ...rest });
      }),
    'callstore.get': ({ domain, own, dialogid }: BodyOf<'callstore.get'>): Answer<ReplyOf<'callstore.get'>> =>
      this.#whenReady((): Outcome<ReplyOf<'callstore.get'>> => {
        const record = this.#calls.get(dialogid);
        const isSeen = record?.domains.includes(domain) && isOwn(record.participations, domain, own);
        if (record === undefined || !isSeen) return done({ record: null, dialog: null });
        return done({ record, dialog: dialogOf(record, this.#scope.clock.now()) });
      }),
    'callstore.find': ({ domain, own, key, values }: BodyOf<'callstore.find'>): Answer<ReplyOf<'callstore.find'>> =>
      this.#whenReady(() => {
        const found = this.#calls.find(domain, key, values);
        return done({ records: found.filter(({ participations }) => isOwn(participations, domain, own)) });
      }),
    'callstore.records': async (
      body: BodyOf<'callstore.records'>,
      { deadlineMs }: Envelope,
    ): Promise<Outcome<ReplyOf<'callstore.records'>>> => {
      const { domain, own, inviteid } = body;
      if (inviteid !== undefined) {
        const record = await this.#records.get(inviteid);
        const records = record !== undefined && isRecordOf(record, domain, own) ? [shownRecord(record)] : [];
        return done({ records, count: records.length });
      }
      const listed = await listRecords(this.#records, body, new Pace(this.#scope.clock, deadlineMs));
      if (!listed.ok) return listed;
      const { items: records, ...rest } = this.#pieces.first(listed.value.items);
      return done({ records: records as ShownCdr[], count: listed.value.count, ...rest });
    },
    'callstore.rest': ({ rest }: BodyOf<'callstore.rest'>): Answer<ReplyOf<'callstore.rest'>> => {
      const piece = this.#pieces.next(rest);
      return piece === undefined
        ? failed(fault('not_found', 'the rest of the list is not kept any more'))
        : done(piece);
    },
  };

  #begin(): void {
    this.#reconciling = undefined;
    if (!this.#isServing) return;
    for (const { source, epoch } of this.#calls.lives()) {
      if (this.#sources.isOver(source, epoch)) this.#undertaker.bury(source, epoch);
    }
  }

  #whenReady<T>(work: () => Answer<T>): Answer<T> {
    return this.#reconciling === undefined ? work() : this.#reconciling.then(work);
  }

  /** Takes an item of a source, or of this instance itself. */
  #hear({ name, role }: InstanceEntry, epoch: number, item: StreamItem): void {
    const { n, event, dialog, gone } = item;
    const atMs = Math.floor(item.atMs ?? this.#scope.clock.now());
    const sipusers = this.#ledger.apply(item, `${name} ${epoch}`, atMs);
    if (dialog !== undefined && gone === undefined) this.#calls.set(dialog, { source: name, epoch, n });
    if (gone !== undefined) this.#end(gone, { source: name, epoch, n });
    if (event === undefined) return this.#log.hear([name, epoch, n]);
    const hereMs = atMs + this.#shifts.heard(name, atMs);
    const told: ToldEvent = { source: name, epoch, n, atMs: hereMs, event, sipusers };
    if (role === 'callstore') this.#log.hearOnce([name, epoch, n], told);
    else this.#log.hear([name, epoch, n], told);
  }

  /** A call that another callstore took for dead, cut off from its b2b, goes on here, where that is heard. */
  #end(gone: string, told: Told): void {
    const record = this.#calls.get(gone);
    const { source = '', epoch = 0 } = this.#calls.toldOf(gone) ?? {};
    const isHearsay = told.source !== source && told.source !== this.#scope.instance.name;
    if (record !== undefined && isHearsay && this.#sources.isHeard(source, epoch)) {
      this.#ledger.note(record, `${source} ${epoch}`);
    } else this.#calls.delete(gone, told);
  }

  #takeList({ name }: InstanceEntry, epoch: number, { calls, upTo }: Listed): void {
    const alive = new Set<string>();
    for (const { record, upTo: n } of calls) {
      alive.add(record.dialogid);
      this.#calls.set(record, { source: name, epoch, n });
      this.#ledger.note(record, `${name} ${epoch}`);
    }
    for (const { record, told } of this.#calls.ofLife(name, epoch)) {
      if (told.n > upTo || alive.has(record.dialogid)) continue;
      if (this.#isServing) this.#undertaker.buryCall(record);
      else this.#miss(record, told);
    }
  }

  /** Ends calls of a life that is over and that this instance has not heard, or not to the end. */
  #takeOrphans({ source, epoch, calls }: BodyOf<'callstore.orphans'>): void {
    for (const record of calls) {
      this.#ledger.note(record, `${source} ${epoch}`);
      this.#undertaker.buryCall(record);
    }
  }

  /** Drops a call whose end this instance has not heard; what the others have heard of it comes with their records. */
  #miss({ dialogid: gone }: DialogRecord, { source, epoch, n }: Told): void {
    this.#calls.delete(gone);
    this.#ledger.apply({ n, gone }, `${source} ${epoch}`, Math.floor(this.#scope.clock.now()));
  }
}

export function createCallstore(scope: RoleScope, stores: Stores): Role<'callstore'> {
  return new Callstore(scope, stores);
}
