/** Copies answer only where the master cannot. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

export const readsAtMaster: OracleMaker = {
  name: 'reads-at-master',
  rule: 'A read of domain data is answered by a copy (X-Data-Age) only while the master is out of reach: never in a cluster that has been stable for so long that all nodes have noticed.',
  make: ({ map, stableMs, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    return {
      listeners: {
        'request.answered': ({ site, method, target, ageS, tookMs, status }) => {
          if (status >= 300 || stableMs() <= noticedMs + tookMs) return;
          check();
          if (ageS !== undefined) fail(`${site} answered ${method} ${target} from a copy, at an age of ${ageS} s`);
        },
      },
    };
  },
};
