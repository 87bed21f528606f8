/** Several ws instances as far as sessions go, over links that can be cut and stores that survive a crash. */

import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { PendingWork } from '../../../sim/world/virtual/pending-work.ts';
import { TimeDriver } from '../../../sim/world/virtual/time-driver.ts';
import { Counters } from '../../../src/actors/counters.ts';
import { ScopedClock } from '../../../src/actors/scoped-clock.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import type { InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import { failed, fault, type Outcome } from '../../../src/model/fault.ts';
import { noFaultPoints } from '../../../src/ports/instrumentation/fault-points.ts';
import type { Stores } from '../../../src/ports/store.ts';
import { Sessions } from '../../../src/roles/ws/sessions.ts';
import { defaultMap as map } from '../maps.ts';

/** How long a message is on its way, and how long until a front notices which fronts came into reach or were lost. */
const transitMs = 3;
export const noticeMs = 2_000;

type AnyHandlers = Record<string, (body: unknown) => unknown>;

interface Life {
  readonly sessions: Sessions;
  readonly clock: ScopedClock;
  readonly counters: Counters;
}

interface Front {
  readonly entry: InstanceEntry;
  readonly viewers: Set<() => void>;
  /** Addresses of the fronts that it takes for active. */
  readonly seen: Set<string>;
  life: Life | undefined;
}

export const user = { id: 'u1', login: 'user', name: 'User', roles: ['user'], tags: [], passwordId: 'first' };

export interface SessionFrontsOptions {
  readonly seed?: number;
  /** What the fronts get for stores. */
  readonly spoil?: (stores: Stores) => Stores;
  /** How many sessions a front knows at most. */
  readonly limit?: number | undefined;
}

export class SessionFronts {
  readonly clock = new VirtualClock(1_000_000);
  readonly fronts: readonly string[];
  readonly #time = new TimeDriver(this.clock, new PendingWork());
  readonly #stores: SimulatedStores;
  readonly #spoil: (stores: Stores) => Stores;
  readonly #all: readonly Front[];
  readonly #random: SeededRandom;
  /** Fronts of one number are in reach of each other. */
  #sides: readonly number[] = [0, 0, 0];
  #epoch = 0;
  readonly #limit: number | undefined;

  constructor({ seed = 1, spoil = (stores: Stores) => stores, limit }: SessionFrontsOptions = {}) {
    this.#limit = limit;
    this.#random = new SeededRandom(seed);
    this.#stores = new SimulatedStores({ clock: this.clock, random: this.#random.stream('faults') });
    this.#spoil = spoil;
    this.#all = map.instancesOf('ws').map((entry) => ({ entry, viewers: new Set(), seen: new Set(), life: undefined }));
    this.fronts = this.#all.map(({ entry }) => entry.name);
    for (let index = 0; index < this.#all.length; index += 1) this.start(index);
  }

  isUp(index: number): boolean {
    return this.#at(index).life !== undefined;
  }

  /** Whether two fronts run and are in reach of each other. */
  areTogether(one: number, other: number): boolean {
    return this.isUp(one) && this.isUp(other) && this.#sides[one] === this.#sides[other];
  }

  sessions(index: number): Sessions {
    const { life } = this.#at(index);
    if (life === undefined) throw new Error(`front ${index} does not run`);
    return life.sessions;
  }

  /** What a front counts. */
  gauges(index: number): ReadonlyMap<string, number> {
    return this.#at(index).life?.counters.gauges() ?? new Map();
  }

  /** Timers that a front has set. */
  timers(index: number): number {
    return this.#at(index).life?.clock.pending ?? 0;
  }

  start(index: number): void {
    const front = this.#at(index);
    if (front.life !== undefined) return;
    this.#epoch += 1;
    const clock = new ScopedClock(this.clock);
    const counters = new Counters();
    const stores = this.#spoil(this.#stores.of(front.entry.address));
    front.life = { sessions: new Sessions(this.#scope(front, clock, counters), stores, this.#limit), clock, counters };
    this.#changed();
  }

  /** Ends a front at once; of what its store was writing a part may be lost. */
  crash(index: number): void {
    const front = this.#at(index);
    const { life } = front;
    if (life === undefined) return;
    front.life = undefined;
    front.viewers.clear();
    front.seen.clear();
    life.clock.end();
    this.#stores.crash(front.entry.address);
    life.sessions.stop();
    this.#changed();
  }

  /** Each front gets a side; those of different sides are cut off from each other. */
  cut(sides: readonly number[]): void {
    this.#sides = sides;
    this.#changed();
  }

  /** The result of `work`, while time passes. */
  async comes<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const settled = work.finally(() => {
      isDone = true;
    });
    await this.#time.run(this.clock.now() + 60_000, () => isDone);
    if (!isDone) throw new Error('it has not come within a minute');
    return settled;
  }

  async wait(ms: number): Promise<void> {
    await this.#time.run(this.clock.now() + ms, () => false);
  }

  /** Whether a front accepts a session, asked as a request asks. Answers the domain that it is bound to. */
  async accepts(index: number, id: string): Promise<string | undefined> {
    const sessions = this.sessions(index);
    await this.comes(sessions.loaded);
    if (sessions.met !== undefined) await this.comes(sessions.met);
    const known = sessions.use(id);
    if (known !== undefined) return known.domain;
    const found = await this.comes(sessions.find(id));
    return found.ok ? found.value.session?.domain : undefined;
  }

  #at(index: number): Front {
    return this.#all[index] as Front;
  }

  /** Every front notices some time later which fronts are in reach now. */
  #changed(): void {
    this.clock.setTimer(noticeMs, () => {
      for (const front of this.#all) this.#notice(front);
    });
  }

  #notice(front: Front): void {
    if (front.life === undefined) return;
    front.seen.clear();
    for (const other of this.#all)
      if (other !== front && this.#reaches(front, other)) front.seen.add(other.entry.address);
    for (const look of front.viewers) look();
  }

  #reaches(one: Front, other: Front): boolean {
    return this.areTogether(this.#all.indexOf(one), this.#all.indexOf(other));
  }

  #scope(front: Front, clock: ScopedClock, counters: Counters): RoleScope {
    const silent = { write: () => {}, child: () => silent };
    const scope: Partial<RoleScope> = {
      instance: front.entry,
      map,
      view: {
        statusOf: (each: InstanceEntry) => (front.seen.has(each.address) ? 'active' : undefined),
        contactOf: () => '1.1',
      } as unknown as RoleScope['view'],
      epoch: this.#epoch,
      clock,
      random: this.#random.fork(`${front.entry.name} ${this.#epoch}`),
      log: silent,
      counters,
      faultPoints: noFaultPoints,
      onViewChange: (look) => void front.viewers.add(look),
      crash: (error) => {
        throw error;
      },
      tell: (to, type, body) => this.#deliver(front, to, (handlers) => void handlers[type]?.(structuredClone(body))),
      ask: ((to: string, type: string, body: unknown) =>
        this.#ask(front, clock, { to, type, body })) as RoleScope['ask'],
    };
    return scope as RoleScope;
  }

  /** Hands something to the life of a front that runs now, if both are in reach at both ends of its way. */
  #deliver(from: Front, to: string, hand: (handlers: AnyHandlers) => void): void {
    const target = this.#all.find(({ entry }) => entry.address === to);
    const life = target?.life;
    if (target === undefined || life === undefined || !this.#reaches(from, target)) return;
    this.clock.setTimer(transitMs, () => {
      if (target.life === life && this.#reaches(from, target)) hand(life.sessions.handlers as unknown as AnyHandlers);
    });
  }

  #ask(
    from: Front,
    clock: ScopedClock,
    { to, type, body }: { to: string; type: string; body: unknown },
  ): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      clock.setTimer(1_000, () => resolve(failed(fault('timeout', 'no answer'))));
      const target = this.#all.find(({ entry }) => entry.address === to) as Front;
      this.#deliver(from, to, (handlers) => {
        void Promise.resolve(handlers[type]?.(structuredClone(body))).then((outcome) =>
          this.#deliver(target, from.entry.address, () => resolve(outcome as Outcome<unknown>)),
        );
      });
    });
  }
}
