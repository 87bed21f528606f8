/** Links between nodes are slow, each in its own way, while use cases are played. */
import { allUseCases } from '../../use-cases/all.ts';
import { appsOpened } from '../../use-cases/sessions/apps-opened.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { playInterrupted, unnoticedWeight } from './interrupted-use-case.ts';

/** What a link takes longer, in milliseconds. */
const delaysMs = [0, 0, 5, 30, 120] as const;
const useCases = 4;
/** The list of applications of a session does not wait for a directory that is so far away. */
const patient = allUseCases.filter((each) => each !== appsOpened);

export const delaysUnnoticed = drillOf({
  name: 'delays-unnoticed',
  rule: 'When messages from one node to another take longer, each way by a time of its own within that of far sites, use cases find nothing changed: what crosses on its way, and arrives in another order than usual, comes to the same.',
  exclusions: 'The list of applications of a session, which waits for half a second.',
  weight: unnoticedWeight,
  sender: '10.6.1.100',
  play: (drill) =>
    drill.duringAll(
      slowLinks(drill),
      (faults, { from, to, afterMs }) => faults.delay({ from, to, oneWay: true }, afterMs),
      () => playInterrupted(drill, patient, { count: useCases }),
    ),
});

interface SlowLink {
  readonly from: string;
  readonly to: string;
  readonly afterMs: number;
}

/** Others each time. */
function slowLinks({ context: { map }, drawn }: Drill): SlowLink[] {
  const nodes = [...map.sites.values()].flatMap((site) => site.nodes.map(({ name }) => name));
  const ways = nodes.flatMap((from) => nodes.filter((to) => to !== from).map((to) => ({ from, to })));
  return ways
    .map((way, index) => ({ ...way, afterMs: delaysMs[(drawn + 7 * index + index ** 2) % delaysMs.length] ?? 0 }))
    .filter(({ afterMs }) => afterMs > 0);
}
