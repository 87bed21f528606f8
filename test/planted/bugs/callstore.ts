/** Bugs of callstore: live calls and records of calls. */
import type { PlantedBug } from '../plant.ts';
import { everyNthKey, spoiltStores } from '../spoiling.ts';

const role = 'callstore';

export const callstoreBugs: readonly PlantedBug[] = [
  {
    name: 'double-cdr',
    does: 'callstore does not find the record that it has of a call, and writes another.',
    role,
    stores: (stores) =>
      spoiltStores(stores, (store) => ({
        get: async (key) => (key.startsWith('r/') ? undefined : store.get(key)),
      })),
    handlers: (right) => ({
      'callstore.records': async (body, envelope) => {
        const outcome = await right['callstore.records']?.(body, envelope);
        if (!outcome.ok || body.inviteid !== undefined) return outcome;
        const { records, count } = outcome.value;
        const twice = records.flatMap((record: { status: number | null }) =>
          record.status === null ? [record, record] : [record],
        );
        return { ok: true, value: { ...outcome.value, records: twice, count: count + twice.length - records.length } };
      },
    }),
  },
  {
    name: 'lost-cdr',
    does: 'callstore does not write the record of every fifth call.',
    role,
    stores: (stores) =>
      spoiltStores(stores, (store) => {
        const isPicked = everyNthKey(5);
        return {
          write: async (changes) => {
            const record = changes.find((change) => 'put' in change && change.put.startsWith('r/'));
            if (record === undefined || !('put' in record) || !isPicked(record.put)) await store.write(changes);
          },
        };
      }),
  },
  {
    name: 'stale-after-failover',
    does: 'a callstore that takes over does not hear any more what its sources tell.',
    role,
    handlers: (right, scope) => ({
      'stream.published': (body, envelope) => {
        const first = scope.map.groupOf(scope.instance)[0];
        if (first === scope.instance || first === undefined) return right['stream.published']?.(body, envelope);
        if (scope.view.statusOf(first) === 'active') right['stream.published']?.(body, envelope);
      },
    }),
  },
  {
    name: 'undead-call',
    does: 'callstore goes on listing every third call when it is over.',
    role,
    handlers: (right) => {
      const over = new Map<string, unknown>();
      const isPicked = everyNthKey(3);
      return {
        'callstore.list': (body, envelope) => withUndead(right['callstore.list']?.(body, envelope), over, isPicked),
      };
    },
  },
  {
    name: 'wrong-count',
    does: 'callstore counts one call too many.',
    role,
    handlers: (right) => ({
      'callstore.list': async (body, envelope) => {
        const outcome = await right['callstore.list']?.(body, envelope);
        return outcome.ok ? { ok: true, value: { ...outcome.value, count: outcome.value.count + 1 } } : outcome;
      },
    }),
  },
];

interface Listed {
  readonly ok: boolean;
  readonly value: { readonly dialogs: readonly { readonly dialogid: string }[]; readonly count: number };
}

/** Keeps some of the calls that were listed once in all lists to come. */
async function withUndead(
  answer: Listed | Promise<Listed>,
  over: Map<string, unknown>,
  isPicked: (key: string) => boolean,
): Promise<Listed> {
  const outcome = await answer;
  if (!outcome.ok) return outcome;
  const { dialogs, count } = outcome.value;
  for (const dialog of dialogs) if (isPicked(dialog.dialogid)) over.set(dialog.dialogid, dialog);
  const undead = [...over].filter(([id]) => !dialogs.some(({ dialogid }) => dialogid === id)).map(([, each]) => each);
  const value = { ...outcome.value, dialogs: [...dialogs, ...undead], count: count + undead.length };
  return { ok: true, value } as Listed;
}
