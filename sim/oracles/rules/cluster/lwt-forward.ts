/** The time of the last change of an item. */
import type { DataRow, DataRowChange } from '../../../../src/model/protocol/messages/data.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType } from '../kit/shared.ts';

type Item = { readonly id?: unknown; readonly ext?: { readonly lwt?: unknown } };

export const lwtForward: OracleMaker = {
  name: 'lwt-forward',
  rule: 'The time of the last change (`lwt`) of an item, as one instance returns it, only moves forward; that of the master also across a failover.',
  make: ({ map, check, fail }) => {
    /** By instance, then by item: the last returned value and its time. */
    const returned = new Map<string, Map<string, ReturnedLwt[]>>();
    const askedMs = new Map<string, number>();
    const tellerOf = (from: string) => (map.instances.get(from)?.role === 'mdc' ? 'the master' : from);
    const note = (from: string, { id, ext }: Item, { atMs, sinceMs }: { atMs: number; sinceMs: number }) => {
      if (typeof id !== 'string' || typeof ext?.lwt !== 'string') return;
      const { lwt } = ext;
      const items = returned.get(tellerOf(from)) ?? new Map<string, ReturnedLwt[]>();
      returned.set(tellerOf(from), items);
      const before = items.get(id) ?? [];
      const latest = before.findLast((each) => each.atMs < sinceMs);
      if (latest !== undefined) check();
      if (latest !== undefined && lwt < latest.lwt)
        fail(`${from} returns ${lwt} as the last change of ${id}, after ${latest.lwt}`);
      if (lwt > (before.at(-1)?.lwt ?? '')) items.set(id, [...before.slice(-kept), { atMs, lwt }]);
    };
    const listeners: ObservationListeners = {
      'envelope.sent': byType(
        ['data.changed', 'data.create', 'data.patch', 'data.get', 'data.list'],
        ({ atMs, envelope: { id, re = '', kind, type, from, body } }) => {
          if (kind === 'ask') askedMs.set(id, atMs);
          if (type === 'data.changed') {
            const when = { atMs, sinceMs: atMs };
            for (const row of rowsIn((body as { changes: readonly DataRowChange[] }).changes))
              note(from, row.item, when);
          } else if (kind === 'reply') {
            const { item, items } = body as { item?: Item; items?: readonly Item[] };
            // An answer that crosses a change may show an earlier state, but none from before the request.
            const when = { atMs, sinceMs: askedMs.get(re) ?? 0 };
            for (const each of item === undefined ? (items ?? []) : [item]) note(from, each, when);
          }
        },
      ),
      'ask.ended': ({ ask: { id } }) => void askedMs.delete(id),
      // A restarted copy has the state of its store.
      'instance.status': ({ instance, status }) => {
        if (status === 'starting') returned.delete(instance);
      },
    };
    return { listeners };
  },
};

interface ReturnedLwt {
  readonly atMs: number;
  readonly lwt: string;
}

/** Limit of the states of one item during one request. */
const kept = 20;

function rowsIn(changes: readonly DataRowChange[]): DataRow[] {
  return changes.flatMap((change) => ('put' in change ? [change.put] : []));
}
