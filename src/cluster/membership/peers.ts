/** The peers of a node: it pings each, loses it after missed pongs, and sends its digest to the peers that are up. */
import type { ActorObject } from '../../actors/actor-logic.ts';
import { type Compiled, compile, compiledOnce } from '../../actors/compiled-machine.ts';
import { ScopedClock } from '../../actors/scoped-clock.ts';
import { type PeerCommand, type PeerEvent, peerMachine } from '../../machines/cluster/peer.ts';
import type { ClusterMap, NodeEntry } from '../../model/cluster/cluster-map.ts';
import type { BodyOf, TellType } from '../../model/protocol/catalogue.ts';
import type { Timings } from '../../model/topology/schema.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Probe } from '../../ports/instrumentation/probe.ts';
import type { Log } from '../../ports/log.ts';
import type { ClusterView } from './view.ts';

/**
 * The peers actor of a node: pings each peer once an interval. A pong in time and a missing pong are events of the peer's
 * machine. Pongs carry digests, so the view of the whole cluster spreads with the pings.
 *
 * Of two nodes that reach each other one pings: a ping also says which pong was received last, so it shows both directions to
 * the node that is pinged, and that one spares its own ping of the round (docs/adr/0022-pings-between-links.md).
 */
export interface PeersOptions {
  readonly map: ClusterMap;
  readonly view: ClusterView;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  /** Sends over the link to the peer, without routing. */
  readonly tell: <T extends TellType>(peer: NodeEntry, type: T, body: BodyOf<T>) => void;
  /** A peer is silent: its connection may be half open. */
  readonly onDoubted: (peer: string) => void;
  readonly probe?: Probe | undefined;
}

interface Watched {
  readonly entry: NodeEntry;
  state: string;
  /** Whether this node spares its pings while those of the peer show both directions. */
  readonly isSparing: boolean;
  /** Sequence number of the own ping that waits for its pong; 0: none. */
  awaitedSeq: number;
  /** The awaited ping was sent between two rounds: without a pong by the end of the first round it is not a miss yet. */
  isExtra: boolean;
  /** Sequence number of the last own ping that was answered; 0: none, or a ping was missed since, or the connection is new. */
  heardSeq: number;
  /** Sequence number of the last ping of the peer that this node answered, and when it did. */
  answered: { readonly seq: number; readonly atMs: number };
  /** A ping of the peer has shown both directions since the last round. */
  isShown: boolean;
  /** This node spared its ping in the last round. */
  wasSpared: boolean;
  /** A ping was spared, and none of the peer came in its place: if the next own ping is missed, that counts as two misses. */
  isSparedMissed: boolean;
  /** The version of the own digest that was last sent to the peer. */
  sentVersion: string;
  /** How often this node has found the peer. */
  found: number;
}

const events: readonly PeerEvent[] = [{ type: 'pong.received' }, { type: 'ping.missed' }];
const tableFor = compiledOnce((misses: number) => compile(peerMachine(misses), events));
/**
 * At least this time between two digests to a peer of the own site and of another one, so that the many changes of a start are
 * few messages. While changes go on it doubles, up to the second time. Other sites wait longer: a node must be known within a
 * site before other sites ask it, or it has no route for its answer. (chosen)
 */
const innerPauseMs = [3, 12] as const;
const outerPauseMs = [20, 40] as const;

/** Peers that receive the same digest. */
interface Audience {
  readonly peers: readonly Watched[];
  readonly leastPauseMs: number;
  readonly mostPauseMs: number;
  /** How long the current pause is; 0: no digest was sent a moment ago. */
  pauseMs: number;
}

const pongReceived: PeerEvent = { type: 'pong.received' };
const pingMissed: PeerEvent = { type: 'ping.missed' };

export type PeersEvent =
  | { readonly type: 'round.due' }
  | { readonly type: 'patience.over' }
  | { readonly type: 'digest.due'; readonly audience: 'inner' | 'outer' }
  | { readonly type: 'last.digests.due' }
  | { readonly type: 'peer.connected'; readonly peer: string }
  | { readonly type: 'peer.ping'; readonly from: string; readonly body: BodyOf<'peer.ping'> }
  | { readonly type: 'peer.pong'; readonly from: string; readonly body: BodyOf<'peer.pong'> }
  | { readonly type: 'peer.digest'; readonly from: string; readonly body: BodyOf<'peer.digest'> };

export class Peers implements ActorObject<PeersEvent> {
  readonly #options: PeersOptions;
  readonly #self: { send(event: PeersEvent): void };
  /** Ends with the actor. */
  readonly #clock: ScopedClock;
  readonly #watched: readonly Watched[];
  readonly #byName: ReadonlyMap<string, Watched>;
  readonly #table: Compiled<PeerEvent, PeerCommand>;
  readonly #stopSpreading: () => void;
  readonly #audiences: Readonly<Record<'inner' | 'outer', Audience>>;
  #seq = 0;
  /** This node ends, and a change that its peers lack is sent in this moment. */
  #areLastDue = false;

  /** `self`: the actor, which receives its own timers as events. */
  constructor(options: PeersOptions, self: { send(event: PeersEvent): void }) {
    this.#options = options;
    this.#self = self;
    this.#clock = new ScopedClock(options.clock);
    this.#table = tableFor(options.timings.pingMisses);
    const { name, site } = options.view.self;
    this.#watched = options.map.peersOf(name).map((entry) => {
      const { version: sentVersion } = options.view.digestFor(entry);
      const isSparing = entry.name < name;
      const answered = { seq: 0, atMs: 0 };
      const { initial: state } = this.#table;
      return {
        entry,
        isSparing,
        state,
        awaitedSeq: 0,
        isExtra: false,
        heardSeq: 0,
        answered,
        isShown: false,
        wasSpared: false,
        isSparedMissed: false,
        sentVersion,
        found: 0,
      };
    });
    const at = (isInner: boolean) => this.#watched.filter(({ entry }) => (entry.site === site) === isInner);
    this.#audiences = {
      inner: audienceOf(at(true), innerPauseMs),
      outer: audienceOf(at(false), outerPauseMs),
    };
    this.#byName = new Map(this.#watched.map((peer) => [peer.entry.name, peer]));
    this.#stopSpreading = options.view.onChange(() => this.#spread());
  }

  start(): void {
    this.#round();
  }

  receive(event: PeersEvent): undefined {
    switch (event.type) {
      case 'round.due':
        this.#countMisses();
        return this.#round();
      case 'patience.over':
        return this.#countMisses();
      case 'digest.due':
        return this.#endPause(event.audience);
      case 'last.digests.due':
        return this.#tellLastDigests();
      case 'peer.connected':
        return this.#onConnected(event.peer);
      case 'peer.ping':
        return this.#onPing(event.from, event.body);
      case 'peer.pong':
        return this.#onPong(event.from, event.body);
      case 'peer.digest':
        return this.#onDigest(event.from, event.body);
    }
  }

  stop(): void {
    if (this.#areLastDue) this.#tellLastDigests();
    this.#clock.end();
    this.#stopSpreading();
  }

  /** A connection to the peer is up: pings it now instead of in the next round. */
  #onConnected(name: string): undefined {
    const peer = this.#byName.get(name);
    if (peer === undefined) return;
    peer.heardSeq = 0;
    if (peer.awaitedSeq === 0) this.#ping(peer, true);
    else this.#sendPing(peer, peer.awaitedSeq);
  }

  #onPing(from: string, body: BodyOf<'peer.ping'>): undefined {
    const peer = this.#byName.get(from);
    if (peer === undefined) return;
    const { digest, version } = this.#options.view.digestFor(peer.entry);
    peer.sentVersion = version;
    const pong = { seq: body.seq, version, ...(body.known === version ? {} : { digest }), found: peer.found };
    this.#options.tell(peer.entry, 'peer.pong', pong);
    const isShown = this.#showsBoth(peer, body.heard);
    peer.answered = { seq: body.seq, atMs: this.#clock.now() };
    this.#options.view.setFound(from, body.found);
    if (!isShown) return;
    // A digest that this node has missed comes with the answer to a ping of its own.
    peer.isShown = body.version === this.#options.view.versionOf(from);
    this.#confirm(peer);
  }

  /**
   * Whether a ping that names the last received pong shows that the own frames arrive too: if that was the answer to the ping
   * before, a moment ago. A ping that was delayed for long shows nothing.
   */
  #showsBoth({ answered }: Watched, heard: number): boolean {
    const { pingIntervalMs, pingPatienceMs } = this.#options.timings;
    return (
      heard !== 0 && heard === answered.seq && this.#clock.now() - answered.atMs <= pingIntervalMs + pingPatienceMs
    );
  }

  #onPong(from: string, body: BodyOf<'peer.pong'>): undefined {
    const peer = this.#byName.get(from);
    if (peer === undefined || body.seq !== peer.awaitedSeq) return;
    peer.awaitedSeq = 0;
    peer.heardSeq = body.seq;
    if (body.digest !== undefined) this.#options.view.setDigest(from, body.version, body.digest);
    this.#options.view.setFound(from, body.found);
    this.#confirm(peer);
  }

  #onDigest(from: string, body: BodyOf<'peer.digest'>): undefined {
    const { view } = this.#options;
    // A delayed digest may arrive after a newer one. (A pong does not: it answers the last ping.)
    if (!this.#byName.has(from) || isOlder(body.version, view.versionOf(from))) return;
    view.setDigest(from, body.version, body.digest);
  }

  #round(): undefined {
    const { timings } = this.#options;
    if (timings.pingPatienceMs < timings.pingIntervalMs) {
      this.#clock.setTimer(timings.pingPatienceMs, () => this.#self.send({ type: 'patience.over' }));
    }
    for (const peer of this.#watched) {
      const isSpared = peer.isSparing && peer.isShown;
      // The ping of the peer was due within this round. It is over its patience when the own one of this round is.
      peer.isSparedMissed = peer.wasSpared && !isSpared;
      peer.wasSpared = isSpared;
      peer.isShown = false;
      if (!isSpared) this.#ping(peer, false);
    }
    this.#clock.setTimer(timings.pingIntervalMs, () => this.#self.send({ type: 'round.due' }));
  }

  #ping(peer: Watched, isExtra: boolean): void {
    this.#seq += 1;
    peer.awaitedSeq = this.#seq;
    peer.isExtra = isExtra;
    this.#sendPing(peer, this.#seq);
  }

  #sendPing(peer: Watched, seq: number): void {
    const { view, tell } = this.#options;
    const { entry, heardSeq: heard, found } = peer;
    const { version } = view.digestFor(entry);
    tell(entry, 'peer.ping', { seq, heard, known: view.versionOf(entry.name), version, found });
  }

  #countMisses(): undefined {
    for (const peer of this.#watched) {
      const isMiss = peer.awaitedSeq !== 0 && !peer.isExtra;
      peer.isExtra = false;
      if (!isMiss) continue;
      peer.awaitedSeq = 0;
      peer.heardSeq = 0;
      if (peer.isSparedMissed) this.#apply(peer, pingMissed);
      peer.isSparedMissed = false;
      this.#apply(peer, pingMissed);
    }
  }

  /** Both directions work. */
  #confirm(peer: Watched): void {
    peer.isSparedMissed = false;
    this.#apply(peer, pongReceived);
  }

  #apply(peer: Watched, event: PeerEvent): void {
    const step = this.#table.step(peer.state, event);
    if (step.state !== peer.state) this.#show(peer, step.state);
    peer.state = step.state;
    for (const command of step.commands) this.#execute(peer, command);
  }

  #show({ entry, state: before }: Watched, state: string): void {
    const { probe, view } = this.#options;
    probe?.entityState({ owner: view.self.address, machine: 'peer', key: entry.name, state, before });
  }

  #execute(peer: Watched, command: PeerCommand): void {
    const { log, view, onDoubted } = this.#options;
    const { name } = peer.entry;
    if (command.type === 'connection.doubted') return onDoubted(name);
    if (command.type === 'peer.found') peer.found += 1;
    log.write('info', command.type, { peer: name });
    view.setPeer(name, command.type === 'peer.found');
  }

  /**
   * Sends a changed digest to its peers: at once, or after a pause. Failovers elsewhere wait for the end of an instance, and this
   * node may leave before the pause is over: it makes none then, and sends the changes of one moment together. A peer that misses a
   * digest gets it with its next pong.
   */
  #spread(): void {
    if (this.#options.view.isEnding) return this.#spreadLast();
    this.#spreadTo('inner');
    this.#spreadTo('outer');
  }

  #spreadTo(name: 'inner' | 'outer'): void {
    const { pauseMs, leastPauseMs } = this.#audiences[name];
    if (pauseMs > 0) return;
    if (this.#tellDigest(name) && pauseMs === 0) this.#pause(name, leastPauseMs);
  }

  #spreadLast(): void {
    if (this.#areLastDue) return;
    this.#areLastDue = true;
    this.#clock.setTimer(0, () => this.#self.send({ type: 'last.digests.due' }));
  }

  #tellLastDigests(): undefined {
    this.#areLastDue = false;
    this.#tellDigest('inner');
    this.#tellDigest('outer');
  }

  /** Sends what has changed meanwhile; then the next pause is longer. */
  #endPause(name: 'inner' | 'outer'): undefined {
    const audience = this.#audiences[name];
    const { pauseMs, mostPauseMs } = audience;
    audience.pauseMs = 0;
    if (this.#tellDigest(name)) this.#pause(name, Math.min(2 * pauseMs, mostPauseMs));
  }

  #pause(name: 'inner' | 'outer', pauseMs: number): void {
    this.#audiences[name].pauseMs = pauseMs;
    this.#clock.setTimer(pauseMs, () => this.#self.send({ type: 'digest.due', audience: name }));
  }

  /** Sends the digest to the peers that have another one. Returns whether there was one. */
  #tellDigest(name: 'inner' | 'outer'): boolean {
    const audience = this.#audiences[name];
    const { view, tell } = this.#options;
    let isSent = false;
    for (const peer of audience.peers) {
      const { version, digest } = view.digestFor(peer.entry);
      if (version === peer.sentVersion) continue;
      peer.sentVersion = version;
      tell(peer.entry, 'peer.digest', { version, digest });
      isSent = true;
    }
    return isSent;
  }
}

function audienceOf(peers: readonly Watched[], [leastPauseMs, mostPauseMs]: readonly [number, number]): Audience {
  return { peers, leastPauseMs, mostPauseMs, pauseMs: 0 };
}

/** Whether one version, `incarnation.changes`, is older than another. */
function isOlder(version: string, than: string): boolean {
  const [incarnation = 0, changes = 0] = version.split('.').map(Number);
  const [otherIncarnation = 0, otherChanges = 0] = than.split('.').map(Number);
  return incarnation < otherIncarnation || (incarnation === otherIncarnation && changes < otherChanges);
}
