/** A caller, b2b and a callee, each a real user agent, and the lossy transports between them: one run of a call. */

import { Counters } from '../../../src/actors/counters.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import type { Clock, Timer } from '../../../src/ports/clock.ts';
import type { RandomStream } from '../../../src/ports/random.ts';
import { type LegReport, type OutgoingCall, UserAgent } from '../../../src/sip/user-agent.ts';
import { Bridge, calleeLeg } from './bridge.ts';

/** Caller, b2b, callee. */
export const places = ['a', 'm', 'b'] as const;
export type CallPlace = (typeof places)[number];

export interface SipInFlight {
  readonly from: CallPlace;
  readonly to: CallPlace;
  readonly message: SipMessage;
  readonly sentMs: number;
}

const callerLeg = 'leg-a';
const toBridge: OutgoingCall = {
  uri: 'sip:1002@m',
  from: { uri: 'sip:1001@acme.root.test' },
  to: { uri: 'sip:1002@acme.root.test' },
  hop: 'm',
  callid: callerLeg,
};

export class CallScene {
  readonly clock = new ListedClock();
  readonly counters = new Counters();
  readonly bridge: Bridge;
  messages: SipInFlight[] = [];
  /** Reports to the caller and the callee, oldest first. */
  readonly heard: Record<'a' | 'b', string[]> = { a: [], b: [] };
  readonly crashes: string[] = [];
  /** Messages that each has sent and received so far, in a line each. */
  readonly #said = new Set<string>();
  readonly #agents: Readonly<Record<CallPlace, UserAgent>>;

  constructor() {
    this.#agents = { a: this.#agentOf('a'), m: this.#agentOf('m'), b: this.#agentOf('b') };
    this.bridge = new Bridge(this.clock.of('call'), () => this.#agents.m);
  }

  /** The caller calls. */
  begin(): void {
    this.#agents.a.call(toBridge);
  }

  deliver(message: SipInFlight): void {
    this.#said.add(`${message.to}<${lineOf(message.message)}`);
    this.#agents[message.to].receive(message.message, message.from);
  }

  caller(does: 'end'): boolean {
    return this.#agents.a.control(callerLeg, { type: does });
  }

  callee(does: 'ring' | 'answer' | 'reject' | 'end'): boolean {
    return this.#agents.b.control(calleeLeg, does === 'reject' ? { type: 'reject', status: 486 } : { type: does });
  }

  hold(side: 'a' | 'b'): void {
    this.#agents[side].control(side === 'a' ? callerLeg : calleeLeg, { type: 'offer', media: 'sendonly' });
  }

  /** State of a leg: of the caller, of b2b to either side, of the callee; `none` if it does not exist. */
  get legs(): { readonly a: string; readonly ma: string; readonly mb: string; readonly b: string } {
    const { a, m, b } = this.#agents;
    const state = (agent: UserAgent, leg: string) => agent.view(leg)?.state ?? 'none';
    return { a: state(a, callerLeg), ma: state(m, callerLeg), mb: state(m, calleeLeg), b: state(b, calleeLeg) };
  }

  /**
   * The state as text: legs, the call, deadlines, messages, and all messages and reports so far, because transactions
   * remember them.
   */
  get key(): string {
    const messages = this.messages.map(
      ({ to, message, sentMs }) => `${to}<${lineOf(message)} ${this.clock.nowMs - sentMs}`,
    );
    const entries = places.map((place) => this.#agents[place].entries);
    const said = [...this.#said].sort();
    return JSON.stringify([this.legs, this.bridge.key, this.clock.list(), messages.sort(), said, this.heard, entries]);
  }

  #agentOf(place: CallPlace): UserAgent {
    return new UserAgent({
      sentBy: place,
      host: place,
      clock: this.clock.of(place),
      random: countedStream(),
      counters: this.counters,
      isLossy: () => true,
      session: { does: place === 'm' ? 'refresh' : 'watch', expiresMs: 90_000 },
      send: (message, hop) => {
        this.#said.add(`${place}>${lineOf(message)}`);
        this.messages.push({ from: place, to: hop as CallPlace, message, sentMs: this.clock.nowMs });
      },
      onReport: (leg, report) => this.#report(place, leg, report),
      onRequest: () => {},
      onCrash: (error) => this.crashes.push(String(error)),
    });
  }

  #report(place: CallPlace, leg: string, report: LegReport): void {
    if (place === 'm') this.bridge.hear(leg, report);
    else this.heard[place].push(report.type);
  }
}

export function lineOf(message: SipMessage): string {
  const { method, cseq, callid } = message;
  return `${message.kind === 'request' ? method : `${message.status} ${method}`} ${cseq} ${callid}`;
}

/** Numbers in order: their values do not matter. */
function countedStream(): RandomStream {
  let drawn = 0;
  return {
    float: () => 0.5,
    integer: (min, max) => Math.floor((min + max) / 2),
    bytes: (count) => {
      drawn += 1;
      return Uint8Array.from({ length: count }, (_, index) => (drawn * 31 + index * 7) % 256);
    },
  };
}

interface Pending {
  readonly whose: string;
  readonly dueMs: number;
  readonly command: number;
  readonly fire: () => void;
}

/** A clock whose deadlines can be listed: an exploration goes to the next one, and includes them in the key of a state. */
class ListedClock {
  #nowMs = 0;
  #made = 0;
  readonly #pending = new Set<Pending>();

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The clock of one owner; its deadlines are listed under that name. */
  of(whose: string): Clock {
    return {
      now: () => this.#nowMs,
      setTimer: (delayMs, fire): Timer => {
        this.#made += 1;
        const timer = { whose, dueMs: this.#nowMs + Math.max(0, delayMs), command: this.#made, fire };
        this.#pending.add(timer);
        return { cancel: () => void this.#pending.delete(timer) };
      },
    };
  }

  /** When the next deadline is due, and its owner. */
  next(): { readonly whose: string; readonly dueMs: number } | undefined {
    return this.#first();
  }

  /** Goes to the next deadline. */
  fire(): void {
    const first = this.#first();
    if (first === undefined) return;
    this.#pending.delete(first);
    this.#nowMs = Math.max(this.#nowMs, first.dueMs);
    first.fire();
  }

  /** All pending deadlines, as text. */
  list(): string {
    const all = [...this.#pending].map(({ whose, dueMs }) => `${whose} ${dueMs - this.#nowMs}`);
    return all.sort().join();
  }

  #first(): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of this.#pending) {
      const isSooner = first === undefined || timer.dueMs < first.dueMs;
      if (isSooner || (timer.dueMs === first?.dueMs && timer.command < first.command)) first = timer;
    }
    return first;
  }
}
