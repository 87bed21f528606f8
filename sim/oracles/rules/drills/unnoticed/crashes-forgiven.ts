/** A role instance crashes as often as its supervisor starts it again, and once more when that is long ago. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { limits } from '../../../../../src/model/limits.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

export const crashesForgiven = drillOf({
  name: 'crashes-forgiven',
  rule: 'When a role instance has crashed as often as its supervisor starts it again within a minute, it serves or stands by after each crash, and again after one that comes when the minute is over.',
  sender: '10.6.1.108',
  play: async (drill) => {
    const all = [...drill.context.map.instances.values()];
    const [instance] = drill.turned(all.filter((each) => drill.isThere(each)));
    if (instance === undefined) return;
    await drill.crashesForgotten();
    for (let count = 1; count <= limits.restarts; count += 1) if (!(await crash(drill, instance, count))) return;
    await drill.crashesForgotten();
    await crash(drill, instance, limits.restarts + 1);
    await drill.becomesWhole();
  },
});

/** Returns whether the supervisor has started it again. */
async function crash(drill: Drill, instance: InstanceEntry, count: number): Promise<boolean> {
  const { restartBackoffMs } = drill.context.map.topology.timings;
  drill.crash(instance);
  const withinMs = restartBackoffMs * 2 ** (count - 1) + drill.quickMs;
  return drill.holds(withinMs, `${instance.name} is there after crash ${count}`, () => drill.isThere(instance));
}
