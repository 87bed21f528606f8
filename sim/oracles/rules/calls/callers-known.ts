/** A call begins only if its caller is known, or has proved who it is. */
import { phonesOf, providersOf } from '../../../outside/population.ts';
import type { OracleMaker } from '../../oracle.ts';
import { byType, edgeEndpoints, setLast } from '../kit/shared.ts';

/** The last ones. */
const mostKept = 1_000;

interface Asked {
  readonly from: string;
  readonly cseq: number;
}

export const callersKnown: OracleMaker = {
  name: 'callers-known',
  rule: 'A device that is neither the machine of a provider nor registered, nor a phone of the topology, and calls without credentials, is refused: its call does not ring, and is not answered, whatever is broken.',
  make: ({ map, check, fail }) => {
    const edges = edgeEndpoints(map);
    const known = new Set([...phonesOf(map), ...providersOf(map)].map(({ endpoint }) => endpoint));
    /** Calls of unknown devices, by Call-Id. */
    const asked = new Map<string, Asked>();
    return {
      listeners: {
        'outside.sent': byType(['REGISTER', 'INVITE'], ({ from, to, message }) => {
          const { kind, method, callid, cseq } = message;
          // A phone that a scenario or a client adds.
          if (method === 'REGISTER' && kind === 'response' && message.status === 200) known.add(to);
          if (method !== 'INVITE') return;
          if (kind === 'request') {
            const isUnknown = edges.has(to) && !known.has(from) && message.to.tag === undefined;
            if (isUnknown && message.credentials === undefined) setLast(asked, callid, { from, cseq }, mostKept);
            else asked.delete(callid);
            return;
          }
          const call = asked.get(callid);
          if (call === undefined || call.from !== to || call.cseq !== cseq || message.status === 100) return;
          check();
          if (message.status < 300)
            fail(`${to}, which has not proved who it is, is answered ${message.status} to its call`);
        }),
      },
    };
  },
};
