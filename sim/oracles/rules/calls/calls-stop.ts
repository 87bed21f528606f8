/** Each ended call also publishes its stop. */
import { dialogDelaysMs } from '../../../../src/machines/call/dialog.ts';
import { nodeOf } from '../../../../src/model/cluster/address.ts';
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';

export const callsStop: OracleMaker = {
  name: 'calls-stop',
  rule: 'dlg_stop of a call follows its dlg_end after three seconds, while its b2b runs.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    /** When dlg_stop is overdue, by b2b and dialogid, ordered by the ends. */
    const due = new Map<string, Map<string, number>>();
    const paused = new Set<string>();
    const listeners: ObservationListeners = {
      'published.event': {
        callevents: ({ from, event: { name, data }, atMs }) => {
          const dialogid = String(data['dialogid']);
          // A paused node publishes what a crash within it ends; the rest comes when it is resumed.
          if (name === 'dlg_end' && paused.has(nodeOf(from))) return;
          if (name === 'dlg_end') dueOf(due, from).set(dialogid, atMs + dialogDelaysMs.stop + promptMs);
          else if (name === 'dlg_stop' && due.get(from)?.delete(dialogid)) check();
        },
      },
      // An ended b2b publishes nothing more; a paused one does so later.
      'instance.status': ({ instance }) => void due.delete(instance),
      'instance.crashed': ({ instance }) => void due.delete(instance),
      'node.ended': ({ node }) => {
        due.clear();
        paused.delete(node);
      },
      'fault.inflicted': ({ verb, args }) => {
        if (verb !== 'pauseNode' && verb !== 'resumeNode') return;
        due.clear();
        if (verb === 'pauseNode') paused.add(String(args[0]));
        else paused.delete(String(args[0]));
      },
    };
    const tick = (nowMs: number) => {
      for (const [b2b, calls] of due) {
        for (const [dialogid, untilMs] of calls) {
          if (nowMs <= untilMs) break;
          calls.delete(dialogid);
          fail(`${b2b} published dlg_end of call ${dialogid}, but no dlg_stop`);
        }
      }
    };
    return { listeners, tick };
  },
};

function dueOf(due: Map<string, Map<string, number>>, b2b: string): Map<string, number> {
  const calls = due.get(b2b) ?? new Map();
  due.set(b2b, calls);
  return calls;
}
