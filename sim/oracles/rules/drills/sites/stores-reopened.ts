/** Instances start again while the disk of their node is full. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { storingRoles } from '../../../../faults/places.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { isSpare } from '../kit/nodes.ts';

/** Longer than a supervisor starts an instance that crashes at once again and again. */
const fullMs = 60_000;
/** A start is tried again within a second, and others see it. */
const servedMs = 10_000;

export const storesReopened = drillOf({
  name: 'stores-reopened',
  rule: 'When the instances of a node crash while its disk is full, and there is room a minute later, each of them serves or stands by soon after.',
  exclusions: 'Nodes that their site needs.',
  sender: '10.6.3.20',
  play: async (drill) => {
    const { map, questions } = drill.context;
    const spare = [...map.nodes.keys()].filter((node) => isSpare(drill, node, []));
    const node = drill.turned(spare).find((name) => storing(drill, name).length > 0);
    if (node === undefined) return;
    const crashed = storing(drill, node);
    await drill.during(
      (faults) => faults.fillStore(node),
      async () => {
        for (const instance of crashed) drill.crash(instance);
        await questions.wait(fullMs);
      },
    );
    for (const instance of crashed)
      await drill.holds(servedMs, `${instance.name} serves or stands by`, () => drill.isThere(instance));
  },
});

/** The instances of a node that have a store, and serve or stand by. */
function storing(drill: Drill, node: string): InstanceEntry[] {
  const { instances } = drill.context.map.node(node);
  return instances.filter((each) => storingRoles.has(each.role) && drill.isThere(each));
}
