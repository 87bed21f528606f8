/**
 * The router of a node: takes envelopes from its instances and links, and passes each on to a local instance, to the next
 * hop, or to the dead letters. Only gateways forward envelopes between sites.
 */

import type { Counters } from '../../actors/counters.ts';
import { Mailbox } from '../../actors/mailbox.ts';
import { nodeOf } from '../../model/cluster/address.ts';
import { decode, type Envelope, encode, sentAt } from '../../model/cluster/envelope.ts';
import { type Fault, type FaultCode, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Probe } from '../../ports/instrumentation/probe.ts';
import type { Tracing } from '../../ports/instrumentation/tracing.ts';
import type { Link, LinkRefusal } from '../../ports/link.ts';
import type { Log } from '../../ports/log.ts';
import { ClockShifts } from '../membership/clock-shifts.ts';
import type { ClusterView } from '../membership/view.ts';

export interface RouterOptions {
  readonly view: ClusterView;
  readonly link: Link;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: Counters;
  readonly tracing?: Tracing | undefined;
  /** Handles an envelope for this node or one of its instances. */
  readonly deliver: (envelope: Envelope) => void;
}

/** A copy of an envelope for this node alone. */
type Arriving = { -readonly [K in keyof Envelope]: Envelope[K] };

export class Router {
  readonly tracing: Tracing | undefined;
  readonly #options: RouterOptions;
  readonly #self: string;
  readonly #mailbox: Mailbox<Envelope>;
  readonly #probe: Probe | undefined;
  readonly #shifts: ClockShifts;
  /** The peer from which the last ask of a node came. */
  readonly #cameFrom = new Map<string, string>();
  #sent = 0;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.tracing = options.tracing;
    this.#self = options.view.self.name;
    this.#probe = options.counters.probe;
    this.#mailbox = new Mailbox((envelope) => this.#deliver(envelope));
    this.#shifts = new ClockShifts(options.clock);
  }

  /** Returns an id that is unique in the cluster. */
  nextId(): string {
    this.#sent += 1;
    return `${this.#self}.${this.#options.view.incarnationOf(this.#self)}.${this.#sent}`;
  }

  /** Routes an envelope of this node. An ask that can't be routed is answered with a fault at once. */
  send(untraced: Envelope): void {
    const envelope = this.tracing === undefined ? untraced : this.tracing.sent(untraced);
    this.#probe?.sent(this.#self, envelope);
    const node = nodeOf(envelope.to);
    if (node === this.#self) this.#mailbox.put(envelope);
    else this.#pass(envelope, node);
  }

  /** Sends over the link to a peer, without consulting the view. */
  sendToPeer(peer: string, envelope: Envelope): void {
    this.#probe?.sent(this.#self, envelope);
    const stamped = sentAt(envelope, this.#options.clock.now());
    const refusal = this.#options.link.send(peer, encode(stamped), stamped);
    if (refusal !== undefined) this.#options.counters.add(`link.${refusal}`);
  }

  /** Handles a frame from a peer; `handed`: the envelope in it, from a link that has it. */
  receive(peer: string, frame: string, handed?: Envelope): void {
    const envelope = handed === undefined ? decode(frame) : { ...handed };
    if ('malformed' in envelope) {
      this.#options.counters.add('dead_letter.malformed');
      this.#options.log.write('warn', 'dead_letter', { reason: envelope.malformed, peer });
      return;
    }
    // A hop count below 0 would pass for an envelope that was never on a wire, whose body is not checked.
    const { deadlineMs, sentMs } = envelope;
    const shiftMs = sentMs === undefined ? 0 : this.#shifts.offsetMs(peer, sentMs);
    // The object is for this node alone, so it can be mutated; its body is not.
    const arrived: Arriving = envelope;
    arrived.hops = Math.max(0, envelope.hops) + 1;
    if (deadlineMs !== undefined) arrived.deadlineMs = deadlineMs + shiftMs;
    if (arrived.hops > limits.envelopeHops) return this.deadLetter(arrived, 'too_many_hops');
    if (arrived.kind === 'ask') this.#cameFrom.set(nodeOf(arrived.from), peer);
    const node = nodeOf(arrived.to);
    if (node === this.#self) return this.#mailbox.put(arrived);
    if (arrived.deadlineMs !== undefined && arrived.deadlineMs <= this.#options.clock.now()) {
      return this.deadLetter(arrived, 'too_late');
    }
    return this.#pass(arrived, node);
  }

  /** Drops an envelope; the reason is counted. */
  deadLetter(envelope: Envelope, reason: string): void {
    this.#options.counters.add(`dead_letter.${reason}`);
    this.#probe?.dead(this.#self, envelope, reason);
    const { type, from, to } = envelope;
    this.#options.log.write('debug', 'dead_letter', { reason, type, from, to });
  }

  /** Answers an ask with a fault in the name of its receiver. Other envelopes get no answer. */
  refuse(envelope: Envelope, code: FaultCode, message: string): void {
    this.#fail(envelope, fault(code, message, envelope.to));
  }

  /** Answers an ask with its outcome. */
  answer(envelope: Envelope, outcome: Outcome<unknown>): void {
    if (envelope.kind !== 'ask') return;
    // A fault from another instance keeps its origin.
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
   * An error thrown by the node itself over an envelope fails that envelope only. It must not reach the sending instance or
   * link, which did nothing wrong.
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

  #pass(envelope: Envelope, node: string): void {
    const { clock } = this.#options;
    const stamped = envelope.deadlineMs === undefined ? envelope : sentAt(envelope, clock.now());
    const refusal = this.#forward(stamped, node);
    if (refusal === undefined) return;
    this.deadLetter(envelope, refusal);
    this.refuse(envelope, ...refusalFault(refusal, envelope.to, this.#options.view.self.site));
  }

  /**
   * Sends to the next hop on the way to a node; returns why that is not possible. An answer for which there is no way goes back the way that the
   * last ask of its receiver came: a node that has just started may be asked by one that it does not see, or has no connection with, yet.
   */
  #forward(envelope: Envelope, node: string): LinkRefusal | 'no_route' | undefined {
    const { view, link } = this.#options;
    const sendBy = (peer: string | undefined) =>
      peer === undefined ? 'no_route' : link.send(peer, encode(envelope), envelope);
    const next = view.nextHop(node);
    const refusal = sendBy(next);
    const isAnswer = envelope.kind === 'reply' || envelope.kind === 'fault';
    const hasNoWay = refusal === 'no_route' || refusal === 'not_connected';
    const from = this.#cameFrom.get(node);
    return isAnswer && hasNoWay && from !== undefined && from !== next ? sendBy(from) : refusal;
  }
}

function refusalFault(refusal: LinkRefusal | 'no_route', to: string, site: string): [FaultCode, string] {
  if (refusal === 'frame_too_large') return ['overloaded', `a message to ${to} is over ${limits.frameBytes} bytes`];
  if (refusal === 'queue_full') return ['overloaded', `the queue from site ${site} towards ${to} is full`];
  return ['unreachable', `${to} is not reachable from site ${site}`];
}
