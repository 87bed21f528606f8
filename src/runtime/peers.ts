/**
 * Watches the peers of a node: once an interval each is pinged; a pong in time is a fact for its peer machine, a
 * missing one another. Pongs carry digests, so that the view of the whole cluster spreads with the pings.
 */

import { type PeerFact, type PeerOrder, peerMachine } from '../machines/peer.ts';
import type { ClusterMap, NodeEntry } from '../model/cluster-map.ts';
import type { BodyOf, TellType } from '../model/protocol/catalogue.ts';
import type { Timings } from '../model/topology/schema.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Probe } from '../ports/probe.ts';
import { type Compiled, compile } from './compiled.ts';
import type { View } from './view.ts';

export interface PeersOptions {
  readonly map: ClusterMap;
  readonly view: View;
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  /** Sends straight over the link to the peer. */
  readonly tell: <T extends TellType>(peer: NodeEntry, type: T, body: BodyOf<T>) => void;
  /** A peer is silent: its connection may be half open. */
  readonly onDoubted: (peer: string) => void;
  readonly probe?: Probe | undefined;
}

interface Watched {
  readonly entry: NodeEntry;
  state: string;
  /** The ping that waits for its pong; 0 when none does. */
  awaitedSeq: number;
  /** Whether that ping was sent between two rounds: it is no miss yet when the first one ends. */
  isExtra: boolean;
}

const facts: readonly PeerFact[] = [{ type: 'pong.received' }, { type: 'ping.missed' }];
const pongReceived: PeerFact = { type: 'pong.received' };
const pingMissed: PeerFact = { type: 'ping.missed' };

export class Peers {
  readonly #options: PeersOptions;
  readonly #watched: readonly Watched[];
  readonly #byName: ReadonlyMap<string, Watched>;
  readonly #table: Compiled<PeerFact, PeerOrder>;
  #seq = 0;
  #toldVersion: string;

  constructor(options: PeersOptions) {
    this.#options = options;
    this.#table = compile(peerMachine(options.timings.pingMisses), facts);
    this.#watched = options.map
      .peersOf(options.view.self.name)
      .map((entry) => ({ entry, state: this.#table.initial, awaitedSeq: 0, isExtra: false }));
    this.#byName = new Map(this.#watched.map((peer) => [peer.entry.name, peer]));
    this.#toldVersion = options.view.version;
    options.view.onChange(() => this.#spread());
  }

  start(): void {
    this.#round();
  }

  /** A connection to the peer is up: an answer need not wait for the next round. */
  greet(name: string): void {
    const peer = this.#byName.get(name);
    if (peer !== undefined && peer.awaitedSeq === 0) this.#ping(peer, true);
    else if (peer !== undefined) this.#tellPing(peer, peer.awaitedSeq);
  }

  onPing(from: string, body: BodyOf<'peer.ping'>): void {
    const peer = this.#byName.get(from);
    if (peer === undefined) return;
    const { digest, version } = this.#options.view;
    const pong = body.known === version ? { seq: body.seq, version } : { seq: body.seq, version, digest };
    this.#options.tell(peer.entry, 'peer.pong', pong);
  }

  onPong(from: string, body: BodyOf<'peer.pong'>): void {
    const peer = this.#byName.get(from);
    if (peer === undefined || body.seq !== peer.awaitedSeq) return;
    peer.awaitedSeq = 0;
    if (body.digest !== undefined) this.#options.view.setDigest(from, body.version, body.digest);
    this.#apply(peer, pongReceived);
  }

  onDigest(from: string, body: BodyOf<'peer.digest'>): void {
    const { view } = this.#options;
    // One that was held up on its way comes after a newer one. (A pong does not: it answers the last ping.)
    if (!this.#byName.has(from) || isOlder(body.version, view.versionOf(from))) return;
    view.setDigest(from, body.version, body.digest);
  }

  #round(): void {
    const { clock, timings } = this.#options;
    if (timings.pingPatienceMs < timings.pingIntervalMs) {
      clock.setTimer(timings.pingPatienceMs, () => this.#countMisses());
    }
    for (const peer of this.#watched) this.#ping(peer, false);
    clock.setTimer(timings.pingIntervalMs, () => {
      this.#countMisses();
      this.#round();
    });
  }

  #ping(peer: Watched, isExtra: boolean): void {
    this.#seq += 1;
    peer.awaitedSeq = this.#seq;
    peer.isExtra = isExtra;
    this.#tellPing(peer, this.#seq);
  }

  #tellPing(peer: Watched, seq: number): void {
    this.#options.tell(peer.entry, 'peer.ping', { seq, known: this.#options.view.versionOf(peer.entry.name) });
  }

  #countMisses(): void {
    for (const peer of this.#watched) {
      const isMiss = peer.awaitedSeq !== 0 && !peer.isExtra;
      peer.isExtra = false;
      if (!isMiss) continue;
      peer.awaitedSeq = 0;
      this.#apply(peer, pingMissed);
    }
  }

  #apply(peer: Watched, fact: PeerFact): void {
    const step = this.#table.step(peer.state, fact);
    if (step.state !== peer.state) this.#show(peer, step.state);
    peer.state = step.state;
    for (const order of step.orders) this.#obey(peer, order);
  }

  #show({ entry, state: before }: Watched, state: string): void {
    const { probe, view } = this.#options;
    probe?.entityState({ owner: view.self.address, machine: 'peer', key: entry.name, state, before });
  }

  #obey(peer: Watched, order: PeerOrder): void {
    const { log, view, onDoubted } = this.#options;
    const { name } = peer.entry;
    if (order.type === 'connection.doubted') return onDoubted(name);
    log.write('info', order.type, { peer: name });
    view.setPeer(name, order.type === 'peer.found');
  }

  /** Tells every peer a changed digest at once; whoever misses it learns by its next ping. */
  #spread(): void {
    const { version, digest } = this.#options.view;
    if (version === this.#toldVersion) return;
    this.#toldVersion = version;
    for (const peer of this.#watched) this.#options.tell(peer.entry, 'peer.digest', { version, digest });
  }
}

/** Whether one version, `incarnation.changes`, came before another. */
function isOlder(version: string, than: string): boolean {
  const [incarnation = 0, changes = 0] = version.split('.').map(Number);
  const [otherIncarnation = 0, otherChanges = 0] = than.split('.').map(Number);
  return incarnation < otherIncarnation || (incarnation === otherIncarnation && changes < otherChanges);
}
