/** A conference that is over has let everybody go. */
import { conferenceDelaysMs } from '../../../../src/machines/conference.ts';
import { boundsOf } from '../../bounds.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

export const participantsLeave: OracleMaker = {
  name: 'participants-leave',
  rule: 'When a conference ends, each participant is released, and none remains in a conference that is over.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    /** Participants by instance and conference. */
    const inside = new Map<string, Set<string>>();
    /** Conferences that end, and until when all must have left. */
    const ending = new Map<string, number>();
    const hears: Hears = {
      'entity.state': ({ owner, machine, key, state, atMs }) => {
        if (machine === 'participant') {
          const conference = `${owner} ${key.slice(0, key.lastIndexOf('-'))}`;
          const people = inside.get(conference) ?? new Set<string>();
          inside.set(conference, people);
          if (state === undefined || state === 'gone') people.delete(key);
          else people.add(key);
          return;
        }
        const conference = `${owner} ${key}`;
        const isEnding = state?.startsWith('ending') === true;
        const isOver = state?.startsWith('over') === true;
        if (isEnding && !ending.has(conference)) ending.set(conference, atMs + conferenceDelaysMs.leave + promptMs);
        if (isOver && !ending.has(conference)) ending.set(conference, atMs + promptMs);
        if (state !== undefined) return;
        ending.delete(conference);
        const left = inside.get(conference)?.size ?? 0;
        inside.delete(conference);
        check();
        if (left > 0) fail(`${left} participants were left in conference ${key} of ${owner} when it was gone`);
      },
      'fault.inflicted': ({ verb }) => {
        if (verb === 'pauseNode' || verb === 'resumeNode') ending.clear();
      },
    };
    const tick = (nowMs: number) => {
      for (const [conference, untilMs] of ending) {
        if (nowMs <= untilMs) continue;
        ending.delete(conference);
        const left = inside.get(conference)?.size ?? 0;
        if (left > 0) fail(`conference ${conference} has ended, and ${left} participants are still there`);
      }
    };
    return { hears, tick, types: ['conference', 'participant'] };
  },
};
