/**
 * The instances on which entities of a role depend, such as the b2b of a leg. An entity is lost when its instance was
 * unreachable for `timings.callGoneMs` or has restarted; it is reported once, by its key.
 */

import type { RoleScope } from '../cluster/role.ts';
import { isServing } from '../model/cluster/states.ts';
import type { Timer } from '../ports/clock.ts';

interface Partner {
  readonly keys: Set<string>;
  timer: Timer | undefined;
  /** The start of its node on which its entities depend: a node may start again before it is missed. */
  incarnation: number | undefined;
}

export class Partners {
  readonly #scope: RoleScope;
  readonly #onLost: (key: string) => void;
  /** By address. */
  readonly #partners = new Map<string, Partner>();
  /** The address of the instance of each key. */
  readonly #addresses = new Map<string, string>();

  constructor(scope: RoleScope, onLost: (key: string) => void) {
    this.#scope = scope;
    this.#onLost = onLost;
    scope.onViewChange(() => this.#check());
  }

  /** Makes a key depend on the instance with this address instead of any other. */
  join(address: string, key: string): void {
    if (this.#addresses.get(key) === address) return;
    this.leave(key);
    const partner = this.#partners.get(address) ?? { keys: new Set(), timer: undefined, incarnation: undefined };
    this.#partners.set(address, partner);
    partner.keys.add(key);
    this.#addresses.set(key, address);
    if (partner.keys.size === 1) this.#checkPartner(address, partner);
  }

  leave(key: string): void {
    const address = this.#addresses.get(key) ?? '';
    const partner = this.#partners.get(address);
    this.#addresses.delete(key);
    if (partner === undefined) return;
    partner.keys.delete(key);
    if (partner.keys.size > 0) return;
    partner.timer?.cancel();
    this.#partners.delete(address);
  }

  stop(): void {
    for (const { timer } of this.#partners.values()) timer?.cancel();
    this.#partners.clear();
    this.#addresses.clear();
  }

  #check(): void {
    for (const [address, partner] of this.#partners) this.#checkPartner(address, partner);
  }

  #checkPartner(address: string, partner: Partner): void {
    const { clock, map, view } = this.#scope;
    const instance = map.instances.get(address);
    const status = instance === undefined ? 'stopped' : view.statusOf(instance);
    if (status === undefined) {
      partner.timer ??= clock.setTimer(map.topology.timings.callGoneMs, () => this.#lose(partner));
      return;
    }
    const before = partner.incarnation;
    partner.incarnation = instance && view.incarnationOf(instance.node);
    const isSame = before === undefined || before === partner.incarnation;
    if (!isServing(status) || !isSame) return this.#lose(partner);
    partner.timer?.cancel();
    partner.timer = undefined;
  }

  #lose(partner: Partner): void {
    partner.timer?.cancel();
    partner.timer = undefined;
    for (const key of [...partner.keys]) this.#onLost(key);
  }
}
