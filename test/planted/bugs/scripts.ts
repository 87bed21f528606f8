/** Bugs of the runs of scripts. The campaign draws no scripts: scenarios that ship find these. */
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
];

async function* nothing(): AsyncGenerator<[string, string]> {}
