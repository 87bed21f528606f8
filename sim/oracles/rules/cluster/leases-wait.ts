/** An arbiter grants its lease to one half of a site at a time, and waits until the lease of an earlier arbiter must have ended. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { together } from '../kit/shared.ts';

/** Timers of one instant, and the rounding of clocks. */
const earlyMs = 50;
/** The last claims. */
const mostClaims = 200;

interface Claim {
  /** The split site. */
  readonly site: string;
  readonly side: readonly string[];
  readonly seesEarlier: boolean;
}

interface Grant {
  readonly side: readonly string[];
  readonly atMs: number;
}

export const leasesWait: OracleMaker = {
  name: 'leases-wait',
  rule: 'An arbiter is asked for a lease by exactly half of a site. One that sees an earlier arbiter of a split site when a half claims a lease grants none, nor does it afterwards for as long as the lease of that one may last. While the lease of one half lasts, counted from its last claim, the other half gets none, and the first arbiter does not refuse the half itself.',
  exclusions:
    'Runs in which the clock of a node was wrong; an arbiter between two claims. one-active judges the damage.',
  make: ({ map, areClocksRight, check, fail }) => {
    const { pingIntervalMs } = map.topology.timings;
    const leaseMs = 3 * pingIntervalMs;
    const reachability = new Reachability(map);
    /** Open claims, by the id of the ask. */
    const claims = new Map<string, Claim>();
    /** When an arbiter was last asked by a half of a site while it saw an earlier one; by both. */
    const seenMs = new Map<string, number>();
    /** The last lease that an arbiter has granted for a site. */
    const grants = new Map<string, Grant>();
    const judgeLease = (key: string, { side, seesEarlier }: Claim, isGranted: boolean, atMs: number) => {
      const last = grants.get(key);
      if (seesEarlier) grants.delete(key);
      else if (isGranted) grants.set(key, { side, atMs });
      if (last === undefined || seesEarlier || !areClocksRight() || atMs - last.atMs >= leaseMs - earlyMs) return;
      check();
      const isSame = side.some((node) => last.side.includes(node));
      // What a later arbiter knows of an earlier one may be older than what is known here.
      const [node = '', site = ''] = key.split(' ');
      if (isSame === isGranted || (isSame && map.site(site).arbiters[0] !== node)) return;
      const does = isGranted ? 'grants a lease to' : 'refuses';
      fail(
        `${key}: the arbiter ${does} ${side.join(', ')} ${Math.round(atMs - last.atMs)} ms after ${last.side.join(', ')} got it`,
      );
    };
    const seesEarlier = (site: string, node: string) => {
      const { arbiters } = map.site(site);
      return arbiters
        .slice(0, Math.max(0, arbiters.indexOf(node)))
        .some((earlier) => reachability.areTogether(map.node(node), map.node(earlier)));
    };
    return {
      listeners: together(reachability.listeners, {
        'envelope.delivered': {
          'quorum.claim': ({ envelope: { id, kind, to, body } }) => {
            if (kind !== 'ask') return;
            const { site, side } = body as BodyOf<'quorum.claim'>;
            claims.set(id, { site, side, seesEarlier: seesEarlier(site, nodeOf(to)) });
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
            const isGranted = (body as ReplyOf<'quorum.claim'>).granted === true;
            judgeLease(key, claim, isGranted, atMs);
            const lastMs = claim.seesEarlier ? atMs : seenMs.get(key);
            if (claim.seesEarlier) seenMs.set(key, atMs);
            if (lastMs === undefined || !areClocksRight()) return;
            check();
            const agoMs = Math.round(atMs - lastMs);
            if (isGranted && agoMs < leaseMs - earlyMs)
              fail(`${node} grants a lease to a half of ${site} ${agoMs} ms after it saw an earlier arbiter`);
          },
        },
        'node.started': ({ node }) => {
          for (const times of [seenMs, grants])
            for (const key of times.keys()) if (key.startsWith(`${node} `)) times.delete(key);
        },
      }),
    };
  },
};
