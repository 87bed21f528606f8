/**
 * A link under rules: any Link port, real or simulated. The faults of a run drop, hold, delay and duplicate its frames
 * and leave its connections half open.
 */

import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import type { ClusterMap, NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { Envelope } from '../../src/model/cluster/envelope.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Link, LinkEvents, LinkRefusal } from '../../src/ports/link.ts';
import type { TrafficRules } from './rules.ts';

export interface RuledLinkOptions {
  readonly link: Link;
  readonly rules: TrafficRules;
  readonly map: ClusterMap;
  readonly self: string;
  readonly clock: Clock;
}

interface Held {
  readonly peer: NodeEntry;
  readonly frame: string;
  readonly envelope: Envelope | undefined;
}

export class RuledLink implements Link {
  readonly #options: RuledLinkOptions;
  readonly #self: NodeEntry;
  /** Delayed frames are lost with the link. */
  readonly #clock: ScopedClock;
  readonly #stopListening: () => void;
  #held: Held[] = [];
  #events: LinkEvents | undefined;
  /** Peers whose connection only this side has lost. */
  readonly #halfOpen = new Set<string>();

  constructor(options: RuledLinkOptions) {
    this.#options = options;
    this.#self = options.map.node(options.self);
    this.#clock = new ScopedClock(options.clock);
    this.#stopListening = options.rules.onLifted(() => this.#release());
  }

  open(events: LinkEvents): Promise<void> {
    this.#events = events;
    return this.#options.link.open({
      received: (peer, frame, envelope) => {
        if (!this.#halfOpen.has(peer)) events.received(peer, frame, envelope);
      },
      connected: (peer) => {
        this.#halfOpen.delete(peer);
        events.connected(peer);
      },
      disconnected: (peer, reason) => {
        // This side already knows of a half-open connection.
        if (!this.#halfOpen.delete(peer)) events.disconnected(peer, reason);
      },
    });
  }

  send(peer: string, frame: string, envelope?: Envelope): LinkRefusal | undefined {
    const { rules, map, link } = this.#options;
    const to = map.nodes.get(peer);
    if (to === undefined) return link.send(peer, frame, envelope);
    if (this.#halfOpen.has(peer)) return 'not_connected';
    const { isDropped, isHeld, afterMs, copies } = rules.effectOn(this.#self, to, frame);
    if (isDropped) return undefined;
    if (isHeld) {
      this.#held.push({ peer: to, frame, envelope });
      return undefined;
    }
    for (let copy = 0; copy < copies; copy += 1) this.#sendAfter(afterMs, peer, frame, envelope);
    return afterMs === 0 ? link.send(peer, frame, envelope) : this.#sendAfter(afterMs, peer, frame, envelope);
  }

  reset(peer: string): void {
    if (!this.#halfOpen.has(peer)) this.#options.link.reset(peer);
  }

  /**
   * Loses the connection to a peer without its notice: what the peer sends is lost. The state ends when the peer gives
   * the connection up, or the returned function is called; then a new connection is made.
   */
  breakHalf(peer: string): () => void {
    this.#halfOpen.add(peer);
    this.#events?.disconnected(peer, 'half open');
    return () => {
      if (this.#halfOpen.delete(peer)) this.#options.link.reset(peer);
    };
  }

  close(): Promise<void> {
    this.#forget();
    return this.#options.link.close();
  }

  crash(): void {
    this.#forget();
    this.#options.link.crash();
  }

  #sendAfter(delayMs: number, peer: string, frame: string, envelope: Envelope | undefined): undefined {
    this.#clock.setTimer(delayMs, () => void this.#options.link.send(peer, frame, envelope));
  }

  /** Sends frames that no rule holds any more, in order. */
  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const { peer, frame, envelope } of held) this.send(peer.name, frame, envelope);
  }

  #forget(): void {
    this.#halfOpen.clear();
    this.#stopListening();
    this.#clock.end();
    this.#held = [];
  }
}
