/** What has ended is told to have stopped. */
import { dialogDelaysMs } from '../../../../src/machines/dialog.ts';
import type { BodyOf } from '../../../../src/model/protocol/catalogue.ts';
import { boundsOf } from '../../bounds.ts';
import type { Hears, OracleMaker } from '../../oracle.ts';

export const callsStop: OracleMaker = {
  name: 'calls-stop',
  rule: 'After dlg_end of a call comes its dlg_stop three seconds later, while its b2b lives.',
  make: ({ map, check, fail }) => {
    const { promptMs } = boundsOf(map);
    /** When dlg_stop is overdue, by b2b and dialogid, in the order of the ends. */
    const due = new Map<string, Map<string, number>>();
    const hears: Hears = {
      'envelope.sent': ({ envelope: { from, body }, atMs }) => {
        for (const { event } of (body as BodyOf<'stream.told'>).items) {
          const dialogid = String(event?.data['dialogid']);
          if (event?.name === 'dlg_end') dueOf(due, from).set(dialogid, atMs + dialogDelaysMs.stop + promptMs);
          else if (event?.name === 'dlg_stop' && due.get(from)?.delete(dialogid)) check();
        }
      },
      // What it had to tell is gone with it; a node that stands still tells it later.
      'instance.status': ({ instance }) => void due.delete(instance),
      'instance.crashed': ({ instance }) => void due.delete(instance),
      'node.ended': () => due.clear(),
      'fault.inflicted': ({ verb }) => {
        if (verb === 'pauseNode' || verb === 'resumeNode') due.clear();
      },
    };
    const tick = (nowMs: number) => {
      for (const [b2b, calls] of due) {
        for (const [dialogid, untilMs] of calls) {
          if (nowMs <= untilMs) break;
          calls.delete(dialogid);
          fail(`${b2b} told the end of call ${dialogid}, and never that it has stopped`);
        }
      }
    };
    return { hears, tick, types: ['stream.told'] };
  },
};

function dueOf(due: Map<string, Map<string, number>>, b2b: string): Map<string, number> {
  const calls = due.get(b2b) ?? new Map();
  due.set(b2b, calls);
  return calls;
}
