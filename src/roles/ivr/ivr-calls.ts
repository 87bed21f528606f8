/** Calls started on request: calls X, refers X to Y, and reports the result. */

import { EntityHost, type Handled } from '../../actors/entity-host.ts';
import { unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import { activeDirectory, type RoleScope } from '../../cluster/role.ts';
import { type IvrCallCommand, type IvrCallEvent, ivrCallMachine } from '../../machines/call/ivr-call.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { destinationOf, destinationUri, numberOf } from '../../model/numbers/destination.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { CallRequest, CallResult } from '../../model/protocol/messages/dialog.ts';
import {
  type Party,
  type ReferredBy,
  type ReferTo,
  statusIn,
  statusLine,
  transferToken,
} from '../../model/sip/message.ts';
import type { Timer } from '../../ports/clock.ts';
import type { LegReport } from '../../sip/user-agent.ts';
import { Partners } from '../partners.ts';
import type { PlatformAgent } from '../platform-agent.ts';

type Body = BodyOf<'ivr.call'>;

interface IvrCall {
  readonly callid: string;
  readonly body: Body;
  /** The caller that X sees. */
  readonly from: Party;
  /** The known part of the result. */
  known: Pick<CallResult, 'acallid' | 'bcallid' | 'dialogid' | 'last_response'>;
  readonly answer: (result: CallResult) => void;
  due: Timer | undefined;
  /** How many times X has been referred; the last one counts. */
  refers: number;
}

/** Milliseconds before the requester's deadline at which the known result is returned. */
const marginMs = 500;

export class IvrCalls {
  readonly #scope: RoleScope;
  readonly #agent: PlatformAgent;
  readonly #calls = new Map<string, IvrCall>();
  readonly #entities: EntityHost<typeof ivrCallMachine>;
  /** The b2b instances of the calls of X to Y. */
  readonly #homes: Partners;
  #isClosed = false;

  constructor(scope: RoleScope, { agent, onEnd }: { agent: PlatformAgent; onEnd: () => void }) {
    const { clock, counters, crash } = scope;
    this.#scope = scope;
    this.#agent = agent;
    this.#entities = new EntityHost({
      ...{ machine: ivrCallMachine, clock, counters, onCrash: crash },
      onCommand: (callid, command) => this.#execute(this.#known(callid), command),
      onEnd: (callid) => {
        this.#calls.get(callid)?.due?.cancel();
        this.#calls.delete(callid);
        this.#homes.leave(callid);
        onEnd();
      },
    });
    this.#homes = new Partners(scope, (callid) => this.#entities.send(callid, { type: 'call.lost' }));
  }

  get size(): number {
    return this.#entities.size;
  }

  has(leg: string): boolean {
    return this.#calls.has(leg);
  }

  /** Starts a call; answers when its response mode says, or shortly before `deadlineMs`. */
  start(body: Body, deadlineMs: number | undefined): Promise<Outcome<CallResult>> | Outcome<CallResult> {
    const { from, domain, mode } = body.request;
    if (mode === 'number') return this.#call(body, from, deadlineMs);
    return this.#numberOf(domain, from).then((number) => {
      if (!number.ok) return number;
      if (number.value !== undefined) return this.#call(body, number.value, deadlineMs);
      return done({ result: 'failed', ivrcallid: this.#agent.newLeg() });
    });
  }

  /** Handles a report of a b2b about the call of X to Y. The call is lost with its b2b. */
  referred({ key, acallid, dialogid, status, reason, bcallid }: BodyOf<'call.referred'>, b2b: string): void {
    const call = this.#calls.get(key);
    if (call === undefined) return;
    const response = status === 0 ? {} : { last_response: statusLine({ status, reason }) };
    call.known = { ...call.known, acallid, dialogid, ...response, ...(bcallid !== undefined && { bcallid }) };
    this.#entities.send(key, status === 0 ? { type: 'call.seen' } : { type: 'callee.responded', status });
    if (this.#calls.has(key)) this.#homes.join(b2b, key);
  }

  /** Handles a report of the leg to X. */
  handle(leg: string, report: LegReport): void {
    const call = this.#calls.get(leg);
    if (call === undefined) return;
    const event = eventOf(report);
    if (event === undefined || isOfEarlier(report, call)) return;
    if (report.type === 'leg.notified' && event.type === 'transfer.notified' && isLast(event.status, call)) {
      call.known = { ...call.known, ...(report.sipfrag !== undefined && { last_response: report.sipfrag }) };
    }
    this.#entities.send(leg, event);
  }

  /** Ends all calls, and starts no more. */
  endAll(): void {
    this.#isClosed = true;
    for (const callid of [...this.#calls.keys()]) this.#entities.send(callid, { type: 'end.requested' });
  }

  stop(): void {
    this.#entities.stopAll();
    this.#calls.clear();
    this.#homes.stop();
  }

  #call(
    body: Body,
    number: string,
    deadlineMs: number | undefined,
  ): Promise<Outcome<CallResult>> | Outcome<CallResult> {
    const { request, replaces, referredBy, returnTo } = body;
    const { domain, label, timeoutMs, responseMode } = request;
    const { site, address } = this.#scope.instance;
    if (this.#isClosed) return failed(fault('standby', `${address} is draining`));
    const uri = destinationUri(domain, number);
    const hop = this.#agent.hopFor(domain, uri);
    if (hop === undefined) return failed(unreachableFault('b2b', site));
    const callid = this.#agent.newLeg();
    const from = callerOf(request, number);
    return new Promise((resolve) => {
      const answer = (result: CallResult) => resolve(done(result));
      const call: IvrCall = { callid, body, from, known: {}, answer, due: undefined, refers: 0 };
      this.#calls.set(callid, call);
      const refusal = this.#entities.start(callid, { responseMode, timeoutMs, canReturn: returnTo !== undefined });
      if (refusal !== undefined) {
        this.#calls.delete(callid);
        return resolve(failed(refusal));
      }
      if (deadlineMs !== undefined && responseMode > 0) call.due = this.#setDue(callid, deadlineMs);
      this.#agent.call({
        ...{ callid, uri, from, to: { uri }, hop, domain },
        ...(label !== undefined && { label }),
        ...(replaces !== undefined && { replaces }),
        ...(referredBy !== undefined && { referredBy: { uri: referredBy } }),
      });
    });
  }

  #setDue(callid: string, deadlineMs: number): Timer {
    const { clock } = this.#scope;
    const delayMs = deadlineMs - clock.now() - marginMs;
    return clock.setTimer(delayMs, () => void this.#entities.send(callid, { type: 'answer.due' }));
  }

  /** The phone number of a SIP user; `undefined` for an unknown login. */
  async #numberOf(domain: string, text: string): Promise<Outcome<string | undefined>> {
    const { number: login, home } = destinationOf(domain, text);
    const directory = activeDirectory(this.#scope, home);
    if (directory === undefined) return failed(unreachableFault('the directory', this.#scope.instance.site));
    const question = { domain: home, number: login, mode: 'sipuser' } as const;
    const answer = await this.#scope.ask(directory.address, 'directory.route', question);
    if (!answer.ok) return answer;
    const { callee } = answer.value;
    if (callee.kind !== 'sipuser') return done(undefined);
    const number = numberOf(callee.user);
    return done(home === domain ? number : `${number}@${home}`);
  }

  #known(callid: string): IvrCall {
    const call = this.#calls.get(callid);
    if (call === undefined) throw new Error(`no call ${callid}`);
    return call;
  }

  #refer(call: IvrCall, referTo: ReferTo, referredBy: ReferredBy): void {
    call.refers += 1;
    this.#agent.control(call.callid, { type: 'refer', referTo, referredBy, refer: call.refers });
  }

  #execute(call: IvrCall, command: Handled<IvrCallCommand>): void {
    const { callid, body, from } = call;
    const { to, domain, label } = body.request;
    switch (command.type) {
      case 'refer.party': {
        const token = transferToken({ address: this.#scope.instance.address, key: callid, label });
        return this.#refer(call, { uri: destinationUri(domain, to) }, { uri: body.referredBy ?? from.uri, token });
      }
      case 'return.party':
        return this.#refer(call, { uri: destinationUri(domain, body.returnTo ?? to) }, { uri: from.uri });
      case 'end.leg':
        if (!this.#agent.control(callid, { type: 'end' })) this.#entities.send(callid, { type: 'leg.gone' });
        return;
      case 'drop.leg':
        return void this.#agent.control(callid, { type: 'drop' });
      case 'report.result':
        call.due?.cancel();
        return call.answer(resultOf(call, command.result));
    }
  }
}

/** Whether X reports the last response of Y: what is provisional may be late, after b2b has reported a final one. */
function isLast(status: number, { known }: IvrCall): boolean {
  if (status <= 100) return false;
  return status >= 200 || (statusIn(known.last_response) ?? 0) < 200;
}

/** X sees the callerid of the request, else its own number. (documented) */
function callerOf({ callerid, callername, domain }: CallRequest, number: string): Party {
  const uri = destinationUri(domain, callerid ?? number);
  return callername === undefined ? { uri } : { uri, name: callername };
}

/** The answer for a response mode, with the fields that are known. (chosen) */
function resultOf({ callid, body, known }: IvrCall, result: CallResult['result']): CallResult {
  const { responseMode } = body.request;
  const { bcallid, ...less } = known;
  const more = responseMode < 2 ? {} : responseMode === 2 || bcallid === undefined ? less : { ...less, bcallid };
  return { result, ivrcallid: callid, ...more };
}

/** Whether a NOTIFY says what has become of an earlier REFER to the party, such as one whose outcome came too late. */
export function isOfEarlier(report: LegReport, call: { readonly refers: number } | undefined): boolean {
  return report.type === 'leg.notified' && report.refer !== undefined && report.refer !== call?.refers;
}

function eventOf(report: LegReport): IvrCallEvent | undefined {
  switch (report.type) {
    case 'leg.rang':
      return { type: 'leg.rang' };
    case 'leg.answered':
      return { type: 'leg.answered' };
    case 'leg.failed':
      return { type: 'leg.failed', status: report.status };
    case 'leg.cancelled':
    case 'leg.ended':
      return { type: 'leg.gone' };
    case 'leg.refer.answered':
      return { type: 'refer.answered', status: report.status };
    case 'leg.notified': {
      const status = report.event === 'refer' ? statusIn(report.sipfrag) : undefined;
      return status === undefined ? undefined : { type: 'transfer.notified', status };
    }
    default:
      return undefined;
  }
}
