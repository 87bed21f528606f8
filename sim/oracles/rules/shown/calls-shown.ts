/** A live call and its record say of a call what the device or the provider that began it has seen. */

import type { ClusterMap } from '../../../../src/model/cluster/cluster-map.ts';
import type { SipMessage, SipRequest } from '../../../../src/model/sip/message.ts';
import { type PhoneEntry, phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

type Item = Readonly<Record<string, unknown>>;

/** A call that a device or a provider has begun, as it has seen it. */
interface SeenCall {
  readonly caller: PhoneEntry | undefined;
  readonly dialled: string;
  readonly invitedMs: number;
  answeredMs: number | undefined;
  /** BYE, CANCEL or a refusal. */
  endedMs: number | undefined;
  /** The status with which it was refused. */
  refusal: number | undefined;
  /** Whether nothing was broken from its beginning to its end; `undefined` until that is known. */
  isCalm: boolean | undefined;
}

/** As many are remembered as may be of interest at one time. */
const mostCalls = 2_000;

export const callsShown: OracleMaker = {
  name: 'calls-shown',
  rule: 'A call of a device or a provider is shown with its Call-Id, its caller, its devices and its state, and its record with the times of its beginning, answer and end, and with the status with which it was refused, as its caller has seen them; while nothing is broken. The durations of a record are those between its times.',
  exclusions:
    'Times in runs in which the clock of a node was wrong. Calls that the platform begins: calls-reported judges these.',
  make: ({ map, now, areClocksRight, check, fail, fired }) => {
    const { quickMs, noticedMs, streamCatchUpMs } = boundsOf(map);
    const calm = new UndisturbedAround(map);
    const outside = new OutsideCalls(map);
    const isCalmSince = (atMs: number, nowMs: number) => calm.forMs(nowMs) > nowMs - atMs + noticedMs;
    /** How often messages of streams were withheld, and when that was noticed last. */
    const withheld = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const isBehind = (nowMs: number) => {
      const count = fired('stream.unheard');
      if (count > withheld.count) Object.assign(withheld, { count, atMs: nowMs });
      return nowMs - withheld.atMs <= streamCatchUpMs;
    };
    /** When a call was first shown as ending. */
    const endingSinceMs = new WeakMap<SeenCall, number>();
    const isNear = (shown: unknown, seenMs: number | undefined) =>
      seenMs === undefined ? shown === null : typeof shown === 'number' && Math.abs(shown - seenMs) <= quickMs;

    const wrongRecord = (record: Item, seen: SeenCall | undefined): string | undefined => {
      const wrong = wrongDurations(record);
      if (wrong !== undefined) return wrong;
      if (seen === undefined || seen.isCalm !== true) return undefined;
      if (areClocksRight()) {
        const times: Readonly<Record<string, number | undefined>> = {
          startts: seen.invitedMs,
          answerts: seen.answeredMs,
          endts: seen.endedMs,
        };
        for (const [name, atMs] of Object.entries(times))
          if (!isNear(record[name], atMs)) return `${name} ${record[name]}, seen ${atMs}`;
      }
      if (seen.refusal !== undefined && record['status'] !== seen.refusal)
        return `status ${record['status']}, seen ${seen.refusal}`;
      return wrongCaller(record['participations'], seen);
    };
    const wrongCall = (call: Item, seen: SeenCall, nowMs: number): string | undefined => {
      if (!isCalmSince(seen.invitedMs, nowMs) || isBehind(nowMs)) return undefined;
      const { status, startts, legs, callids, inviteid } = call;
      if (areClocksRight() && !isNear(startts, seen.invitedMs)) return `startts ${startts}, seen ${seen.invitedMs}`;
      const isLongSince = (atMs: number | undefined) => atMs !== undefined && nowMs - atMs > quickMs;
      const isAnswered = isLongSince(seen.answeredMs);
      if (isLongSince(seen.endedMs)) return undefined;
      // Its BYE may be on its way.
      if (status === 'ending' && !endingSinceMs.has(seen)) endingSinceMs.set(seen, nowMs);
      const isEnding = status === 'ending' && !isLongSince(endingSinceMs.get(seen));
      if (isAnswered && seen.endedMs === undefined && status !== 'dialog' && !isEnding)
        return `status ${status}, and it is answered`;
      if (
        status === 'dialog' &&
        seen.answeredMs === undefined &&
        seen.endedMs === undefined &&
        !outside.isAnswered(String(inviteid))
      )
        return 'status dialog, and no one has answered';
      const shown = (legs as readonly Item[] | undefined)?.map(({ callid }) => callid) ?? [];
      const other = shown.find((each) => (callids as readonly unknown[] | undefined)?.includes(each) !== true);
      return other === undefined ? undefined : `a leg ${other} that callids does not have`;
    };
    const judge = (item: unknown, what: string, nowMs: number) => {
      if (typeof item !== 'object' || item === null) return;
      const shown = item as Item;
      const { acallid, endts, legs } = shown;
      if (typeof acallid !== 'string') return;
      const seen = outside.get(acallid);
      const isRecord = typeof endts === 'number';
      if (!isRecord && (seen === undefined || legs === undefined)) return;
      check();
      const wrong = isRecord ? wrongRecord(shown, seen) : seen && wrongCall(shown, seen, nowMs);
      if (wrong !== undefined) fail(`${what} shows the call ${acallid} with ${wrong}`);
    };
    const listeners: ObservationListeners = {
      'outside.sent': byType(['INVITE', 'CANCEL', 'BYE'], (seen) => outside.see(seen)),
      'request.answered': ({ site, method, target, status, body, atMs }) => {
        if (method !== 'GET' || status !== 200 || body === undefined || !shows.test(target)) return;
        const json = jsonIn(body);
        for (const item of Array.isArray(json) ? json : [json]) judge(item, `${site}, GET ${target},`, atMs);
      },
    };
    const tick = () => {
      const nowMs = now();
      calm.look(nowMs);
      for (const seen of outside.ended())
        if (nowMs - (seen.endedMs ?? nowMs) > quickMs) {
          seen.isCalm = isCalmSince(seen.invitedMs, nowMs);
          outside.settle(seen);
        }
    };
    return { listeners: together(calm.listeners, listeners), tick };
  },
};

const shows = /\/(uc\/calls|journal\/calls)(\/[^/]+)?(\?|$)/;

class OutsideCalls {
  readonly #edges: ReadonlySet<string>;
  readonly #phones: ReadonlyMap<string, PhoneEntry>;
  readonly #calls = new Map<string, SeenCall>();
  readonly #ended = new Set<SeenCall>();
  /** Calls, by inviteid, of which a device of the other side has answered. */
  readonly #answered = new Map<string, true>();

  constructor(map: ClusterMap) {
    this.#edges = edgeEndpoints(map);
    this.#phones = new Map(phonesOf(map).map((phone) => [phone.endpoint, phone]));
  }

  get(callid: string): SeenCall | undefined {
    return this.#calls.get(callid);
  }

  isAnswered(inviteid: string): boolean {
    return this.#answered.has(inviteid);
  }

  /** Calls that are over, of which it is not known yet whether something was broken. */
  ended(): Iterable<SeenCall> {
    return this.#ended;
  }

  settle(seen: SeenCall): void {
    this.#ended.delete(seen);
  }

  see({ from, to, message, atMs }: { from: string; to: string; message: SipMessage; atMs: number }): void {
    const { kind, method, callid } = message;
    if (method === 'INVITE' && kind === 'request') return this.#invited(from, message, atMs);
    if (
      method === 'INVITE' &&
      kind === 'response' &&
      this.#edges.has(to) &&
      message.status >= 200 &&
      message.status < 300
    )
      setLast(this.#answered, String(message.inviteid), true, mostCalls);
    const seen = this.#calls.get(callid);
    if (seen === undefined) return;
    if (kind === 'request' && (method === 'BYE' || method === 'CANCEL')) return this.#end(seen, atMs);
    if (method !== 'INVITE' || kind !== 'response' || this.#edges.has(to) || message.to.tag === undefined) return;
    // It may cross the CANCEL.
    if (message.status >= 200 && message.status < 300) seen.answeredMs ??= atMs;
    if (message.status < 300 || seen.answeredMs !== undefined || seen.endedMs !== undefined) return;
    // With the credentials it is another call of the same device.
    if (message.status === 401 || message.status === 407) return void this.#calls.delete(callid);
    seen.refusal = message.status;
    this.#end(seen, atMs);
  }

  #invited(from: string, { callid, to, uri, replaces }: SipRequest, atMs: number): void {
    if (this.#edges.has(from) || to.tag !== undefined || replaces !== undefined || this.#calls.has(callid)) return;
    const caller = this.#phones.get(from);
    const seen = {
      caller,
      dialled: uri,
      invitedMs: atMs,
      answeredMs: undefined,
      endedMs: undefined,
    };
    setLast(this.#calls, callid, { ...seen, refusal: undefined, isCalm: undefined }, mostCalls);
  }

  #end(seen: SeenCall, atMs: number): void {
    if (seen.endedMs !== undefined) return;
    seen.endedMs = atMs;
    this.#ended.add(seen);
  }
}

/** The times of a record by themselves. */
function wrongDurations({ startts, answerts, endts, durationms, talkms }: Item): string | undefined {
  const [start, end] = [Number(startts), Number(endts)];
  const answer = typeof answerts === 'number' ? answerts : end;
  const lasts = Math.max(0, end - start);
  const talks = Math.max(0, end - answer);
  if (durationms !== undefined && startts !== undefined && durationms !== lasts) return `durationms ${durationms}`;
  return talkms === undefined || answerts === undefined || talkms === talks ? undefined : `talkms ${talkms}`;
}

/** Side a of a call is the SIP user of the device that began it. */
function wrongCaller(participations: unknown, { caller }: SeenCall): string | undefined {
  if (caller === undefined || !Array.isArray(participations) || participations.length === 0) return undefined;
  const side = (participations as Item[]).find((each) => each['side'] === 'a');
  const { kind, domain, name, number } = side ?? {};
  const { login, phonenumber } = caller.user;
  const isRight = kind === 'sipuser' && domain === caller.domain && name === login && number === phonenumber;
  return isRight ? undefined : `side a ${JSON.stringify(side ?? null)}, called by ${caller.name}`;
}
