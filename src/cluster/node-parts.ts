/** The parts of a node beside its instances, created at each start, when its incarnation is known. */
import type { AnyActorLogic } from 'xstate';
import { type FindActor, objectLogic } from '../actors/actor-logic.ts';
import type { Counters } from '../actors/counters.ts';
import type { ClusterMap, InstanceEntry, NodeEntry } from '../model/cluster/cluster-map.ts';
import type { Envelope } from '../model/cluster/envelope.ts';
import type { BodyOf, TellType } from '../model/protocol/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { Probe } from '../ports/instrumentation/probe.ts';
import type { Tracing } from '../ports/instrumentation/tracing.ts';
import type { Link } from '../ports/link.ts';
import type { Log } from '../ports/log.ts';
import { Arbiter } from './membership/arbiter.ts';
import { Failover } from './membership/failover-judgement.ts';
import type { Incarnations } from './membership/incarnations.ts';
import { Peers, type PeersEvent } from './membership/peers.ts';
import { Quorum } from './membership/quorum.ts';
import { siteLogic } from './membership/site.ts';
import { ClusterView } from './membership/view.ts';
import { Asks } from './messaging/asks.ts';
import { Quarantine } from './messaging/quarantine.ts';
import { Router } from './messaging/router.ts';
import { NodeRequests, type NodeRequestsOptions } from './node-requests.ts';

export interface NodePartsOptions {
  readonly self: NodeEntry;
  readonly map: ClusterMap;
  readonly incarnations: Incarnations;
  readonly clock: Clock;
  readonly link: Link;
  readonly log: Log;
  readonly counters: Counters;
  readonly probe?: Probe | undefined;
  readonly tracing?: Tracing | undefined;
  readonly find: FindActor;
  readonly requests: Pick<NodeRequestsOptions, 'describe' | 'terminate' | 'terminateInstance' | 'setLogLevel'>;
  /** Handles an envelope for the node or one of its instances. */
  readonly deliver: (envelope: Envelope) => void;
  /** Sends the outcome of an election to the instance of this node that it concerns. */
  readonly decide: (instance: InstanceEntry, outcome: 'elected' | 'deposed') => void;
  /** A part has thrown outside of its actor. */
  readonly onError: (part: string, error: unknown) => void;
}

export interface NodeParts {
  readonly incarnations: Incarnations;
  readonly view: ClusterView;
  readonly router: Router;
  readonly asks: Asks;
  readonly quarantine: Quarantine;
  /** Whether this node may act for its site. */
  readonly isQuorate: () => boolean;
  readonly requests: NodeRequests;
  /** Logic of the actors `peers` and `site`. */
  readonly peers: AnyActorLogic;
  readonly site: AnyActorLogic;
}

export function assembleNode(options: NodePartsOptions): NodeParts {
  const { self, map, incarnations, clock, link, log, counters, probe, tracing, find, deliver, decide } = options;
  const { timings } = map.topology;
  const view = new ClusterView(map, self.name, incarnations.incarnation);
  const router = new Router({ view, link, clock, log, counters, tracing, deliver });
  const quarantine = new Quarantine(map, clock);
  const asks = new Asks(router, { clock, quarantine, probe, incarnationOf: (node) => view.incarnationOf(node) });
  const tell = <T extends TellType>(peer: NodeEntry, type: T, body: BodyOf<T>) => {
    const { address: from } = self;
    router.sendToPeer(peer.name, { id: router.nextId(), kind: 'tell', type, from, to: peer.address, hops: 0, body });
  };
  const onDoubted = (peer: string) => link.reset(peer);
  const peersOptions = { map, view, clock, log, timings, tell, onDoubted, probe };
  const peers = objectLogic<Peers, PeersEvent>((_, actor) => new Peers(peersOptions, actor));
  const claimEveryMs = timings.pingIntervalMs;
  const quorum = new Quorum({
    view,
    clock,
    log,
    ask: asks.of(self.address),
    find,
    arbiters: map.site(self.site).arbiters.map((name) => map.node(name)),
    claimEveryMs,
    onChange: () => failover.look(),
    onError: (error) => options.onError('quorum', error),
  });
  const isQuorate = () => quorum.isQuorate;
  const failover = new Failover({ map, view, find, isQuorate, decide });
  const arbiter = new Arbiter({ map, view, find, isQuorate });
  const { takeoverMs } = timings;
  const site = siteLogic({ quorum, failover, arbiter, takeoverMs, leaseMs: 3 * claimEveryMs });
  view.onChange(() => asks.giveUp());
  view.onChange(() => quorum.look());
  view.onChange(() => failover.look());
  const toPeers = (event: PeersEvent) => find('peers')?.send(event);
  const requests = new NodeRequests({ ...options.requests, clock, router, toPeers, arbiter });
  return { incarnations, view, router, asks, quarantine, isQuorate, peers, site, requests };
}
