/**
 * The events of one site, followed at the callstore that serves it: each one once, those of a source in order. After a loss,
 * a cut or a failover it goes on behind what it has.
 */

import { ClockShifts } from '../../cluster/peers.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster-map.ts';
import { limits } from '../../model/limits.ts';
import { Position } from '../../model/position.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { ToldEvent } from '../../model/protocol/stream.ts';
import type { Timer } from '../../ports/clock.ts';
import { Ring } from '../stream/ring.ts';
import { listenersOf, tellers } from '../stream/source.ts';

export interface FeedOptions {
  readonly scope: RoleScope;
  /** Differs from that of any other feed of the instance, now or before. */
  readonly name: string;
  /** The callstore instances of which one serves, by order. */
  readonly group: readonly InstanceEntry[];
  readonly onEvent: (event: ToldEvent) => void;
  /** Events are lost for good. */
  readonly onGap: () => void;
}

const retryMs = 500;
/** Clocks of two nodes may differ by so much. */
const skewMs = 1_000;
/** So many facts that several may tell of are known again. */
const onceLimit = 1_000;

export class Feed {
  /** What was given on. */
  readonly position = new Position();
  /** Names of the instances whose events it gives on. */
  readonly sources: ReadonlySet<string>;
  readonly #options: FeedOptions;
  readonly #once = new Ring<string>(onceLimit);
  readonly #isOnce = new Set<string>();
  /** What is pushed now, and the number that comes next. */
  #follow = '';
  #nextSeq = 1;
  /** Whether the position is whole: before, what is older than the feed does not count. */
  #isPlaced = false;
  readonly #sinceMs: number;
  /** How the clocks of those who tell differ from the own. */
  readonly #shifts: ClockShifts;
  #isLive = false;
  #isAsking = false;
  #isOver = false;
  #followed: InstanceEntry | undefined;
  #followedStart: number | undefined;
  #count = 0;
  #timer: Timer | undefined;
  #waiting: ((isLive: boolean) => void)[] = [];

  constructor(options: FeedOptions) {
    const { scope, group } = options;
    const { map } = scope;
    this.#options = options;
    this.#sinceMs = scope.clock.now() - skewMs;
    this.#shifts = new ClockShifts(scope.clock);
    const heard = tellers.flatMap((role) => map.instancesOf(role));
    const isHeard = (each: InstanceEntry) => listenersOf({ map, instance: each }).some((one) => group.includes(one));
    this.sources = new Set(heard.filter(isHeard).map(({ name }) => name));
    this.#catchUp();
  }

  /** The callstore instance that serves, as this node sees it. */
  get active(): InstanceEntry | undefined {
    const { scope, group } = this.#options;
    return group.find((each) => scope.view.statusOf(each) === 'active');
  }

  /** Resolves when events come as they happen, or after so long if they don't; says which. */
  live(patienceMs: number): Promise<boolean> {
    if (this.#isLive) return Promise.resolve(true);
    if (this.active === undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = this.#options.scope.clock.setTimer(patienceMs, () => resolve(false));
      this.#waiting.push((isLive) => {
        timer.cancel();
        resolve(isLive);
      });
    });
  }

  /** Looks at the view again: another one may serve now. */
  look(): void {
    if (this.active === this.#followed && this.#startOf(this.active) === this.#followedStart) return;
    this.#isLive = false;
    if (this.active !== undefined) this.#catchUp();
  }

  pushed({ follow, seq, items }: BodyOf<'events.pushed'>): void {
    if (this.#isOver || this.#options.scope.faultPoints.fires('events.unheard')) return;
    // What overtakes the answer that says what comes before it is missed: the number of the next one tells.
    if (!this.#isLive || follow !== this.#follow) return;
    if (seq !== this.#nextSeq) {
      if (seq < this.#nextSeq) return;
      this.#isLive = false;
      return this.#catchUp();
    }
    this.#nextSeq += 1;
    this.#takeAll(items);
  }

  stop(): void {
    this.#isOver = true;
    this.#isLive = false;
    this.#timer?.cancel();
    this.#settle(false);
  }

  /** Asks to be told on, unless that is under way. */
  #catchUp(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#ask().catch(this.#options.scope.crash);
  }

  /** Asks until what came before is all here, then again in a while. */
  async #ask(): Promise<void> {
    this.#timer?.cancel();
    let answer: 'whole' | 'part' | 'none' = 'part';
    while (answer === 'part' && !this.#isOver) {
      this.#followed = this.active;
      this.#followedStart = this.#startOf(this.#followed);
      answer = this.#followed === undefined ? 'none' : await this.#askOne(this.#followed);
    }
    this.#isAsking = false;
    if (this.#isOver) return;
    // Where nobody serves the view will tell who does.
    if (this.#followed !== undefined) {
      const waitMs = answer === 'whole' ? limits.followRenewMs : retryMs;
      this.#timer = this.#options.scope.clock.setTimer(waitMs, () => this.#catchUp());
    }
    this.look();
  }

  /** One question: whether all that came before is here now. */
  async #askOne(active: InstanceEntry): Promise<'whole' | 'part' | 'none'> {
    const { scope, name, onGap } = this.#options;
    this.#count += 1;
    const follow = `${scope.epoch}.${name}.${this.#count}`;
    const from = this.#isPlaced ? {} : { lastMs: scope.clock.now() - this.#sinceMs };
    const body = { follow, after: this.position.places, ...from };
    const outcome = await scope.ask(active.address, 'events.follow', body);
    if (this.#isOver || !outcome.ok) {
      this.#isLive = false;
      return 'none';
    }
    const { items, more, gap, position } = outcome.value;
    if (gap) onGap();
    this.#takeAll(items);
    if (more) return 'part';
    this.position.merge(position);
    this.#isPlaced = true;
    this.#follow = follow;
    this.#nextSeq = 1;
    this.#isLive = true;
    this.#settle(true);
    return 'whole';
  }

  /** Tells two lives of its node apart. */
  #startOf(instance: InstanceEntry | undefined): number | undefined {
    return instance && this.#options.scope.view.incarnationOf(instance.node);
  }

  #takeAll(items: readonly ToldEvent[]): void {
    const teller = this.#followed?.name ?? '';
    for (const item of items) {
      const atMs = item.atMs + this.#shifts.heard(teller, item.atMs);
      const isNew = this.position.advance(item.source, item.epoch, item.n);
      if (isNew && this.#isFirst(item)) this.#options.onEvent({ ...item, atMs });
    }
  }

  /** Of a b2b that is lost, two callstores that took turns may both tell. */
  #isFirst({ source, event }: ToldEvent): boolean {
    if (!source.startsWith('callstore-')) return true;
    const id = String(event.data['eventid']);
    if (this.#isOnce.has(id)) return false;
    this.#isOnce.add(id);
    const oldest = this.#once.push(id);
    if (oldest !== undefined) this.#isOnce.delete(oldest);
    return true;
  }

  #settle(isLive: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(isLive);
  }
}
