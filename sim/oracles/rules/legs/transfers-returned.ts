/** A party whose transfer has failed is sent back, where the transfer says to whom. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../shared.ts';

/** Of calls of ivr instances, the last ones. */
const mostKept = 1_000;
/** States in which the party talks to IVR, and waits for the outcome of its transfer. */
const transferring: ReadonlySet<string> = new Set(['following', 'settling']);
const outcome = /^SIP\/2\.0 ([3-6])\d\d/;

export const transfersReturned: OracleMaker = {
  name: 'transfers-returned',
  rule: 'When a party that IVR has referred says that its transfer has failed (NOTIFY), and the request names whom to return it to (returnTo), IVR refers it to that one, and does not end its call.',
  make: ({ check, fail }) => {
    /** Whether the next call of an ivr instance can be returned. */
    const wanted = new Map<string, boolean>();
    /** The calls that can be returned, and when their party has said that its transfer has failed. */
    const calls = new Map<string, number>();
    return {
      listeners: {
        'envelope.delivered': {
          'ivr.call': ({ envelope: { kind, to, body } }) => {
            if (kind === 'ask') wanted.set(to, (body as BodyOf<'ivr.call'>).returnTo !== undefined);
          },
          sip: ({ envelope: { to, body }, atMs }) => {
            const message = body as SipMessage;
            const call = `${to} ${message.callid}`;
            if (message.kind !== 'request' || message.method !== 'NOTIFY' || !calls.has(call)) return;
            if (outcome.test(message.sipfrag ?? '')) calls.set(call, atMs);
          },
        },
        'entity.state': {
          'ivr-call': ({ owner, key, state, before = '', atMs }) => {
            const call = `${owner} ${key}`;
            if (state === 'reaching' && wanted.get(owner) === true)
              setLast(calls, call, Number.NEGATIVE_INFINITY, mostKept);
            if (calls.get(call) === atMs && transferring.has(before) && !transferring.has(state ?? '')) {
              check();
              if (state !== 'returning')
                fail(`${call}: its transfer has failed, and it is ${state ?? 'gone'}, not sent back`);
            }
            if (state === undefined) calls.delete(call);
          },
        },
        'instance.crashed': ({ instance }) => {
          for (const call of calls.keys()) if (call.startsWith(`${instance} `)) calls.delete(call);
        },
      },
    };
  },
};
