/** A callstore asks a source that has begun anew. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { streamConsumersOf } from '../../../../src/replication/stream-source.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { Reachability } from '../../reachability.ts';
import { together } from '../kit/shared.ts';

const sources: ReadonlySet<string> = new Set(['b2b', 'conf', 'ivr']);

export const sourcesRead: OracleMaker = {
  name: 'sources-read',
  rule: 'When a b2b, conf or ivr has begun to serve anew, each callstore of its streams that has stood by or served before reads its stream at the latest five seconds after both see all that they see.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const reachability = new Reachability(map);
    /** When a source began that a callstore has not read, by `CALLSTORE SOURCE`. */
    const due = new Map<string, number>();
    const starting = new Set<string>();
    const forget = (isLost: (address: string) => boolean) => {
      for (const pair of [...due.keys()]) if (pair.split(' ').some(isLost)) due.delete(pair);
    };
    return {
      listeners: together(
        {
          'instance.status': ({ instance: address, status, atMs }) => {
            forget((each) => each === address);
            if (status === 'starting') starting.add(address);
            const instance = map.instances.get(address);
            if (instance === undefined || !sources.has(instance.role) || status !== 'active') return;
            if (!starting.delete(address)) return;
            for (const consumer of streamConsumersOf({ map, instance })) {
              const isThere = ['active', 'standby'].includes(reachability.statusOf(consumer) ?? '');
              if (isThere && reachability.standsMs(consumer, atMs) > promptMs)
                due.set(`${consumer.address} ${address}`, atMs);
            }
          },
        },
        reachability.listeners,
        {
          'instance.crashed': ({ instance }) => forget((address) => address === instance),
          'node.ended': ({ node }) => forget((address) => nodeOf(address) === node),
          'envelope.sent': {
            'stream.read': ({ envelope: { kind, from, to } }) => {
              if (kind === 'ask' && due.delete(`${from} ${to}`)) check();
            },
          },
        },
      ),
      tick: (nowMs) => {
        for (const [pair, sinceMs] of due) {
          const [consumer = '', source = ''] = pair.split(' ');
          const [here, there] = [map.node(nodeOf(consumer)), map.node(nodeOf(source))];
          const settledMs = Math.min(reachability.stableMs(here, nowMs), reachability.stableMs(there, nowMs));
          if (nowMs - sinceMs <= promptMs || settledMs <= promptMs || !reachability.areTogether(here, there)) continue;
          due.delete(pair);
          fail(`${consumer} has not read the stream of ${source}, which has begun anew ${nowMs - sinceMs} ms ago`);
        }
      },
    };
  },
};
