/**
 * An endpoint outside the cluster, phone or provider: a user agent and its calls. Each call runs by the table of the
 * endpoint call machine; the owner adds what is particular to a phone or a provider.
 */

import type { Counters } from '../../../src/actors/counters.ts';
import { credentialsFor } from '../../../src/model/sip/digest.ts';
import type { Challenge, SipMessage, SipRequest, SipResponse } from '../../../src/model/sip/message.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Outside, OutsideLine } from '../../../src/ports/outside.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import {
  type LegOperation,
  type LegReport,
  type LegView,
  type NewRequest,
  UserAgent,
} from '../../../src/sip/user-agent.ts';
import { answering, type CallReaction, type InCallActions, refusing } from '../behaviour.ts';
import { type CallView, delayMsOf, type EndpointCall, newCall, viewOf } from './endpoint-call.ts';
import { type PartyCommand, type PartyDelay, type PartyEvent, type Placing, partyTable } from './party-machine.ts';
import { followReferral, type ReferralOptions } from './referral.ts';

export interface EndpointOwner {
  /** The reaction to an incoming call. */
  reactionTo(request: SipRequest): CallReaction;
  /** What it does in a call that it makes; default: nothing. */
  inCallActionsIn?(placing: Placing): InCallActions;
  /** Options of the call to the target of a REFER; `undefined`: the endpoint cannot make it. */
  placingTo(uri: string, leg: LegView, placing: Placing | undefined): Placing | undefined;
  /** A request outside calls: OPTIONS, REGISTER. */
  take(request: SipRequest): void;
  /** A call of this endpoint has failed. */
  onFailed?(status: number, hasRung: boolean): void;
}

export interface EndpointOptions {
  readonly endpoint: string;
  readonly owner: EndpointOwner;
  readonly userAgent: string;
  readonly outside: Outside;
  readonly clock: Clock;
  /** For Call-Ids and tags. */
  readonly random: RandomStream;
  readonly counters: Counters;
  readonly sessionExpiresMs: number;
  readonly onCrash: (error: unknown) => void;
}

type Wanted = 'talk.wanted' | 'hold.wanted' | 'end.wanted';

export class OutsideEndpoint {
  /** Silent: the endpoint receives and sends nothing. */
  isSilent = false;
  /** It answers a request to which it sends no 100. */
  #isUntried = false;
  readonly #options: EndpointOptions;
  readonly #agent: UserAgent;
  readonly #line: OutsideLine;
  readonly #calls = new Map<string, EndpointCall>();

  constructor(options: EndpointOptions) {
    const { endpoint, outside, clock, random, counters, userAgent, sessionExpiresMs, owner, onCrash } = options;
    this.#options = options;
    this.#line = outside.attach(endpoint, (message, from) => this.#receive(message, from));
    this.#agent = new UserAgent({
      sentBy: endpoint,
      host: endpoint,
      clock,
      random,
      counters,
      userAgent,
      onCrash,
      send: (message, hop) => {
        const isLeftOut = this.#isUntried && message.kind === 'response' && message.status === 100;
        if (!this.isSilent && !isLeftOut) this.#line.send(hop, message);
      },
      isLossy: () => true,
      session: { does: 'refresh', expiresMs: sessionExpiresMs },
      onReport: (leg, report) => this.#onReport(leg, report),
      onRequest: (request) => owner.take(request),
    });
  }

  /** Number of its calls. */
  get size(): number {
    return this.#calls.size;
  }

  /** Size of all state of its user agent. */
  get entries(): number {
    return this.#agent.entries;
  }

  calls(): CallView[] {
    return [...this.#calls.values()].map((call) => viewOf(call, this.#agent.view(call.callid)));
  }

  /** Makes a call. Returns the Call-Id. */
  call(placing: Placing): string {
    const callid = Buffer.from(this.#options.random.bytes(12)).toString('hex');
    const inCallActions = this.#options.owner.inCallActionsIn?.(placing) ?? answering.inCallActions;
    const call = newCall({ callid, reaction: { ...answering, hangupMs: placing.hangupMs, inCallActions }, placing });
    this.#calls.set(callid, call);
    this.#send(call, 'placed');
    return callid;
  }

  /** Answers or resumes, holds, or ends a call. Returns false if that changes nothing: it has no such call, or not in such a state. */
  want(callid: string, wanted: Wanted): boolean {
    const call = this.#calls.get(callid);
    if (call === undefined) return false;
    const { isEntered, commands } = partyTable.step(call.state, { type: wanted });
    this.#send(call, wanted);
    return isEntered || commands.length > 0;
  }

  /** Refuses a call that has no final answer yet. Returns false if there is none with this Call-Id. */
  reject(callid: string, status: number): boolean {
    const call = this.#calls.get(callid);
    if (call === undefined || (call.state !== 'pending' && call.state !== 'ringing')) return false;
    call.reaction = refusing(status);
    this.#send(call, 'reject.wanted');
    return true;
  }

  /** Presses digits in a call, one after the other. Returns false if there is no such call, or it is not answered. */
  press(callid: string, digits: string): boolean {
    if (!this.#isAnswered(callid)) return false;
    for (const dtmf of digits) this.#agent.control(callid, { type: 'dtmf', dtmf });
    return true;
  }

  /**
   * Refers the other side of an answered call to a target, which has the call `replacing` with this endpoint. When that has succeeded,
   * the call ends. Returns false if there is no such call, or it is not answered.
   */
  transfer(callid: string, uri: string, replacing?: string): boolean {
    const { replaces } = (replacing === undefined ? undefined : this.#agent.view(replacing)) ?? {};
    if (replacing !== undefined && replaces === undefined) return false;
    const referTo = { uri, ...(replaces !== undefined && { replaces }) };
    return this.#isAnswered(callid) && this.#agent.control(callid, { type: 'refer', referTo });
  }

  /** Between its 200 and the ACK a leg keeps a request. */
  #isAnswered(callid: string): boolean {
    return this.#agent.view(callid)?.isAnswered === true;
  }

  request(request: NewRequest, hop: string, onResponse: (response: SipResponse) => void): void {
    this.#agent.request(request, hop, onResponse);
  }

  respond(request: SipRequest, status: number, more?: Parameters<UserAgent['respond']>[2]): void {
    this.#agent.respond(request, status, more);
  }

  /** Drops all state at once. */
  stop(): void {
    this.#line.detach();
    this.#agent.stop();
    for (const call of this.#calls.values()) for (const timer of call.timers) timer.cancel();
    this.#calls.clear();
  }

  #receive(message: SipMessage, from: string): void {
    this.#guard(() => {
      if (this.isSilent) return;
      const reaction = isNewCall(message) ? this.#options.owner.reactionTo(message) : undefined;
      if (reaction?.isSilent === true && !this.#calls.has(message.callid)) return;
      this.#isUntried = reaction?.isUntried === true;
      this.#agent.receive(message, from);
      this.#isUntried = false;
    });
  }

  #onReport(callid: string, report: LegReport): void {
    if (report.type === 'leg.invited') return this.#invited(report.request);
    const call = this.#calls.get(callid);
    if (call === undefined) return;
    switch (report.type) {
      case 'leg.rang':
        call.hasRung = true;
        call.hears = report.plays;
        return call.placing?.onProgress?.({ type: 'rang', status: report.status, reason: report.reason });
      case 'leg.answered':
        call.hears = undefined;
        this.#send(call, 'answered');
        return call.placing?.onProgress?.({ type: 'answered' });
      case 'leg.failed':
        return this.#failed(call, report);
      case 'leg.cancelled':
      case 'leg.ended':
        this.#send(call, 'over');
        return call.placing?.onProgress?.({ type: 'ended' });
      case 'leg.media.changed':
        call.isHeld = report.media === 'sendonly' || report.media === 'inactive';
        return;
      case 'leg.media.settled':
        if (report.status < 300) call.isHolding = call.wantsHold;
        return;
      case 'leg.referred':
        return followReferral(this.#referral(call), callid, report);
      case 'leg.notified':
        return this.#notified(call, report);
      case 'leg.plays':
        call.hears = report.plays === '' ? undefined : report.plays;
        return;
      case 'leg.dtmf':
        call.digits += report.dtmf;
        return;
      case 'leg.spoke':
      case 'leg.refer.answered':
        return;
    }
  }

  #invited(request: SipRequest): void {
    const { callid, replaces } = request;
    const replaced = replaces === undefined ? undefined : this.#callOf(replaces);
    const isAmiss = replaces !== undefined && replaced === undefined;
    const reaction = isAmiss ? refusing(481) : this.#options.owner.reactionTo(request);
    const call = newCall({ callid, reaction });
    this.#calls.set(callid, call);
    if (replaced === undefined) return this.#send(call, 'invited');
    this.#send(call, 'replaced');
    this.#send(replaced, 'end.wanted');
  }

  /** The call that a new one replaces; a call that still rings here cannot be replaced (RFC 3891, 3). */
  #callOf({ callid, toTag, fromTag }: NonNullable<SipRequest['replaces']>): EndpointCall | undefined {
    const leg = this.#agent.view(callid);
    const isMeant = leg?.local.tag === toTag && leg.remote.tag === fromTag && (leg.isAnswered || leg.isOutgoing);
    return isMeant ? this.#calls.get(callid) : undefined;
  }

  #failed(call: EndpointCall, { status, reason, challenge }: Extract<LegReport, { type: 'leg.failed' }>): void {
    const { placing } = call;
    const isAnswerable = challenge !== undefined && placing?.secret !== undefined && call.challenge === undefined;
    if (isAnswerable && call.state === 'calling') {
      call.challenge = challenge;
      return this.#send(call, 'challenged');
    }
    const isOurs = call.state === 'leaving';
    this.#send(call, 'over');
    if (placing === undefined) return;
    if (!isOurs) this.#options.owner.onFailed?.(status, call.hasRung);
    placing.onProgress?.({ type: 'failed', status, reason });
  }

  #referral({ placing }: EndpointCall): ReferralOptions {
    return {
      agent: this.#agent,
      placingTo: (uri, leg) => this.#options.owner.placingTo(uri, leg, placing),
      call: (target) => void this.call(target),
    };
  }

  #notified(call: EndpointCall, { event, sipfrag = '' }: Extract<LegReport, { type: 'leg.notified' }>): void {
    if (event === 'talk') return this.#send(call, 'talk.wanted');
    if (event === 'hold') return this.#send(call, 'hold.wanted');
    // The referred side has reached the target, so this call can end.
    if (event === 'refer' && /^SIP\/2\.0 2/.test(sipfrag)) this.#send(call, 'end.wanted');
  }

  #send(call: EndpointCall, type: PartyEvent['type'] | `xstate.after.${string}`): void {
    const step = partyTable.step(call.state, { type } as PartyEvent);
    const before = call.state;
    call.state = step.state;
    if (step.isEntered) this.#show(call.callid, step.state, before);
    if (step.isEntered) for (const timer of call.timers.splice(0)) timer.cancel();
    for (const command of step.commands) this.#execute(call, command);
    // The request may have caused a transition.
    if (call.state !== step.state) return;
    if (step.state === 'over') this.#forget(call.callid);
    else if (step.isEntered) this.#setTimers(call);
  }

  #forget(callid: string): void {
    this.#calls.delete(callid);
    this.#show(callid, undefined);
  }

  #show(key: string, state: string | undefined, before?: string): void {
    const { counters, endpoint: owner } = this.#options;
    counters.probe?.entityState({ owner, machine: 'party', key, state, before });
  }

  #setTimers(call: EndpointCall): void {
    if (call.state === 'talking') this.#followInCallActions(call);
    for (const { name, event } of partyTable.delays(call.state)) {
      const delayMs = delayMsOf(call, name as PartyDelay);
      if (delayMs === undefined) continue;
      if (delayMs === 0) return this.#send(call, event.type);
      const due = () => this.#guard(() => this.#send(call, event.type));
      call.timers.push(this.#options.clock.setTimer(delayMs, due));
    }
  }

  #followInCallActions({ callid, timers, reaction: { inCallActions } }: EndpointCall): void {
    const { clock } = this.#options;
    const after = (ms: number, work: () => void) => timers.push(clock.setTimer(ms, () => this.#guard(work)));
    for (const { afterMs, digits } of inCallActions.presses) after(afterMs, () => this.press(callid, digits));
    for (const { afterMs, text } of inCallActions.says)
      after(afterMs, () => void this.#agent.control(callid, { type: 'speak', speech: text }));
  }

  /** A bug of an endpoint is reported and affects no other endpoint. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onCrash(error);
    }
  }

  #execute(call: EndpointCall, command: PartyCommand): void {
    const { callid, reaction } = call;
    switch (command.type) {
      case 'ring':
        return void this.#agent.control(callid, ringing(reaction));
      case 'answer':
        return void this.#agent.control(callid, { type: 'answer' });
      case 'settle':
        return this.#settle(callid, reaction);
      case 'call':
      case 'call.again':
        return this.#place(call, call.challenge);
      case 'end':
        return void this.#agent.control(callid, { type: 'end' });
      case 'hold':
      case 'resume':
        // A call that is answered twice before its ACK needs no offer.
        if (command.type === 'resume' && call.state === 'settling' && !call.wantsHold) return;
        call.wantsHold = command.type === 'hold';
        return void this.#agent.control(callid, { type: 'offer', media: call.wantsHold ? 'sendonly' : 'sendrecv' });
      case 'event.unexpected':
        return this.#options.counters.add(`event.unexpected.party.${command.event}`);
    }
  }

  #settle(callid: string, { status, redirect }: CallReaction): void {
    if (status < 300) return void this.#agent.control(callid, { type: 'answer' });
    const contacts = redirect === undefined ? {} : { contacts: [redirect] };
    this.#agent.control(callid, { type: 'reject', status, ...contacts });
  }

  #place({ callid, placing }: EndpointCall, challenge: Challenge | undefined): void {
    if (placing === undefined) return;
    const { secret, hangupMs: _hangupMs, patienceMs: _patienceMs, onProgress: _onProgress, ...options } = placing;
    const credentials =
      challenge === undefined || secret === undefined
        ? {}
        : { credentials: credentialsFor(secret, challenge, { method: 'INVITE', uri: placing.uri }) };
    this.#agent.call({ ...options, callid, ...credentials });
  }
}

/** Whether a request is the INVITE of a call, which replaces no other one, or its CANCEL. */
function isNewCall(message: SipMessage): message is SipRequest {
  if (message.kind === 'response' || message.to.tag !== undefined || message.replaces !== undefined) return false;
  return message.method === 'INVITE' || message.method === 'CANCEL';
}

/** With an announcement it has no ringing tone: 183 (RFC 3261 21.1.5), and early media. */
function ringing({ announcement }: CallReaction): LegOperation {
  return announcement === undefined ? { type: 'ring' } : { type: 'ring', status: 183, plays: announcement };
}
