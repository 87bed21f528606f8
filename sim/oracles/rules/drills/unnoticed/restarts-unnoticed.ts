/** Nodes stop, crash or lose their disks between the requests of use cases: what was acknowledged is there when they are back. */

import { edgesScoped } from '../../use-cases/edges/edges-scoped.ts';
import type { UseCaseMaker } from '../../use-cases/kit/use-case.ts';
import { addressesBanned } from '../../use-cases/platform/addresses-banned.ts';
import { scopesSelected } from '../../use-cases/requests/scopes-selected.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { isKeptElsewhere, isSpare } from '../kit/nodes.ts';
import { playInterrupted } from './interrupted-use-case.ts';
import { interruptible } from './interruptible.ts';

const useCases = 3;
/** Bans are on the disk of their instance only. */
const banning: readonly UseCaseMaker[] = [addressesBanned, edgesScoped, scopesSelected];
const lasting = interruptible.filter((each) => !banning.includes(each));

export const restartsUnnoticed = drillOf({
  name: 'restarts-unnoticed',
  rule: 'When nodes stop, crash, or lose their disks between the requests of a client, and are back before the next one, use cases find nothing changed: data, files, sessions, rights, scripts and registrations are as they were acknowledged.',
  exclusions:
    'Nodes that their site needs, and disks of which no other node has all, as of bans; sessions that began less than two seconds before; use cases with calls, conferences or events under way.',
  weight: 2,
  sender: '10.6.1.111',
  play: (drill) => {
    const restarted = new Set<string>();
    const mayLose = Math.floor(drill.drawn / 2) % 2 === 0;
    const played = mayLose ? lasting : interruptible;
    return playInterrupted(drill, played, { count: useCases, interruption: () => restart(drill, restarted, mayLose) });
  },
});

/** One of the nodes stops in one of the ways, each node once, and the cluster becomes whole. */
async function restart(drill: Drill, restarted: Set<string>, mayLose: boolean): Promise<string | undefined> {
  const { map, faults } = drill.context;
  const spare = [...map.sites.values()]
    .flatMap((site) => site.nodes.map(({ name }) => name))
    .filter((name) => !restarted.has(name) && isSpare(drill, name, []));
  const turn = drill.drawn + restarted.size;
  const node = spare[turn % spare.length];
  if (node === undefined) return undefined;
  restarted.add(node);
  const way = turn % 3;
  if (way === 0) await faults.drainNode(node);
  else if (way === 1 && mayLose && isKeptElsewhere(drill, node)) await faults.wipeNode(node);
  else faults.crashNode(node);
  await faults.restartNode(node);
  await drill.becomesWhole();
  return `${['stop', 'loss', 'crash'][way]} of ${node}`;
}
