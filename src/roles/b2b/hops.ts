/**
 * The hops of legs: the gate by which a party is reached now, its stand-in while it is away, and the legs that are lost because no
 * gate has led to their party for `timings.callGoneMs`.
 */

import { accountHome } from '../../cluster/membership/instance-choice.ts';
import { activeInstances, type RoleScope } from '../../cluster/role.ts';
import type { InstanceEntry } from '../../model/cluster/cluster-map.ts';
import { isServing } from '../../model/cluster/states.ts';
import type { SipMessage } from '../../model/sip/message.ts';
import type { Timer } from '../../ports/clock.ts';

interface InUse {
  readonly legs: Set<string>;
  timer: Timer | undefined;
  /** The start of its node in which it got its legs: a node may start again before it is missed. */
  incarnation: number | undefined;
}

export class Hops {
  readonly #scope: RoleScope;
  readonly #onLost: (leg: string) => void;
  readonly #inUse = new Map<string, InUse>();

  constructor(scope: RoleScope, onLost: (leg: string) => void) {
    this.#scope = scope;
    this.#onLost = onLost;
    scope.onViewChange(() => this.#look());
  }

  /**
   * The instance to which a message for `hop` goes now. `undefined`: none leads there. A response goes back on the route of its request,
   * and a CANCEL on that of its INVITE, because no other instance knows that request (RFC 3261, 9.1).
   */
  routeFor({ kind, method }: SipMessage, hop: string): string | undefined {
    const instance = this.#scope.map.instances.get(hop);
    if (instance === undefined) return undefined;
    if (kind === 'response' || method === 'CANCEL' || this.#isServing(instance)) return hop;
    return this.#standIn(instance)?.address;
  }

  /** Whether what is sent there can get lost on its route: behind a gate are datagrams. */
  isLossy(hop: string): boolean {
    const role = this.#scope.map.instances.get(hop)?.role;
    return role === 'sg' || role === 'esg';
  }

  add(hop: string, leg: string): void {
    const known = this.#inUse.get(hop);
    if (known !== undefined) return void known.legs.add(leg);
    const use: InUse = { legs: new Set([leg]), timer: undefined, incarnation: undefined };
    this.#inUse.set(hop, use);
    this.#lookAt(hop, use);
  }

  remove(hop: string, leg: string): void {
    const known = this.#inUse.get(hop);
    if (known === undefined) return;
    known.legs.delete(leg);
    if (known.legs.size > 0) return;
    known.timer?.cancel();
    this.#inUse.delete(hop);
  }

  #look(): void {
    for (const [hop, use] of this.#inUse) this.#lookAt(hop, use);
  }

  #lookAt(hop: string, use: InUse): void {
    const { clock, map } = this.#scope;
    const instance = map.instances.get(hop);
    if (instance !== undefined && this.#hasForgotten(instance, use)) this.#lose(use);
    else if (instance !== undefined && (this.#isServing(instance) || this.#standIn(instance) !== undefined)) {
      use.timer?.cancel();
      use.timer = undefined;
    } else use.timer ??= clock.setTimer(map.topology.timings.callGoneMs, () => this.#lose(use));
  }

  #lose(use: InUse): void {
    use.timer?.cancel();
    use.timer = undefined;
    for (const leg of [...use.legs]) this.#onLost(leg);
  }

  #isServing(instance: InstanceEntry): boolean {
    return isServing(this.#scope.view.statusOf(instance));
  }

  /** conf and ivr have their legs in memory: one that starts anew knows nothing of them. */
  #hasForgotten(instance: InstanceEntry, use: InUse): boolean {
    if (instance.role !== 'conf' && instance.role !== 'ivr') return false;
    const incarnation = this.#scope.view.incarnationOf(instance.node);
    if (incarnation === undefined) return false;
    const before = use.incarnation ?? incarnation;
    use.incarnation = incarnation;
    return before !== incarnation || !this.#isServing(instance);
  }

  /**
   * Another gate: of an sg one of its site, of an esg the one that its accounts go to. Never an sg of another site: a phone
   * that called through a site that is cut off is behind the cut as well. (chosen)
   */
  #standIn(instance: InstanceEntry): InstanceEntry | undefined {
    const { map, view } = this.#scope;
    if (instance.role === 'sg') {
      return activeInstances(this.#scope, 'sg').find((each) => each.site === instance.site);
    }
    if (instance.role !== 'esg') return undefined;
    const home = accountHome(map, view, { esg: instance.srvidx });
    return home === instance ? undefined : home;
  }
}
