/** Messages between nodes are held back for a moment, again and again, while use cases are played. */
import type { Faults } from '../../../../faults/faults.ts';
import { allUseCases } from '../../use-cases/all.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { playInterrupted } from './interrupted-use-case.ts';

/** Shorter than a pong may take: no node takes another one for lost. */
const heldMs = [40, 150, 400, 600] as const;
const pauseMs = 300;
const useCases = 4;

export const holdsUnnoticed = drillOf({
  name: 'holds-unnoticed',
  rule: 'When the messages from one node to another are held back for a moment, and then arrive all at once, use cases find nothing changed: none is lost, and what overtook them comes to the same.',
  weight: 2,
  sender: '10.6.1.109',
  play: (drill) =>
    drill.during(
      (faults) => holdInTurn(drill, faults),
      () => playInterrupted(drill, allUseCases, { count: useCases }),
    ),
});

/** Holds back what one node sends another, other nodes each time, until the returned function is called. */
function holdInTurn({ context: { map, questions }, drawn }: Drill, faults: Faults): () => Promise<void> {
  const nodes = [...map.sites.values()].flatMap((site) => site.nodes.map(({ name }) => name));
  const ways = nodes.flatMap((from) => nodes.filter((to) => to !== from).map((to) => ({ from, to, oneWay: true })));
  let isOver = ways.length === 0;
  const hold = async () => {
    for (let turn = drawn; !isOver; turn += 1) {
      const way = ways[(turn * 7 + turn ** 2) % ways.length];
      const lift = way === undefined ? undefined : faults.hold(way);
      await questions.wait(heldMs[turn % heldMs.length] ?? pauseMs);
      lift?.();
      await questions.wait(pauseMs);
    }
  };
  const held = hold();
  return () => {
    isOver = true;
    return held;
  };
}
