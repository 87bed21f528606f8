/** A later arbiter waits until the lease of an earlier one must have ended. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { together } from '../shared.ts';

/** Timers of one instant, and the rounding of clocks. */
const earlyMs = 50;
/** The last claims. */
const mostClaims = 200;

interface Claim {
  /** The split site. */
  readonly site: string;
  readonly seesEarlier: boolean;
}

export const leasesWait: OracleMaker = {
  name: 'leases-wait',
  rule: 'An arbiter is asked for a lease by exactly half of a site. One that sees an earlier arbiter of a split site when a half claims a lease grants none, nor does it afterwards for as long as the lease of that one may last.',
  exclusions:
    'Runs in which the clock of a node was wrong; an arbiter between two claims. one-active judges the damage.',
  make: ({ map, check, fail }) => {
    const { pingIntervalMs } = map.topology.timings;
    const leaseMs = 3 * pingIntervalMs;
    const reachability = new Reachability(map);
    let areClocksRight = true;
    /** Open claims, by the id of the ask. */
    const claims = new Map<string, Claim>();
    /** When an arbiter was last asked by a half of a site while it saw an earlier one; by both. */
    const seenMs = new Map<string, number>();
    const seesEarlier = (site: string, node: string) => {
      const { arbiters } = map.site(site);
      return arbiters
        .slice(0, Math.max(0, arbiters.indexOf(node)))
        .some((earlier) => reachability.areTogether(map.node(node), map.node(earlier)));
    };
    return {
      listeners: together(reachability.listeners, {
        'fault.inflicted': ({ verb }) => {
          if (verb === 'skew') areClocksRight = false;
        },
        'envelope.delivered': {
          'quorum.claim': ({ envelope: { id, kind, to, body } }) => {
            if (kind !== 'ask') return;
            const { site } = body as BodyOf<'quorum.claim'>;
            claims.set(id, { site, seesEarlier: seesEarlier(site, nodeOf(to)) });
            for (const each of claims.keys()) if (claims.size > mostClaims) claims.delete(each);
          },
        },
        'envelope.sent': {
          'quorum.claim': ({ envelope: { kind, from, re = '', body }, atMs }) => {
            if (kind === 'ask') {
              const { site, side } = body as BodyOf<'quorum.claim'>;
              const nodes = map.site(site).nodes.length;
              if (side.length * 2 !== nodes)
                fail(`${from} claims a lease for ${side.length} of ${nodes} nodes of ${site}`);
            }
            const claim = kind === 'reply' ? claims.get(re) : undefined;
            if (claim === undefined) return;
            claims.delete(re);
            const [node, { site }] = [nodeOf(from), claim];
            const key = `${node} ${site}`;
            const lastMs = claim.seesEarlier ? atMs : seenMs.get(key);
            if (claim.seesEarlier) seenMs.set(key, atMs);
            if (lastMs === undefined || !areClocksRight) return;
            check();
            const agoMs = Math.round(atMs - lastMs);
            if ((body as ReplyOf<'quorum.claim'>).granted && agoMs < leaseMs - earlyMs)
              fail(`${node} grants a lease to a half of ${site} ${agoMs} ms after it saw an earlier arbiter`);
          },
        },
        'node.started': ({ node }) => {
          for (const key of seenMs.keys()) if (key.startsWith(`${node} `)) seenMs.delete(key);
        },
      }),
    };
  },
};
