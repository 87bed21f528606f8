/**
 * The instances on which something of a role depends, a leg for instance. What depends on one that is gone for
 * `timings.callGoneMs`, or has started anew, is lost: each is told once, by its key.
 */

import type { RoleScope } from '../cluster/role.ts';
import type { Timer } from '../ports/clock.ts';

interface Partner {
  readonly keys: Set<string>;
  timer: Timer | undefined;
}

export class Partners {
  readonly #scope: RoleScope;
  readonly #onLost: (key: string) => void;
  /** By address. */
  readonly #partners = new Map<string, Partner>();
  /** The address on which each key depends. */
  readonly #places = new Map<string, string>();

  constructor(scope: RoleScope, onLost: (key: string) => void) {
    this.#scope = scope;
    this.#onLost = onLost;
    scope.onViewChange(() => this.#look());
  }

  /** From now on it depends on the instance of this address, and on no other. */
  join(address: string, key: string): void {
    if (this.#places.get(key) === address) return;
    this.leave(key);
    const partner = this.#partners.get(address) ?? { keys: new Set(), timer: undefined };
    this.#partners.set(address, partner);
    partner.keys.add(key);
    this.#places.set(key, address);
    if (partner.keys.size === 1) this.#lookAt(address, partner);
  }

  leave(key: string): void {
    const address = this.#places.get(key) ?? '';
    const partner = this.#partners.get(address);
    this.#places.delete(key);
    if (partner === undefined) return;
    partner.keys.delete(key);
    if (partner.keys.size > 0) return;
    partner.timer?.cancel();
    this.#partners.delete(address);
  }

  stop(): void {
    for (const { timer } of this.#partners.values()) timer?.cancel();
    this.#partners.clear();
    this.#places.clear();
  }

  #look(): void {
    for (const [address, partner] of this.#partners) this.#lookAt(address, partner);
  }

  #lookAt(address: string, partner: Partner): void {
    const { clock, map, view } = this.#scope;
    const instance = map.instances.get(address);
    const status = instance === undefined ? 'stopped' : view.statusOf(instance);
    if (status === 'active' || status === 'draining') {
      partner.timer?.cancel();
      partner.timer = undefined;
    } else if (status === undefined) {
      partner.timer ??= clock.setTimer(map.topology.timings.callGoneMs, () => this.#lose(partner));
    } else this.#lose(partner);
  }

  #lose(partner: Partner): void {
    partner.timer?.cancel();
    partner.timer = undefined;
    for (const key of [...partner.keys]) this.#onLost(key);
  }
}
