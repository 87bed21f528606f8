/** A run that was stored is not lost with its instance. */
import { scriptLimitsOf } from '../../../../src/model/script/script-settings.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

interface Run {
  readonly owner: string;
  /** Its start, or a later position, is durable. */
  readonly isStored: boolean;
  /** When its instance was lost; `undefined`: it lives. */
  readonly lostMs?: number;
}

export const runsContinue: OracleMaker = {
  name: 'runs-continue',
  rule: 'A run of a service script whose start was stored goes on when its mware is lost: another member of the group, or the same one after a restart, continues it.',
  exclusions:
    'Runs that were about to end when their instance was lost: their end may be stored. Runs of IVR scripts end with their call.',
  make: ({ map, stableMs, check, fail }) => {
    const { promptMs, noticedMs } = boundsOf(map);
    const longestMs = Math.max(...[...map.domains.keys()].map((name) => scriptLimitsOf(map, name).durationSec)) * 1_000;
    const runs = new Map<string, Run>();
    const lose = (key: string, run: Run | undefined, atMs: number) => {
      if (run === undefined || run.lostMs !== undefined) return;
      if (run.isStored) runs.set(key, { ...run, lostMs: atMs });
      else runs.delete(key);
    };
    const listeners: ObservationListeners = {
      'entity.state': {
        'script-run': ({ owner, key, state, atMs }) => {
          if (map.instances.get(owner)?.role !== 'mware') return;
          const run = runs.get(key);
          // It was removed before its end.
          if (state === undefined) return lose(key, run, atMs);
          if (run?.lostMs !== undefined) check();
          if (state === 'ending' || state === 'over') runs.delete(key);
          else runs.set(key, { owner, isStored: run?.isStored === true || !/starting|entered/.test(state) });
        },
      },
      'instance.status': ({ instance, status, atMs }) => {
        if (status !== 'stopped') return;
        for (const [key, run] of runs) if (run.owner === instance) lose(key, run, atMs);
      },
    };
    const tick = (nowMs: number) => {
      for (const [key, { owner, lostMs }] of runs) {
        const patienceMs = noticedMs + promptMs;
        if (lostMs === undefined || nowMs < lostMs + patienceMs || stableMs() < patienceMs) continue;
        runs.delete(key);
        // One whose time is over may have been ended in the store.
        if (nowMs < lostMs + longestMs) fail(`the run ${key} of ${owner} was lost with its instance`);
      }
    };
    return { listeners, tick };
  },
};
