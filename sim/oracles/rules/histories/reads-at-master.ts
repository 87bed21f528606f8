/** Copies answer only where the master cannot, and are no older than they must be. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

export const readsAtMaster: OracleMaker = {
  name: 'reads-at-master',
  rule: 'A read of domain data is answered by a copy (X-Data-Age) only while the master is out of reach: never in a cluster that has been stable for so long that all nodes have noticed. Its age is at most the time since the cluster was stable for 35 seconds, and since the run began.',
  exclusions: 'Ages in runs in which the clock of a node was wrong.',
  make: ({ map, stableMs, areClocksRight, check, fail }) => {
    const { noticedMs, copiedMs, promptMs } = boundsOf(map);
    /** A copy has at least what the master had at this time. */
    let copiedAtMs: number | undefined;
    return {
      listeners: {
        'request.answered': ({ site, method, target, ageS, tookMs, status, atMs }) => {
          const oldestMs = atMs - (copiedAtMs ?? atMs) + promptMs;
          if (ageS !== undefined && areClocksRight() && copiedAtMs !== undefined) {
            check();
            if (ageS * 1_000 > oldestMs)
              fail(`${site} answered ${method} ${target} at an age of ${ageS} s: at most ${oldestMs} ms were possible`);
          }
          if (status >= 300 || stableMs() <= noticedMs + tookMs) return;
          check();
          if (ageS !== undefined) fail(`${site} answered ${method} ${target} from a copy, at an age of ${ageS} s`);
        },
      },
      tick: (nowMs) => {
        if (stableMs() > copiedMs) copiedAtMs = nowMs - copiedMs;
        copiedAtMs ??= nowMs;
      },
    };
  },
};
