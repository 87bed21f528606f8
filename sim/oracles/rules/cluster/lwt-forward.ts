/** The time of the last change of an item. */
import type { DataRow, DataRowChange } from '../../../../src/model/protocol/data.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

type Item = { readonly id?: unknown; readonly ext?: { readonly lwt?: unknown } };

export const lwtForward: OracleMaker = {
  name: 'lwt-forward',
  rule: 'The time of the last change (`lwt`) of an item, as one instance returns it, only moves forward; that of the master also across a failover.',
  make: ({ map, check, fail }) => {
    /** By who tells, then by item: what was told, and when. */
    const told = new Map<string, Map<string, Told[]>>();
    const askedMs = new Map<string, number>();
    const tellerOf = (from: string) => (map.instances.get(from)?.role === 'mdc' ? 'the master' : from);
    const note = (from: string, { id, ext }: Item, { atMs, sinceMs }: { atMs: number; sinceMs: number }) => {
      if (typeof id !== 'string' || typeof ext?.lwt !== 'string') return;
      const { lwt } = ext;
      const items = told.get(tellerOf(from)) ?? new Map<string, Told[]>();
      told.set(tellerOf(from), items);
      const before = items.get(id) ?? [];
      const latest = before.findLast((each) => each.atMs < sinceMs);
      if (latest !== undefined) check();
      if (latest !== undefined && lwt < latest.lwt)
        fail(`${from} tells that ${id} changed at ${lwt}, after ${latest.lwt}`);
      if (lwt > (before.at(-1)?.lwt ?? '')) items.set(id, [...before.slice(-kept), { atMs, lwt }]);
    };
    const hears: Hears = {
      'envelope.sent': ({ atMs, envelope: { id, re = '', kind, type, from, body } }) => {
        if (kind === 'ask') askedMs.set(id, atMs);
        if (type === 'data.changed') {
          const when = { atMs, sinceMs: atMs };
          for (const row of rowsIn((body as { changes: readonly DataRowChange[] }).changes)) note(from, row.item, when);
        } else if (kind === 'reply') {
          const { item, items } = body as { item?: Item; items?: readonly Item[] };
          // Of what is answered while it changes an earlier state may be told later, but none from before the question.
          const when = { atMs, sinceMs: askedMs.get(re) ?? 0 };
          for (const each of item === undefined ? (items ?? []) : [item]) note(from, each, when);
        }
      },
      'ask.ended': ({ ask: { id } }) => void askedMs.delete(id),
      // A copy that begins anew has what its store has.
      'instance.status': ({ instance, status }) => {
        if (status === 'starting') told.delete(instance);
      },
    };
    return { hears, types: ['data.changed', 'data.create', 'data.patch', 'data.get', 'data.list'] };
  },
};

interface Told {
  readonly atMs: number;
  readonly lwt: string;
}

/** States of an item that were told while one question was open are fewer. */
const kept = 20;

function rowsIn(changes: readonly DataRowChange[]): DataRow[] {
  return changes.flatMap((change) => ('put' in change ? [change.put] : []));
}
