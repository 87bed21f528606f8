/** Every ask gets an answer or a fault, and none that was received ends as if it had not been. */

import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { type AskType, askTypes, catalogue } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType } from '../kit/shared.ts';

interface Open {
  readonly owner: string;
  readonly to: string;
  readonly type: string;
  readonly untilMs: number;
  /** Its receiver has got it; and has answered it. */
  isReceived: boolean;
  isAnswered: boolean;
}

export const asksEnd: OracleMaker = {
  name: 'asks-end',
  rule: 'Every ask between instances ends, by its answer or by a fault at its deadline. One that its receiver has got ends by what that answers, or by a fault that leaves open whether it was done.',
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
        open.set(id, {
          owner: from,
          to,
          type,
          untilMs: atMs + deadlineMs + promptMs,
          isReceived: false,
          isAnswered: false,
        });
      }),
      'envelope.delivered': byType(askTypes, ({ envelope: { id, kind, re = '' } }) => {
        const asked = open.get(kind === 'ask' ? id : re);
        if (asked === undefined) return;
        if (kind === 'ask') asked.isReceived = true;
        else asked.isAnswered = true;
      }),
      'ask.ended': ({ ask, fault }) => {
        const asked = open.get(ask.id);
        if (!open.delete(ask.id)) return;
        check();
        if (asked?.isReceived === true && !asked.isAnswered && fault?.definite === true)
          fail(`${asked.owner} takes "${asked.type}" for not done (${fault.code}), which ${asked.to} has got`);
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
