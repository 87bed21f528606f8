/** A request that comes again is answered again. */
import type { InstanceEntry } from '../../../../src/model/cluster/cluster-map.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { LosingOutside } from '../kit/losing-outside.ts';
import { edgeEndpoints, setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

/** Of answered requests, the last ones. */
const mostKept = 5_000;
/** 64 T1: a request comes again no later, and its answer is kept for so long (timers F and J, RFC 3261 17.1.2.2 and 17.2.2). */
const keptMs = 32_000;

export const answersRepeated: OracleMaker = {
  name: 'answers-repeated',
  rule: 'When a device sends a request other than INVITE and ACK again, because the final answer of the platform was lost, the platform answers it again within two seconds (RFC 3261, 17.2.2), while nothing outside does more than lose messages, and nothing inside is broken.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const edges = edgeEndpoints(map);
    const edgeEntries = [...map.instancesOf('sg'), ...map.instancesOf('esg')];
    const outside = new LosingOutside();
    /** When a request was answered, by edge, device, Call-Id, method and CSeq. */
    const answered = new Map<string, number>();
    const waiting = new Map<string, number>();
    const undisturbed = new Undisturbed();
    // An edge that starts knows nothing of earlier requests.
    const forget = (gone: readonly InstanceEntry[]) => {
      const endpoints = gone.map((entry) => `${map.endpointOf(entry)} `);
      for (const keys of [answered, waiting])
        for (const key of keys.keys()) if (endpoints.some((endpoint) => key.startsWith(endpoint))) keys.delete(key);
    };
    const forgetAt = ({ instance }: { readonly instance: string }) =>
      forget(edgeEntries.filter(({ address }) => address === instance));
    return {
      listeners: together(outside.listeners, undisturbed.listeners, {
        'instance.status': forgetAt,
        'instance.crashed': forgetAt,
        'node.ended': ({ node }) => forget(edgeEntries.filter((entry) => entry.node === node)),
        'outside.sent': ({ from, to, message, isLost, atMs }) => {
          const { kind, callid, cseq, method } = message;
          if (method === 'INVITE' || method === 'ACK') return;
          if (kind === 'response') {
            if (message.status < 200 || !edges.has(from)) return;
            const key = `${from} ${to} ${callid} ${method} ${cseq}`;
            if (waiting.delete(key)) check();
            if (!answered.has(key)) setLast(answered, key, atMs, mostKept);
            return;
          }
          if (isLost || !edges.has(to)) return;
          const key = `${to} ${from} ${callid} ${method} ${cseq}`;
          const answeredMs = answered.get(key);
          if (answeredMs !== undefined && atMs - answeredMs < keptMs && !waiting.has(key)) waiting.set(key, atMs);
        },
      }),
      tick: (nowMs) => {
        for (const [key, atMs] of waiting) {
          if (nowMs - atMs <= quickMs) return;
          waiting.delete(key);
          if (!undisturbed.isSince(atMs, nowMs) || !outside.isSince(atMs - quickMs)) continue;
          check();
          fail(`the request ${key} came again, and was not answered again within ${Math.round(nowMs - atMs)} ms`);
        }
      },
    };
  },
};
