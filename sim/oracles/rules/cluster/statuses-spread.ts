/** Nodes learn at once what has changed at another node of their site. */
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { together } from '../kit/shared.ts';
import { Connectedness } from './one-home.ts';

/** A node that sends several changes pauses between them; a pong meanwhile has the change too. */
const pauseMs = 250;
const spreadMs = 1_000;

export const statusesSpread: OracleMaker = {
  name: 'statuses-spread',
  rule: 'When the status of a role instance changes, its node sends its digest to every other node of its site within a second, while all nodes are connected.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const links = new Connectedness();
    /** When a status changed that a peer has not been sent, by `FROM TO`. */
    const due = new Map<string, number>();
    const pairOf = (from: string, to: string) => `${from} ${to}`;
    return {
      listeners: together(links.listeners, {
        'instance.status': ({ instance, atMs }) => {
          const from = nodeOf(instance);
          if (links.forMs(atMs) <= promptMs) return;
          for (const { name, site } of map.peersOf(from))
            if (site === map.node(from).site && !due.has(pairOf(from, name))) due.set(pairOf(from, name), atMs);
        },
        'envelope.sent': {
          'peer.digest': ({ envelope: { from, to } }) => {
            if (due.delete(pairOf(nodeOf(from), nodeOf(to)))) check();
          },
          'peer.pong': ({ envelope: { from, to }, atMs }) => {
            const pair = pairOf(nodeOf(from), nodeOf(to));
            if (atMs - (due.get(pair) ?? 0) <= pauseMs) due.delete(pair);
          },
        },
        'node.ended': ({ node }) => {
          for (const pair of [...due.keys()]) if (pair.split(' ').includes(node)) due.delete(pair);
        },
      }),
      tick: (nowMs) => {
        for (const [pair, sinceMs] of due) {
          if (nowMs - sinceMs <= spreadMs) continue;
          due.delete(pair);
          const [from, to] = pair.split(' ');
          if (links.forMs(nowMs) > nowMs - sinceMs + promptMs)
            fail(`${from} has not sent ${to} the change of a status after ${nowMs - sinceMs} ms`);
        }
      },
    };
  },
};
