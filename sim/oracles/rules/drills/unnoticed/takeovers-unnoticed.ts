/** Active instances crash between the requests of use cases: what was acknowledged is there when others serve. */
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { playInterrupted, unnoticedWeight } from './interrupted-use-case.ts';
import { interruptible } from './interruptible.ts';

/** Roles that keep what they have when their active instance crashes. */
const crashed: readonly RoleName[] = ['mdc', 'ws', 'sdc', 'mware', 'sr', 'callstore', 'rpco'];
const useCases = 3;

export const takeoversUnnoticed = drillOf({
  name: 'takeovers-unnoticed',
  rule: 'When active instances crash between the requests of a client, and others serve, use cases find nothing changed: data, files, sessions, rights, bans, scripts and registrations are as they were acknowledged.',
  exclusions: 'Use cases with calls, conferences or events under way, which end, or have a gap.',
  weight: unnoticedWeight,
  sender: '10.6.1.96',
  play: (drill) => playInterrupted(drill, interruptible, { count: useCases, interruption: takeOver }),
});

/** The active instance of a role crashes at a site, and the cluster becomes whole. */
async function takeOver(drill: Drill, count: number): Promise<string | undefined> {
  const { map } = drill.context;
  const sites = [...map.sites.keys()];
  for (let i = 0; i < crashed.length; i += 1) {
    const role = crashed[(count + i) % crashed.length] ?? 'mdc';
    const active = sites.flatMap((site) => drill.activeOf(role, site));
    const instance = active[count % active.length];
    if (instance === undefined) continue;
    drill.crash(instance);
    await drill.becomesWhole();
    return `crash of ${instance.site}/${instance.name}`;
  }
  return undefined;
}
