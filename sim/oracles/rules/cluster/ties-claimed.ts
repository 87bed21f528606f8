/** Half of a site asks an arbiter that it reaches, and does not serve without its lease. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { NodeEntry } from '../../../../src/model/cluster/cluster-map.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { ArbiterLeases, together } from '../kit/shared.ts';

export const tiesClaimed: OracleMaker = {
  name: 'ties-claimed',
  rule: 'A node that sees exactly half of its site, itself included, and an arbiter of it, claims the lease of an arbiter at least every four pings; where no arbiter has granted it one for longer, because it is refused or not answered, none of its instances is active in a group.',
  exclusions:
    'Nodes whose view has changed in the last moments; for what is active, their view of their own site. Runs in which the clock of a node was wrong.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { pingIntervalMs, pingMisses } = map.topology.timings;
    const claimedMs = 4 * pingIntervalMs;
    const settledMs = claimedMs + pingIntervalMs;
    /** A node that has started does not know at first whether the others run. */
    const knownMs = (pingMisses + 2) * pingIntervalMs + claimedMs;
    /** The answers to two claims, and what follows of them. */
    const yieldedMs = Math.max(settledMs, 2 * pingIntervalMs + boundsOf(map).quickMs);
    const [reachability, leases] = [new Reachability(map), new ArbiterLeases()];
    const serving = (node: NodeEntry) =>
      node.instances.filter((each) => each.group !== undefined && reachability.statusOf(each) === 'active');
    const judgeServing = (node: NodeEntry, nowMs: number) => {
      if (reachability.stableInSiteMs(node, nowMs) <= yieldedMs) return;
      const { atMs = Number.NEGATIVE_INFINITY } = leases.lastFor(node.name) ?? {};
      if (nowMs - atMs <= yieldedMs) return;
      check();
      const [active] = serving(node);
      if (active === undefined) return;
      const since = Number.isFinite(atMs) ? `for ${Math.round(nowMs - atMs)} ms` : 'ever';
      fail(`${active.name} is active, though its node sees half of its site and was granted no lease ${since}`);
    };
    const sites = [...map.sites.values()].filter(({ arbiters }) => arbiters.length > 0);
    /** When each node has claimed a lease last. */
    const lastMs = new Map<string, number>();
    const startedMs = new Map<string, number>();
    return {
      listeners: together(reachability.listeners, leases.listeners, {
        'envelope.sent': {
          'quorum.claim': ({ envelope: { kind, from }, atMs }) => {
            if (kind === 'ask') lastMs.set(nodeOf(from), atMs);
          },
        },
        'node.started': ({ node, atMs }) => void startedMs.set(node, atMs),
      }),
      tick: (nowMs) => {
        for (const { nodes, arbiters } of areClocksRight() ? sites : []) {
          for (const node of nodes) {
            const isStarting = nowMs - (startedMs.get(node.name) ?? nowMs) <= knownMs;
            if (isStarting || reachability.seenBy(node).length * 2 !== nodes.length) continue;
            judgeServing(node, nowMs);
            if (reachability.stableMs(node, nowMs) <= settledMs) continue;
            const seen = arbiters.find((name) => reachability.areTogether(node, map.node(name)));
            if (seen === undefined) continue;
            check();
            const agoMs = nowMs - (lastMs.get(node.name) ?? Number.NEGATIVE_INFINITY);
            if (agoMs > claimedMs)
              fail(`${node.name} sees half of its site and the arbiter ${seen}, and claims no lease`);
          }
        }
      },
    };
  },
};
