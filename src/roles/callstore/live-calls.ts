/** The live calls of a site, by dialogid and by every key under which they are looked for. */
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { DialogRecord, LegRecord, Participation } from '../../model/protocol/messages/dialog.ts';
import { uriKey } from '../../model/sip/uri.ts';

export type LookupKey = BodyOf<'callstore.find'>['key'];
type IndexKey = Exclude<LookupKey, 'dialogid'>;
/** The SIP users to which a request is limited; `undefined`: none. */
export type OwnUsers = BodyOf<'callstore.list'>['own'];

/** Where a version of a call comes from: the item of a source in an epoch. */
export interface Origin {
  /** Name of the source's instance. */
  readonly source: string;
  readonly epoch: number;
  readonly n: number;
}

interface Entry {
  record: DialogRecord;
  origin: Origin;
}

/** The calls under one value: most values are of one call. */
type Found = Entry | Set<Entry>;

export class LiveCalls {
  readonly #entries = new Map<string, Entry>();
  /** By value, for each key but the dialogid. */
  readonly #index: Readonly<Record<IndexKey, Map<string, Found>>> = {
    ...{ inviteid: new Map(), callid: new Map(), uri: new Map(), number: new Map() },
    ...{ login: new Map(), sipuserid: new Map(), confid: new Map() },
  };
  readonly #byDomain = new Map<string, SortedCalls>();
  readonly #byEpoch = new Map<string, Set<Entry>>();

  get size(): number {
    return this.#entries.size;
  }

  /** Takes a version of a call, unless a later one of the same epoch is known. */
  set(record: DialogRecord, origin: Origin): void {
    const known = this.#entries.get(record.dialogid);
    if (known !== undefined && isOutdated(origin, known.origin)) return;
    if (known === undefined) this.#add(record, origin);
    else this.#change(known, record, origin);
  }

  /** Drops a call; `origin`: of the item that says so. Returns it, if it was here. */
  delete(dialogid: string, origin?: Origin): DialogRecord | undefined {
    const entry = this.#entries.get(dialogid);
    if (entry === undefined || (origin !== undefined && isOutdated(origin, entry.origin))) return undefined;
    const { record } = entry;
    this.#entries.delete(dialogid);
    this.#unlink(entry);
    this.#leaveEpoch(entry, entry.origin);
    for (const domain of record.domains) this.#byDomain.get(domain)?.delete(record);
    return record;
  }

  get(dialogid: string): DialogRecord | undefined {
    return this.#entries.get(dialogid)?.record;
  }

  /** Where the known version of a call comes from. */
  originOf(dialogid: string): Origin | undefined {
    return this.#entries.get(dialogid)?.origin;
  }

  /** The calls of a domain in the default order. Not to be kept: it changes with the calls. */
  ofDomain(domain: string): readonly DialogRecord[] {
    return this.#byDomain.get(domain)?.all ?? [];
  }

  /** The calls of a domain, in the default order, that any of the values leads to. */
  find(domain: string, key: LookupKey, values: readonly string[]): DialogRecord[] {
    const found = new Set<DialogRecord>();
    for (const value of values) {
      for (const { record } of this.#at(key, value)) {
        if (record.domains.includes(domain) && fits(record, domain, key, value)) found.add(record);
      }
    }
    return [...found].sort(compareCalls);
  }

  /** Epochs of sources of which calls are here. */
  epochs(): { source: string; epoch: number }[] {
    return [...this.#byEpoch.values()].flatMap(([entry]) => (entry === undefined ? [] : [entry.origin]));
  }

  ofEpoch(source: string, epoch: number): { record: DialogRecord; origin: Origin }[] {
    return [...(this.#byEpoch.get(epochKey({ source, epoch })) ?? [])].map(({ record, origin }) => ({
      record,
      origin,
    }));
  }

  #at(key: LookupKey, value: string): Iterable<Entry> {
    const found =
      key === 'dialogid' ? this.#entries.get(value) : this.#index[key].get(key === 'uri' ? uriKey(value) : value);
    if (found === undefined) return [];
    return found instanceof Set ? found : [found];
  }

  #add(record: DialogRecord, origin: Origin): void {
    const entry: Entry = { record, origin };
    this.#entries.set(record.dialogid, entry);
    this.#link(entry);
    this.#enterEpoch(entry, origin);
    this.#sort(record);
  }

  #change(entry: Entry, record: DialogRecord, origin: Origin): void {
    const { record: before, origin: originBefore } = entry;
    const isFoundAlike = hasSameKeys(before, record);
    if (!isFoundAlike) this.#unlink(entry);
    entry.record = record;
    entry.origin = origin;
    if (!isFoundAlike) this.#link(entry);
    if (originBefore.epoch !== origin.epoch || originBefore.source !== origin.source) {
      this.#leaveEpoch(entry, originBefore);
      this.#enterEpoch(entry, origin);
    }
    const isMoved = before.startts !== record.startts || !isSameList(before.domains, record.domains);
    if (isMoved) for (const domain of before.domains) this.#byDomain.get(domain)?.delete(before);
    this.#sort(record);
  }

  #sort(record: DialogRecord): void {
    for (const domain of record.domains) {
      const sorted = this.#byDomain.get(domain) ?? new SortedCalls();
      this.#byDomain.set(domain, sorted);
      sorted.set(record);
    }
  }

  #link(entry: Entry): void {
    forEachKey(entry.record, (key, value) => {
      const index = this.#index[key];
      const found = index.get(value);
      if (found instanceof Set) found.add(entry);
      else if (found !== entry) index.set(value, found === undefined ? entry : new Set([found, entry]));
    });
  }

  #unlink(entry: Entry): void {
    forEachKey(entry.record, (key, value) => {
      const index = this.#index[key];
      const found = index.get(value);
      if (found instanceof Set) found.delete(entry);
      if (found === entry || (found instanceof Set && found.size === 0)) index.delete(value);
    });
  }

  #enterEpoch(entry: Entry, origin: Origin): void {
    const key = epochKey(origin);
    const entries = this.#byEpoch.get(key);
    if (entries === undefined) this.#byEpoch.set(key, new Set([entry]));
    else entries.add(entry);
  }

  #leaveEpoch(entry: Entry, origin: Origin): void {
    const key = epochKey(origin);
    const entries = this.#byEpoch.get(key);
    entries?.delete(entry);
    if (entries?.size === 0) this.#byEpoch.delete(key);
  }
}

/** Whether one of these SIP users of the domain takes part. */
export function isOwn(participations: readonly Participation[], domain: string, own: OwnUsers): boolean {
  const isOne = (party: Participation) =>
    own?.some(([id, login]) => (party.id === undefined ? party.name === login : party.id === id)) === true;
  return own === undefined || sipUsersIn(participations, domain).some(isOne);
}

function sipUsersIn(all: readonly Participation[], domain: string): Participation[] {
  return all.filter((each) => each.kind === 'sipuser' && each.domain === domain);
}

/** A login is one of the domain's own SIP users, as an id is. */
function fits({ participations }: DialogRecord, domain: string, key: LookupKey, value: string): boolean {
  if (key !== 'login' && key !== 'sipuserid') return true;
  return sipUsersIn(participations, domain).some(({ name, id }) => (key === 'login' ? name : id) === value);
}

/** The keys and values under which a call is found, some of them more than once. */
function forEachKey(record: DialogRecord, visit: (key: IndexKey, value: string) => void): void {
  const { inviteid, acallid, localuri, remoteuri, legs, participations } = record;
  visit('inviteid', inviteid);
  visit('callid', acallid);
  visit('uri', uriKey(localuri));
  visit('uri', uriKey(remoteuri));
  for (const leg of legs) {
    if (leg.callid !== acallid) visit('callid', leg.callid);
    visit('uri', uriKey(leg.localuri));
    visit('uri', uriKey(leg.remoteuri));
  }
  for (const { kind, name, id, number } of participations) {
    if (number !== '') visit('number', number);
    if (kind === 'sipuser') visit('login', name);
    if (id !== undefined) visit('sipuserid', id);
    if (kind === 'conference') visit('confid', name);
  }
}

/** Whether two versions of a call are found under the same keys: most changes are of the status. */
function hasSameKeys(one: DialogRecord, other: DialogRecord): boolean {
  return (
    one.inviteid === other.inviteid &&
    one.acallid === other.acallid &&
    one.localuri === other.localuri &&
    one.remoteuri === other.remoteuri &&
    one.legs.length === other.legs.length &&
    one.legs.every((leg, index) => isSameLeg(leg, other.legs[index])) &&
    one.participations.length === other.participations.length &&
    one.participations.every((party, index) => isSameParty(party, other.participations[index]))
  );
}

function isSameLeg({ callid, localuri, remoteuri }: LegRecord, other: LegRecord | undefined): boolean {
  return callid === other?.callid && localuri === other.localuri && remoteuri === other.remoteuri;
}

function isSameParty({ kind, name, id, number }: Participation, other: Participation | undefined): boolean {
  return kind === other?.kind && name === other.name && id === other.id && number === other.number;
}

function epochKey({ source, epoch }: Pick<Origin, 'source' | 'epoch'>): string {
  return `${source} ${epoch}`;
}

function isOutdated(origin: Origin, known: Origin): boolean {
  if (origin.source !== known.source) return false;
  return origin.epoch < known.epoch || (origin.epoch === known.epoch && origin.n < known.n);
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** Live calls of one domain in the default order of lists: by `startts`, then dialogid. Most calls come at the end. */
class SortedCalls {
  readonly #calls: DialogRecord[] = [];

  get all(): readonly DialogRecord[] {
    return this.#calls;
  }

  /** Adds a call, or puts it in the place of the one before with the same dialogid and `startts`. */
  set(call: DialogRecord): void {
    const last = this.#calls.at(-1);
    if (last === undefined || compareCalls(last, call) < 0) {
      this.#calls.push(call);
      return;
    }
    const at = this.#indexOf(call);
    const isThere = this.#calls[at]?.dialogid === call.dialogid;
    this.#calls.splice(at, isThere ? 1 : 0, call);
  }

  delete(call: DialogRecord): void {
    const at = this.#indexOf(call);
    if (this.#calls[at]?.dialogid === call.dialogid) this.#calls.splice(at, 1);
  }

  /** Index of the first call that does not come before this one. */
  #indexOf(call: DialogRecord): number {
    let low = 0;
    let high = this.#calls.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareCalls(this.#calls[middle] as DialogRecord, call) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compareCalls(a: DialogRecord, b: DialogRecord): number {
  if (a.startts !== b.startts) return a.startts - b.startts;
  if (a.dialogid === b.dialogid) return 0;
  return a.dialogid < b.dialogid ? -1 : 1;
}
