/** The edges of provider accounts crash and start again while calls go on. */
import { sipTimings } from '../../../../../src/machines/sip/sip-timers.ts';
import { boundsOf } from '../../../bounds.ts';
import {
  answered,
  inService,
  isIdle,
  judge,
  type Placed,
  passThrough,
} from '../../use-cases/edges/dashboards-counted.ts';
import { calls } from '../../use-cases/kit/paths.ts';
import { itemsOf } from '../../use-cases/kit/use-case.ts';
import { drillOf } from '../kit/drill.ts';

export const edgesRestarted = drillOf({
  name: 'edges-restarted',
  rule: 'When an edge with calls of providers crashes and starts again, the calls go on, and the dashboards count each dialog, each leg and the trunks of the account (those of no other one) again once the session timer of the call has refreshed it; a call that comes in and goes out again is one dialog of two legs. None is counted when the calls are over.',
  exclusions: 'Accounts that are not in service; calls that limits end.',
  sender: '10.6.1.64',
  isOfMaster: true,
  play: async (drill) => {
    const { map, questions } = drill.context;
    const [account] = await inService(drill);
    if (account === undefined || !(await isIdle(drill))) return;
    const placed: Placed[] = [];
    try {
      placed.push(...(await answered(drill, account)));
      const through = await passThrough(drill, account);
      if (through !== undefined) placed.push(through);
      if (placed.length === 0) return;
      const before = drill.problems.length;
      await judge(drill, placed);
      drill.crash(account.gate);
      await drill.becomesWhole();
      // A refresh that was under way gets no answer, and is tried again.
      const { sessionExpiresMs } = map.topology.timings;
      const refreshMs = sessionExpiresMs / 3 + sipTimings.patienceMs + sipTimings.refreshAgainMs;
      await judge(drill, placed, refreshMs + boundsOf(map).promptMs);
      // A call that has been answered may be silent for longer than one that has not.
      if (sessionExpiresMs / 3 > sipTimings.patienceMs) {
        await questions.wait(sipTimings.patienceMs + sessionExpiresMs / 6);
        await judge(drill, placed);
      }
      // Limits of a user may end a call.
      const live = itemsOf(await drill.ask(calls, { domain: account.domain })).filter(({ esgdlg }) => esgdlg !== '');
      const ids = drill.context.providers().flatMap((each) => each.calls.map(({ callid }) => callid));
      if (live.length < placed.length || placed.some(({ call }) => !ids.includes(call.callid)))
        drill.problems.length = before;
    } finally {
      for (const { call } of placed) questions.hangUp(call);
      if (placed.length > 0) await judge(drill, []);
    }
  },
});
