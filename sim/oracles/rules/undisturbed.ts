/** How long nothing has disturbed a cluster: no fault of its traffic, no loss outside, no change of its instances. */
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { ObservationListeners } from '../oracle.ts';
import { Connectedness } from './cluster/one-home.ts';
import { LostOutside } from './legs/legs-agree.ts';
import { together } from './shared.ts';

/** The cluster inside: all nodes are connected, and no instance has changed its status. */
export class Undisturbed {
  readonly listeners: ObservationListeners;
  readonly #links = new Connectedness();
  #disturbedMs = Number.NEGATIVE_INFINITY;

  constructor() {
    const disturb = ({ atMs }: { readonly atMs: number }) => {
      this.#disturbedMs = atMs;
    };
    this.listeners = together(this.#links.listeners, { 'instance.status': disturb, 'instance.crashed': disturb });
  }

  /** Milliseconds without a disturbance. */
  forMs(nowMs: number): number {
    return Math.max(0, Math.min(this.#links.forMs(nowMs), nowMs - this.#disturbedMs));
  }

  /** Whether nothing has disturbed it since a time. */
  isSince(sinceMs: number, nowMs: number): boolean {
    return this.forMs(nowMs) > nowMs - sinceMs;
  }
}

/** The cluster, and the messages between its edges and the devices outside. */
export class UndisturbedAround {
  readonly listeners: ObservationListeners;
  readonly #inside = new Undisturbed();
  readonly #lost: LostOutside;

  constructor(map: ClusterMap) {
    this.#lost = new LostOutside(map);
    this.listeners = together(this.#inside.listeners, this.#lost.listeners);
  }

  /** Called regularly: paused edges and silent phones lose messages unseen. */
  look(nowMs: number): void {
    this.#lost.look(nowMs);
  }

  /** Milliseconds without a disturbance. */
  forMs(nowMs: number): number {
    return Math.max(0, Math.min(this.#inside.forMs(nowMs), nowMs - this.#lost.lastMs));
  }
}
