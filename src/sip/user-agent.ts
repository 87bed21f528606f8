/**
 * A SIP user agent: what every party of a call has, inside and outside (b2b for each side, conf, ivr, phones, providers).
 * It keeps transactions (retransmission, ACK, CANCEL and its crossing 200) and legs, one for each Call-Id; its owner
 * performs operations on a leg and gets its reports.
 *
 * It answers by itself: 100 to INVITE, 200 to BYE, CANCEL, NOTIFY, INFO, UPDATE and re-INVITE, 481 to what belongs to no leg.
 */
import { limits } from '../model/limits.ts';
import { reasonOf, responseTo, type SipMessage, type SipRequest, type SipResponse } from '../model/sip/message.ts';
import { sipUri, userOf } from '../model/sip/uri.ts';
import type { Timer } from '../ports/clock.ts';
import { Effects } from './effects.ts';
import { belongs, type Leg, type LegOperation, type LegView, newLeg } from './leg.ts';
import { type LegOwner, Legs } from './legs.ts';
import { inviteOf, type NewRequest, newTag, type OutgoingCall, requestOutside } from './outgoing-messages.ts';
import { ClientTransactions, ServerTransactions } from './transactions.ts';

export type { LegOperation, LegReport, LegView } from './leg.ts';
export type { NewRequest, OutgoingCall } from './outgoing-messages.ts';

/** @internal */
export interface UserAgentOptions extends LegOwner {
  /** Host of its contact: the name of a role instance, or the endpoint outside. */
  readonly host: string;
  /** How many legs it may have. Default: `limits.legs`. */
  readonly limit?: number;
  /** Hands a message over to the next hop. May be called again with the same message (retransmission). */
  readonly send: (message: SipMessage, hop: string) => void;
  /** A request that makes no leg and belongs to none: OPTIONS, REGISTER. Answer it by `respond`. */
  readonly onRequest: (request: SipRequest, from: string) => void;
  readonly onCrash: (error: unknown) => void;
}

/** @internal */
export class UserAgent {
  readonly #options: UserAgentOptions;
  readonly #effects: Effects;
  readonly #clients: ClientTransactions;
  readonly #servers: ServerTransactions;
  readonly #legs: Legs;
  readonly #refused = new Set<Timer>();
  #cseq = 0;
  #isStopped = false;

  constructor(options: UserAgentOptions) {
    this.#options = options;
    this.#effects = new Effects(options.onCrash);
    const { clock, counters, isLossy } = options;
    const send = (message: SipMessage, hop: string) => this.#effects.add(() => options.send(message, hop));
    const during = (step: () => void) => {
      try {
        this.#effects.during(step);
      } catch (error) {
        options.onCrash(error);
      }
    };
    const common = { clock, counters, isLossy, send, during };
    this.#clients = new ClientTransactions(common);
    this.#servers = new ServerTransactions({
      ...common,
      onAck: ({ callid }) => this.#toLeg(callid, 'ack.received'),
      onAckMissed: ({ callid }) => this.#toLeg(callid, 'ack.missed'),
    });
    const parts = { clients: this.#clients, servers: this.#servers, effects: this.#effects };
    this.#legs = new Legs({ agent: options, during, ...parts });
    options.counters.gauge('legs', () => this.size);
    options.counters.gauge('transactions', () => this.entries - this.size);
  }

  /** Legs that are not over. */
  get size(): number {
    return this.#legs.size;
  }

  /** All that it remembers: legs, requests under way, and answers that may be wanted again for 32 s. */
  get entries(): number {
    return this.#legs.size + this.#clients.size + this.#servers.size + this.#refused.size;
  }

  /** Takes a message that came from a hop. */
  receive(message: SipMessage, from: string): void {
    if (this.#isStopped) return;
    this.#effects.during(() => {
      const leg = this.#legs.get(message.callid);
      if (leg !== undefined) leg.receivedMs = this.#options.clock.now();
      if (message.kind === 'response') this.#clients.receive(message);
      else this.#receiveRequest(message, from);
    });
  }

  /**
   * Calls; the leg's name is its Call-Id. Where there is no room for another leg it is refused with 503, by a report that
   * comes later. Throws when the agent has a leg of this Call-Id.
   */
  call(options: OutgoingCall): string {
    const { clock, random, sentBy, host, userAgent } = this.#options;
    this.#cseq += 1;
    const invite = inviteOf(options, { cseq: this.#cseq, random, sentBy, host, userAgent });
    const { callid, from, to, uri } = invite;
    if (this.#legs.get(callid) !== undefined) throw new Error(`a leg "${callid}" exists`);
    if (this.#isStopped) return callid;
    if (this.#isFull) this.#refuse(callid);
    else {
      const ends = { local: from, remote: to, contact: uri, ownContact: invite.contact ?? uri, hop: options.hop };
      const leg = newLeg({ ...ends, isOutgoing: true, invite, state: this.#legs.initial, nowMs: clock.now() });
      this.#effects.during(() => this.#legs.add(leg));
    }
    return callid;
  }

  /** Performs an operation on a leg. False when there is no leg of this name. */
  control(name: string, operation: LegOperation): boolean {
    const leg = this.#legs.get(name);
    if (leg === undefined) return false;
    this.#effects.during(() => this.#legs.perform(leg, operation));
    return true;
  }

  /** The other side of a leg is out of reach: the leg ends. An answered one repeats BYE, for the other side may be back without knowing. */
  lose(name: string): void {
    const leg = this.#legs.get(name);
    if (leg !== undefined) this.#effects.during(() => this.#legs.send(leg, 'remote.lost'));
  }

  view(name: string): LegView | undefined {
    const leg = this.#legs.get(name);
    return leg === undefined ? undefined : this.#legs.view(leg);
  }

  /** The provider account that a leg goes through, as its INVITE says. */
  accountOf(name: string): string | undefined {
    return this.#legs.get(name)?.invite.account;
  }

  legs(): IterableIterator<string> {
    return this.#legs.names();
  }

  /** Sends a request outside any leg (REGISTER, OPTIONS); `onResponse` receives its one final response, 408 if none came. */
  request(request: NewRequest, hop: string, onResponse: (response: SipResponse) => void): void {
    const { random, sentBy, host, userAgent } = this.#options;
    this.#cseq += 1;
    const made = requestOutside(request, { cseq: this.#cseq, random, sentBy, host, userAgent });
    const receive = (response: SipResponse) => {
      if (response.status >= 200) this.#effects.add(() => onResponse(response));
    };
    if (this.#isStopped) return;
    this.#effects.during(() => this.#clients.start(made, hop, receive, { timeoutMs: request.timeoutMs }));
  }

  /** Answers a request that `onRequest` gave. */
  respond(request: SipRequest, status: number, more?: Partial<Omit<SipResponse, 'kind' | 'status'>>): void {
    this.#effects.during(() => this.#servers.respond(responseTo(request, status, more)));
  }

  /** Forgets everything at once. Nothing is sent or reported any more. */
  stop(): void {
    this.#isStopped = true;
    this.#effects.close();
    this.#legs.stop();
    this.#clients.stop();
    this.#servers.stop();
    for (const timer of this.#refused) timer.cancel();
    this.#refused.clear();
  }

  get #isFull(): boolean {
    return this.#legs.size >= (this.#options.limit ?? limits.legs);
  }

  #receiveRequest(request: SipRequest, from: string): void {
    const leg = this.#legs.get(request.callid);
    if (request.method === 'ACK') {
      this.#servers.acknowledge(request);
      return;
    }
    if (this.#servers.isRepeated(request, from)) return;
    if (request.method === 'CANCEL') return this.#cancel(request, leg);
    const isOutside = request.to.tag === undefined;
    if (isOutside && isOutsideDialogs(request)) {
      this.#effects.add(() => this.#options.onRequest(request, from));
    } else if (isOutside && request.method === 'INVITE') this.#invited(request, leg, from);
    else if (leg === undefined || !belongs(request, leg)) this.#refuseRequest(request, 481);
    else this.#receiveInDialog(leg, request);
  }

  #toLeg(callid: string, type: 'ack.received' | 'ack.missed'): void {
    const leg = this.#legs.get(callid);
    if (leg !== undefined) this.#legs.send(leg, type);
  }

  #invited(request: SipRequest, existing: Leg | undefined, from: string): void {
    const { clock, random, host } = this.#options;
    if (existing !== undefined) return this.#refuseRequest(request, 482);
    if (this.#isFull) return this.#refuseRequest(request, 503);
    const local = { ...request.to, tag: newTag(random) };
    const ownContact = sipUri(userOf(request.to.uri), host);
    const ends = { local, remote: request.from, contact: request.contact ?? request.from.uri, ownContact };
    const origin = { hop: request.via[0] ?? from, isOutgoing: false, invite: request };
    this.#legs.add(newLeg({ ...ends, ...origin, state: this.#legs.initial, nowMs: clock.now() }));
  }

  /** A request in a dialog. */
  #receiveInDialog(leg: Leg, request: SipRequest): void {
    if (request.cseq <= leg.remoteCseq) return this.#refuseRequest(request, 500);
    leg.remoteCseq = request.cseq;
    if (request.method === 'BYE') {
      this.#servers.respond(responseTo(request, 200));
      return this.#legs.send(leg, 'bye.received');
    }
    // A peer that goes on in the dialog has received our 200: the ACK is late, or lost.
    if (leg.state === 'answering' || leg.state === 'hanging') {
      this.#servers.settle(leg.invite);
      this.#legs.send(leg, 'ack.received');
    }
    this.#legs.send(leg, request.method === 'INVITE' ? 'offer.received' : 'request.received', { request });
  }

  #cancel(request: SipRequest, leg: Leg | undefined): void {
    if (!this.#servers.hasInvite(request)) return this.#refuseRequest(request, 481);
    this.#servers.respond(responseTo(request, 200));
    const isMeant = leg !== undefined && !leg.isOutgoing && leg.invite.cseq === request.cseq;
    if (isMeant) this.#legs.send(leg, 'cancel.received');
    else this.#servers.cancel(request);
  }

  #refuseRequest(request: SipRequest, status: number): void {
    this.#servers.respond(responseTo(request, status));
  }

  /** Reports a call for which there is no room, once `call` has returned its name. */
  #refuse(callid: string): void {
    const { clock, onReport } = this.#options;
    const timer = clock.setTimer(0, () => {
      this.#refused.delete(timer);
      const report = { status: 503, reason: reasonOf(503), contacts: [], challenge: undefined };
      this.#effects.during(() => this.#effects.add(() => onReport(callid, { type: 'leg.failed', ...report })));
    });
    this.#refused.add(timer);
  }
}

/** Whether it belongs to no call: NOTIFY about a registration comes without a subscription. */
function isOutsideDialogs({ method, event }: SipRequest): boolean {
  return method === 'REGISTER' || method === 'OPTIONS' || (method === 'NOTIFY' && event === 'reg');
}
