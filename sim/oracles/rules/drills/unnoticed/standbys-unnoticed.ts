/** Standby instances crash between the requests of use cases: clients must notice nothing. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { allUseCases } from '../../use-cases/all.ts';
import { matchersReloaded } from '../../use-cases/edges/matchers-reloaded.ts';
import { nodesShown } from '../../use-cases/edges/nodes-shown.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { playInterrupted, unnoticedWeight } from './interrupted-use-case.ts';

const withStandbys: readonly RoleName[] = ['callstore', 'mdc', 'sr', 'mware', 'sdc'];
const useCases = 4;
/** The others: these look at a standby instance itself, as its status or its samples. */
const shared = allUseCases.filter((each) => each !== matchersReloaded && each !== nodesShown);

export const standbysUnnoticed = drillOf({
  name: 'standbys-unnoticed',
  rule: 'When standby instances crash between the requests of a client, use cases find nothing changed: calls, conferences and their events go on, and each answer is as it would be without.',
  exclusions: 'What an instance does for itself, as an audio matcher that loads its samples again, and its status.',
  weight: unnoticedWeight,
  sender: '10.6.1.97',
  play: async (drill) => {
    const crashed = new Set<InstanceEntry>();
    await playInterrupted(drill, shared, { count: useCases, interruption: () => crashStandby(drill, crashed) });
    // The supervisors have restarted them.
    await drill.becomesWhole();
  },
});

/** A standby instance crashes, each one once: one that crashes again and again is not restarted. */
async function crashStandby(drill: Drill, crashed: Set<InstanceEntry>): Promise<string | undefined> {
  const { map, now, statusOf } = drill.context;
  const standbys = withStandbys
    .flatMap((role) => map.instancesOf(role))
    .filter((instance) => statusOf(instance) === 'standby' && !crashed.has(instance));
  const instance = standbys[(crashed.size + Math.floor(now() / 1_000)) % standbys.length];
  if (instance === undefined) return undefined;
  crashed.add(instance);
  drill.crash(instance);
  return `crash of ${instance.site}/${instance.name}`;
}
