/** How long nothing has disturbed a cluster: no fault of its traffic, no loss outside, no change of its instances. */
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { ObservationListeners } from '../oracle.ts';
import { LostOutside } from './calls/legs-agree.ts';
import { Connectedness } from './cluster/one-home.ts';
import { together } from './shared.ts';

export class Undisturbed {
  readonly listeners: ObservationListeners;
  readonly #links = new Connectedness();
  readonly #lost: LostOutside;
  #disturbedMs = Number.NEGATIVE_INFINITY;

  constructor(map: ClusterMap) {
    this.#lost = new LostOutside(map);
    const disturb = ({ atMs }: { readonly atMs: number }) => {
      this.#disturbedMs = atMs;
    };
    this.listeners = together(this.#links.listeners, this.#lost.listeners, {
      'instance.status': disturb,
      'instance.crashed': disturb,
    });
  }

  /** Called regularly: paused edges and silent phones lose messages unseen. */
  look(nowMs: number): void {
    this.#lost.look(nowMs);
  }

  /** Milliseconds without a disturbance. */
  forMs(nowMs: number): number {
    const lastMs = Math.max(this.#disturbedMs, this.#lost.lastMs);
    return Math.max(0, Math.min(this.#links.forMs(nowMs), nowMs - lastMs));
  }
}
