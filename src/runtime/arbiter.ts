/**
 * An arbiter: lends the word of a split site to the half that asks first, until that half stops asking. Of the arbiters of a site
 * the first that is alive decides, and two never do: one that is cut off from most of its own site keeps silent, and a later one
 * says no while anybody at its site hears of an earlier one, and for as long afterwards as the word of that one may hold.
 * So the halves can't be given the word by two arbiters at one site. Of arbiters at several sites each may be in reach of
 * another half, and not of each other: nobody could tell.
 */

import type { ClusterMap } from '../model/cluster-map.ts';
import { done, failed, fault, type Outcome } from '../model/fault.ts';
import type { BodyOf, ReplyOf } from '../model/protocol/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { View } from './view.ts';

export interface ArbiterOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly map: ClusterMap;
  readonly view: Pick<View, 'self' | 'hears'>;
  /** Whether this node may act for its own site. */
  readonly isQuorate: () => boolean;
}

export class Arbiter {
  readonly #options: ArbiterOptions;
  readonly #leases = new Map<string, { side: readonly string[]; untilMs: number }>();

  constructor(options: ArbiterOptions) {
    this.#options = options;
  }

  claim({ site, side }: BodyOf<'quorum.claim'>): Outcome<ReplyOf<'quorum.claim'>> {
    const { clock, leaseMs, view, isQuorate } = this.#options;
    if (!isQuorate()) return failed(fault('standby', `${view.self.name} is cut off from most of its own site`));
    const nowMs = clock.now();
    // What an earlier arbiter may have lent is nobody's here.
    if (this.#hearsEarlier(site)) this.#leases.set(site, { side: [], untilMs: nowMs + leaseMs });
    const lease = this.#leases.get(site);
    const isHeldByOther =
      lease !== undefined && lease.untilMs > nowMs && !lease.side.some((node) => side.includes(node));
    if (isHeldByOther) return done({ granted: false, untilMs: lease.untilMs });
    const untilMs = nowMs + leaseMs;
    this.#leases.set(site, { side, untilMs });
    return done({ granted: true, untilMs });
  }

  #hearsEarlier(site: string): boolean {
    const { map, view } = this.#options;
    const arbiters = map.sites.get(site)?.arbiters ?? [];
    const earlier = arbiters.slice(0, Math.max(0, arbiters.indexOf(view.self.name)));
    return earlier.some((name) => view.hears(map.node(name)));
  }
}
