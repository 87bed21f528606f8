/** No run of a script goes on for ever. */
import { scriptLimitsOf } from '../../../../src/model/script/script-settings.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';

export const runsEnd: OracleMaker = {
  name: 'runs-end',
  rule: 'A run of a script ends within the longest time that a domain allows its scripts (script_duration_sec), and while nothing is broken no component of it is executed, and nothing of it stored, for more than five seconds.',
  make: ({ map, stableMs, check, fail }) => {
    const { promptMs } = boundsOf(map);
    const longestMs = Math.max(...[...map.domains.keys()].map((name) => scriptLimitsOf(map, name).durationSec)) * 1_000;
    /** When each run was stored first. */
    const begunMs = new Map<string, number>();
    const undisturbed = new Undisturbed();
    /** The runs in a state that is over soon, by owner and key: which state, and since when. */
    const busy = new Map<string, { readonly state: string; readonly atMs: number }>();
    /** One that is not yet is lost with its instance. */
    const isStored = (state: string) => !state.endsWith('starting');
    const isBusyIn = (state = '') => /starting|executing|saving|recording|ending/.test(state);
    const listeners: ObservationListeners = {
      'entity.state': {
        'script-run': ({ owner, key, state, before, atMs }) => {
          if (state !== before) {
            if (state !== undefined && isBusyIn(state)) busy.set(`${owner} ${key}`, { state, atMs });
            else busy.delete(`${owner} ${key}`);
          }
          if (state === 'over') {
            begunMs.delete(key);
            check();
          } else if (state === undefined) {
            // The run of a call is lost with its instance; another mware continues one of its group.
            if (map.instances.get(owner)?.role === 'ivr') begunMs.delete(key);
          } else if (!begunMs.has(key) && isStored(state)) begunMs.set(key, atMs);
        },
      },
    };
    const tick = (nowMs: number) => {
      for (const [run, { state, atMs }] of busy) {
        if (nowMs - atMs <= promptMs) continue;
        busy.delete(run);
        if (undisturbed.forMs(nowMs) > nowMs - atMs)
          fail(`the run ${run} is in ${state} for ${Math.round(nowMs - atMs)} ms`);
      }
      for (const [key, atMs] of begunMs) {
        if (nowMs <= atMs + longestMs + promptMs || stableMs() < promptMs) continue;
        begunMs.delete(key);
        fail(`the run ${key} goes on after ${Math.round((nowMs - atMs) / 1_000)} s`);
      }
    };
    return { listeners: together(undisturbed.listeners, listeners), tick };
  },
};
