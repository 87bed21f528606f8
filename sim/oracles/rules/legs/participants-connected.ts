/** Every participant of a conference has a leg. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

/** What one conf instance has. */
interface Members {
  readonly legs: Set<string>;
  readonly participants: Set<string>;
  /** Since when there are more participants than legs. */
  lonelyMs: number | undefined;
}

export const participantsConnected: OracleMaker = {
  name: 'participants-connected',
  rule: 'A conf instance has no more participants than legs for longer than two seconds, whatever is broken: one whose leg has ended, such as a caller that gave up at once, is none.',
  make: ({ map, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const all = new Map<string, Members>();
    const membersOf = (owner: string): Members | undefined => {
      if (map.instances.get(owner)?.role !== 'conf') return undefined;
      const members = all.get(owner) ?? { legs: new Set(), participants: new Set(), lonelyMs: undefined };
      all.set(owner, members);
      return members;
    };
    const count = (owner: string, atMs: number) => {
      const members = all.get(owner);
      if (members === undefined) return;
      const isLonely = members.participants.size > members.legs.size;
      members.lonelyMs = isLonely ? (members.lonelyMs ?? atMs) : undefined;
    };
    return {
      listeners: {
        'entity.state': {
          leg: ({ owner, key, state, atMs }) => {
            const legs = membersOf(owner)?.legs;
            if (state === undefined || state === 'over') legs?.delete(key);
            else legs?.add(key);
            count(owner, atMs);
          },
          participant: ({ owner, key, state, atMs }) => {
            const participants = membersOf(owner)?.participants;
            if (state === undefined || state === 'gone') participants?.delete(key);
            else participants?.add(key);
            if (participants?.has(key)) check();
            count(owner, atMs);
          },
        },
        'instance.status': ({ instance, status }) => {
          if (status !== 'active' && status !== 'draining') all.delete(instance);
        },
        'instance.crashed': ({ instance }) => void all.delete(instance),
        'node.ended': ({ node }) => {
          for (const { address } of map.node(node).instances) all.delete(address);
        },
        // A node that is paused does nothing.
        'fault.inflicted': ({ verb, atMs }) => {
          if (verb !== 'pauseNode' && verb !== 'resumeNode') return;
          for (const members of all.values()) if (members.lonelyMs !== undefined) members.lonelyMs = atMs + quickMs;
        },
      },
      tick: (nowMs) => {
        for (const [owner, members] of all) {
          const { legs, participants, lonelyMs } = members;
          if (lonelyMs === undefined || nowMs - lonelyMs <= quickMs) continue;
          members.lonelyMs = undefined;
          fail(
            `${owner} has ${participants.size} participants and ${legs.size} legs for ${Math.round(nowMs - lonelyMs)} ms`,
          );
        }
      },
    };
  },
};
