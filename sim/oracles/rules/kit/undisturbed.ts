/** How long nothing has disturbed a cluster: no fault of its traffic, no loss outside, no change of its instances. */
import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import { slewedSpeed } from '../../../faults/skewed-clock.ts';
import { targetOfVerb } from '../../../faults/verbs.ts';
import type { ObservationListeners } from '../../oracle.ts';
import { Connectedness } from '../cluster/one-home.ts';
import { LostOutside } from '../legs/legs-agree.ts';
import { together } from './shared.ts';

/** By then every node has measured a clock anew that was corrected: before, it may take what that one sends for late. */
const clockSettlesMs = 10_000;

/** The cluster inside: all nodes are connected, their clocks and stores are right, and no instance has changed its status. */
export class Undisturbed {
  readonly listeners: ObservationListeners;
  readonly #links = new Connectedness();
  /** Active faults of clocks and stores. */
  readonly #open = new Set<number>();
  /** The ones of clocks, with the milliseconds by which they are wrong. */
  readonly #clocks = new Map<number, number>();
  #disturbedMs = Number.NEGATIVE_INFINITY;

  /** `areClocksMeasured`: a wrong clock disturbs only until all nodes have measured it. */
  constructor({ areClocksMeasured = false } = {}) {
    const disturb = ({ atMs }: { readonly atMs: number }) => {
      this.#disturbedMs = Math.max(this.#disturbedMs, atMs);
    };
    this.listeners = together(this.#links.listeners, {
      'instance.status': disturb,
      'instance.crashed': disturb,
      'fault.inflicted': ({ fault, verb, args, atMs }) => {
        if (!isWithin(verb)) return;
        const isClock = targetOfVerb(verb).on === 'clock';
        if (isClock) this.#clocks.set(fault, Number(args[1] ?? 0));
        disturb({ atMs: isClock && areClocksMeasured ? atMs + clockSettlesMs : atMs });
        if (!isClock || !areClocksMeasured) this.#open.add(fault);
      },
      'fault.mended': ({ fault, verb, atMs }) => {
        const wasClock = targetOfVerb(verb).on === 'clock' || (verb === 'mend' && this.#clocks.size > 0);
        const aheadMs = Math.max(0, ...(verb === 'mend' ? this.#clocks.values() : [this.#clocks.get(fault) ?? 0]));
        if (verb === 'mend') for (const faults of [this.#open, this.#clocks]) faults.clear();
        if (!isWithin(verb) && !wasClock) return;
        // A clock that is ahead runs slower until it is right.
        const correctedMs = aheadMs / (1 - slewedSpeed);
        disturb({ atMs: wasClock ? atMs + correctedMs + clockSettlesMs : atMs });
        for (const faults of [this.#open, this.#clocks]) faults.delete(fault);
      },
    });
  }

  /** Milliseconds without a disturbance. */
  forMs(nowMs: number): number {
    if (this.#open.size > 0) return 0;
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

/** Whether a fault is of a node itself. */
function isWithin(verb: string): boolean {
  const { on } = targetOfVerb(verb);
  return on === 'clock' || on === 'store';
}
