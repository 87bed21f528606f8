/** Call control: commands to live calls, and calls that the platform starts itself. */

import type { DialogEnd } from '../../machines/call/dialog-events.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import { destinationUri } from '../../model/numbers/destination.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { CallRequest, CallResult, DialogCommandBody, Side } from '../../model/protocol/messages/dialog.ts';
import { fileNameOf } from '../../model/recording/recording.ts';
import { reasonOf, statusLine } from '../../model/sip/message.ts';
import { newCallid } from '../../sip/outgoing-messages.ts';
import type { LegOperation } from '../../sip/user-agent.ts';
import type { Call, Progress } from './call.ts';
import type { Calls } from './calls.ts';
import { identityOf, replacedBy } from './transfers.ts';

type CommandResult = Outcome<ReplyOf<'dialog.command'>>;
type Command<V extends DialogCommandBody['verb']> = Extract<DialogCommandBody, { verb: V }>;

export class CallControl {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  take({ dialogid, command }: BodyOf<'dialog.command'>): CommandResult {
    const call = this.#calls.get(dialogid) ?? this.#calls.leg(dialogid)?.call;
    if (call === undefined || !this.#calls.isListed(call)) {
      return failed(fault('not_found', `${dialogid} is over, or never was`));
    }
    switch (command.verb) {
      case 'end':
        this.#calls.send(call, { type: 'end.requested' });
        return done({});
      case 'refer':
        return this.#refer(call, command);
      case 'identify':
        return this.#identify(call, command.side);
      case 'replace':
        replacedBy(this.#calls, call, command.newinviteid);
        return done({});
      case 'notify':
        return this.#control(call, command);
      case 'dtmf':
        return this.#say(call, command.to, { type: 'dtmf', dtmf: command.dtmf });
      case 'record':
        return this.#record(call, command.action === 'start');
      case 'transcribe':
        return this.#transcribe(call, command);
      case 'bind':
        return this.#bind(call, command);
    }
  }

  /** All sides or none: of two commands at once that move both parties, one is done. */
  #refer(call: Call, { sides, referTo, referredBy }: Command<'refer'>): CommandResult {
    const events = sides.map((side) => ({ type: 'refer.requested', side, refer: { referTo, referredBy } }) as const);
    const isFree = events.every((event) => this.#calls.canTransfer(call, event));
    if (!isFree) return this.#busy(call, 'another transfer is under way');
    const absent = sides.find((side) => this.#legIn(call, side) === undefined);
    if (absent !== undefined) return this.#busy(call, `side ${absent} is not in the call`);
    for (const event of events) this.#calls.transfer(call, event);
    return done({});
  }

  /** A caller who waits for an answer can be replaced as well; of callees who ring it is not known which. */
  #identify(call: Call, side: Side): CommandResult {
    const status = this.#calls.statusOf(call);
    const isThere = status === 'dialog' || (side === 'a' && status === 'forking');
    const identity = isThere ? identityOf(this.#calls, call, side) : undefined;
    if (identity === undefined) return this.#busy(call, `side ${side} is not in the call`);
    return done({ identity });
  }

  /** Holds or resumes at a device that is in the call; devices that ring are made to answer. */
  #control(call: Call, { to, event }: Command<'notify'>): CommandResult {
    const { agent } = this.#calls;
    if (this.#calls.statusOf(call) !== 'forking' || to === 'a' || event === 'hold')
      return this.#say(call, to, { type: 'notify', event });
    const ringing = [...call.forks.values()].filter(({ leg }) => agent.view(leg)?.state === 'ringing');
    if (ringing.length === 0) return this.#busy(call, 'no device rings');
    for (const { leg } of ringing) agent.control(leg, { type: 'notify', event });
    return done({});
  }

  /** Sends something to a party that is in the call. What is sent to a caller whose ACK is on its way waits for that. */
  #say(call: Call, side: Side, operation: LegOperation): CommandResult {
    const leg = this.#legIn(call, side);
    if (leg === undefined) return this.#busy(call, `side ${side} is not in the call`);
    this.#calls.agent.control(leg, operation);
    return done({});
  }

  /** The leg of a party that is in the call. */
  #legIn(call: Call, side: Side): string | undefined {
    const leg = call.legOf(side);
    const isEnding = this.#calls.statusOf(call) === 'ending';
    const view = leg === undefined || isEnding ? undefined : this.#calls.agent.view(leg);
    return view?.isAnswered === true ? leg : undefined;
  }

  #record(call: Call, isOn: boolean): CommandResult {
    const calls = this.#calls;
    if (calls.statusOf(call) !== 'dialog') return this.#busy(call, 'the callee has not answered, or it is over');
    const isNew = calls.isRecording(call) !== isOn;
    const atMs = Math.floor(calls.scope.clock.now());
    if (isNew && isOn) calls.record(call, { type: 'start.requested', atMs, heard: call.heard });
    else if (isNew) calls.record(call, { type: 'stop.requested', atMs });
    const last = calls.recordingsOf(call).at(-1);
    if (calls.isRecording(call) === isOn) {
      const { inviteid } = call;
      return done(last === undefined ? {} : { recording: { inviteid, name: fileNameOf(last), isNew } });
    }
    return this.#busy(call, `it has ${limits.recordings} recordings already`);
  }

  #transcribe(call: Call, { side, action }: Command<'transcribe'>): CommandResult {
    if (this.#legIn(call, side) === undefined) return this.#busy(call, `side ${side} is not in the call`);
    call.transcribe(side, action === 'start');
    return done({});
  }

  #bind(call: Call, { add, remove }: Command<'bind'>): CommandResult {
    if (this.#calls.statusOf(call) === 'ending') return this.#busy(call, 'it is ending');
    const kept = call.bindings.filter((label) => !remove.includes(label));
    const bindings = [...new Set([...kept, ...add])];
    if (bindings.length > limits.bindings) {
      return failed(fault('conflict', `${call.dialogid}: a call has at most ${limits.bindings} labels`));
    }
    call.bind(bindings);
    this.#calls.events.changed(call);
    return done({ bindings });
  }

  #busy(call: Call, why: string): CommandResult {
    return failed(fault('conflict', `${call.dialogid}: ${why} (status ${this.#calls.statusOf(call)})`));
  }
}

/**
 * Starts a call for the platform: X is called, then Y, as two legs of one dialog. When the request is answered is up to
 * `responseMode` (chosen). Its `ivrcallid` is the Call-Id of X.
 */
export function originate(calls: Calls, request: CallRequest): Outcome<CallResult> | Promise<Outcome<CallResult>> {
  const { domain, from, to, responseMode } = request;
  const { instance, random } = calls.scope;
  if (!calls.isOpen) return failed(fault('overloaded', `${instance.address} takes no calls any more`));
  const origin = { domain, dialled: to, mustProve: false };
  const acallid = newCallid(random.stream('ids'));
  const call = calls.create({
    origin,
    acallid,
    from: { uri: destinationUri(domain, from) },
    to: destinationUri(domain, to),
    request,
  });
  const named = (result: CallResult) => done({ ...result, ivrcallid: call.acallid });
  const result = responseMode === 0 ? named({ result: 'ok' }) : resultOf(call, responseMode).then(named);
  if (calls.begin(call)) return result;
  return failed(fault('overloaded', `${instance.address} has no room for another call`));
}

/** The result of a call, at the moment that its response mode names. */
function resultOf(call: Call, mode: number): Promise<CallResult> {
  return new Promise((resolve) => {
    let hasRung = false;
    let isTaken = false;
    call.listen((progress) => {
      hasRung ||= progress.type === 'caller.rang';
      isTaken ||= progress.type === 'caller.taken';
      const result = isTaken ? reached(call, mode, progress) : unreached(progress, hasRung);
      if (result !== undefined) resolve(result);
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

/** The status line with which Y, or the platform in its place, ended the call; none where a command or a party ended it. */
function refusalOf({ type, status }: DialogEnd): string | undefined {
  const isAnswer = type === 'call_final' || type === 'timeout' || type === 'error';
  return isAnswer && status > 0 ? statusLine({ status, reason: reasonOf(status) }) : undefined;
}
