/**
 * Calls that the platform starts itself: X is called, then Y, as two legs of one dialog. When the one who asked is answered is
 * up to `responseMode` (choices, section 4).
 */
import type { DialogEnd } from '../../machines/dialog-events.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { CallRequest, CallResult } from '../../model/protocol/dialog.ts';
import { reasonOf, statusLine } from '../../model/sip/message.ts';
import { sipUri } from '../../model/sip/uri.ts';
import type { Call, Progress } from './call.ts';
import type { Parts } from './parts.ts';

export interface OriginatingOptions {
  readonly parts: Parts;
  readonly begin: (call: Call) => boolean;
  readonly isOpen: () => boolean;
}

export class Originating {
  readonly #options: OriginatingOptions;

  constructor(options: OriginatingOptions) {
    this.#options = options;
  }

  take(order: CallRequest): Outcome<CallResult> | Promise<Outcome<CallResult>> {
    const { parts, begin, isOpen } = this.#options;
    const { domain, from, to, responseMode } = order;
    const { address } = parts.scope.instance;
    if (!isOpen()) return failed(fault('overloaded', `${address} takes no calls any more`));
    const origin = { domain, dialled: to, mustProve: false };
    const caller = { uri: uriIn(domain, from) };
    const acallid = Buffer.from(parts.scope.random.stream('ids').bytes(12)).toString('hex');
    const call = parts.calls.create({ origin, acallid, from: caller, to: uriIn(domain, to), order });
    const result = responseMode === 0 ? done({ result: 'ok' as const }) : resultOf(call, responseMode);
    parts.events.invite(call);
    if (begin(call)) return result;
    return failed(fault('overloaded', `${address} has no room for another call`));
  }
}

/** What came of a call, as soon as its mode wants to know. */
function resultOf(call: Call, mode: number): Promise<Outcome<CallResult>> {
  return new Promise((resolve) => {
    let hasRung = false;
    let isTaken = false;
    call.listeners.push((progress) => {
      hasRung ||= progress.type === 'caller.rang';
      isTaken ||= progress.type === 'caller.taken';
      const result = isTaken ? reached(call, mode, progress) : unreached(progress, hasRung);
      if (result !== undefined) resolve(done(result));
    });
  });
}

/** X has not answered. */
function unreached(progress: Progress, hasRung: boolean): CallResult | undefined {
  if (progress.type !== 'over') return undefined;
  if (progress.end.type !== 'timeout') return { result: 'failed' };
  return { result: hasRung ? 'timeout' : 'no_answer' };
}

/** X has answered, and what is known of Y depends. */
function reached(call: Call, mode: number, progress: Progress): CallResult | undefined {
  if (mode === 1) return { result: 'ok' };
  const { acallid, dialogid } = call;
  const ids = { acallid, dialogid };
  if (progress.type === 'callee.responded') {
    if (mode === 3 && progress.status < 200) return undefined;
    const { status, reason, callid } = progress;
    const answer = { result: 'ok' as const, ...ids, last_response: statusLine({ status, reason }) };
    return mode === 3 ? { ...answer, bcallid: callid } : answer;
  }
  if (progress.type !== 'over') return undefined;
  const line = refusalOf(progress.end);
  if (line === undefined) return { result: 'unknown', ...ids };
  const bcallid = mode === 3 && call.called !== undefined ? { bcallid: call.called } : {};
  return { result: 'ok', ...ids, ...bcallid, last_response: line };
}

/** What Y, or nobody, said to the call; nothing where it was ended from elsewhere. */
function refusalOf({ type, status }: DialogEnd): string | undefined {
  const isAnswer = type === 'call_final' || type === 'timeout' || type === 'error';
  return isAnswer && status > 0 ? statusLine({ status, reason: reasonOf(status) }) : undefined;
}

function uriIn(domain: string, text: string): string {
  const [number = '', other = domain] = text.split('@');
  return sipUri(number, other);
}
