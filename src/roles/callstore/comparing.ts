/**
 * Keeps the call records of a group alike: a member that stands by compares, now and then and after it was away, what the
 * active one and itself have written since the last time, and they exchange what differs.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { done, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import { StoreUnwritable } from '../../ports/store.ts';
import type { Records } from './records.ts';

/** How far records were compared with another member: sequence numbers of its store and of the own one. */
interface Progress {
  readonly store: string;
  readonly theirs: number;
  readonly mine: number;
}

const nothing: Progress = { store: '', theirs: 0, mine: 0 };

export class Comparing {
  readonly #scope: RoleScope;
  readonly #records: Records;
  readonly #others: readonly InstanceEntry[];
  #active: InstanceEntry | undefined;
  #isComparing = false;

  constructor(scope: RoleScope, records: Records) {
    this.#scope = scope;
    this.#records = records;
    this.#others = scope.map.groupOf(scope.instance).filter((each) => each !== scope.instance);
    if (this.#others.length === 0) return;
    scope.onView(() => this.#look());
    this.#again();
  }

  readonly handlers = {
    'callstore.compare': async ({
      after,
      entries,
    }: BodyOf<'callstore.compare'>): Promise<Outcome<ReplyOf<'callstore.compare'>>> => {
      const own = await this.#records.marksAfter(after, limits.comparedRecords);
      const marks = await Promise.all(entries.map(([inviteid]) => this.#records.markOf(inviteid)));
      const wants = entries.filter(([, mark], index) => marks[index] !== mark).map(([inviteid]) => inviteid);
      return done({ store: await this.#records.identity(), ...own, wants });
    },
    'callstore.exchange': async ({
      give,
      want,
    }: BodyOf<'callstore.exchange'>): Promise<Outcome<ReplyOf<'callstore.exchange'>>> => {
      await Promise.all(give.map((record) => this.#records.put(record)));
      return done({ records: await this.#all(want) });
    },
  };

  #look(): void {
    const { view } = this.#scope;
    const active = this.#others.find((each) => view.statusOf(each) === 'active');
    if (active === this.#active) return;
    this.#active = active;
    void this.#compare();
  }

  #again(): void {
    this.#scope.clock.setTimer(limits.compareMs, () => {
      void this.#compare();
      this.#again();
    });
  }

  /** One comparison, unless one is under way or there is nobody to compare with. */
  async #compare(): Promise<void> {
    const active = this.#active;
    if (this.#isComparing || active === undefined || this.#isServing) return;
    this.#isComparing = true;
    try {
      while (await this.#compareSome(active));
    } catch (error) {
      // What could not be noted is compared again.
      if (!(error instanceof StoreUnwritable)) this.#scope.crash(error);
    } finally {
      this.#isComparing = false;
    }
  }

  get #isServing(): boolean {
    return this.#scope.view.statusOf(this.#scope.instance) === 'active';
  }

  /** Compares a page of each side. True when there is more. */
  async #compareSome(active: InstanceEntry): Promise<boolean> {
    const { ask } = this.#scope;
    const known = await this.#progress(active);
    const own = await this.#records.marksAfter(known.mine, limits.comparedRecords);
    const outcome = await ask(active.address, 'callstore.compare', { after: known.theirs, entries: own.entries });
    if (!outcome.ok) return false;
    const { store, entries, upTo, more, wants } = outcome.value;
    if (store !== known.store) {
      // A store that is new, or not known yet: all of it, and all of the own.
      await this.#note(active, { ...nothing, store });
      return true;
    }
    const marks = await Promise.all(entries.map(([inviteid]) => this.#records.markOf(inviteid)));
    const lacking = entries.filter(([, mark], index) => marks[index] !== mark).map(([inviteid]) => inviteid);
    if (!(await this.#exchange(active, wants, lacking))) return false;
    await this.#note(active, { store, theirs: upTo, mine: own.upTo });
    return more || own.more;
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
