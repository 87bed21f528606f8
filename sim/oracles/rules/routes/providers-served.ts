/** A call that a provider brings is passed on. */
import { userOf } from '../../../../src/model/sip/uri.ts';
import { providersOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { DialPlan } from '../kit/dial-plan.ts';
import { setLast, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** Of calls without a final answer, the last ones. */
const mostKept = 1_000;
/** What an edge says where no b2b serves, and where it does not know the account. */
const refused: ReadonlySet<number> = new Set([500, 503]);

export const providersServed: OracleMaker = {
  name: 'providers-served',
  rule: 'A call that a provider brings to the edge of its account, for a number of a SIP user, a room or a script, is not refused as one that cannot be served; while nothing is broken.',
  make: ({ map, now, check, fail }) => {
    const { noticedMs, quickMs } = boundsOf(map);
    const around = new UndisturbedAround(map);
    const plan = new DialPlan(map);
    const gates = new Set(map.instancesOf('esg').map((gate) => map.endpointOf(gate)));
    const providers = new Map(providersOf(map).map((provider) => [provider.endpoint, provider]));
    /** The numbers of calls that have no final answer, with their begin. */
    const open = new Map<string, { readonly called: string; readonly atMs: number }>();
    return {
      listeners: together(around.listeners, plan.listeners, {
        'outside.sent': {
          INVITE: ({ from, to, message, atMs }) => {
            const { kind, callid } = message;
            if (kind === 'request') {
              const username = userOf(message.uri);
              const account = providers.get(from)?.accounts.find(({ provider }) => provider.username === username);
              if (account === undefined || message.to.tag !== undefined || !gates.has(to) || open.has(callid)) return;
              const number = userOf(message.to.uri);
              const lead = plan.leadOf(account.domain, number);
              if (lead === undefined || lead.kind === 'outside' || lead.kind === 'none') return;
              setLast(open, callid, { called: `${number}@${account.domain}`, atMs }, mostKept);
              return;
            }
            const call = gates.has(from) && message.status >= 200 ? open.get(callid) : undefined;
            if (call === undefined || kind !== 'response') return;
            open.delete(callid);
            if (around.forMs(atMs) <= noticedMs + quickMs + atMs - call.atMs) return;
            check();
            if (refused.has(message.status))
              fail(`${from} has refused a call of ${to} for ${call.called}: ${message.status} ${message.reason}`);
          },
        },
      }),
      tick: () => around.look(now()),
    };
  },
};
