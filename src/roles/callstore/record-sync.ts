/**
 * Keeps the call records of a group alike: a member that stands by compares, now and then and after it was away, what the
 * active one and itself have written since the last time, and they exchange what differs.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { StoreUnwritable } from '../../ports/store.ts';
import { CatchUp, type Pull, pullPages, type Taken } from '../../replication/catch-up.ts';
import type { CallRecords } from './call-records.ts';

/** How far records were compared with another member: sequence numbers of its store and of the own one. */
interface Progress {
  readonly store: string;
  readonly theirs: number;
  readonly mine: number;
}

const nothing: Progress = { store: '', theirs: 0, mine: 0 };

/** A question to the active member, and what it was made of. */
interface Comparison {
  readonly known: Progress;
  readonly own: Awaited<ReturnType<CallRecords['marksAfter']>>;
}

export class RecordSync {
  readonly #scope: RoleScope;
  readonly #records: CallRecords;
  readonly #catchUp: CatchUp;

  constructor(scope: RoleScope, records: CallRecords) {
    const { map, view, instance } = scope;
    this.#scope = scope;
    this.#records = records;
    const others = map.groupOf(instance).filter((each) => each !== instance);
    const isServing = () => view.statusOf(instance) === 'active';
    this.#catchUp = new CatchUp({
      scope,
      source: () => (isServing() ? undefined : others.find((each) => view.statusOf(each) === 'active')),
      pull: (active, pull) => this.#pull(active, pull),
      delaysMs: { check: limits.compareMs, gone: Number.POSITIVE_INFINITY },
    });
    if (others.length > 0) scope.onViewChange(() => this.#catchUp.look());
  }

  readonly handlers = {
    'callstore.compare': async ({
      after,
      entries,
    }: BodyOf<'callstore.compare'>): Promise<Outcome<ReplyOf<'callstore.compare'>>> => {
      const own = await this.#records.marksAfter(after, this.#pageRecords);
      return done({ store: await this.#records.identity(), ...own, wants: await this.#differing(entries) });
    },
    'callstore.exchange': async ({
      give,
      want,
    }: BodyOf<'callstore.exchange'>): Promise<Outcome<ReplyOf<'callstore.exchange'>>> => {
      await Promise.all(give.map((record) => this.#records.put(record)));
      return done({ records: await this.#all(want) });
    },
  };

  get #pageRecords(): number {
    return this.#scope.faultPoints.fires('records.short_page') ? 1 : limits.comparedRecords;
  }

  /** Compares page by page, from where the last comparison with this member has ended. */
  async #pull(active: InstanceEntry, pull: Pull): Promise<boolean> {
    let comparison: Comparison = { known: nothing, own: { entries: [], upTo: 0, more: false } };
    const ask = async () => {
      const known = await this.#progress(active);
      comparison = { known, own: await this.#records.marksAfter(known.mine, this.#pageRecords) };
      const { entries } = comparison.own;
      return this.#scope.ask(active.address, 'callstore.compare', { after: known.theirs, entries });
    };
    try {
      return await pullPages(pull, ask, (page) => this.#take(active, comparison, page));
    } catch (error) {
      // What could not be noted is compared again.
      if (error instanceof StoreUnwritable) return false;
      throw error;
    }
  }

  async #take(
    active: InstanceEntry,
    { known, own }: Comparison,
    { store, entries, upTo, more, wants }: ReplyOf<'callstore.compare'>,
  ): Promise<Taken> {
    if (store !== known.store) {
      // A store that is new, or not known yet: all of it, and all of the own.
      await this.#note(active, { ...nothing, store });
      return 'more';
    }
    if (!(await this.#exchange(active, wants, await this.#differing(entries)))) return 'failed';
    await this.#note(active, { store, theirs: upTo, mine: own.upTo });
    return more || own.more ? 'more' : 'done';
  }

  async #exchange(active: InstanceEntry, wanted: readonly string[], lacking: readonly string[]): Promise<boolean> {
    const size = limits.exchangedRecords;
    for (let at = 0; at < Math.max(wanted.length, lacking.length); at += size) {
      const give = await this.#all(wanted.slice(at, at + size));
      const want = lacking.slice(at, at + size);
      const outcome = await this.#scope.ask(active.address, 'callstore.exchange', { give, want });
      if (!outcome.ok) return false;
      await Promise.all(outcome.value.records.map((record) => this.#records.put(record)));
    }
    return true;
  }

  /** The calls whose records are not here as the marks say. */
  async #differing(entries: ReplyOf<'callstore.compare'>['entries']): Promise<string[]> {
    const marks = await Promise.all(entries.map(([inviteid]) => this.#records.markOf(inviteid)));
    return entries.filter(([, mark], index) => marks[index] !== mark).map(([inviteid]) => inviteid);
  }

  async #all(inviteids: readonly string[]) {
    const records = await Promise.all(inviteids.map((inviteid) => this.#records.get(inviteid)));
    return records.filter((record) => record !== undefined);
  }

  async #progress({ name }: InstanceEntry): Promise<Progress> {
    const text = await this.#records.note(name);
    return text === undefined ? nothing : (JSON.parse(text) as Progress);
  }

  #note({ name }: InstanceEntry, progress: Progress): Promise<void> {
    return this.#records.setNote(name, JSON.stringify(progress));
  }
}
