/**
 * An arbiter: grants a lease to the half of a split site that claims it first, until that half stops claiming. Of the
 * arbiters of a site, the first one alive decides, and two never do: one that is cut off from most of its own site refuses,
 * and a later one denies while a node of its site reaches an earlier one, and afterwards for as long as the lease of that
 * one may last. So two arbiters at one site can't grant leases to both halves. Arbiters at different sites can: each may
 * reach another half and not the other arbiter.
 */
import { type FindActor, withCommands } from '../../actors/actor-logic.ts';
import { type LeaseCommand, leaseMachine } from '../../machines/cluster/lease.ts';
import type { ClusterMap } from '../../model/cluster/cluster-map.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ClusterView } from './view.ts';

export interface ArbiterOptions {
  readonly map: ClusterMap;
  readonly view: Pick<ClusterView, 'self' | 'isReportedReachable'>;
  readonly find: FindActor;
  /** Whether this node may act for its own site. */
  readonly isQuorate: () => boolean;
}

export class Arbiter {
  /** Sites whose ties this node decides; each has a lease actor under `Arbiter.id(site)`. */
  readonly sites: readonly string[];
  readonly logic = withCommands(leaseMachine, (command) => this.#execute(command));
  readonly #options: ArbiterOptions;
  #lastCommand: LeaseCommand['type'] | undefined;

  constructor(options: ArbiterOptions) {
    this.#options = options;
    const { map, view } = options;
    this.sites = [...map.sites.values()]
      .filter((site) => site.arbiters.includes(view.self.name))
      .map(({ name }) => name);
  }

  static id(site: string): string {
    return `lease/${site}`;
  }

  claim({ site, side }: BodyOf<'quorum.claim'>): Outcome<ReplyOf<'quorum.claim'>> {
    const { view, find, isQuorate } = this.#options;
    if (!isQuorate()) return failed(fault('standby', `${view.self.name} is cut off from most of its own site`));
    const lease = find(Arbiter.id(site));
    if (lease === undefined) return failed(fault('invalid', `${view.self.name} is no arbiter of site ${site}`));
    if (this.#reachesEarlier(site)) lease.send({ type: 'earlier.arbiter.seen' });
    lease.send({ type: 'claimed', side });
    return done({ granted: this.#lastCommand === 'granted' });
  }

  #execute({ type }: LeaseCommand): void {
    this.#lastCommand = type;
  }

  #reachesEarlier(site: string): boolean {
    const { map, view } = this.#options;
    const arbiters = map.sites.get(site)?.arbiters ?? [];
    const earlier = arbiters.slice(0, Math.max(0, arbiters.indexOf(view.self.name)));
    return earlier.some((name) => view.isReportedReachable(map.node(name)));
  }
}
