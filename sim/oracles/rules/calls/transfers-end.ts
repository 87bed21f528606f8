/** A transfer ends. */
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';

/** A device may ring for 300 seconds, and the answer takes a while. (chosen) */
const longestMs = 320_000;

export const transfersEnd: OracleMaker = {
  name: 'transfers-end',
  rule: 'A transfer is over when its call is, and at the latest 320 seconds after it began.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    /** Since when, by instance and call. */
    const since = new Map<string, number>();
    return {
      listeners: {
        'entity.state': ({ owner, key, state, atMs }) => {
          const name = `${owner} ${key}`;
          if (state !== undefined && state !== 'idle' && state !== 'over') {
            since.set(name, since.get(name) ?? atMs);
            return;
          }
          if (since.delete(name)) check();
        },
        'instance.status': ({ instance, status }) => {
          if (status !== 'stopped') return;
          for (const name of since.keys()) if (name.startsWith(`${instance} `)) since.delete(name);
        },
      },
      tick: (nowMs) => {
        for (const [name, atMs] of since) {
          if (nowMs <= atMs + longestMs + promptMs) continue;
          since.delete(name);
          fail(`the transfer of ${name} goes on for ${nowMs - atMs} ms`);
        }
      },
      atQuiescence: () => {
        for (const name of since.keys()) fail(`quiescent: the transfer of ${name} goes on`);
      },
      types: ['transfer'],
    };
  },
};
