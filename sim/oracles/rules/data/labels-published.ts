/** The labels of a call that a client has changed are published with the call. */
import type { BodyOf, ReplyOf } from '../../../../src/model/protocol/catalogue.ts';
import type { OracleMaker } from '../../oracle.ts';
import { setLast } from '../kit/shared.ts';

interface Change {
  readonly bindings: readonly string[];
  readonly atMs: number;
}

/** A b2b publishes at once; what it publishes next may have another cause. */
const publishedMs = 500;
/** Of calls and commands, the last ones. */
const mostKept = 2_000;

export const labelsPublished: OracleMaker = {
  name: 'labels-published',
  rule: 'A b2b that has changed the labels of a call (SETUP_BINDINGS) has published the call with them half a second later, unless it has ended.',
  make: ({ map, check, fail }) => {
    /** The last published labels of each live call, by its dialogid. */
    const published = new Map<string, readonly string[]>();
    /** The calls of open commands, by the id of the ask. */
    const asked = new Map<string, string>();
    const changes = new Map<string, Change>();
    const judge = (dialogid: string, nowMs: number) => {
      const { bindings = [], atMs = nowMs } = changes.get(dialogid) ?? {};
      if (nowMs - atMs <= publishedMs) return;
      changes.delete(dialogid);
      const shown = published.get(dialogid);
      if (shown === undefined) return;
      check();
      if (JSON.stringify(shown) !== JSON.stringify(bindings))
        fail(`${dialogid} has the labels ${bindings.join(', ')}, and was published with ${shown.join(', ')}`);
    };
    return {
      listeners: {
        'published.dialog': ({ from, dialog: { dialogid, bindings }, atMs }) => {
          judge(dialogid, atMs);
          if (map.instances.get(from)?.role === 'b2b') setLast(published, dialogid, bindings, mostKept);
        },
        'published.gone': ({ gone }) => void published.delete(gone),
        'envelope.sent': {
          'dialog.command': ({ envelope: { kind, id, re = '', body }, atMs }) => {
            if (kind === 'ask') {
              const { dialogid, command } = body as BodyOf<'dialog.command'>;
              if (command.verb === 'bind') setLast(asked, id, dialogid, mostKept);
              return;
            }
            const dialogid = asked.get(re);
            asked.delete(re);
            const { bindings } = body as Partial<ReplyOf<'dialog.command'>>;
            if (kind === 'reply' && dialogid !== undefined && bindings !== undefined)
              setLast(changes, dialogid, { bindings, atMs }, mostKept);
          },
        },
        'instance.status': ({ instance, status }) => {
          if (map.instances.get(instance)?.role === 'b2b' && status === 'starting') published.clear();
        },
        'node.ended': () => published.clear(),
      },
      tick: (nowMs) => {
        for (const dialogid of changes.keys()) judge(dialogid, nowMs);
      },
    };
  },
};
