/** Disks are slow, each in its own way, while use cases are played. */
import { allUseCases } from '../../use-cases/all.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { playInterrupted } from './interrupted-use-case.ts';

/** What a read or a write takes longer, in milliseconds. */
const slowedMs = [0, 20, 80, 200] as const;
const useCases = 4;

export const disksUnnoticed = drillOf({
  name: 'disks-unnoticed',
  rule: 'When each read and write of a disk takes up to 0.2 s longer, use cases find nothing changed: what is asked or changed while an earlier write is under way comes to the same.',
  weight: 2,
  sender: '10.6.1.110',
  play: (drill) =>
    drill.duringAll(
      slowDisks(drill),
      (faults, { node, byMs }) => faults.slowStore([node], byMs),
      () => playInterrupted(drill, allUseCases, { count: useCases }),
    ),
});

interface SlowDisk {
  readonly node: string;
  readonly byMs: number;
}

/** Others each time. */
function slowDisks({ context: { map }, drawn }: Drill): SlowDisk[] {
  const nodes = [...map.sites.values()].flatMap((site) => site.nodes.map(({ name }) => name));
  return nodes
    .map((node, index) => ({ node, byMs: slowedMs[(drawn + 3 * index + index ** 2) % slowedMs.length] ?? 0 }))
    .filter(({ byMs }) => byMs > 0);
}
