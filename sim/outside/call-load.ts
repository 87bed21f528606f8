/**
 * A load of calls with random arrivals (Poisson) and durations. Callers hang up. Caller and callee are drawn from the
 * registered endpoints and the numbers that answer.
 */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Clock, Timer } from '../../src/ports/clock.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import { NotInTopology } from '../faults/places.ts';
import { type Behaviours, isWilling } from './behaviour.ts';
import type { OutsideEndpoint } from './endpoints/outside-endpoint.ts';
import type { CallProgress, Placing } from './endpoints/party-machine.ts';
import type { Phone } from './endpoints/phone.ts';
import type { Provider } from './endpoints/provider.ts';
import type { Endpoints } from './endpoints.ts';
import { type AccountEntry, accountsOf, isProviderNamed } from './population.ts';

export const trafficKinds = ['phoneToPhone', 'phoneToProvider', 'providerToPhone', 'phoneToRoom'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

/** @internal */
export interface Outgoing {
  readonly party: OutsideEndpoint;
  readonly placing: Placing;
}

/** `undefined`: the drawn caller has no route to the platform. @internal */
export type Draw = () => Outgoing | undefined;

/** The endpoints of one domain. */
interface Circle {
  readonly domain: string;
  readonly phones: readonly Phone[];
  /** Each account, with its provider at each address. */
  readonly trunks: readonly { readonly providers: readonly Provider[]; readonly account: AccountEntry }[];
  /** Feature codes of conferences. */
  readonly prefixes: readonly string[];
}

/** How often a draw is repeated if the caller is not registered or the callee would not answer. */
const attempts = 8;
const usualRooms = 10;

/** Draws the calls of a load: a registered caller, and a number that answers. @internal */
export class Callers {
  readonly #random: RandomStream;
  readonly #circles: readonly Circle[];
  readonly #rooms: number;

  /** `rooms`: largest number of conferences in each domain. */
  constructor(scene: TrafficScene, rooms = usualRooms) {
    const { phones, providers } = scene.endpoints;
    this.#random = scene.random;
    this.#rooms = rooms;
    this.#circles = scene.map.topology.domains.map(({ name: domain, features }) => ({
      domain,
      phones: phones.filter(({ entry }) => entry.domain === domain),
      trunks: accountsOf(scene.map).flatMap((account) => {
        const own = providers.filter(({ entry }) => isProviderNamed(entry, account.key));
        return account.domain === domain && own.length > 0 ? [{ providers: own, account }] : [];
      }),
      prefixes: features.filter(({ type }) => type === 'conference').map(({ prefix }) => prefix),
    }));
  }

  /** The draw for a kind of calls; `undefined` if the topology has no endpoints for it. */
  of(kind: TrafficKind): Draw | undefined {
    switch (kind) {
      case 'phoneToPhone':
        return this.#among(
          ({ phones }) => phones.length > 1,
          (circle) => {
            const caller = this.#caller(circle);
            return byPhone(caller, this.#callee(circle, caller));
          },
        );
      case 'phoneToProvider':
        return this.#among(
          ({ phones, trunks }) => phones.length > 0 && trunks.length > 0,
          (circle) => byPhone(this.#caller(circle), `${this.#digits('49', 6)}0${this.#random.integer(0, 3)}`),
        );
      case 'providerToPhone':
        return this.#among(
          ({ phones, trunks }) => phones.length > 0 && trunks.length > 0,
          (circle) => this.#byProvider(circle),
        );
      case 'phoneToRoom':
        return this.#among(
          ({ phones, prefixes }) => phones.length > 0 && prefixes.length > 0,
          (circle) => {
            const room = this.#random.integer(0, this.#rooms - 1);
            return byPhone(this.#caller(circle), `${this.#one(circle.prefixes)}0${room}`);
          },
        );
    }
  }

  #among(isAble: (circle: Circle) => boolean, draw: (circle: Circle) => Outgoing | undefined): Draw | undefined {
    const circles = this.#circles.filter(isAble);
    return circles.length === 0 ? undefined : () => draw(this.#one(circles));
  }

  #byProvider(circle: Circle): Outgoing | undefined {
    const { providers, account } = this.#one(circle.trunks);
    const to = this.#callee(circle);
    const caller = this.#digits('49', 8);
    for (const provider of providers.toSorted(
      (one, other) => Number(one.party.isSilent) - Number(other.party.isSilent),
    )) {
      const placing = provider.placing(account, to, caller);
      if (placing !== undefined) return { party: provider.party, placing };
    }
    return undefined;
  }

  #caller({ phones }: Circle): Phone {
    return this.#good(phones, (phone) => phone.isRegistered);
  }

  /** The number of another user who answers. */
  #callee({ phones }: Circle, caller?: Phone): string {
    const isGood = (phone: Phone) =>
      phone.entry.user !== caller?.entry.user && phone.isRegistered && isWilling(phone.reactionTo());
    return this.#good(phones, isGood).entry.user.phonenumber;
  }

  #good<T>(items: readonly T[], isGood: (item: T) => boolean): T {
    let item = this.#one(items);
    for (let n = 1; n < attempts && !isGood(item); n += 1) item = this.#one(items);
    return item;
  }

  #one<T>(items: readonly T[]): T {
    const item = items[this.#random.integer(0, items.length - 1)];
    if (item === undefined) throw new Error('nothing to draw from');
    return item;
  }

  #digits(prefix: string, count: number): string {
    return `${prefix}${String(this.#random.integer(0, 10 ** count - 1)).padStart(count, '0')}`;
  }
}

function byPhone(phone: Phone, to: string): Outgoing | undefined {
  const placing = phone.placing(to);
  return placing && { party: phone.party, placing };
}

export interface TrafficOptions {
  /** Calls a second. */
  readonly rate: number;
  /** Mean duration of a call from its answer. Default 20 s. */
  readonly holdingMs?: number | undefined;
  /** Distribution of the durations. Default `exponential`. */
  readonly holding?: 'exponential' | 'fixed';
  /** Number of rooms for the callers of a domain. Default 10. */
  readonly rooms?: number;
  /** Shares of the kinds of calls. A kind without endpoints counts as zero. */
  readonly mix?: Readonly<Partial<Record<TrafficKind, number>>>;
}

/** @internal */
export interface TrafficScene {
  readonly map: ClusterMap;
  readonly behaviours: Behaviours;
  readonly endpoints: Endpoints;
  readonly clock: Clock;
  readonly random: RandomStream;
}

/** Counts of the calls so far. Calls that neither failed nor ended are in progress. */
export interface TrafficCounts {
  readonly started: number;
  readonly answered: number;
  readonly failed: number;
  /** Ended after their answer. */
  readonly ended: number;
  /**
   * Failed calls by reason: the status of the final answer, `no way` (the drawn caller had no route to the platform),
   * `no answer`.
   */
  readonly why: Readonly<Record<string, number>>;
}

const usualMix: Readonly<Record<TrafficKind, number>> = {
  phoneToPhone: 6,
  phoneToProvider: 2,
  providerToPhone: 1,
  phoneToRoom: 1,
};
const usualHoldingMs = 20_000;

/** @internal */
export class Traffic {
  readonly #options: TrafficOptions;
  readonly #scene: TrafficScene;
  readonly #kinds: readonly { readonly draw: Draw; readonly share: number }[];
  readonly #counts = { started: 0, answered: 0, failed: 0, ended: 0 };
  readonly #why = new Map<string, number>();
  #next: Timer | undefined;

  /** Throws if the rate is not above zero, or the topology has no endpoints for any kind in the mix. */
  constructor(options: TrafficOptions, scene: TrafficScene) {
    const { rate, mix = usualMix, rooms } = options;
    if (!(rate > 0 && rate < Infinity)) throw new RangeError(`expected a rate of calls a second above 0, got ${rate}`);
    const callers = new Callers(scene, rooms);
    this.#options = options;
    this.#scene = scene;
    this.#kinds = trafficKinds.flatMap((kind) => {
      const draw = callers.of(kind);
      const share = mix[kind] ?? 0;
      return draw === undefined || share <= 0 ? [] : [{ draw, share }];
    });
    if (this.#kinds.length === 0)
      throw new NotInTopology('the topology has no phones or providers that can make such calls');
  }

  get counts(): TrafficCounts {
    return { ...this.#counts, why: Object.fromEntries(this.#why) };
  }

  start(): void {
    if (this.#next === undefined) this.#await();
  }

  /** Stops new calls. Open ones are hung up at their time. */
  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #await(): void {
    this.#next = this.#scene.clock.setTimer(this.#exponential(1_000 / this.#options.rate), () => {
      this.#await();
      this.#begin();
    });
  }

  #begin(): void {
    this.#counts.started += 1;
    const hangupMs = this.#holdingMs();
    const outgoing = this.#draw()();
    if (outgoing === undefined) return this.#fail('no way');
    let hasAnswered = false;
    const onProgress = (progress: CallProgress) => {
      const { type } = progress;
      if (type === 'answered') this.#counts.answered += 1;
      if (type === 'failed') this.#fail(String(progress.status));
      if (type === 'ended' && hasAnswered) this.#counts.ended += 1;
      if (type === 'ended' && !hasAnswered) this.#fail('no answer');
      hasAnswered ||= type === 'answered';
    };
    outgoing.party.call({ ...outgoing.placing, hangupMs, onProgress });
  }

  #fail(why: string): void {
    this.#counts.failed += 1;
    this.#why.set(why, (this.#why.get(why) ?? 0) + 1);
  }

  /** Draws a kind of call by its share. */
  #draw(): Draw {
    const all = this.#kinds.reduce((sum, { share }) => sum + share, 0);
    let left = this.#scene.random.float() * all;
    for (const { draw, share } of this.#kinds) {
      left -= share;
      if (left < 0) return draw;
    }
    return () => undefined;
  }

  #holdingMs(): number {
    const { holdingMs = usualHoldingMs, holding = 'exponential' } = this.#options;
    return holding === 'fixed' ? holdingMs : this.#exponential(holdingMs);
  }

  #exponential(mean: number): number {
    return -Math.log(1 - this.#scene.random.float()) * mean;
  }
}
