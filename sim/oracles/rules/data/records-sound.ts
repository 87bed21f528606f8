/** Stores have on disk what `data check` finds sound. */
import { checkOf } from '../../../data/check-records.ts';
import { kindOf, type StoreLocation } from '../../../data/store-kinds.ts';
import type { OracleMaker } from '../../oracle.ts';

export const recordsSound: OracleMaker = {
  name: 'records-sound',
  rule: 'Whatever crashes when, each store has on disk what `strowger data check` finds sound: known keys, valid records, a log of changes without a gap, unique values once, indexes of call records as the records say.',
  exclusions: 'Stores of real disks: `strowger data check` reads these.',
  make: ({ onDisk, check, fail }) => ({
    atQuiescence: async () => {
      for (const [path, records] of onDisk()) {
        const place = placeOf(path);
        if (place === undefined) {
          fail(`${path} is no store that a check knows`);
          continue;
        }
        const reading = checkOf(place);
        await reading.read(records, { isDeep: true });
        if (reading.records > 0) check();
        const [damage] = reading.findings.filter(({ level }) => level === 'damage');
        if (damage !== undefined)
          fail([path, ...(damage.at === undefined ? [] : [damage.at]), damage.problem].join(': '));
      }
    },
  }),
};

/** `undefined`: of no known kind. */
function placeOf(path: string): StoreLocation | undefined {
  const end = path.lastIndexOf('/');
  const [owner, name] = [path.slice(0, end), path.slice(end + 1)];
  const kind = kindOf(name);
  return kind && { store: path, owner, name, path, kind, isCopy: name.startsWith('sdc-') };
}
