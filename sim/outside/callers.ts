/** Draws calls for a load: somebody who is there, and a number where somebody answers. */
import type { RandomStream } from '../../src/ports/random.ts';
import { isWilling } from './behaviour.ts';
import type { Party } from './party.ts';
import type { Placing } from './party-call.ts';
import type { Phone } from './phone.ts';
import type { AccountEntry } from './population.ts';
import type { Provider } from './provider.ts';
import type { TrafficScene } from './traffic.ts';

export const trafficKinds = ['phoneToPhone', 'phoneToProvider', 'providerToPhone', 'phoneToRoom'] as const;
export type TrafficKind = (typeof trafficKinds)[number];

export interface Outgoing {
  readonly party: Party;
  readonly placing: Placing;
}

/** `undefined`: whoever was drawn has no way to the platform just now. */
export type Draw = () => Outgoing | undefined;

/** Those of one domain. */
interface Circle {
  readonly domain: string;
  readonly phones: readonly Phone[];
  readonly trunks: readonly { readonly provider: Provider; readonly account: AccountEntry }[];
  /** Feature codes of conferences. */
  readonly prefixes: readonly string[];
}

/** How often a draw is made again that hits somebody who is not there or won't answer. */
const attempts = 8;
const usualRooms = 10;

export class Callers {
  readonly #random: RandomStream;
  readonly #circles: readonly Circle[];
  readonly #rooms: number;

  /** `rooms`: how many conferences each domain has at most. */
  constructor(scene: TrafficScene, rooms = usualRooms) {
    const { phones, providers } = scene.inhabitants;
    this.#random = scene.random;
    this.#rooms = rooms;
    this.#circles = scene.map.topology.domains.map(({ name: domain, features }) => ({
      domain,
      phones: phones.filter(({ entry }) => entry.domain === domain),
      trunks: providers.flatMap((provider) =>
        provider.entry.accounts.flatMap((account) => (account.domain === domain ? [{ provider, account }] : [])),
      ),
      prefixes: features.filter(({ type }) => type === 'conference').map(({ prefix }) => prefix),
    }));
  }

  /** How calls of a kind are drawn. `undefined` where nobody could make one. */
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
    const { provider, account } = this.#one(circle.trunks);
    const to = this.#callee(circle);
    const placing = provider.placing(account, to, this.#digits('49', 8));
    return placing && { party: provider.party, placing };
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
