/** A CANCEL goes where its INVITE has gone. */
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

/** Of INVITEs under way, the last ones. */
const mostKept = 5_000;

export const cancelsFollow: OracleMaker = {
  name: 'cancels-follow',
  rule: 'An instance sends a CANCEL to the instance to which it has sent the INVITE (RFC 3261, 9.1), also where another one would take the next call.',
  make: ({ check, fail }) => {
    const sentTo = new Map<string, string>();
    return {
      listeners: {
        'envelope.sent': {
          sip: ({ envelope: { from, to, body } }) => {
            const { kind, method, callid, cseq } = body as SipMessage;
            if (kind !== 'request' || (method !== 'INVITE' && method !== 'CANCEL')) return;
            const key = `${from} ${callid} ${cseq}`;
            if (method === 'INVITE') return setLast(sentTo, key, to, mostKept);
            const expected = sentTo.get(key);
            if (expected === undefined) return;
            check();
            if (to !== expected)
              fail(`the CANCEL of leg ${callid} went from ${from} to ${to}, its INVITE to ${expected}`);
          },
        },
      },
    };
  },
};
