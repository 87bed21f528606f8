/**
 * The sources whose streams a callstore consumes. Each is kept up with by a `CatchUp`; where the stream of a b2b does not go back
 * far enough, the list of its live calls is taken, which is its snapshot. A source that is out of reach for too long is lost.
 */

import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import type { DialogRecord } from '../../model/protocol/messages/dialog.ts';
import type { StreamItem } from '../../model/protocol/messages/stream.ts';
import { CatchUp, type Pull, pullPages } from '../../replication/catch-up.ts';
import type { LogPosition } from '../../replication/sequence-log.ts';
import { StreamConsumer } from '../../replication/stream-consumer.ts';
import { sourceRoles, streamConsumersOf } from '../../replication/stream-source.ts';

export interface ListedCalls {
  /** Calls that the source has, and the item of its stream that each takes into account. */
  readonly calls: readonly { readonly record: DialogRecord; readonly upTo: number }[];
  /** Items up to here are in the list: a call that is not, and was published no later, is over. */
  readonly upTo: number;
}

export interface CallSourcesOptions {
  readonly scope: RoleScope;
  /** The source was asked, and its page is about to be taken. When it answered, and when its epoch began, by its clock. */
  readonly onPage: (
    source: InstanceEntry,
    page: { readonly epoch: number; readonly atMs: number; readonly begunMs: number },
  ) => void;
  readonly onItem: (source: InstanceEntry, epoch: number, item: StreamItem) => void;
  /** Items before `n` are lost. */
  readonly onLoss: (source: InstanceEntry, epoch: number, n: number) => void;
  readonly onList: (source: InstanceEntry, epoch: number, list: ListedCalls) => void;
  /** An epoch of a source is over: the source is lost, or has begun another one. */
  readonly onOver: (source: InstanceEntry, epoch: number) => void;
}

export class CallSources {
  readonly #byAddress: ReadonlyMap<string, CallSource>;
  readonly #byName: ReadonlyMap<string, CallSource>;

  constructor(options: CallSourcesOptions) {
    const { map, instance } = options.scope;
    const entries = sourceRoles
      .flatMap((role) => map.instancesOf(role))
      .filter((each) => each !== instance && streamConsumersOf({ map, instance: each }).includes(instance));
    const sources = entries.map((entry) => new CallSource(entry, options));
    this.#byAddress = new Map(sources.map((source) => [source.entry.address, source]));
    this.#byName = new Map(sources.map((source) => [source.entry.name, source]));
    options.scope.onViewChange(() => this.look());
  }

  /** Looks which sources are in reach. */
  look(): void {
    for (const { catchUp } of this.#byAddress.values()) catchUp.look();
  }

  /** Takes items that a source has published. */
  receive(from: string, epoch: number, items: readonly StreamItem[]): void {
    this.#byAddress.get(from)?.receive(epoch, items);
  }

  /** Pulls from every source in reach; resolves when each has answered, or did not. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#byAddress.values()].map(({ catchUp }) => catchUp.refresh()));
  }

  /** Whether all items of a source up to this position were taken; the missing ones are pulled first. */
  async has(address: string, position: LogPosition): Promise<boolean> {
    const source = this.#byAddress.get(address);
    if (source === undefined) return false;
    if (!source.has(position)) await source.catchUp.refresh();
    return source.has(position);
  }

  /** The live calls of a source are listed anew, once it is in reach. */
  needList(name: string): void {
    this.#byName.get(name)?.needList();
  }

  /** Whether a source is in reach in this epoch, and so publishes the ends of its calls itself. */
  isInReach(name: string, epoch: number): boolean {
    const source = this.#byName.get(name);
    return source?.catchUp.source !== undefined && source.epoch === epoch;
  }

  /** Whether an epoch of a source is over, as far as is known; for good: the source has begun another one. */
  isOver(name: string, epoch: number, isForGood = false): boolean {
    const source = this.#byName.get(name);
    return source !== undefined && (source.epoch > epoch || (source.catchUp.isLost && !isForGood));
  }
}

class CallSource {
  readonly entry: InstanceEntry;
  readonly catchUp: CatchUp;
  readonly #options: CallSourcesOptions;
  readonly #stream: StreamConsumer<StreamItem>;
  /** Items of this epoch were lost, and no list of calls was taken since. */
  #isPartial = false;
  /** While the list is read: calls whose end was published meanwhile, with the item's number. */
  #ended: Map<string, number> | undefined;

  constructor(entry: InstanceEntry, options: CallSourcesOptions) {
    const { scope, onItem, onLoss, onOver } = options;
    this.entry = entry;
    this.#options = options;
    this.#stream = new StreamConsumer({
      isNext: (epoch, known = 0) => epoch > known,
      onEpoch: (_, before) => {
        this.#isPartial = false;
        if (before !== undefined) onOver(entry, before);
      },
      onEntry: (item, epoch) => {
        if (item.gone !== undefined) this.#ended?.set(item.gone, item.n);
        onItem(entry, epoch, item);
      },
      onLoss: (n) => {
        this.needList();
        onLoss(entry, this.epoch, n);
      },
      onGap: () => this.catchUp.noticeGap(),
    });
    this.catchUp = new CatchUp({
      scope,
      source: () => (this.#isInReach ? entry : undefined),
      pull: (_, pull) => this.#pull(pull),
      delaysMs: { check: limits.streamCheckMs, gone: scope.map.topology.timings.callGoneMs },
      onLost: () => this.#onLost(),
    });
  }

  /** 0: none is known. */
  get epoch(): number {
    return this.#stream.epoch ?? 0;
  }

  has({ epoch, n }: LogPosition): boolean {
    return this.#position.epoch === epoch && this.#position.n >= n;
  }

  get #position() {
    return this.#stream.position ?? { epoch: 0, n: 0 };
  }

  receive(epoch: number, items: readonly StreamItem[]): void {
    this.catchUp.received();
    this.#stream.receive(epoch, items);
  }

  needList(): void {
    if (this.entry.role !== 'b2b') return;
    this.#isPartial = true;
    this.catchUp.noticeGap();
  }

  /** One that stands by has served before, perhaps in a part of a split site: what it published then may be missing here. */
  get #isInReach(): boolean {
    const status = this.#options.scope.view.statusOf(this.entry);
    return status === 'active' || status === 'standby' || status === 'draining';
  }

  #onLost(): void {
    if (this.#stream.epoch === undefined) return;
    // Should the source come back in the same epoch, its calls are ended here.
    this.needList();
    this.#stream.giveUpMissing();
    this.#options.onOver(this.entry, this.epoch);
  }

  async #pull(pull: Pull): Promise<boolean> {
    const isRead = await pullPages(
      pull,
      () => this.#options.scope.ask(this.entry.address, 'stream.read', { after: this.#position }),
      (page) => {
        this.#options.onPage(this.entry, page);
        return this.#stream.takePage(page);
      },
    );
    return isRead && this.#isPartial ? this.#pullList(pull) : isRead;
  }

  async #pullList(pull: Pull): Promise<boolean> {
    const { epoch } = this;
    this.#isPartial = false;
    this.#ended = new Map();
    const list = await this.#readList(pull, epoch);
    this.#ended = undefined;
    if (this.epoch !== epoch) return false;
    if (list === undefined) this.#isPartial = true;
    else this.#options.onList(this.entry, epoch, list);
    return list !== undefined;
  }

  async #readList(pull: Pull, epoch: number): Promise<ListedCalls | undefined> {
    const calls: { record: DialogRecord; upTo: number }[] = [];
    let first: number | undefined;
    let after: string | undefined;
    const isRead = await pullPages(
      pull,
      () => this.#options.scope.ask(this.entry.address, 'dialog.list', after === undefined ? {} : { after }),
      (page) => {
        if (page.epoch !== epoch) return 'failed';
        first ??= page.upTo;
        for (const record of page.dialogs) calls.push({ record, upTo: page.upTo });
        after = page.next;
        return after === undefined ? 'done' : 'more';
      },
    );
    if (!isRead) return undefined;
    const isLive = ({ record, upTo }: (typeof calls)[number]) => (this.#ended?.get(record.dialogid) ?? 0) <= upTo;
    return { calls: calls.filter(isLive), upTo: first ?? 0 };
  }
}
