/** Bugs of domain data: mdc, sdc. */
import type { DataRowChange } from '../../../src/model/protocol/messages/data.ts';
import type { PlantedBug } from '../plant.ts';
import { spoiltStores } from '../spoiling.ts';

const slowMs = 3_000;
const backMs = 5_000;

export const dataBugs: readonly PlantedBug[] = [
  {
    name: 'acknowledged-too-early',
    does: 'mdc acknowledges changes seconds before they are durable.',
    role: 'mdc',
    siteStores: (stores, scope) =>
      spoiltStores(stores, (store) => ({
        write: async (changes) => {
          if (changes.length < 2) return store.write(changes);
          scope.clock.setTimer(slowMs, () => void store.write(changes).catch(() => {}));
        },
      })),
  },
  {
    name: 'lwt-moves-back',
    does: 'mdc says an earlier time of change after every PATCH.',
    role: 'mdc',
    handlers: (right) => ({
      'data.patch': async (body, envelope) => {
        const outcome = await right['data.patch']?.(body, envelope);
        if (!outcome.ok) return outcome;
        const { item } = outcome.value;
        const lwt = new Date(Date.parse(item.ext.lwt) - backMs).toISOString();
        return { ok: true, value: { item: { ...item, ext: { ...item.ext, lwt } } } };
      },
    }),
  },
  {
    name: 'sdc-misses-removals',
    does: 'sdc does not notice that items were removed.',
    role: 'sdc',
    handlers: (right) => ({
      'data.changed': (body, envelope) => {
        const changes = body.changes.filter((change: DataRowChange) => 'put' in change);
        return right['data.changed']?.({ ...body, changes }, envelope);
      },
    }),
  },
  {
    name: 'sdc-misses-patches',
    does: 'sdc keeps the first form of what was changed.',
    role: 'sdc',
    handlers: (right) => {
      const known = new Set<string>();
      return {
        'data.changed': (body, envelope) => {
          const changes = body.changes.filter((change: DataRowChange) => {
            if (!('put' in change)) return true;
            const isNew = !known.has(change.put.item.id);
            known.add(change.put.item.id);
            return isNew;
          });
          return right['data.changed']?.({ ...body, changes }, envelope);
        },
      };
    },
  },
];
