/**
 * The network between the edges of the cluster and the phones and providers: datagrams with a few milliseconds of
 * latency. Each direction keeps the order; copies that a fault makes may arrive out of order.
 */

import { ScopedClock } from '../../src/actors/scoped-clock.ts';
import type { SipMessage } from '../../src/model/sip/message.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Outside, OutsideLine } from '../../src/ports/outside.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import { TrafficRules } from '../faults/rules.ts';

export interface OutsideNetworkOptions {
  readonly clock: Clock;
  readonly random: RandomStream;
  /** Called with every message when it is sent. */
  readonly onMessage?: (sent: OutsideMessage) => void;
}

/** A message between the endpoints `from` and `to`. */
export interface OutsideMessage {
  readonly from: string;
  readonly to: string;
  readonly message: SipMessage;
  /** It does not arrive: a fault takes it, or nothing is at its destination. */
  readonly isLost?: boolean;
}

type Receive = (message: SipMessage, from: string) => void;

/** Milliseconds: least latency, its jitter, and the largest delay of a copy. */
const [leastMs, spreadMs, lateMs] = [1, 3, 40];

export class OutsideNetwork implements Outside {
  /** Faults, by endpoint. */
  readonly rules = new TrafficRules<string, SipMessage>();
  readonly #clock: ScopedClock;
  readonly #random: RandomStream;
  readonly #onMessage: OutsideNetworkOptions['onMessage'];
  readonly #attached = new Map<string, Receive>();

  constructor({ clock, random, onMessage }: OutsideNetworkOptions) {
    this.#clock = new ScopedClock(clock);
    this.#random = random;
    this.#onMessage = onMessage;
  }

  /** Messages in flight. */
  get underWay(): number {
    return this.#clock.pending;
  }

  attach(endpoint: string, received: Receive): OutsideLine {
    this.#attached.set(endpoint, received);
    /** Arrival time of the last message to an endpoint: the next one does not overtake it. */
    const arrivals = new Map<string, number>();
    return {
      send: (to, message) => this.#send(endpoint, to, { message, arrivals }),
      detach: () => {
        if (this.#attached.get(endpoint) === received) this.#attached.delete(endpoint);
      },
    };
  }

  /** Drops all later arrivals. */
  stop(): void {
    this.#clock.end();
    this.#attached.clear();
  }

  #send(from: string, to: string, sent: { message: SipMessage; arrivals: Map<string, number> }): void {
    const { message, arrivals } = sent;
    const { isDropped, isHeld, afterMs, copies } = this.rules.effectOn(from, to, message);
    // A held datagram is dropped: a real network would not keep it.
    const isLost = isDropped || isHeld || !this.#attached.has(to);
    this.#onMessage?.({ from, to, message, isLost });
    if (isLost) return;
    const nowMs = this.#clock.now();
    const arrivalMs = Math.max(nowMs + leastMs + this.#random.float() * spreadMs + afterMs, arrivals.get(to) ?? 0);
    arrivals.set(to, arrivalMs);
    this.#deliver(from, to, message, arrivalMs - nowMs);
    for (let copy = 0; copy < copies; copy += 1) {
      this.#deliver(from, to, message, afterMs + leastMs + this.#random.float() * lateMs);
    }
  }

  #deliver(from: string, to: string, message: SipMessage, inMs: number): void {
    this.#clock.setTimer(inMs, () => this.#attached.get(to)?.(message, from));
  }
}
