/** A party of a failed transfer is sent back, where the request of the transfer names a number for that. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { Replaces, SipMessage } from '../../../../src/model/sip/message.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

/** Of calls of ivr instances, the last ones. */
const mostKept = 1_000;
/** States in which the party talks to IVR, and waits for the outcome of its transfer. */
const transferring: ReadonlySet<string> = new Set(['following', 'settling']);
const outcome = /^SIP\/2\.0 ([3-6])\d\d/;

export const transfersReturned: OracleMaker = {
  name: 'transfers-returned',
  rule: 'When a party that IVR has referred says that its transfer has failed (NOTIFY), and the request has a number to return it to (returnTo), IVR refers it there, and does not end its call.',
  make: ({ check, fail }) => {
    /** The legs that the calls of requests with a number to return to replace, by `IVR CALL-ID`. */
    const wanted = new Map<string, true>();
    /** The calls that can be returned, and when their party has said that its transfer has failed. */
    const calls = new Map<string, number>();
    return {
      listeners: {
        'envelope.delivered': {
          'ivr.call': ({ envelope: { kind, to, body } }) => {
            if (kind !== 'ask') return;
            const { returnTo, replaces } = body as BodyOf<'ivr.call'>;
            if (returnTo !== undefined && replaces !== undefined)
              setLast(wanted, `${to} ${replaces.callid}`, true, mostKept);
          },
          sip: ({ envelope: { to, body }, atMs }) => {
            const message = body as SipMessage;
            const call = `${to} ${message.callid}`;
            if (message.kind !== 'request' || message.method !== 'NOTIFY' || !calls.has(call)) return;
            if (outcome.test(message.sipfrag ?? '')) calls.set(call, atMs);
          },
        },
        'envelope.sent': {
          sip: ({ envelope: { from, body } }) => {
            const { kind, method, callid, to, replaces } = body as SipMessage & { readonly replaces?: Replaces };
            const isBegun = kind === 'request' && method === 'INVITE' && to.tag === undefined;
            if (isBegun && replaces !== undefined && wanted.has(`${from} ${replaces.callid}`))
              setLast(calls, `${from} ${callid}`, Number.NEGATIVE_INFINITY, mostKept);
          },
        },
        'entity.state': {
          'ivr-call': ({ owner, key, state, before = '', atMs }) => {
            const call = `${owner} ${key}`;
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
