/** Commands to live calls. */
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { BodyOf, ReplyOf } from '../../model/protocol/catalogue.ts';
import type { DialogCommandBody, LegIdentity, Side } from '../../model/protocol/dialog.ts';
import { bracketed, userOf } from '../../model/sip/uri.ts';
import type { LegControl } from '../../sip/user-agent.ts';
import { type Call, legOf, otherSide, partyOf } from './call.ts';
import type { Parts } from './parts.ts';
import { endRecording, isRecording, startRecording } from './recording.ts';

type Told = Outcome<ReplyOf<'dialog.command'>>;
type Command<V extends DialogCommandBody['verb']> = Extract<DialogCommandBody, { verb: V }>;

export class Commands {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  take({ dialogid, command }: BodyOf<'dialog.command'>): Told {
    const call = this.#parts.calls.get(dialogid);
    if (call === undefined || call.isGone || !call.isTold) {
      return failed(fault('not_found', `${dialogid} is over, or never was`));
    }
    switch (command.verb) {
      case 'end':
        this.#parts.tell(call, { type: 'end.requested' });
        return done({});
      case 'refer':
        return this.#refer(call, command);
      case 'identify':
        return this.#identify(call, command.side);
      case 'notify':
        return this.#control(call, command);
      case 'dtmf':
        return this.#say(call, command.to, { type: 'dtmf', dtmf: command.dtmf });
      case 'record':
        return this.#record(call, command.action === 'start');
      case 'bind':
        return this.#bind(call, command);
    }
  }

  #refer(call: Call, { side, referTo, referredBy }: Command<'refer'>): Told {
    if (call.referred.has(side) || call.referrer === otherSide(side))
      return busy(call, `side ${side} is being referred`);
    const told = this.#say(call, side, { type: 'refer', referTo, ...(referredBy !== undefined && { referredBy }) });
    if (!told.ok) return told;
    call.referred.add(side);
    this.#parts.events.transfer(call, 'refer', { by: otherSide(side), referto: bracketed(referTo.uri) });
    return told;
  }

  /** A caller who waits for an answer can be replaced as well; of callees who ring it is not known which. */
  #identify(call: Call, side: Side): Told {
    const isThere = call.status === 'dialog' || (side === 'a' && call.status === 'forking');
    const leg = legOf(call, side);
    const view = leg === undefined ? undefined : this.#parts.agent.view(leg);
    if (!isThere || view === undefined) return busy(call, `side ${side} is not in the call`);
    const uri = side === 'a' ? call.from.uri : call.to;
    const number = partyOf(call, side)?.number ?? userOf(uri);
    const identity: LegIdentity = { number, uri, replaces: view.replaces };
    return done({ identity });
  }

  /** Holds or resumes at a device that is in the call; those that ring are told to answer. */
  #control(call: Call, { to, event }: Command<'notify'>): Told {
    const { agent } = this.#parts;
    if (call.status !== 'forking' || to === 'a' || event === 'hold')
      return this.#say(call, to, { type: 'notify', event });
    const ringing = [...call.forks.values()].filter(({ leg }) => agent.view(leg)?.state === 'ringing');
    if (ringing.length === 0) return busy(call, 'nobody rings');
    for (const { leg } of ringing) agent.tell(leg, { type: 'notify', event });
    return done({});
  }

  /** Has something said to a party that is in the call. What a caller is told whose ACK is on its way waits for that. */
  #say(call: Call, side: Side, command: LegControl): Told {
    const leg = legOf(call, side);
    const view = leg === undefined || call.status === 'ending' ? undefined : this.#parts.agent.view(leg);
    const isIn = view?.isConfirmed === true || view?.state === 'answering';
    if (leg === undefined || !isIn) return busy(call, `side ${side} is not in the call`);
    this.#parts.agent.tell(leg, command);
    return done({});
  }

  #record(call: Call, isOn: boolean): Told {
    if (call.status !== 'dialog') return busy(call, 'nobody talks');
    if (isRecording(call) === isOn) return done({});
    const nowMs = Math.floor(this.#parts.scope.clock.now());
    if (!isOn) endRecording(call, nowMs);
    else if (!startRecording(call, nowMs)) return busy(call, `it has ${limits.recordings} recordings already`);
    call.opts = { ...call.opts, recording: isOn };
    this.#parts.events.changed(call);
    return done({});
  }

  #bind(call: Call, { add, remove }: Command<'bind'>): Told {
    if (call.status === 'ending') return busy(call, 'it is ending');
    const kept = call.bindings.filter((label) => !remove.includes(label));
    const bindings = [...new Set([...kept, ...add])];
    if (bindings.length > limits.bindings) {
      return failed(fault('conflict', `${call.dialogid}: a call has at most ${limits.bindings} labels`));
    }
    call.bindings = bindings;
    this.#parts.events.changed(call);
    return done({ bindings });
  }
}

function busy({ dialogid, status }: Call, why: string): Told {
  return failed(fault('conflict', `${dialogid}: ${why} (status ${status})`));
}
