/** An ended conference has no participants. */
import { conferenceDelaysMs } from '../../../../src/machines/conference/conference.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { byType } from '../kit/shared.ts';

export const participantsLeave: OracleMaker = {
  name: 'participants-leave',
  rule: 'When a conference ends, all its participants leave it.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    /** Participants by instance and conference. */
    const inside = new Map<string, Set<string>>();
    /** Conferences that are ending, and the deadline for all to leave. */
    const ending = new Map<string, number>();
    const listeners: ObservationListeners = {
      'entity.state': byType(['conference', 'participant'], ({ owner, machine, key, state, atMs }) => {
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
        if (left > 0) fail(`${left} participants were left in conference ${key} of ${owner} when it ended`);
      }),
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
    return { listeners, tick };
  },
};
