/** A link under rules: any Link port, real or simulated, whose frames the faults of a run drop, hold, delay and repeat. */
import type { ClusterMap, NodeEntry } from '../../src/model/cluster-map.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Link, LinkEvents, LinkRefusal } from '../../src/ports/link.ts';
import { ScopedClock } from '../../src/runtime/scoped-clock.ts';
import type { Rules } from './rules.ts';

export interface RuledLinkOptions {
  readonly link: Link;
  readonly rules: Rules;
  readonly map: ClusterMap;
  readonly self: string;
  readonly clock: Clock;
}

interface Held {
  readonly peer: NodeEntry;
  readonly frame: string;
}

export class RuledLink implements Link {
  readonly #options: RuledLinkOptions;
  readonly #self: NodeEntry;
  /** What is delayed is gone with the link. */
  readonly #clock: ScopedClock;
  readonly #stopListening: () => void;
  #held: Held[] = [];

  constructor(options: RuledLinkOptions) {
    this.#options = options;
    this.#self = options.map.node(options.self);
    this.#clock = new ScopedClock(options.clock);
    this.#stopListening = options.rules.onLifted(() => this.#release());
  }

  open(events: LinkEvents): Promise<void> {
    return this.#options.link.open(events);
  }

  send(peer: string, frame: string): LinkRefusal | undefined {
    const { rules, map, link } = this.#options;
    const to = map.nodes.get(peer);
    if (to === undefined) return link.send(peer, frame);
    const { isDropped, isHeld, afterMs, copies } = rules.judge(this.#self, to);
    if (isDropped) return undefined;
    if (isHeld) {
      this.#held.push({ peer: to, frame });
      return undefined;
    }
    for (let copy = 0; copy < copies; copy += 1) this.#sendAfter(afterMs, peer, frame);
    return afterMs === 0 ? link.send(peer, frame) : this.#sendAfter(afterMs, peer, frame);
  }

  reset(peer: string): void {
    this.#options.link.reset(peer);
  }

  close(): Promise<void> {
    this.#forget();
    return this.#options.link.close();
  }

  crash(): void {
    this.#forget();
    this.#options.link.crash();
  }

  #sendAfter(delayMs: number, peer: string, frame: string): undefined {
    this.#clock.setTimer(delayMs, () => void this.#options.link.send(peer, frame));
  }

  /** Sends on what no rule holds any more, in order. */
  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const { peer, frame } of held) this.send(peer.name, frame);
  }

  #forget(): void {
    this.#stopListening();
    this.#clock.end();
    this.#held = [];
  }
}
