/**
 * The site actor of a node: the parent of its quorum, of a failover for each group member, and of the leases that it may
 * grant.
 */
import { type AnyActorLogic, enqueueActions, setup } from 'xstate';
import { Arbiter } from './arbiter.ts';
import { Failover } from './failover-judgement.ts';
import { Quorum } from './quorum.ts';

export interface SiteParts {
  readonly quorum: Quorum;
  readonly failover: Failover;
  readonly arbiter: Arbiter;
  readonly takeoverMs: number;
  readonly leaseMs: number;
}

/** Handles no events: view changes and claims are sent to its parts. An error of a part is an error of the site. */
export function siteLogic({ quorum, failover, arbiter, takeoverMs, leaseMs }: SiteParts): AnyActorLogic {
  return setup({
    actors: { quorum: quorum.logic, failover: failover.logic, lease: arbiter.logic },
    actions: {
      spawnParts: enqueueActions(({ enqueue }) => {
        enqueue.spawnChild('quorum', { id: Quorum.id, systemId: Quorum.id });
        for (const id of failover.candidates.map(Failover.id)) {
          enqueue.spawnChild('failover', { id, systemId: id, input: { takeoverMs } });
        }
        for (const id of arbiter.sites.map(Arbiter.id)) {
          enqueue.spawnChild('lease', { id, systemId: id, input: { leaseMs } });
        }
      }),
    },
  }).createMachine({ id: 'site', entry: 'spawnParts' });
}
