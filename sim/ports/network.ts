/**
 * The simulated network: the nodes that are up, and the latency between them. Frames of one direction arrive in order;
 * a frame is lost if its receiver has gone. `faults/ruled-link.ts` applies faults to frames.
 */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { type Envelope, isAsParsed } from '../../src/model/cluster/envelope.ts';
import { limits } from '../../src/model/limits.ts';
import type { MessageType } from '../../src/model/protocol/catalogue.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Link, LinkEvents, LinkRefusal } from '../../src/ports/link.ts';
import type { RandomStream } from '../../src/ports/random.ts';

export interface NetworkOptions {
  readonly map: ClusterMap;
  readonly clock: Clock;
  readonly random: RandomStream;
  /** Called with every frame when it is sent. */
  readonly onFrame: (from: string, to: string, frame: string) => void;
}

/** Latency of a frame in milliseconds, from and to: within a site, and between sites. */
const latenciesMs = { within: [0.1, 0.5], between: [4, 12] } as const;

/** Their receivers tell by the identity of a digest's parts which have changed, so they need objects of their own. */
const withDigest: ReadonlySet<string> = new Set<MessageType>(['peer.digest', 'peer.pong']);

export class SimulatedNetwork {
  readonly #options: NetworkOptions;
  readonly #attached = new Map<string, SimulatedLink>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** The link of a starting node. */
  linkOf(node: string): Link {
    const { map, clock, random, onFrame } = this.#options;
    const peers = map.peersOf(node).map((peer) => peer.name);
    const site = map.node(node).site;
    const latencyMs = new Map(
      peers.map((peer) => [peer, map.node(peer).site === site ? latenciesMs.within : latenciesMs.between] as const),
    );
    return new SimulatedLink({ node, peers, latencyMs, attached: this.#attached, clock, random, onFrame });
  }
}

interface SimulatedLinkOptions {
  readonly node: string;
  readonly peers: readonly string[];
  readonly latencyMs: ReadonlyMap<string, readonly [number, number]>;
  readonly attached: Map<string, SimulatedLink>;
  readonly clock: Clock;
  readonly random: RandomStream;
  readonly onFrame: NetworkOptions['onFrame'];
}

/** One direction of a connection. Frames in flight are lost with it. */
interface Lane {
  frames: number;
  bytes: number;
  /** Arrival time of the last frame: the next one cannot overtake it. */
  arrivalMs: number;
  isLost: boolean;
}

/** Whether a receiver can't tell the envelope from one that it parses. Neither side changes an envelope that was sent. */
export function isShareable(envelope: Envelope): boolean {
  const { type, body } = envelope;
  return !(withDigest.has(type) && Object.hasOwn(body as object, 'digest')) && isAsParsed(envelope);
}

class SimulatedLink implements Link {
  readonly #options: SimulatedLinkOptions;
  readonly #lanes = new Map<string, Lane>();
  #events: LinkEvents | undefined;

  constructor(options: SimulatedLinkOptions) {
    this.#options = options;
  }

  async open(events: LinkEvents): Promise<void> {
    const { node, peers, attached } = this.#options;
    this.#events = events;
    attached.set(node, this);
    for (const name of peers) if (attached.has(name)) this.#connect(name);
  }

  /** The receiver gets the envelope itself where it cannot tell that from the one in the frame. */
  send(peer: string, frame: string, envelope?: Envelope): LinkRefusal | undefined {
    const { node, attached, clock, onFrame } = this.#options;
    const lane = this.#lanes.get(peer);
    const receiver = attached.get(peer);
    if (lane === undefined || receiver === undefined) return 'not_connected';
    if (frame.length * 3 > limits.frameBytes && Buffer.byteLength(frame) > limits.frameBytes) return 'frame_too_large';
    if (lane.frames >= limits.peerQueueFrames || lane.bytes >= limits.peerQueueBytes) {
      this.reset(peer);
      return 'queue_full';
    }
    const bytes = Buffer.byteLength(frame);
    lane.frames += 1;
    lane.bytes += bytes;
    onFrame(node, peer, frame);
    const handed = envelope !== undefined && isShareable(envelope) ? envelope : undefined;
    const nowMs = clock.now();
    lane.arrivalMs = Math.max(nowMs + this.#latency(peer), lane.arrivalMs);
    clock.setTimer(lane.arrivalMs - nowMs, () => {
      lane.frames -= 1;
      lane.bytes -= bytes;
      if (!lane.isLost) receiver.#take(node, frame, handed);
    });
    return undefined;
  }

  reset(peer: string): void {
    const other = this.#options.attached.get(peer);
    if (!this.#lanes.has(peer) || other === undefined) return;
    this.#drop(peer, 'reset');
    other.#drop(this.#options.node, 'reset');
    this.#connect(peer);
  }

  async close(): Promise<void> {
    this.#leave('closed', false);
  }

  crash(): void {
    this.#leave('reset', true);
  }

  #take(from: string, frame: string, envelope: Envelope | undefined): void {
    this.#events?.received(from, frame, envelope);
  }

  /** Connects both sides after the duration of a handshake. */
  #connect(peer: string): void {
    const { node, attached, clock } = this.#options;
    const other = attached.get(peer);
    if (other === undefined) return;
    clock.setTimer(2 * this.#latency(peer), () => {
      if (attached.get(node) !== this || attached.get(peer) !== other || this.#lanes.has(peer)) return;
      other.#accept(node);
      this.#accept(peer);
    });
  }

  #accept(peer: string): void {
    this.#drop(peer, 'replaced'); // a peer may be back before the notice of its end
    this.#lanes.set(peer, { frames: 0, bytes: 0, arrivalMs: 0, isLost: false });
    this.#events?.connected(peer);
  }

  #drop(peer: string, reason: string): void {
    const lane = this.#lanes.get(peer);
    if (lane === undefined) return;
    lane.isLost = true;
    this.#lanes.delete(peer);
    this.#events?.disconnected(peer, reason);
  }

  /**
   * Leaves the network. Frames that a closing node has sent still arrive, followed by the notice of its end; those of a
   * crashed node are lost.
   */
  #leave(reason: string, isCrash: boolean): void {
    const { node, attached, clock } = this.#options;
    if (attached.get(node) === this) attached.delete(node);
    this.#events = undefined;
    for (const [peer, lane] of this.#lanes) {
      if (isCrash) lane.isLost = true;
      const other = attached.get(peer);
      if (other === undefined) continue;
      const tell = other.#leaver(node, reason);
      if (isCrash) tell();
      else clock.setTimer(lane.arrivalMs - clock.now(), tell);
    }
    this.#lanes.clear();
  }

  /**
   * Frames from `peer` are lost from now on; the returned function reports the end of the connection, unless it is
   * known by then.
   */
  #leaver(peer: string, reason: string): () => void {
    const lane = this.#lanes.get(peer);
    if (lane !== undefined) lane.isLost = true;
    return () => {
      if (this.#lanes.get(peer) === lane) this.#drop(peer, reason);
    };
  }

  #latency(peer: string): number {
    const [least, most] = this.#options.latencyMs.get(peer) ?? latenciesMs.within;
    return least + this.#options.random.float() * (most - least);
  }
}
