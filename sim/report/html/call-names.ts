/**
 * Which Call-Ids belong to one call, by what SIP messages say: the platform's inviteid, which is on all that b2b sends; and by
 * which dialogids the interface knows it.
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
  /** Status of the final answer to its INVITE, of several the last up to a 2xx; 0: none. */
  status: number;
}

export interface NamedCall {
  readonly name: string;
  readonly callids: readonly string[];
  readonly dialogids: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly messages: number;
  /** That of the first leg. */
  readonly status: number;
}

/** How many legs are known at a time, and how many of the first are forgotten when there are more. */
const mostLegs = 60_000;
const forgottenLegs = 20_000;

export class CallNames {
  readonly #legs = new Map<string, Leg>();
  readonly #dialogids = new Map<string, Set<string>>();
  #forgotten = 0;

  /** Notes a message. A leg begins with its INVITE. */
  hear(atMs: number, message: SipMessage): void {
    const { callid, method, from, to, inviteid } = message;
    let leg = this.#legs.get(callid);
    if (leg === undefined) {
      if (method !== 'INVITE') return;
      leg = {
        callid,
        from: userOf(from.uri),
        to: userOf(to.uri),
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

  /** Notes that a call of the interface belongs to an inviteid. */
  know(inviteid: string, dialogid: string): void {
    const known = this.#dialogids.get(inviteid);
    if (known === undefined) this.#dialogids.set(inviteid, new Set([dialogid]));
    else known.add(dialogid);
  }

  /** What is not known any more, in words. */
  get leftOut(): string[] {
    return this.#forgotten === 0 ? [] : [`The first ${this.#forgotten} legs of calls are not listed.`];
  }

  /** The calls, by when they began. */
  calls(): NamedCall[] {
    const calls = new Map<string, Leg[]>();
    for (const leg of this.#legs.values()) {
      const id = leg.inviteid ?? leg.callid;
      calls.set(id, [...(calls.get(id) ?? []), leg]);
    }
    return [...calls].map(([id, legs]) => ({
      name: nameOf(legs),
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

/** Who calls whom. Where the platform calls both, the first leg is from X to X. */
function nameOf(legs: readonly Leg[]): string {
  const from = legs[0]?.from ?? '';
  const to = [...new Set(legs.map((leg) => leg.to))].filter((each) => each !== from);
  return `${from} → ${to.join(', ') || from}`;
}

/** `1001@acme.root.test` of `<sip:1001@acme.root.test>`. */
function userOf(uri: string): string {
  return uri.replace(/^<?sip:/, '').replace(/>$/, '');
}
