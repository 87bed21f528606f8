/** A party of a failed transfer is sent back, where the request of the transfer names a number for that. */
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

/** Of calls of ivr instances, the last ones. */
const mostKept = 1_000;
/** As many requests are remembered of an ivr instance; a call begins within this time after its request. */
const mostWanted = 50;
const startedMs = 5_000;
/** States in which the party talks to IVR, and waits for the outcome of its transfer. */
const transferring: ReadonlySet<string> = new Set(['following', 'settling']);
const outcome = /^SIP\/2\.0 ([3-6])\d\d/;

interface Wanted {
  readonly atMs: number;
  readonly canReturn: boolean;
}

export const transfersReturned: OracleMaker = {
  name: 'transfers-returned',
  rule: 'When a party that IVR has referred says that its transfer has failed (NOTIFY), and the request has a number to return it to (returnTo), IVR refers it there, and does not end its call.',
  make: ({ check, fail }) => {
    /** The last requests to each ivr instance: whether their calls can be returned. They may begin in another order. */
    const wanted = new Map<string, readonly Wanted[]>();
    const canReturn = (owner: string, nowMs: number) => {
      const recent = (wanted.get(owner) ?? []).filter(({ atMs }) => nowMs - atMs < startedMs);
      return recent.length > 0 && recent.every((each) => each.canReturn);
    };
    /** The calls that can be returned, and when their party has said that its transfer has failed. */
    const calls = new Map<string, number>();
    return {
      listeners: {
        'envelope.delivered': {
          'ivr.call': ({ envelope: { kind, to, body }, atMs }) => {
            if (kind !== 'ask') return;
            const { returnTo } = body as BodyOf<'ivr.call'>;
            const before = (wanted.get(to) ?? []).slice(-mostWanted);
            wanted.set(to, [...before, { atMs, canReturn: returnTo !== undefined }]);
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
            if (state === 'reaching' && canReturn(owner, atMs))
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
