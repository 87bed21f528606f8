/** No run of a script goes on for ever. */
import { scriptLimitsOf } from '../../../../src/model/script/limits.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

export const runsEnd: OracleMaker = {
  name: 'runs-end',
  rule: 'A run of a script ends within the longest time that a domain allows its scripts (script_duration_sec).',
  make: ({ map, stableMs, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const longestMs = Math.max(...[...map.domains.keys()].map((name) => scriptLimitsOf(map, name).durationSec)) * 1_000;
    /** When each run was first seen. */
    const begunMs = new Map<string, number>();
    const listeners: ObservationListeners = {
      'entity.state': ({ owner, key, state, atMs }) => {
        if (state === 'over') {
          if (begunMs.delete(key)) check();
        } else if (state === undefined) {
          // The run of a call is lost with its instance; another mware continues one of its group.
          if (map.instances.get(owner)?.role === 'ivr') begunMs.delete(key);
        } else if (!begunMs.has(key)) begunMs.set(key, atMs);
      },
    };
    const tick = (nowMs: number) => {
      for (const [key, atMs] of begunMs) {
        if (nowMs <= atMs + longestMs + promptMs || stableMs() < promptMs) continue;
        begunMs.delete(key);
        fail(`the run ${key} goes on after ${Math.round((nowMs - atMs) / 1_000)} s`);
      }
    };
    return { listeners, tick, types: ['script-run'] };
  },
};
