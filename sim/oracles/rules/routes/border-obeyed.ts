/** The SIP gates let in and keep out what the border rules say. */
import { hostOf, userOf } from '../../../../src/model/sip/uri.ts';
import { phonesOf } from '../../../outside/population.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { type BorderAction, BorderPlan } from '../kit/border-plan.ts';
import { together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A device that the platform does not know wants to register. */
interface Knock {
  readonly from: string;
  readonly gate: string;
  readonly action: BorderAction;
  readonly atMs: number;
  /** When the rules were changed. */
  readonly changedMs: number;
  /** The final answer, and when it was sent. */
  status: number | undefined;
  answeredMs: number;
}

const [forbidden, unproven] = [403, 401];

export const borderObeyed: OracleMaker = {
  name: 'border-obeyed',
  rule: 'A device that the platform does not know, and that wants to register without credentials, is answered by an sg as the border rules say five seconds after they were changed: `deny` with 403, `drop` not at all, `allow` with the wish for credentials (401); while nothing is broken.',
  exclusions:
    'Rules of the topology, rules whose change had no definite answer, and those of equal priority that contradict each other.',
  make: ({ map, fired, check, fail }) => {
    const { promptMs, quickMs, copiedMs } = boundsOf(map);
    const plan = new BorderPlan(map);
    const undisturbed = new UndisturbedAround(map);
    const gates = new Map(map.instancesOf('sg').map((gate) => [map.endpointOf(gate), gate]));
    const phones = new Set(phonesOf(map).map(({ endpoint }) => endpoint));
    const knocks = new Map<string, Knock>();
    /** How often a copy of the domain data has not heard of a change, and when that was noticed last: it pulls it. */
    const unheard = { count: 0, atMs: Number.NEGATIVE_INFINITY };
    const judge = ({ from, gate, action, status }: Knock) => {
      check();
      const said = `${from}, to which the border rules say ${action}, wanted to register at ${gate}`;
      if (action === 'drop' && status !== undefined) fail(`${said}, and was answered with ${status}`);
      const wanted = action === 'deny' ? forbidden : unproven;
      if (action !== 'drop' && status !== wanted)
        fail(`${said}, and was answered with ${status ?? 'nothing'}; expected ${wanted}`);
    };
    return {
      listeners: together(undisturbed.listeners, plan.listeners, {
        'outside.sent': {
          REGISTER: ({ from, to, message, atMs }) => {
            const { kind, callid } = message;
            if (kind === 'response') {
              const knock = gates.has(from) && message.status >= 200 ? knocks.get(callid) : undefined;
              if (knock === undefined || knock.status !== undefined) return;
              knock.status = message.status;
              knock.answeredMs = atMs;
              return;
            }
            // It is a device of a user after all, which a client has made.
            if (message.credentials !== undefined) knocks.delete(callid);
            const gate = gates.get(to);
            if (message.credentials !== undefined || gate === undefined || phones.has(from) || knocks.has(callid))
              return;
            if (plan.changedMs + promptMs > atMs || plan.changedMs === Number.NEGATIVE_INFINITY) return;
            const { uri } = message.from;
            const names = { domain: hostOf(uri), username: userOf(uri), useragent: message.userAgent ?? '' };
            const [ip = ''] = from.split(':');
            const action = plan.actionFor({ site: gate.site, ip, ...names });
            const known = { from: `${names.username} at ${ip}`, gate: gate.name, atMs, changedMs: plan.changedMs };
            if (action !== undefined)
              knocks.set(callid, { ...known, action, status: undefined, answeredMs: Number.POSITIVE_INFINITY });
          },
        },
      }),
      tick: (nowMs) => {
        undisturbed.look(nowMs);
        const count = fired('data.unheard');
        if (count > unheard.count) Object.assign(unheard, { count, atMs: nowMs });
        for (const [callid, knock] of knocks) {
          if (nowMs - knock.atMs <= quickMs) continue;
          knocks.delete(callid);
          // It may have come before the next change, or after it.
          if (plan.askedMs >= knock.atMs && plan.askedMs <= knock.answeredMs) continue;
          const isUnheard = unheard.atMs > knock.changedMs - quickMs && knock.atMs < unheard.atMs + copiedMs;
          if (isUnheard) continue;
          const calmMs = undisturbed.forMs(nowMs);
          // After a disturbance the gates ask their directory again, and that may be a copy which catches up.
          if (calmMs > nowMs - knock.changedMs + promptMs || calmMs > nowMs - knock.atMs + 2 * copiedMs) judge(knock);
        }
      },
    };
  },
};
