/** The answers to call requests are those of their `response_mode`. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { PlatformEvent } from '../../../../src/model/protocol/messages/stream.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { ClientRequests } from '../kit/client-requests.ts';
import { jsonIn } from '../kit/reading.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** The fields beside `result` that a mode may show. (chosen) */
const fields: readonly (readonly string[])[] = [
  ['ivrcallid'],
  ['ivrcallid'],
  ['ivrcallid', 'acallid', 'last_response', 'dialogid'],
  ['ivrcallid', 'acallid', 'bcallid', 'last_response', 'dialogid'],
];
const usualMode = 1;
/** How a call ends that was refused. */
const refused: ReadonlySet<string> = new Set(['call_final', 'timeout', 'error']);
const mostCalls = 1_000;

type Item = Readonly<Record<string, unknown>>;

interface Refusal {
  readonly status: number;
  readonly atMs: number;
}

export const callResults: OracleMaker = {
  name: 'call-results',
  rule: 'A call request is answered at the moment that its response_mode selects, with the fields of that mode: 0 at once, 3 after the last response of the callee. With 0 the call is taken, unless `from` is a login that no SIP user has. The result is not unknown where the platform or the callee has refused the call.',
  exclusions: 'Unknown results while the cluster is disturbed: ivr may not hear of the refusal.',
  make: ({ map, now, stableMs, check, fail }) => {
    const { quickMs, noticedMs } = boundsOf(map);
    /** The requests of calls that have no answer yet. `isFromUnknown`: from a login that the domain of the session does not have in the topology. */
    const asked = new Map<number, { readonly mode: number; readonly isFromUnknown: boolean }>();
    const requests = new ClientRequests();
    const isLogin = (domain: string | undefined, login: string) =>
      domain !== undefined && map.domains.get(domain)?.sipusers.some((user) => user.login === login) === true;
    const undisturbed = new Undisturbed();
    /** The calls that ended with a refusal, by dialogid. */
    const refusals = new Map<string, Refusal>();
    /** The calls whose refusal b2b has reported to ivr, by dialogid. */
    const reported = new Map<string, true>();
    return {
      listeners: together(undisturbed.listeners, requests.listeners, {
        'published.event': {
          callevents: ({ event, atMs }) => noteRefusal(event, refusals, atMs),
        },
        'envelope.delivered': {
          'call.referred': ({ envelope: { body } }) => {
            const { dialogid, status } = body as BodyOf<'call.referred'>;
            if (status >= 300) setLast(reported, dialogid, true, mostCalls);
          },
        },
        'request.received': ({ id, method, target, client, sent }) => {
          if (!/\/calls(_by_participation)?(\?|$)/.test(target) || (method !== 'POST' && method !== 'INVITE')) return;
          const call = parsed(sent);
          const mode = call?.['response_mode'] ?? usualMode;
          const [login = ''] = String(call?.['from']).split('@');
          const isFromUnknown = call?.['mode'] === 'sipuser' && !isLogin(requests.domainOf(client), login);
          if (typeof mode === 'number') setLast(asked, id, { mode, isFromUnknown }, mostCalls);
        },
        'request.answered': ({ id, site, method, target, status, body, tookMs }) => {
          const request = asked.get(id);
          asked.delete(id);
          const result = status === 200 ? parsed(body) : undefined;
          if (request === undefined || result === undefined) return;
          const { mode, isFromUnknown } = request;
          check();
          const what = `${method} ${target} with response_mode ${mode}`;
          const others = Object.keys(result).filter(
            (name) => name !== 'result' && fields[mode]?.includes(name) !== true,
          );
          if (others.length > 0) fail(`${site} answered ${what} with ${others.join(', ')}`);
          if (method === 'INVITE' && 'ivrcallid' in result) fail(`${site} answered ${what} with ivrcallid`);
          if (mode === 0 && result['result'] !== 'ok' && !(isFromUnknown && result['result'] === 'failed'))
            fail(`${site} answered ${what} with ${String(result['result'])}`);
          if (mode === 0 && stableMs() > tookMs && tookMs > quickMs)
            fail(`${site} answered ${what} after ${tookMs} ms`);
          const dialogid = String(result['dialogid']);
          const refusal = result['result'] === 'unknown' ? refusals.get(dialogid) : undefined;
          if (refusal !== undefined && undisturbed.isSince(refusal.atMs - noticedMs, now())) {
            if (reported.has(dialogid) || now() - refusal.atMs > quickMs)
              fail(`${site} answered ${what} with unknown: the call was refused with ${refusal.status}`);
          }
          const last = /^SIP\/2\.0 (\d)/.exec(String(result['last_response'] ?? ''))?.[1];
          if (mode === 3 && last === '1' && result['result'] === 'ok')
            fail(`${site} answered ${what} before the callee: ${String(result['last_response'])}`);
        },
      }),
    };
  },
};

function noteRefusal({ name, data }: PlatformEvent, refusals: Map<string, Refusal>, atMs: number): void {
  const { dialogid, type, sipcode } = data;
  if (name === 'dlg_end' && refused.has(String(type)) && typeof sipcode === 'number')
    setLast(refusals, String(dialogid), { status: sipcode, atMs }, mostCalls);
}

function parsed(text: string | undefined): Item | undefined {
  if (text === undefined || !text.startsWith('{')) return undefined;
  return jsonIn(text) as Item | undefined;
}
