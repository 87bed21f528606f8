/** An edge takes the answers of a provider for what they are. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { byType, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** The states of the registration and of the check of an account in which it waits for its provider. */
const waiting = /^wait_result$|\.checking$/;

export const accountsAnswered: OracleMaker = {
  name: 'accounts-answered',
  rule: 'The registration of a provider account, and the check of its connection, wait no longer than five seconds for an answer, while nothing is broken.',
  make: ({ map, check, fail }) => {
    const { promptMs, noticedMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    /** Since when each waits, by instance and machine. */
    const since = new Map<string, number>();
    return {
      listeners: together(undisturbed.listeners, {
        'entity.state': byType(['registration', 'ping'], ({ owner, machine, key, state, before, atMs }) => {
          const name = `${owner} ${machine} ${key}`;
          if (since.delete(name)) check();
          if (state !== undefined && waiting.test(state) && before !== undefined) since.set(name, atMs);
        }),
      }),
      tick: (nowMs) => {
        undisturbed.look(nowMs);
        for (const [name, atMs] of since) {
          if (nowMs - atMs <= promptMs) continue;
          since.delete(name);
          if (undisturbed.forMs(nowMs) > noticedMs + nowMs - atMs)
            fail(`${name} has waited for its provider for ${Math.round(nowMs - atMs)} ms`);
        }
      },
    };
  },
};
