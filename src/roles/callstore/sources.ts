/**
 * The sources whose streams a callstore hears: asks for what it missed when one comes into view or is silent, takes the list
 * of live calls of a b2b where the stream does not go back far enough, and notices when a source is lost.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { DialogRecord } from '../../model/protocol/dialog.ts';
import type { StreamItem } from '../../model/protocol/stream.ts';
import type { Timer } from '../../ports/clock.ts';
import { Hearing } from '../stream/hearing.ts';
import { listenersOf, tellers } from '../stream/source.ts';

export interface Listed {
  /** Calls that the source has, and the item of its stream that each takes into account. */
  readonly calls: readonly { record: DialogRecord; upTo: number }[];
  /** Items up to here are in the list: a call that is not, and was told of no later, is over. */
  readonly upTo: number;
}

export interface SourcesOptions {
  readonly scope: RoleScope;
  readonly onItem: (source: InstanceEntry, epoch: number, item: StreamItem) => void;
  readonly onLoss: (source: InstanceEntry, epoch: number, n: number) => void;
  readonly onList: (source: InstanceEntry, epoch: number, list: Listed) => void;
  /** A life of a source is over: it was out of reach for too long, or another one began. */
  readonly onOver: (source: InstanceEntry, epoch: number) => void;
}

interface Source {
  readonly entry: InstanceEntry;
  readonly hearing: Hearing;
  /** Of its life; 0 where none is known. */
  epoch: number;
  isInReach: boolean;
  /** Of its node, when it was last in reach. */
  incarnation: number | undefined;
  /** Whether the live calls of its life are all known. */
  isComplete: boolean;
  /** Whether it has been out of reach for too long. */
  isLost: boolean;
  losing: Timer | undefined;
  learning: Promise<void> | undefined;
  /** While its list is read: calls of which the end was told meanwhile, with the item's number. */
  ended: Map<string, number> | undefined;
}

export class Sources {
  readonly #options: SourcesOptions;
  readonly #sources: ReadonlyMap<string, Source>;

  constructor(options: SourcesOptions) {
    const { scope } = options;
    this.#options = options;
    const { map, instance } = scope;
    const heard = tellers
      .flatMap((role) => map.instancesOf(role))
      .filter((each) => each !== instance && listenersOf({ map, instance: each }).includes(instance));
    this.#sources = new Map(heard.map((entry) => [entry.address, this.#makeSource(entry)]));
    scope.onView(() => this.#look());
    this.#check();
    for (const source of this.#sources.values()) this.#onAway(source);
    this.#look();
  }

  told(from: string, epoch: number, items: readonly StreamItem[]): void {
    this.#sources.get(from)?.hearing.told(epoch, items);
  }

  /** Learns what is missing of every source in reach; resolves when each has answered, or did not. */
  async reconcile(): Promise<void> {
    const inReach = [...this.#sources.values()].filter((source) => source.isInReach);
    await Promise.all(inReach.map((source) => this.#learn(source)));
  }

  /** Whether a life of a source is in reach, and so tells itself what becomes of its calls. */
  isHeard(name: string, epoch: number): boolean {
    for (const source of this.#sources.values()) {
      if (source.entry.name === name) return source.isInReach && source.epoch === epoch;
    }
    return false;
  }

  /** Whether a life of a source is over, as far as is known. */
  isOver(name: string, epoch: number): boolean {
    for (const source of this.#sources.values()) {
      if (source.entry.name === name) return source.epoch > epoch || source.isLost;
    }
    return false;
  }

  #makeSource(entry: InstanceEntry): Source {
    const { scope, onItem, onLoss } = this.#options;
    const hearing: Hearing = new Hearing({
      scope,
      source: entry,
      onItem: (item, epoch) => {
        if (item.gone !== undefined) source.ended?.set(item.gone, item.n);
        onItem(entry, epoch, item);
      },
      onLife: (epoch) => this.#onLife(source, epoch),
      onLoss: (n) => {
        source.isComplete = false;
        onLoss(entry, hearing.epoch, n);
        void this.#learn(source);
      },
    });
    const source: Source = {
      entry,
      hearing,
      epoch: 0,
      isInReach: false,
      incarnation: undefined,
      isComplete: true,
      isLost: false,
      losing: undefined,
      learning: undefined,
      ended: undefined,
    };
    return source;
  }

  #onLife(source: Source, epoch: number): void {
    const before = source.epoch;
    source.epoch = epoch;
    source.isComplete = true;
    source.isLost = false;
    source.losing?.cancel();
    source.losing = undefined;
    if (before !== 0) this.#options.onOver(source.entry, before);
  }

  #look(): void {
    const { view } = this.#options.scope;
    for (const source of this.#sources.values()) {
      const status = view.statusOf(source.entry);
      const isInReach = status === 'active' || status === 'draining';
      const incarnation = view.incarnationOf(source.entry.node);
      // A node may die and start again before anybody misses it.
      const isSame = isInReach === source.isInReach && (!isInReach || incarnation === source.incarnation);
      if (isSame) continue;
      source.isInReach = isInReach;
      source.incarnation = incarnation;
      if (isInReach) this.#onFound(source);
      else this.#onAway(source);
    }
  }

  #onFound(source: Source): void {
    source.losing?.cancel();
    source.losing = undefined;
    source.isLost = false;
    void this.#learn(source);
  }

  #onAway(source: Source): void {
    const { scope, onOver } = this.#options;
    source.losing ??= scope.clock.setTimer(scope.map.topology.timings.callGoneMs, () => {
      source.losing = undefined;
      source.isLost = true;
      // Should the same life come back, its calls are to be learnt anew.
      source.isComplete = false;
      source.hearing.end();
      if (source.epoch !== 0) onOver(source.entry, source.epoch);
    });
  }

  #check(): void {
    this.#options.scope.clock.setTimer(limits.streamCheckMs, () => {
      for (const source of this.#sources.values()) {
        if (!source.isInReach) continue;
        if (source.isComplete) source.hearing.look();
        else void this.#learn(source);
      }
      this.#check();
    });
  }

  #learn(source: Source): Promise<void> {
    source.learning ??= this.#learnNow(source).then(
      () => {
        source.learning = undefined;
      },
      (error: unknown) => this.#options.scope.crash(error),
    );
    return source.learning;
  }

  async #learnNow(source: Source): Promise<void> {
    await source.hearing.catchUp();
    if (source.isComplete || !source.isInReach || source.epoch === 0) return;
    if (source.entry.role === 'b2b') await this.#readList(source);
    else source.isComplete = true;
  }

  async #readList(source: Source): Promise<void> {
    const { epoch } = source;
    const ended = new Map<string, number>();
    source.ended = ended;
    const list = await this.#askForList(source, epoch);
    if (source.ended === ended) source.ended = undefined;
    // Another life, or another look, begins anew.
    if (list === undefined || source.epoch !== epoch) return;
    source.isComplete = true;
    const calls = list.calls.filter(({ record, upTo }) => (ended.get(record.dialogid) ?? 0) <= upTo);
    this.#options.onList(source.entry, epoch, { ...list, calls });
  }

  async #askForList({ entry }: Source, epoch: number): Promise<Listed | undefined> {
    const calls: { record: DialogRecord; upTo: number }[] = [];
    let first: number | undefined;
    let after: string | undefined;
    do {
      const outcome = await this.#options.scope.ask(entry.address, 'dialog.list', after === undefined ? {} : { after });
      if (!outcome.ok || outcome.value.epoch !== epoch) return undefined;
      const { dialogs, upTo, next } = outcome.value;
      first ??= upTo;
      for (const record of dialogs) calls.push({ record, upTo });
      after = next;
    } while (after !== undefined);
    return { calls, upTo: first };
  }
}
