/** What all endpoints outside share: clock, random streams, network and behaviours. */

import type { Counters } from '../../../src/actors/counters.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Outside } from '../../../src/ports/outside.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import type { Behaviours } from '../behaviour.ts';
import { type EndpointOwner, OutsideEndpoint } from './outside-endpoint.ts';

export interface EndpointContext {
  readonly map: ClusterMap;
  readonly clock: Clock;
  readonly outside: Outside;
  /** For Call-Ids, tags and nonces. */
  readonly ids: RandomStream;
  /** For delays. */
  readonly jitter: RandomStream;
  readonly counters: Counters;
  readonly behaviours: Behaviours;
  readonly onCrash: (error: unknown) => void;
}

export function newParty(
  context: EndpointContext,
  owner: EndpointOwner,
  who: { endpoint: string; is: string },
): OutsideEndpoint {
  const { map, clock, outside, ids: random, counters, onCrash } = context;
  const { sessionExpiresMs } = map.topology.timings;
  const { endpoint, is } = who;
  const world = { clock, outside, random, counters, onCrash };
  return new OutsideEndpoint({ ...world, owner, endpoint, sessionExpiresMs, userAgent: `strowger ${is}` });
}
