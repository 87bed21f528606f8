/**
 * The post office of a node: takes envelopes from its instances and from its links, and brings each to an instance
 * here, to the next node on its way, or to the dead letters. Between sites only gateways pass envelopes on.
 */

import type { Counters } from '../actors/counters.ts';
import { Mailbox } from '../actors/mailbox.ts';
import { nodeOf } from '../model/address.ts';
import { decode, type Envelope, encode } from '../model/envelope.ts';
import { type Fault, type FaultCode, fault, type Outcome } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Link, LinkRefusal } from '../ports/link.ts';
import type { Log } from '../ports/log.ts';
import type { Probe } from '../ports/probe.ts';
import { ClockShifts } from './peers.ts';
import type { View } from './view.ts';

export interface RouterOptions {
  readonly view: View;
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: Counters;
  /** Takes an envelope that is for this node or one of its instances. */
  readonly deliver: (envelope: Envelope) => void;
}

/** An envelope right after it was parsed. */
type Arriving = { -readonly [K in keyof Envelope]: Envelope[K] };

export class Router {
  readonly #options: RouterOptions;
  readonly #self: string;
  readonly #mailbox: Mailbox<Envelope>;
  readonly #probe: Probe | undefined;
  readonly #shifts: ClockShifts;
  #sent = 0;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#self = options.view.self.name;
    this.#probe = options.counters.probe;
    this.#mailbox = new Mailbox((envelope) => this.#deliver(envelope));
    this.#shifts = new ClockShifts(options.clock);
  }

  /** An id that no other envelope of the cluster has. */
  nextId(): string {
    this.#sent += 1;
    return `${this.#self}.${this.#options.view.digest.self.incarnation}.${this.#sent}`;
  }

  /** Sends an envelope of this node on its way. An ask that can't go is answered with a fault at once. */
  send(envelope: Envelope): void {
    this.#probe?.sent(this.#self, envelope);
    const node = nodeOf(envelope.to);
    if (node === this.#self) this.#mailbox.put(envelope);
    else this.#pass(envelope, this.#options.view.nextHop(node));
  }

  /** Sends over the link to a peer, whatever the view says of it. */
  sendToPeer(peer: string, envelope: Envelope): void {
    this.#probe?.sent(this.#self, envelope);
    const refusal = this.#options.link.send(peer, encode(envelope, this.#options.clock.now()));
    if (refusal !== undefined) this.#options.counters.add(`link.${refusal}`);
  }

  /** Takes a frame from a peer. */
  receive(peer: string, frame: string): void {
    const envelope = decode(frame);
    if ('malformed' in envelope) {
      this.#options.counters.add('dead_letter.malformed');
      this.#options.log.write('warn', 'dead_letter', { reason: envelope.malformed, peer });
      return;
    }
    // Less than 0 would pass for an envelope that was never on a wire, whose body nobody checks.
    const { deadlineMs, sentMs } = envelope;
    const shiftMs = sentMs === undefined ? 0 : this.#shifts.heard(peer, sentMs);
    // It was parsed for this node alone, so it need not be copied.
    const arrived: Arriving = envelope;
    arrived.hops = Math.max(0, envelope.hops) + 1;
    if (deadlineMs !== undefined) arrived.deadlineMs = deadlineMs + shiftMs;
    if (arrived.hops > limits.envelopeHops) return this.deadLetter(arrived, 'too_many_hops');
    const node = nodeOf(arrived.to);
    if (node === this.#self) return this.#mailbox.put(arrived);
    if (arrived.deadlineMs !== undefined && arrived.deadlineMs <= this.#options.clock.now()) {
      return this.deadLetter(arrived, 'too_late');
    }
    return this.#pass(arrived, this.#options.view.nextHop(node));
  }

  /** Gives an envelope up, for a reason that is counted. */
  deadLetter(envelope: Envelope, reason: string): void {
    this.#options.counters.add(`dead_letter.${reason}`);
    this.#probe?.dead(this.#self, envelope, reason);
    const { type, from, to } = envelope;
    this.#options.log.write('debug', 'dead_letter', { reason, type, from, to });
  }

  /** Answers an ask with a fault of whom it was sent to. An envelope that is no ask gets no answer. */
  refuse(envelope: Envelope, code: FaultCode, message: string): void {
    this.#fail(envelope, fault(code, message, envelope.to));
  }

  /** Answers an ask with what it came to. */
  answer(envelope: Envelope, outcome: Outcome<unknown>): void {
    if (envelope.kind !== 'ask') return;
    // A fault that came from another keeps its origin: the one that was asked was there.
    if (!outcome.ok) return this.#fail(envelope, { ...outcome.fault, origin: outcome.fault.origin ?? envelope.to });
    const { id: re, type, to: from, from: to } = envelope;
    return this.send({ id: this.nextId(), kind: 'reply', type, from, to, re, hops: 0, body: outcome.value });
  }

  close(): void {
    this.#mailbox.close();
  }

  #fail(envelope: Envelope, body: Fault): void {
    if (envelope.kind !== 'ask') return;
    const { id: re, type, to: from, from: to } = envelope;
    this.send({ id: this.nextId(), kind: 'fault', type, from, to, re, hops: 0, body });
  }

  /**
   * What the node itself throws over an envelope fails that envelope. It must reach neither the instance nor the link whose
   * put it was: they did nothing wrong.
   */
  #deliver(envelope: Envelope): void {
    try {
      this.#options.deliver(envelope);
    } catch (error) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#options.log.write('error', 'bug', { reference: envelope.id, stack });
      this.deadLetter(envelope, 'bug');
      this.refuse(envelope, 'crashed', `${envelope.to} failed over this ${envelope.type}`);
    }
  }

  #pass(envelope: Envelope, next: string | undefined): void {
    const { clock, link } = this.#options;
    const sentMs = envelope.deadlineMs === undefined ? undefined : clock.now();
    const refusal = next === undefined ? 'no_route' : link.send(next, encode(envelope, sentMs));
    if (refusal === undefined) return;
    this.deadLetter(envelope, refusal);
    this.refuse(envelope, ...refusalFault(refusal, envelope.to, this.#options.view.self.site));
  }
}

function refusalFault(refusal: LinkRefusal | 'no_route', to: string, site: string): [FaultCode, string] {
  if (refusal === 'frame_too_large') return ['overloaded', `a message to ${to} is over ${limits.frameBytes} bytes`];
  if (refusal === 'queue_full') return ['overloaded', `the queue from site ${site} towards ${to} is full`];
  return ['unreachable', `${to} is not reachable from site ${site}`];
}
