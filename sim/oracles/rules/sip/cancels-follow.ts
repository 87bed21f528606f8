/** A CANCEL goes where its INVITE has gone. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Of INVITEs under way, the last ones. */
const mostKept = 5_000;

export const cancelsFollow: OracleMaker = {
  name: 'cancels-follow',
  rule: 'An instance sends a CANCEL to the instance to which it has sent the INVITE (RFC 3261, 9.1), also where another one would take the next call by now; unless something was broken shortly before: then the other one may stand in.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const sentTo = new Map<string, string>();
    // An instance that starts knows nothing of earlier calls.
    const forget = (isGone: (address: string) => boolean) => {
      for (const [key, to] of sentTo) if (isGone(to) || isGone(key.split(' ')[0] ?? '')) sentTo.delete(key);
    };
    const forgetAt = ({ instance }: { readonly instance: string }) => forget((address) => address === instance);
    return {
      listeners: together(undisturbed.listeners, {
        'instance.status': forgetAt,
        'instance.crashed': forgetAt,
        'node.ended': ({ node }) => forget((address) => map.instances.get(address)?.node === node),
        'envelope.sent': {
          sip: ({ envelope: { from, to, body } }) => {
            const { kind, method, callid, cseq } = body as SipMessage;
            if (kind !== 'request' || (method !== 'INVITE' && method !== 'CANCEL')) return;
            const key = `${from} ${callid} ${cseq}`;
            if (method === 'INVITE') return setLast(sentTo, key, to, mostKept);
            const expected = sentTo.get(key);
            if (expected === undefined || undisturbed.forMs(now()) < quickMs) return;
            check();
            if (to !== expected)
              fail(`the CANCEL of leg ${callid} went from ${from} to ${to}, its INVITE to ${expected}`);
          },
        },
      }),
    };
  },
};
