/** Half of a site asks an arbiter that it reaches. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { together } from '../kit/shared.ts';

export const tiesClaimed: OracleMaker = {
  name: 'ties-claimed',
  rule: 'A node that sees exactly half of its site, itself included, and an arbiter of it, claims the lease of an arbiter at least every four pings.',
  exclusions: 'Nodes whose view has changed in the last moments. Runs in which the clock of a node was wrong.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { pingIntervalMs, pingMisses } = map.topology.timings;
    const claimedMs = 4 * pingIntervalMs;
    const settledMs = claimedMs + pingIntervalMs;
    /** A node that has started does not know at first whether the others run. */
    const knownMs = (pingMisses + 2) * pingIntervalMs + claimedMs;
    const reachability = new Reachability(map);
    const sites = [...map.sites.values()].filter(({ arbiters }) => arbiters.length > 0);
    /** When each node has claimed a lease last. */
    const lastMs = new Map<string, number>();
    const startedMs = new Map<string, number>();
    return {
      listeners: together(reachability.listeners, {
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
            if (isStarting || reachability.stableMs(node, nowMs) <= settledMs) continue;
            if (reachability.seenBy(node).length * 2 !== nodes.length) continue;
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
