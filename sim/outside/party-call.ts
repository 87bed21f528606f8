/** A call as a party outside keeps it, how it places one, and what others may see of it. */
import type { Secret } from '../../src/model/sip/digest.ts';
import type { Challenge } from '../../src/model/sip/message.ts';
import type { Timer } from '../../src/ports/clock.ts';
import type { CallOptions, LegView } from '../../src/runtime/sip/user-agent.ts';
import type { Reaction } from './behaviour.ts';
import { partyTable } from './party-machine.ts';

/** What becomes of a call that a party has placed; `failed` and `ended` are the last word. */
export type Progress =
  | { readonly type: 'rang'; readonly status: number; readonly reason: string }
  | { readonly type: 'answered' }
  | { readonly type: 'failed'; readonly status: number; readonly reason: string }
  | { readonly type: 'ended' };

/** A call to be made. */
export interface Placing extends Pick<CallOptions, 'uri' | 'from' | 'to' | 'hop' | 'replaces' | 'referredBy'> {
  /** With what it answers a challenge. */
  readonly secret?: Secret;
  /** It hangs up so long after the answer; default: never. */
  readonly hangupMs?: number | undefined;
  /** It gives up after so long without an answer. */
  readonly patienceMs?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface PartyCall {
  readonly callid: string;
  readonly reaction: Reaction;
  /** Absent: it was called. */
  readonly placing: Placing | undefined;
  /** Of the party machine. */
  state: string;
  /** What it has been asked to prove; it tries once. */
  challenge: Challenge | undefined;
  hasRung: boolean;
  /** It wants to hold the other side, does so, and is held by it. */
  wantsHold: boolean;
  isHolding: boolean;
  isHeld: boolean;
  /** DTMF that it has heard. */
  digits: string;
  readonly timers: Timer[];
}

export function newCall(born: { callid: string; reaction: Reaction; placing?: Placing }): PartyCall {
  const { callid, reaction, placing } = born;
  const quiet = { hasRung: false, wantsHold: false, isHolding: false, isHeld: false, digits: '' };
  return { callid, reaction, placing, state: partyTable.initial, challenge: undefined, ...quiet, timers: [] };
}

/** A call as others may look at it. */
export interface CallView {
  readonly callid: string;
  /** `pending`, `ringing`, `calling`, `talking` … */
  readonly state: string;
  readonly direction: 'in' | 'out';
  /** URI of the other side. */
  readonly with: string;
  /** Display name of the other side, where it has shown one. */
  readonly name?: string;
  readonly isHolding: boolean;
  readonly isHeld: boolean;
  readonly digits: string;
}

export function viewOf(call: PartyCall, leg: LegView | undefined): CallView {
  const { callid, state, placing, isHolding, isHeld, digits } = call;
  const [direction, remote] = placing === undefined ? (['in', leg?.remote] as const) : (['out', placing.to] as const);
  const { uri = '', name = undefined } = remote ?? {};
  return { callid, state, direction, with: uri, ...(name !== undefined && { name }), isHolding, isHeld, digits };
}
