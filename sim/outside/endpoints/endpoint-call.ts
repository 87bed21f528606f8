/** A call of an endpoint as it is kept beside its machine, and what is shown of it. */
import type { Challenge } from '../../../src/model/sip/message.ts';
import type { Timer } from '../../../src/ports/clock.ts';
import type { LegView } from '../../../src/sip/user-agent.ts';
import type { CallReaction } from '../behaviour.ts';
import { type PartyDelay, type PartyState, type Placing, partyDelaysMs, partyTable } from './party-machine.ts';

export interface EndpointCall {
  readonly callid: string;
  reaction: CallReaction;
  /** Absent for an incoming call. */
  readonly placing: Placing | undefined;
  state: PartyState;
  /** The received challenge; one attempt with credentials is made. */
  challenge: Challenge | undefined;
  hasRung: boolean;
  /** Hold: wanted by this side, active, and by the other side. */
  wantsHold: boolean;
  isHolding: boolean;
  isHeld: boolean;
  /** Name of the audio file that the other side plays. */
  hears: string | undefined;
  /** Received DTMF. */
  digits: string;
  readonly timers: Timer[];
}

export function newCall(born: { callid: string; reaction: CallReaction; placing?: Placing }): EndpointCall {
  const { callid, reaction, placing } = born;
  const quiet = { hasRung: false, wantsHold: false, isHolding: false, isHeld: false, hears: undefined, digits: '' };
  return { callid, reaction, placing, state: partyTable.initial, challenge: undefined, ...quiet, timers: [] };
}

/** The view of a call. */
export interface CallView {
  readonly callid: string;
  /** `pending`, `ringing`, `calling`, `talking` … */
  readonly state: string;
  readonly direction: 'in' | 'out';
  /** URI of the other side. */
  readonly with: string;
  /** Display name of the other side, if it has sent one. */
  readonly name?: string;
  readonly isHolding: boolean;
  readonly isHeld: boolean;
  /** Name of the audio file that the other side plays, if it plays one. */
  readonly hears?: string;
  readonly digits: string;
}

export function viewOf(call: EndpointCall, leg: LegView | undefined): CallView {
  const { callid, state, placing, isHolding, isHeld, hears, digits } = call;
  const [direction, remote] = placing === undefined ? (['in', leg?.remote] as const) : (['out', placing.to] as const);
  const { uri = '', name = undefined } = remote ?? {};
  return {
    callid,
    state,
    direction,
    with: uri,
    ...(name !== undefined && { name }),
    isHolding,
    isHeld,
    ...(hears !== undefined && { hears }),
    digits,
  };
}

/** The duration of a deadline; `undefined`: it never fires. Zero: at once. */
export function delayMsOf({ reaction, placing }: EndpointCall, name: PartyDelay): number | undefined {
  switch (name) {
    case 'ring':
      return reaction.ringMs;
    case 'refuse':
      return reaction.ringMs === undefined ? reaction.answerMs : undefined;
    case 'answer':
      return reaction.answerMs;
    case 'hangup':
      return reaction.hangupMs;
    case 'patience':
      return placing?.patienceMs ?? partyDelaysMs.patience;
  }
}
