/** The time of the last change of an item. */
import type { Row, RowChange } from '../../../src/model/protocol/data.ts';
import type { Hears, OracleMaker } from '../oracle.ts';

type Item = { readonly id?: unknown; readonly ext?: { readonly lwt?: unknown } };

export const lwtForward: OracleMaker = {
  name: 'lwt-forward',
  rule: 'The time of the last change (`lwt`) of an item, as one instance tells it, only moves forward; that of the master also across a failover.',
  make: ({ map, check, fail }) => {
    /** By who tells, then by item. */
    const latest = new Map<string, Map<string, string>>();
    const note = (from: string, { id, ext }: Item) => {
      if (typeof id !== 'string' || typeof ext?.lwt !== 'string') return;
      const teller = map.instances.get(from)?.role === 'mdc' ? 'the master' : from;
      const items = latest.get(teller) ?? new Map<string, string>();
      latest.set(teller, items);
      const before = items.get(id);
      if (before !== undefined) check();
      if (before !== undefined && ext.lwt < before)
        fail(`${from} tells that ${id} changed at ${ext.lwt}, after ${before}`);
      else items.set(id, ext.lwt);
    };
    const hears: Hears = {
      'envelope.sent': ({ envelope: { kind, type, from, body } }) => {
        if (type === 'data.changed') {
          for (const row of rowsIn((body as { changes: readonly RowChange[] }).changes)) note(from, row.item);
        } else if (kind === 'reply') {
          const { item, items } = body as { item?: Item; items?: readonly Item[] };
          if (item !== undefined) note(from, item);
          for (const each of items ?? []) note(from, each);
        }
      },
      // A copy that begins anew has what its store has.
      'instance.status': ({ instance, status }) => {
        if (status === 'starting') latest.delete(instance);
      },
    };
    return { hears, types: ['data.changed', 'data.create', 'data.patch', 'data.get', 'data.list'] };
  },
};

function rowsIn(changes: readonly RowChange[]): Row[] {
  return changes.flatMap((change) => ('put' in change ? [change.put] : []));
}
