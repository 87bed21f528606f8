/**
 * Requests that wait for their answer (RFC 3261 17.1): sent again where they can get lost, given a 408 when no answer came,
 * and for INVITE the ACK, which goes out again whenever the final answer comes again.
 */

import { ExpiringMap } from '../../actors/expiring-map.ts';
import { responseTo, type SipMessage, type SipRequest, type SipResponse } from '../../model/sip/message.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import { sipTimings } from './timing.ts';

export interface ClientTransactionsOptions {
  readonly clock: Clock;
  readonly isLossy: (hop: string) => boolean;
  readonly send: (message: SipMessage, hop: string) => void;
  /** Runs what a timer does as a step of the agent. */
  readonly during: (step: () => void) => void;
}

interface Sent {
  readonly key: string;
  readonly request: SipRequest;
  readonly hop: string;
  readonly onResponse: (response: SipResponse) => void;
  readonly deadlineMs: number;
  /** Until the next retransmission; 0 where there is none. */
  pauseMs: number;
  timer: Timer | undefined;
}

export class ClientTransactions {
  readonly #options: ClientTransactionsOptions;
  readonly #sent = new Map<string, Sent>();
  readonly #acks: ExpiringMap<{ ack: SipRequest; hop: string }>;

  constructor(options: ClientTransactionsOptions) {
    this.#options = options;
    this.#acks = new ExpiringMap(options.clock, sipTimings.patienceMs);
  }

  /** Requests that wait, and ACKs that are remembered. */
  get size(): number {
    return this.#sent.size + this.#acks.size;
  }

  /** Sends a request; `onResponse` hears each provisional answer and one final one. */
  start(
    request: SipRequest,
    hop: string,
    onResponse: (response: SipResponse) => void,
    timeoutMs: number = sipTimings.patienceMs,
  ): void {
    const key = keyOf(request);
    const pauseMs = this.#options.isLossy(hop) ? sipTimings.t1Ms : 0;
    const deadlineMs = this.#options.clock.now() + timeoutMs;
    const sent: Sent = { key, request, hop, onResponse, deadlineMs, pauseMs, timer: undefined };
    this.#sent.set(key, sent);
    this.#arm(sent);
    this.#options.send(request, hop);
  }

  receive(response: SipResponse): void {
    const key = keyOf(response);
    const sent = this.#sent.get(key);
    if (sent === undefined) {
      const known = response.status >= 200 ? this.#acks.get(key) : undefined;
      if (known !== undefined) this.#options.send(known.ack, known.hop);
      return;
    }
    if (response.from.tag !== sent.request.from.tag) return;
    if (response.status < 200) this.#wait(sent);
    else this.#end(sent, response);
    sent.onResponse(response);
  }

  /** Sends the ACK of a 2xx. */
  acknowledge(ack: SipRequest, hop: string): void {
    this.#acks.set(`INVITE ${ack.cseq} ${ack.callid}`, { ack, hop });
    this.#options.send(ack, hop);
  }

  /** Gives a request up: no answer to it is heard any more. */
  abandon(request: SipRequest): void {
    const key = keyOf(request);
    this.#sent.get(key)?.timer?.cancel();
    this.#sent.delete(key);
  }

  stop(): void {
    for (const { timer } of this.#sent.values()) timer?.cancel();
    this.#sent.clear();
    this.#acks.clear();
  }

  /** A provisional answer: an INVITE is sent no more, and one that makes a call may take as long as it takes. */
  #wait(sent: Sent): void {
    const { method, to } = sent.request;
    if (method !== 'INVITE') {
      if (sent.pauseMs > 0) sent.pauseMs = sipTimings.t2Ms;
      return;
    }
    sent.pauseMs = 0;
    sent.timer?.cancel();
    sent.timer = undefined;
    if (to.tag !== undefined) this.#arm(sent);
  }

  #end(sent: Sent, response: SipResponse): void {
    sent.timer?.cancel();
    this.#sent.delete(sent.key);
    const isRefused = response.status >= 300 && sent.request.method === 'INVITE';
    if (isRefused) this.acknowledge(ackOf(sent.request, response), sent.hop);
  }

  #arm(sent: Sent): void {
    const leftMs = sent.deadlineMs - this.#options.clock.now();
    const delayMs = sent.pauseMs > 0 ? Math.min(sent.pauseMs, leftMs) : leftMs;
    sent.timer = this.#options.clock.setTimer(delayMs, () => this.#options.during(() => this.#due(sent)));
  }

  #due(sent: Sent): void {
    if (this.#options.clock.now() >= sent.deadlineMs) {
      this.#sent.delete(sent.key);
      sent.onResponse(responseTo(sent.request, 408));
      return;
    }
    const longestMs = sent.request.method === 'INVITE' ? Infinity : sipTimings.t2Ms;
    sent.pauseMs = Math.min(sent.pauseMs * 2, longestMs);
    this.#arm(sent);
    this.#options.send(sent.request, sent.hop);
  }
}

/** The ACK of a final answer that is no 2xx: it belongs to the INVITE (RFC 3261 17.1.1.3). */
function ackOf(request: SipRequest, response: SipResponse): SipRequest {
  const { uri, maxForwards, callid, from, cseq, via } = request;
  return { kind: 'request', uri, maxForwards, callid, from, to: response.to, cseq, method: 'ACK', via };
}

function keyOf({ method, cseq, callid }: SipMessage): string {
  return `${method} ${cseq} ${callid}`;
}
