/**
 * Decides which instance of an active-passive group serves, from the view of each member's own node: no word passes
 * between members but the statuses that the view carries.
 *
 * The active one stays active while its site is quorate, so that a returning instance does not take over again.
 * A standby is elected when nobody in reach is active or comes before it by order, and, where members are out of reach,
 * after `takeoverMs`, which leaves an active one on the other side the time to step down.
 */
import type { ClusterMap, InstanceEntry } from '../model/cluster-map.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import type { View } from './view.ts';

export type Verdict = 'elected' | 'deposed' | 'wait' | 'stay';

export interface FailoverOptions {
  readonly map: ClusterMap;
  readonly view: View;
  readonly clock: Clock;
  readonly takeoverMs: number;
  readonly isQuorate: () => boolean;
  readonly decide: (instance: InstanceEntry, verdict: 'elected' | 'deposed') => void;
}

export class Failover {
  readonly #options: FailoverOptions;
  readonly #candidates: readonly { instance: InstanceEntry; group: readonly InstanceEntry[] }[];
  readonly #holds = new Map<string, Timer>();

  constructor(options: FailoverOptions) {
    this.#options = options;
    this.#candidates = options.view.self.instances
      .filter((instance) => instance.group !== undefined)
      .map((instance) => ({ instance, group: options.map.groupOf(instance) }));
  }

  /** Looks again at every group that has a member here. */
  look(): void {
    for (const { instance, group } of this.#candidates) {
      const verdict = this.#judge(instance, group);
      if (verdict !== 'wait') this.#release(instance);
      if (verdict === 'wait') this.#hold(instance);
      else if (verdict !== 'stay') this.#options.decide(instance, verdict);
    }
  }

  #judge(self: InstanceEntry, group: readonly InstanceEntry[]): Verdict {
    const { view, isQuorate } = this.#options;
    const status = view.statusOf(self);
    const others = group.filter((each) => each !== self);
    if (status === 'active') return isQuorate() && !this.#mustYield(self, others) ? 'stay' : 'deposed';
    if (status !== 'standby' || !isQuorate()) return 'stay';
    const statuses = others.map((each) => ({ each, status: view.heardStatusOf(each) }));
    if (statuses.some((other) => other.status === 'active' || other.status === 'draining')) return 'stay';
    const isFirst = statuses.every(
      (other) => other.each.order > self.order || (other.status !== 'standby' && other.status !== 'starting'),
    );
    if (!isFirst) return 'stay';
    return statuses.some((other) => other.status === undefined) ? 'wait' : 'elected';
  }

  /** Of two active ones that see each other, after a partition, the later by order yields. */
  #mustYield(self: InstanceEntry, others: readonly InstanceEntry[]): boolean {
    return others.some((each) => each.order < self.order && this.#options.view.heardStatusOf(each) === 'active');
  }

  #hold(instance: InstanceEntry): void {
    if (this.#holds.has(instance.name)) return;
    const timer = this.#options.clock.setTimer(this.#options.takeoverMs, () => {
      this.#holds.delete(instance.name);
      this.#options.decide(instance, 'elected');
    });
    this.#holds.set(instance.name, timer);
  }

  #release(instance: InstanceEntry): void {
    this.#holds.get(instance.name)?.cancel();
    this.#holds.delete(instance.name);
  }
}
