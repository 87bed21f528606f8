/** Bugs of the runs of scripts. */
import type { RunRecord } from '../../../src/scripts/run-record.ts';
import type { PlantedBug } from '../plant.ts';
import { spoiltStores } from '../spoiling.ts';

export const scriptBugs: readonly PlantedBug[] = [
  {
    name: 'run-not-stored',
    does: 'mware acknowledges the write of a run without storing it.',
    role: 'mware',
    siteStores: (stores) =>
      spoiltStores(stores, (store) => ({
        write: async (changes) => {
          if (!changes.some((change) => 'put' in change && change.put.startsWith('run/'))) await store.write(changes);
        },
      })),
  },
  {
    name: 'runs-forgotten',
    does: 'an mware that takes over does not read the runs of the one before.',
    role: 'mware',
    siteStores: (stores) =>
      spoiltStores(stores, (store) => ({
        entries: (range) => (range?.from === 'run/' ? nothing() : store.entries(range)),
      })),
  },
  {
    name: 'effect-not-recorded',
    does: 'mware acknowledges the write of the position after an effect without storing it.',
    role: 'mware',
    siteStores: (stores) =>
      spoiltStores(stores, (store) => {
        const before = new Map<string, string>();
        return {
          write: (changes) =>
            store.write(
              changes.map((change) => {
                if (!('put' in change) || !change.put.startsWith('run/')) return change;
                const { effect, status } = JSON.parse(change.value) as RunRecord;
                const known = before.get(change.put);
                if (effect !== undefined) before.set(change.put, change.value);
                const isBetween = effect === undefined && status === 'running' && known !== undefined;
                return isBetween ? { put: change.put, value: known } : change;
              }),
            ),
        };
      }),
  },
  {
    name: 'key-of-attempt',
    does: 'an mware that takes over repeats the open effects of its runs under new idempotency keys.',
    role: 'mware',
    siteStores: (stores) =>
      spoiltStores(stores, (store) => ({
        entries: (range) => (range?.from === 'run/' ? newKeys(store.entries(range)) : store.entries(range)),
      })),
  },
];

async function* nothing(): AsyncGenerator<[string, string]> {}

async function* newKeys(entries: AsyncIterable<readonly [string, string]>): AsyncGenerator<[string, string]> {
  for await (const [key, value] of entries) {
    const { effect, ...record } = JSON.parse(value) as RunRecord;
    const changed = effect === undefined ? {} : { effect: { ...effect, key: `${effect.key}-again` } };
    yield [key, JSON.stringify({ ...record, ...changed })];
  }
}
