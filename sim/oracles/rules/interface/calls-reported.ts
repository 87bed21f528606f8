/** What the answer to a call request says of the call of X to Y is what X's device has seen of it. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { jsonIn } from '../kit/reading.ts';
import { byType, edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A call that a device began because it was referred by the platform. */
interface ReferredCall {
  readonly callid: string;
  /** Names the transfer to the platform, by the Call-Id of the call that referred. */
  readonly token: string;
  readonly beganMs: number;
  /** When the device first received each status of an answer, in this order; without 100 and what is tried again. */
  readonly received: Map<number, number>;
}

interface Requested {
  readonly mode: number;
  readonly said: string;
}

/** An answer whose last response is looked for among those of the device. */
interface Claim {
  readonly call: ReferredCall;
  readonly status: number;
  readonly requested: Requested;
  readonly answeredMs: number;
}

type Item = Readonly<Record<string, unknown>>;

/** As many are remembered as may be of interest at one time. */
const mostCalls = 1_000;
/** How long after a refusal another device of Y may answer a call whose X reports no more, because its leg has ended. */
const settledMs = 5_000;
/** The modes that wait for a response of Y, and for its last one. */
const [respondedMode, decidedMode] = [2, 3];

export const callsReported: OracleMaker = {
  name: 'calls-reported',
  rule: 'The answer to a call request with response_mode 2 or 3 has no other Call-Id as `acallid` than that with which X has called Y. While nothing is broken it has this one, and a response that X has received, and comes within two seconds of the first response of Y (mode 2), or of the last (mode 3); seven where it is a refusal and the call of IVR to X has ended before it.',
  exclusions: 'Calls that X has taken back: its device need not report how they ended.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const edges = edgeEndpoints(map);
    const requests = new Map<number, Requested>();
    const calls = new Map<string, ReferredCall>();
    const claims = new Set<Claim>();
    /** The tokens of transfers by the Call-Id of the leg that referred, and those whose leg has ended, with the time. */
    const referring = new Map<string, string>();
    const left = new Map<string, number>();
    const isUndisturbedSince = (atMs: number, nowMs: number) => undisturbed.forMs(nowMs) > nowMs - atMs + quickMs;

    const judge = (requested: Requested, result: Item, nowMs: number) => {
      const ivrcallid = result['ivrcallid'];
      if (typeof ivrcallid !== 'string') return;
      const own = [...calls.values()].filter(({ token }) => token.split('|').includes(ivrcallid));
      const [call] = own;
      // A device that begins anew (redirected, or by another account) has more than one.
      if (call === undefined || own.length > 1) return;
      const { mode, said } = requested;
      const { acallid, last_response: last } = result;
      const isUndisturbed = isUndisturbedSince(call.beganMs, nowMs);
      const isKnown = isUndisturbed && nowMs - call.beganMs > quickMs;
      if (acallid !== undefined || isKnown) {
        check();
        if (acallid !== call.callid)
          fail(`${said} was answered with acallid ${acallid}; X has called by ${call.callid}`);
      }
      if (!isUndisturbed) return;
      const [status = 0, enoughMs] = [...call.received].find(([each]) => mode === respondedMode || each >= 200) ?? [];
      if (enoughMs !== undefined) {
        check();
        const lateMs = nowMs - enoughMs;
        const isLast = mode === respondedMode || status < 300 || (left.get(call.token) ?? nowMs) > enoughMs;
        if (lateMs > (isLast ? quickMs : quickMs + settledMs))
          fail(`${said} was answered ${lateMs} ms after X had that response of Y`);
      }
      const claimed = Number(/^SIP\/2\.0 (\d+)/.exec(String(last))?.[1]);
      if (claimed > 100) claims.add({ call, status: claimed, requested, answeredMs: nowMs });
    };

    const listeners: ObservationListeners = {
      'outside.sent': byType(['INVITE', 'REFER', 'CANCEL', 'BYE'], ({ from, to, message, atMs }) => {
        const { kind, method, callid } = message;
        if (method === 'CANCEL') calls.delete(callid);
        const referred = kind === 'request' && method === 'REFER' ? message.referredBy?.token : undefined;
        if (referred !== undefined) setLast(referring, callid, referred, mostCalls);
        const ended = kind === 'request' && method === 'BYE' ? referring.get(callid) : undefined;
        if (ended !== undefined) setLast(left, ended, atMs, mostCalls);
        if (method !== 'INVITE') return;
        if (kind === 'request') {
          const token = message.referredBy?.token;
          if (token === undefined || edges.has(from) || calls.has(callid)) return;
          setLast(calls, callid, { callid, token, beganMs: atMs, received: new Map() }, mostCalls);
          return;
        }
        const received = edges.has(to) ? undefined : calls.get(callid)?.received;
        const isTriedAgain = message.status === 401 || message.status === 407;
        if (message.status > 100 && !isTriedAgain && received?.has(message.status) === false)
          received.set(message.status, atMs);
      }),
      'request.received': ({ id, site, method, target, sent }) => {
        if (!/\/calls$/.test(target) || method !== 'POST') return;
        const mode = parsed(sent)?.['response_mode'];
        if (mode !== respondedMode && mode !== decidedMode) return;
        requests.set(id, { mode, said: `${method} ${target} of ${site} with response_mode ${mode}` });
      },
      'request.answered': ({ id, status, body, atMs }) => {
        const requested = requests.get(id);
        requests.delete(id);
        const result = status === 200 ? parsed(body) : undefined;
        if (requested !== undefined && result !== undefined) judge(requested, result, atMs);
      },
    };
    const tick = () => {
      const nowMs = now();
      undisturbed.look(nowMs);
      for (const claim of claims) {
        const { call, status, requested, answeredMs } = claim;
        // The report and the response to X have ways of their own.
        if (nowMs - answeredMs <= quickMs) continue;
        claims.delete(claim);
        if (!isUndisturbedSince(call.beganMs, nowMs)) continue;
        check();
        if (!call.received.has(status))
          fail(
            `${requested.said} was answered with status ${status}; X has received ${[...call.received.keys()].join(', ')}`,
          );
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};

function parsed(text: string | undefined): Item | undefined {
  if (text === undefined || !text.startsWith('{')) return undefined;
  return jsonIn(text) as Item | undefined;
}
