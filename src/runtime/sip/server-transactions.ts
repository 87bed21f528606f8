/**
 * Requests that came (RFC 3261 17.2): one that comes again gets the last answer again, and a final answer to INVITE is sent
 * again, where it can get lost, until its ACK comes.
 */

import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../model/sip/message.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import { sipTimings } from './timing.ts';

export interface ServerTransactionsOptions {
  readonly clock: Clock;
  readonly isLossy: (hop: string) => boolean;
  readonly send: (message: SipMessage, hop: string) => void;
  readonly during: (step: () => void) => void;
  /** A 2xx to this INVITE was sent again and again, and no ACK came. */
  readonly onAckMissed: (request: SipRequest) => void;
}

interface Served {
  readonly request: SipRequest;
  readonly hop: string;
  response: SipResponse | undefined;
  /** Retransmission of a final answer to INVITE. */
  timer: Timer | undefined;
  pauseMs: number;
  deadlineMs: number;
}

export class ServerTransactions {
  readonly #options: ServerTransactionsOptions;
  /** INVITEs without a final answer; all else is forgotten after a while. */
  readonly #open = new Map<string, Served>();
  readonly #recent: ExpiringMap<Served>;
  /** Of the recent ones those that send their answer again. */
  readonly #repeating = new Set<Served>();

  constructor(options: ServerTransactionsOptions) {
    this.#options = options;
    this.#recent = new ExpiringMap(options.clock, sipTimings.patienceMs);
  }

  get size(): number {
    return this.#open.size + this.#recent.size + this.#repeating.size;
  }

  /** Whether the agent has seen this request before; it then gets the last answer again. Else it is remembered. */
  isRepeated(request: SipRequest, from: string): boolean {
    const key = keyOf(request.method, request.cseq, request.callid);
    const served = this.#open.get(key) ?? this.#recent.get(key);
    if (served !== undefined && served.request.from.tag === request.from.tag) {
      if (served.response !== undefined) this.#options.send(served.response, served.hop);
      return true;
    }
    const hop = request.via[0] ?? from;
    const fresh: Served = { request, hop, response: undefined, timer: undefined, pauseMs: 0, deadlineMs: 0 };
    if (request.method === 'INVITE') this.#open.set(key, fresh);
    else this.#recent.set(key, fresh);
    return false;
  }

  /** Whether an INVITE of this number is known: the one that a CANCEL means. */
  hasInvite({ cseq, callid }: SipRequest): boolean {
    const key = keyOf('INVITE', cseq, callid);
    return this.#open.has(key) || this.#recent.get(key) !== undefined;
  }

  /** Answers a request that was remembered; nothing when that is long ago. */
  respond(response: SipResponse): void {
    const key = keyOf(response.method, response.cseq, response.callid);
    const served = this.#open.get(key) ?? this.#recent.get(key);
    if (served === undefined) return;
    served.response = response;
    if (response.method === 'INVITE' && response.status >= 200) this.#awaitAck(key, served);
    this.#options.send(response, served.hop);
  }

  /** An ACK came. Whether it belongs to a 2xx. */
  acknowledge({ cseq, callid }: SipRequest): boolean {
    const served = this.#recent.get(keyOf('INVITE', cseq, callid));
    if (served === undefined) return false;
    this.#rest(served);
    return (served.response?.status ?? 0) < 300;
  }

  /** Never answers an INVITE any more. */
  abandon({ cseq, callid }: SipRequest): void {
    const key = keyOf('INVITE', cseq, callid);
    const served = this.#open.get(key);
    if (served === undefined) return;
    this.#open.delete(key);
    this.#recent.set(key, served);
  }

  /** Sends a 2xx no more: the dialog is over. */
  settle({ cseq, callid }: SipRequest): void {
    const served = this.#recent.get(keyOf('INVITE', cseq, callid));
    if (served !== undefined && (served.response?.status ?? 0) < 300) this.#rest(served);
  }

  stop(): void {
    for (const served of this.#repeating) served.timer?.cancel();
    this.#repeating.clear();
    this.#open.clear();
    this.#recent.clear();
  }

  #awaitAck(key: string, served: Served): void {
    this.#open.delete(key);
    this.#recent.set(key, served);
    if (!this.#options.isLossy(served.hop)) return;
    served.deadlineMs = this.#options.clock.now() + sipTimings.patienceMs;
    served.pauseMs = sipTimings.t1Ms;
    this.#repeating.add(served);
    this.#arm(served);
  }

  #rest(served: Served): void {
    served.timer?.cancel();
    this.#repeating.delete(served);
  }

  #arm(served: Served): void {
    const leftMs = served.deadlineMs - this.#options.clock.now();
    const delayMs = Math.min(served.pauseMs, leftMs);
    served.timer = this.#options.clock.setTimer(delayMs, () => this.#options.during(() => this.#due(served)));
  }

  #due(served: Served): void {
    const { request, response } = served;
    if (response === undefined) return;
    if (this.#options.clock.now() >= served.deadlineMs) {
      this.#repeating.delete(served);
      if (response.status < 300) this.#options.onAckMissed(request);
      return;
    }
    served.pauseMs = Math.min(served.pauseMs * 2, sipTimings.t2Ms);
    this.#arm(served);
    this.#options.send(response, served.hop);
  }
}

function keyOf(method: string, cseq: number, callid: string): string {
  return `${method} ${cseq} ${callid}`;
}
