/** Every ask gets an answer or a fault. */

import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { type AskType, askTypes, catalogue } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType } from '../shared.ts';

interface Open {
  readonly owner: string;
  readonly to: string;
  readonly type: string;
  readonly untilMs: number;
}

export const asksEnd: OracleMaker = {
  name: 'asks-end',
  rule: 'Every ask between instances ends, by its answer or by a fault at its deadline.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const open = new Map<string, Open>();
    const paused = new Set<string>();
    const forget = (node: string) => {
      for (const [id, { owner }] of open) if (nodeOf(owner) === node) open.delete(id);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': byType(askTypes, ({ node, envelope: { id, kind, from, to, type }, atMs }) => {
        if (kind !== 'ask' || paused.has(node)) return;
        const { deadlineMs } = catalogue[type as AskType];
        open.set(id, { owner: from, to, type, untilMs: atMs + deadlineMs + promptMs });
      }),
      'ask.ended': ({ ask }) => {
        if (open.delete(ask.id)) check();
      },
      'node.ended': ({ node }) => forget(node),
      'fault.inflicted': ({ verb, args }) => {
        const node = String(args[0]);
        if (verb === 'pauseNode') paused.add(node);
        if (verb === 'resumeNode') paused.delete(node);
        if (verb === 'pauseNode') forget(node);
      },
    };
    const tick = (nowMs: number) => {
      for (const [id, { owner, to, type, untilMs }] of open) {
        if (nowMs <= untilMs) continue;
        open.delete(id);
        fail(`${owner} asked ${to} "${type}" and never received an answer or fault`);
      }
    };
    return { listeners, tick };
  },
};
