/**
 * The records of calls that are over, in the store of the instance's node: one for each inviteid, however many
 * sources say that it is over, and however often. The oldest are dropped past the limit.
 */

import type { RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { Cdr, RecordMark } from '../../model/protocol/messages/callstore.ts';
import { markOf, mergeRecords } from '../../model/recording/call-record.ts';
import { passed } from '../../ports/clock.ts';
import { Pace } from '../../ports/pace.ts';
import { type Store, type StoreChange, type StoreRange, type Stores, StoreUnwritable } from '../../ports/store.ts';
import { openUnlocked } from '../../storage/store-opening.ts';

const sequenceDigits = 12;
const timeDigits = 15;

/**
 * The key layout of a callstore's call records. `w` holds the records in the order in which they were written; the others
 * lead to them: `r` by inviteid, `t` and `d` (of one domain) by the end of the call. `p` notes, for another member of the
 * group, how far records were compared with it.
 */
export const recordKeys = {
  /** An id of the store itself: one that was lost and made anew has another. */
  identity: 'identity',
  written: (sequence: number) => `w/${padded(sequence, sequenceDigits)}`,
  record: (inviteid: string) => `r/${inviteid}`,
  ended: (endts: number, inviteid: string) => `t/${padded(endts, timeDigits)}/${inviteid}`,
  endedIn: (domain: string, endts: number, inviteid: string) => `d/${domain}/${padded(endts, timeDigits)}/${inviteid}`,
  progress: (member: string) => `p/${member}`,
};

/** All keys below a prefix that ends with `/`, which is followed by `0`. */
function under(prefix: string, range: StoreRange = {}): StoreRange {
  return { from: prefix, to: `${prefix.slice(0, -1)}0`, ...range };
}

export function sequenceIn(writtenKey: string): number {
  return Number(writtenKey.slice(2));
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** How often a record that could not be written is tried again. */
const unwritableMs = 1_000;
/** How long a reader waits for what is being written. */
const patienceMs = 1_000;

/** What `t` says of a record. */
interface Ended {
  readonly sequence: number;
  readonly domains: string[];
}

interface OldRecord {
  readonly inviteid: string;
  readonly endts: number;
  readonly ended: Ended;
}

export class CallRecords {
  readonly #scope: Pick<RoleScope, 'clock' | 'crash' | 'random' | 'log'>;
  readonly #limit: number;
  readonly #opened: Promise<Store | undefined>;
  /** Records being written, by inviteid: of one call one after the other. */
  readonly #writing = new Map<string, Promise<void>>();
  readonly #counts = new Map<string, number>();
  #identity = '';
  #sequence = 0;
  #count = 0;
  /** While old records are dropped: the calls whose records were written meanwhile. */
  #touched: Set<string> | undefined;
  /** How many records wait until the store can be written. */
  #late = 0;
  #isLosing = false;
  #isOver = false;

  constructor(
    scope: Pick<RoleScope, 'clock' | 'crash' | 'random' | 'log'>,
    open: () => ReturnType<Stores['open']>,
    limit: number = limits.callRecords,
  ) {
    this.#scope = scope;
    this.#limit = limit;
    this.#opened = this.#open(open).catch((error: unknown) => this.#fail(error));
  }

  /** Merges the record of a call that is over with what is known of it. */
  put(record: Cdr): Promise<void> {
    const { inviteid } = record;
    const before = this.#writing.get(inviteid) ?? Promise.resolve();
    return this.#hold(
      inviteid,
      before.then(() => this.#merge(record)).catch((error: unknown) => void this.#fail(error)),
    );
  }

  /** Resolves when all records that were put are written. */
  async settled(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing.values());
  }

  /** Resolves when what is being written of a call, or of all, is written; where the disk is slow, or full for one call, in a second. */
  async written(inviteid?: string): Promise<void> {
    const all = inviteid === undefined ? [...this.#writing.values()] : [this.#writing.get(inviteid)];
    const writing = all.filter((each) => each !== undefined);
    if (writing.length === 0 || (inviteid === undefined && this.#late > 0)) return;
    await Promise.race([Promise.all(writing), passed(this.#scope.clock, patienceMs)]);
  }

  async get(inviteid: string): Promise<Cdr | undefined> {
    await this.written(inviteid);
    const store = await this.#opened;
    const entry = store && (await this.#entryOf(store, inviteid));
    return store && entry && this.#read(store, entry.sequence);
  }

  /** How many records there are of a domain. */
  async count(domain: string): Promise<number> {
    await this.#opened;
    return this.#counts.get(domain) ?? 0;
  }

  /** The first records of a domain by the end of their calls. */
  async first(domain: string, count: number): Promise<Cdr[]> {
    const store = await this.#opened;
    if (store === undefined || count === 0) return [];
    const sequences: number[] = [];
    for await (const [, sequence] of store.entries(under(`d/${domain}/`, { limit: count }))) {
      sequences.push(Number(sequence));
    }
    const records = await Promise.all(sequences.map((sequence) => this.#read(store, sequence)));
    return records.filter((record) => record !== undefined);
  }

  /** The records that `fits` accepts, in the order in which they were written; `undefined` where there was no time. */
  async select(fits: (record: Cdr) => boolean, pace = new Pace(this.#scope.clock)): Promise<Cdr[] | undefined> {
    const store = await this.#opened;
    const found: Cdr[] = [];
    for await (const [, text] of store?.entries(under('w/')) ?? []) {
      const record = JSON.parse(text) as Cdr;
      if (fits(record)) found.push(record);
      if (pace.isPauseDue(text.length) && !(await pace.pausedInTime())) return undefined;
    }
    return found;
  }

  async identity(): Promise<string> {
    await this.#opened;
    return this.#identity;
  }

  /** Marks of the records written after a sequence number, and up to which one that is. */
  async marksAfter(after: number, count: number): Promise<{ entries: RecordMark[]; upTo: number; more: boolean }> {
    const store = await this.#opened;
    const entries: RecordMark[] = [];
    let upTo = after;
    const range = { from: recordKeys.written(after + 1), to: 'w0', limit: count };
    for await (const [key, text] of store?.entries(range) ?? []) {
      const record = JSON.parse(text) as Cdr;
      entries.push([record.inviteid, markOf(record)]);
      upTo = sequenceIn(key);
    }
    return { entries, upTo, more: entries.length === count };
  }

  async markOf(inviteid: string): Promise<string | undefined> {
    const store = await this.#opened;
    return store && (await this.#entryOf(store, inviteid))?.mark;
  }

  /** A note of the record sync: how far records were compared with another member. */
  async note(member: string): Promise<string | undefined> {
    return (await this.#opened)?.get(recordKeys.progress(member));
  }

  async setNote(member: string, text: string): Promise<void> {
    await (await this.#opened)?.write([{ put: recordKeys.progress(member), value: text }]);
  }

  /** Closes the store; what is being written is written first. */
  stop(): void {
    this.#isOver = true;
    // Where the store fails, the instance is at its end already.
    this.#opened.then((store) => store?.close()).catch(() => {});
  }

  /** The next record of the call waits for the work. */
  async #hold(inviteid: string, work: Promise<void>): Promise<void> {
    this.#writing.set(inviteid, work);
    await work;
    if (this.#writing.get(inviteid) === work) this.#writing.delete(inviteid);
  }

  async #open(open: () => ReturnType<Stores['open']>): Promise<Store | undefined> {
    const { clock } = this.#scope;
    const prepare = (store: Store) => this.#lookThrough(store);
    return openUnlocked({ open, clock, isWanted: () => !this.#isOver, prepare });
  }

  /** Looks through what an earlier incarnation has left. */
  async #lookThrough(store: Store): Promise<void> {
    this.#count = 0;
    this.#counts.clear();
    for await (const [, text] of store.entries(under('t/'))) this.#tally((JSON.parse(text) as Ended).domains, 1);
    for await (const [key] of store.entries(under('w/', { reverse: true, limit: 1 }))) this.#sequence = sequenceIn(key);
    this.#identity = (await store.get(recordKeys.identity)) ?? '';
    if (this.#identity !== '') return;
    this.#identity = Buffer.from(this.#scope.random.stream('ids').bytes(12)).toString('hex');
    await store.write([{ put: recordKeys.identity, value: this.#identity }]);
  }

  /** Writes a record, when there is room; of the records that wait for it only so many are kept. */
  async #merge(record: Cdr): Promise<void> {
    for (;;) {
      try {
        return await this.#mergeNow(record);
      } catch (error) {
        if (!(error instanceof StoreUnwritable)) throw error;
      }
      if (this.#late >= limits.lateRecords) {
        if (!this.#isLosing) this.#scope.log.write('error', 'records.lost', { kept: this.#late });
        this.#isLosing = true;
        return;
      }
      this.#late += 1;
      await new Promise<void>((resolve) => void this.#scope.clock.setTimer(unwritableMs, resolve));
      this.#late -= 1;
      if (this.#late === 0) this.#isLosing = false;
    }
  }

  async #mergeNow(record: Cdr): Promise<void> {
    const store = await this.#opened;
    if (store === undefined || this.#isOver) return;
    const entry = await this.#entryOf(store, record.inviteid);
    const known = entry && (await this.#read(store, entry.sequence));
    const merged = known === undefined ? record : mergeRecords(known, record);
    if (this.#isOver || (known !== undefined && JSON.stringify(known) === JSON.stringify(merged))) return;
    const dropped = known === undefined || entry === undefined ? [] : dropping(known, entry.sequence);
    await store.write([...dropped, ...this.#adding(merged)]);
    if (known !== undefined) this.#tally(known.domains, -1);
    this.#tally(merged.domains, 1);
    if (this.#count > this.#limit) await this.#prune(store);
  }

  #adding(record: Cdr): StoreChange[] {
    const { inviteid, endts, domains } = record;
    this.#sequence += 1;
    this.#touched?.add(inviteid);
    const sequence = this.#sequence;
    const ended: Ended = { sequence, domains };
    return [
      { put: recordKeys.written(sequence), value: JSON.stringify(record) },
      { put: recordKeys.record(inviteid), value: `${sequence} ${markOf(record)}` },
      { put: recordKeys.ended(endts, inviteid), value: JSON.stringify(ended) },
      ...domains.map((domain) => ({ put: recordKeys.endedIn(domain, endts, inviteid), value: String(sequence) })),
    ];
  }

  /** Drops the oldest, more than one at once: it costs a search. One that was written again meanwhile stays. */
  async #prune(store: Store): Promise<void> {
    if (this.#touched !== undefined) return;
    const touched = new Set<string>();
    this.#touched = touched;
    const limit = this.#count - this.#limit + Math.floor(this.#limit / 100);
    const oldest: OldRecord[] = [];
    for await (const [key, text] of store.entries(under('t/', { limit }))) {
      const [, endts, ...inviteid] = key.split('/');
      oldest.push({ inviteid: inviteid.join('/'), endts: Number(endts), ended: JSON.parse(text) as Ended });
    }
    this.#touched = undefined;
    if (this.#isOver) return;
    const unused = oldest.filter(({ inviteid }) => !touched.has(inviteid) && !this.#writing.has(inviteid));
    const dropped = this.#dropAll(store, unused);
    const isOver = dropped.catch(() => {
      // The caller has the error.
    });
    for (const { inviteid } of unused) void this.#hold(inviteid, isOver);
    await dropped;
  }

  async #dropAll(store: Store, oldest: readonly OldRecord[]): Promise<void> {
    const changes = oldest.flatMap(({ inviteid, endts, ended: { sequence, domains } }) =>
      dropping({ inviteid, endts, domains }, sequence),
    );
    try {
      await store.write(changes);
    } catch (error) {
      if (!(error instanceof StoreUnwritable)) throw error;
      // They go another time.
      return;
    }
    for (const { ended } of oldest) this.#tally(ended.domains, -1);
  }

  #tally(domains: readonly string[], by: 1 | -1): void {
    this.#count += by;
    for (const domain of domains) this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + by);
  }

  async #entryOf(store: Store, inviteid: string): Promise<{ sequence: number; mark: string } | undefined> {
    const text = await store.get(recordKeys.record(inviteid));
    if (text === undefined) return undefined;
    const space = text.indexOf(' ');
    return { sequence: Number(text.slice(0, space)), mark: text.slice(space + 1) };
  }

  async #read(store: Store, sequence: number): Promise<Cdr | undefined> {
    const text = await store.get(recordKeys.written(sequence));
    return text === undefined ? undefined : (JSON.parse(text) as Cdr);
  }

  /** A store that does not work is a crash, unless the instance is over. */
  #fail(error: unknown): undefined {
    if (!this.#isOver) this.#scope.crash(error);
    return undefined;
  }
}

function dropping(
  { inviteid, endts, domains }: Pick<Cdr, 'inviteid' | 'endts' | 'domains'>,
  sequence: number,
): StoreChange[] {
  return [
    { delete: recordKeys.written(sequence) },
    { delete: recordKeys.record(inviteid) },
    { delete: recordKeys.ended(endts, inviteid) },
    ...domains.map((domain) => ({ delete: recordKeys.endedIn(domain, endts, inviteid) })),
  ];
}
