/** Active instances crash between the requests of use cases: what was acknowledged is there when others serve. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { playInterrupted, unnoticedWeight } from './interrupted-use-case.ts';
import { interruptible } from './interruptible.ts';

/** Roles that keep what they have when their active instance crashes. */
const roles: readonly RoleName[] = ['mdc', 'ws', 'sdc', 'mware', 'sr', 'callstore', 'rpco'];
const useCases = 3;

export const takeoversUnnoticed = drillOf({
  name: 'takeovers-unnoticed',
  rule: 'When active instances crash between the requests of a client, and others serve, use cases find nothing changed: data, files, sessions, rights, bans, scripts and registrations are as they were acknowledged.',
  exclusions: 'Use cases with calls, conferences or events under way, which end, or have a gap.',
  weight: unnoticedWeight,
  sender: '10.6.1.96',
  play: (drill) => {
    const crashed = new Set<InstanceEntry>();
    return playInterrupted(drill, interruptible, { count: useCases, interruption: () => takeOver(drill, crashed) });
  },
});

/** The active instance of a role crashes at a site, each one once, and the cluster becomes whole. */
async function takeOver(drill: Drill, crashed: Set<InstanceEntry>): Promise<string | undefined> {
  const first = Math.floor(drill.context.now() / 1_000);
  for (let i = 0; i < roles.length; i += 1) {
    const role = roles[(first + i) % roles.length] ?? 'mdc';
    const active = [...drill.context.map.sites.keys()]
      .flatMap((site) => drill.activeOf(role, site))
      .filter((instance) => !crashed.has(instance));
    const instance = active[first % active.length];
    if (instance === undefined) continue;
    crashed.add(instance);
    drill.crash(instance);
    await drill.becomesWhole();
    return `crash of ${instance.site}/${instance.name}`;
  }
  return undefined;
}
