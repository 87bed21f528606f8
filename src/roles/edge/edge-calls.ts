/**
 * The calls that pass an esg instance. A leg is tracked from its INVITE until it is refused, its BYE is answered, it is
 * silent for longer than its parties wait, or its b2b is lost. The state is not needed for routing: an esg that restarts
 * learns the calls again from their messages.
 */

import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { RoleScope } from '../../cluster/role.ts';
import { legDelaysMs } from '../../machines/sip/leg.ts';
import { sipTimings } from '../../machines/sip/sip-timers.ts';
import type { SipMessage, SipMethod, SipRequest, SipResponse } from '../../model/sip/message.ts';
import type { Timer } from '../../ports/clock.ts';
import { Partners } from '../partners.ts';

/** The account and b2b of a call, kept for a while after its end. */
export interface Trace {
  /** `domain/code`. */
  readonly account: string;
  /** Address of the b2b instance of the call. */
  readonly b2b: string;
  /** The endpoint of the provider to which its INVITE was sent; absent: the provider calls, or the INVITE is not known. */
  readonly target?: string;
}

interface Call extends Trace {
  readonly esgdlg: string | undefined;
  /** Shared by the legs of one dialog; unknown until b2b has sent a message in the leg. */
  inviteid: string | undefined;
  isRinging: boolean;
  isAnswered: boolean;
  /** A CANCEL or BYE waits for its answer. */
  isEnding: boolean;
  seenMs: number;
}

const beginning = { isRinging: false, isAnswered: false, isEnding: false } as const;

/** Requests that prove, as the answers that accept them do, that an unknown dialog is alive; the others only end one. */
const living: ReadonlySet<SipMethod> = new Set(['INVITE', 'UPDATE', 'INFO', 'REFER', 'NOTIFY']);

export class EdgeCalls {
  readonly #scope: RoleScope;
  /** By Call-Id. */
  readonly #calls = new Map<string, Call>();
  readonly #byAccount = new Map<string, number>();
  /** Ended calls: their ACKs and retransmissions are still routed. */
  readonly #ended: ExpiringMap<Trace>;
  /** The b2b instances of the calls: those of one that has restarted, or was unreachable for as long as calls wait for it, end. */
  readonly #b2bs: Partners;
  #sweep: Timer | undefined;
  #numbered = 0;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#ended = new ExpiringMap(scope.clock, sipTimings.patienceMs);
    this.#b2bs = new Partners(scope, (callid) => this.#end(callid));
    scope.counters.gauge('calls', () => this.#calls.size);
  }

  /** The number of legs. */
  get legs(): number {
    return this.#calls.size;
  }

  /** The number of dialogs of those legs. */
  get dialogs(): number {
    const ids = new Set<string>();
    for (const [callid, { inviteid }] of this.#calls) ids.add(inviteid ?? callid);
    return ids.size;
  }

  /** Legs on an account: its trunks in use. */
  on(account: string): number {
    return this.#byAccount.get(account) ?? 0;
  }

  get(callid: string): Readonly<Call> | undefined {
    return this.#calls.get(callid);
  }

  /** The account and b2b of a call, also shortly after its end. */
  trace(callid: string): Trace | undefined {
    return this.#calls.get(callid) ?? this.#ended.get(callid);
  }

  /** Tracks a new call to a provider. */
  beginOutward({ callid, inviteid }: SipRequest, trace: Trace): void {
    this.#begin(callid, { ...trace, esgdlg: undefined, inviteid, ...beginning });
  }

  /** Tracks a new call from a provider, and returns its id. */
  beginInward({ callid }: SipRequest, account: string, b2b: string): string {
    this.#numbered += 1;
    const esgdlg = `${this.#scope.instance.srvidx}-${this.#numbered}`;
    this.#begin(callid, { account, b2b, esgdlg, inviteid: undefined, ...beginning });
    return esgdlg;
  }

  /** Tracks a call that is older than this esg, from what its b2b says in its dialog. */
  adopt({ callid, method, inviteid }: SipMessage, account: string, b2b: string): void {
    if (!living.has(method) || this.trace(callid) !== undefined) return;
    this.#begin(callid, { account, b2b, esgdlg: undefined, inviteid, ...beginning, isAnswered: true });
  }

  /** Tracks a message of a call; a response may end it. */
  observe(message: SipMessage): void {
    const call = this.#calls.get(message.callid);
    if (call === undefined) return;
    call.seenMs = this.#scope.clock.now();
    call.inviteid ??= message.inviteid;
    if (message.kind === 'request') call.isEnding ||= message.method === 'CANCEL' || message.method === 'BYE';
    else if (isEnd(call, message)) this.#end(message.callid);
  }

  stop(): void {
    this.#calls.clear();
    this.#b2bs.stop();
    this.#byAccount.clear();
    this.#ended.clear();
  }

  #begin(callid: string, call: Omit<Call, 'seenMs'>): void {
    this.#calls.set(callid, { ...call, seenMs: this.#scope.clock.now() });
    this.#byAccount.set(call.account, this.on(call.account) + 1);
    this.#b2bs.join(call.b2b, callid);
    if (this.#sweep === undefined) this.#setSweep();
  }

  #end(callid: string): void {
    const call = this.#calls.get(callid);
    if (call === undefined) return;
    this.#calls.delete(callid);
    this.#b2bs.leave(callid);
    this.#ended.set(callid, call);
    const rest = this.on(call.account) - 1;
    if (rest > 0) this.#byAccount.set(call.account, rest);
    else this.#byAccount.delete(call.account);
  }

  #setSweep(): void {
    const { sessionExpiresMs } = this.#scope.map.topology.timings;
    this.#sweep = this.#scope.clock.setTimer(sessionExpiresMs / 6, () => {
      this.#sweep = undefined;
      const nowMs = this.#scope.clock.now();
      for (const [callid, call] of this.#calls) {
        if (call.seenMs + silenceOf(call, sessionExpiresMs) <= nowMs) this.#end(callid);
      }
      if (this.#calls.size > 0) this.#setSweep();
    });
  }
}

/** How long a call may be silent (ms): a request without an answer, a call that rings, one that is answered. */
function silenceOf({ isRinging, isAnswered, isEnding }: Call, sessionMs: number): number {
  if (isEnding || !(isRinging || isAnswered)) return sipTimings.patienceMs;
  return isAnswered ? sessionMs : legDelaysMs.patience;
}

/** Whether a response ends the call. 408 and 481 in a dialog end it too (RFC 5057). */
function isEnd(call: Call, { method, status }: SipResponse): boolean {
  if (status < 200) {
    call.isRinging ||= method === 'INVITE';
    return false;
  }
  if (method === 'BYE') return true;
  if (method === 'INVITE' && !call.isAnswered) {
    call.isAnswered = status < 300;
    return status >= 300;
  }
  return method !== 'CANCEL' && (status === 408 || status === 481);
}
