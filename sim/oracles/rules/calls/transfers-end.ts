/** A transfer ends. */
import { sipTimings } from '../../../../src/machines/sip/sip-timers.ts';
import { boundsOf } from '../../bounds.ts';
import type { OracleMaker } from '../../oracle.ts';
import { HeldBack } from '../kit/held-back.ts';
import { byType, together } from '../kit/shared.ts';
import { UndisturbedAround } from '../kit/undisturbed.ts';

/** A device may ring for 300 seconds, and the answer takes a while. (chosen) */
const longestMs = 320_000;

export const transfersEnd: OracleMaker = {
  name: 'transfers-end',
  rule: 'A transfer is over when its call is, and at the latest 320 seconds after it began; a REFER that is passed on is answered within two seconds while nothing is broken, and nothing was for 32 seconds before, unless its call ends.',
  exclusions:
    'How long transfers last while a node is paused or traffic is held: the timers and messages that end them wait.',
  make: ({ map, check, fail }) => {
    const { promptMs, quickMs } = boundsOf(map);
    const undisturbed = new UndisturbedAround(map);
    const held = new HeldBack();
    /** Since when, by instance and call. */
    const since = new Map<string, number>();
    /** Since when a REFER that was passed on is open. */
    const passing = new Map<string, number>();
    return {
      listeners: together(undisturbed.listeners, held.listeners, {
        'entity.state': byType(['transfer', 'dialog'], ({ owner, machine, key, state, atMs }) => {
          const name = `${owner} ${key}`;
          // The end of a leg has answered its REFER; the transfer is there until dlg_stop.
          if (machine === 'dialog') return state?.startsWith('over') === true ? void passing.delete(name) : undefined;
          if (state !== 'passing') passing.delete(name);
          else if (!passing.has(name)) passing.set(name, atMs);
          if (state !== undefined && state !== 'idle' && state !== 'over') {
            since.set(name, since.get(name) ?? atMs);
            return;
          }
          if (since.delete(name)) check();
        }),
        'instance.status': ({ instance, status }) => {
          if (status !== 'stopped') return;
          for (const open of [since, passing])
            for (const name of open.keys()) if (name.startsWith(`${instance} `)) open.delete(name);
        },
      }),
      tick: (nowMs) => {
        undisturbed.look(nowMs);
        for (const [name, atMs] of passing) {
          // A leg whose ACK or request was lost waits for so long, and what is passed on waits with it.
          const neededMs = sipTimings.patienceMs + nowMs - atMs;
          if (nowMs <= atMs + quickMs || undisturbed.forMs(nowMs) <= neededMs) continue;
          passing.delete(name);
          fail(`the REFER of the call ${name} is open for ${nowMs - atMs} ms`);
        }
        for (const [name, atMs] of since) {
          if (nowMs <= atMs + longestMs + promptMs || held.isHeld(nowMs)) continue;
          since.delete(name);
          fail(`the transfer of ${name} goes on for ${nowMs - atMs} ms`);
        }
      },
      atQuiescence: () => {
        for (const name of since.keys()) fail(`quiescent: the transfer of ${name} goes on`);
      },
    };
  },
};
