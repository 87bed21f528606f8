/**
 * The calls of a run: which Call-Ids belong to one call, by the platform's inviteid in all messages of b2b, and the
 * dialogids under which the interface knows it.
 */
import type { SipMessage } from '../../../src/model/sip/message.ts';

interface Leg {
  readonly callid: string;
  readonly from: string;
  readonly to: string;
  inviteid: string | undefined;
  readonly fromMs: number;
  untilMs: number;
  messages: number;
  /** Status of the final answer to its INVITE, the last one up to a 2xx; 0: none. */
  status: number;
}

type NameOfParty = (uri: string, role: 'caller' | 'callee') => string;

export interface NamedCall {
  readonly name: string;
  readonly callids: readonly string[];
  readonly dialogids: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly messages: number;
  /** Call-Id of the first leg. */
  readonly status: number;
}

/** Limit of legs in memory, and how many of the oldest are dropped beyond it. */
const mostLegs = 60_000;
const forgottenLegs = 20_000;

export class CallNames {
  readonly #legs = new Map<string, Leg>();
  readonly #dialogids = new Map<string, Set<string>>();
  #forgotten = 0;

  /** Records a message. A leg begins with its INVITE. */
  hear(atMs: number, message: SipMessage): void {
    const { callid, method, from, to, inviteid } = message;
    let leg = this.#legs.get(callid);
    if (leg === undefined) {
      if (method !== 'INVITE') return;
      leg = {
        callid,
        from: from.uri,
        to: to.uri,
        inviteid,
        fromMs: atMs,
        untilMs: atMs,
        messages: 0,
        status: 0,
      };
      if (this.#legs.size >= mostLegs) this.#forget();
      this.#legs.set(callid, leg);
    }
    leg.inviteid ??= inviteid;
    leg.untilMs = atMs;
    leg.messages += 1;
    const isTaken = leg.status >= 200 && leg.status < 300;
    const isFinal = message.kind === 'response' && method === 'INVITE' && message.status >= 200;
    if (isFinal && !isTaken) leg.status = message.status;
  }

  /** Records the inviteid of a call of the interface. */
  know(inviteid: string, dialogid: string): void {
    const known = this.#dialogids.get(inviteid);
    if (known === undefined) this.#dialogids.set(inviteid, new Set([dialogid]));
    else known.add(dialogid);
  }

  /** A note about dropped legs. */
  get leftOut(): string[] {
    return this.#forgotten === 0 ? [] : [`The first ${this.#forgotten} legs of calls are not listed.`];
  }

  /** The calls, sorted by their begin. `nameOf`: the name of a party, by its URI. */
  calls(nameOf: NameOfParty): NamedCall[] {
    const calls = new Map<string, Leg[]>();
    for (const leg of this.#legs.values()) {
      const id = leg.inviteid ?? leg.callid;
      calls.set(id, [...(calls.get(id) ?? []), leg]);
    }
    return [...calls].map(([id, legs]) => ({
      name: nameOfCall(legs, nameOf),
      callids: legs.map(({ callid }) => callid),
      dialogids: [...(this.#dialogids.get(id) ?? [])],
      fromMs: Math.min(...legs.map(({ fromMs }) => fromMs)),
      untilMs: Math.max(...legs.map(({ untilMs }) => untilMs)),
      messages: legs.reduce((sum, { messages }) => sum + messages, 0),
      status: legs[0]?.status ?? 0,
    }));
  }

  #forget(): void {
    for (const leg of [...this.#legs.values()].slice(0, forgottenLegs)) {
      this.#legs.delete(leg.callid);
      this.#dialogids.delete(leg.inviteid ?? '');
    }
    this.#forgotten += forgottenLegs;
  }
}

/** Caller and callee. If the platform calls both, the first leg is from X to X. */
function nameOfCall(legs: readonly Leg[], nameOf: NameOfParty): string {
  const from = nameOf(legs[0]?.from ?? '', 'caller');
  const to = [...new Set(legs.map((leg) => nameOf(leg.to, 'callee')))].filter((each) => each !== from);
  return `${from} → ${to.join(', ') || from}`;
}
