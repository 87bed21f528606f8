/** Instances that others keep up with crash, and crash again, while the answers to what is pulled from them are under way. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import type { RoleName } from '../../../../../src/model/cluster/roles.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { groups } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { eventsAt, type SubscribedEvents } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectPair } from '../kit/known-call.ts';

const code = 'sources-restarted';
const roles: readonly RoleName[] = ['b2b', 'callstore', 'sr'];
/** Each that pulls again has asked by then. */
const askedMs = 500;
/** A supervisor has started an instance again by then, and others see it. */
const startedMs = 10_000;

export const sourcesRestarted = drillOf({
  name: 'sources-restarted',
  rule: 'When the b2b instances, the callstore and the registrar of a site and the directory of the master site crash, and crash again while answers to what others pull from them are under way, all is current soon after: calls of each site are shown at each front, whose subscribers have all their events, and each has its record; a site that is cut off then shows a change of the domain data that was made before, and says that it is no older.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; for copies, domains that no site beside the master site serves.',
  sender: '10.6.1.74',
  play: async (drill) => {
    const [a, b] = await steadyUsers(drill, 2);
    if (a === undefined || b === undefined) return;
    // Fronts receive events as long as a client is subscribed.
    const earlier = await eventsAt(drill, drill.sites);
    if (!(await restart(drill))) return;
    await areListed(drill, [a, b], earlier);
    await isCopied(drill);
  },
});

/** Returns whether all serve again. */
async function restart(drill: Drill): Promise<boolean> {
  const { questions, map } = drill.context;
  const master = drill.activeOf('mdc', map.masterSite.name);
  const sources = [...roles.flatMap((role) => drill.activeOf(role, drill.there)), ...master];
  if (sources.length === 0) return false;
  const names = sources.map(({ name }) => name);
  const nodes = [...map.nodes.keys()];
  await drill.during(
    (faults) => faults.hold({ from: names, to: nodes, oneWay: true, kinds: ['reply', 'fault'] }),
    async () => {
      for (let count = 0; count < 2; count += 1) {
        for (const source of sources) drill.crash(source);
        await serve(drill, sources);
        await questions.wait(askedMs);
      }
    },
  );
  return drill.problems.length === 0;
}

/** Waits until the instances are there again. */
async function serve(drill: Drill, sources: readonly InstanceEntry[]): Promise<void> {
  const { questions, now } = drill.context;
  const untilMs = now() + startedMs;
  do await questions.wait(100);
  while (!sources.every((source) => drill.isThere(source)) && now() < untilMs);
}

/** A call of each site. The earlier subscribers may have a gap; with others in their place, a user has not too many sessions. */
async function areListed(
  drill: Drill,
  pair: readonly [SteadyUser, SteadyUser],
  earlier: readonly SubscribedEvents[],
): Promise<void> {
  for (const site of new Set([drill.there, drill.here])) {
    const subscribers = await eventsAt(drill, drill.sites);
    for (const subscriber of earlier) await subscriber.close();
    try {
      if (!(await drill.willing()).includes(pair[1].number)) return;
      const call = await connectPair(drill, pair, { label: code, site });
      drill.expect(`a call of ${pair[0].number} at ${site}`, undefined, () =>
        call === undefined ? 'it was not connected' : undefined,
      );
      if (call === undefined) return;
      await known.goesOn(drill, call);
      await known.heard(drill, call, subscribers, []);
      const ended = await drill.ask(call.path, { method: 'DELETE', site });
      drill.expect(`DELETE ${call.path}`, ended, expecting(200, { dialogid: call.dialogid, result: 'ok' }));
      await known.isGone(drill, call);
      await known.hasRecord(drill, call, { type: 'call_terminate' }, { withinMs: drill.patienceMs });
    } finally {
      for (const subscriber of subscribers) await subscriber.close();
    }
  }
}

/** A site with a copy of the domain data shows a change of them when it has lost the master. */
async function isCopied(drill: Drill): Promise<void> {
  const { map, now } = drill.context;
  const master = map.masterSite.name;
  const copies = drill.sites.filter((site) => site !== master && map.serving('sdc', site, drill.domain).length > 0);
  const [site] = copies;
  if (site === undefined) return;
  const made = await drill.make(groups, { code });
  if (made === undefined) return;
  const { path } = made;
  await drill.everywhere(path, expecting(200, { code }));
  await drill.copied();
  const cutMs = now();
  await drill.cutOff(site, async () => {
    const judge: Judge = (answer) => {
      const age = answer?.headers.get('x-data-age');
      const isYoung = age !== null && age !== undefined && Number(age) * 1_000 <= now() - cutMs + drill.quickMs;
      const isRight = answer?.status === 200 && (answer.body as Item)['code'] === code && isYoung;
      return isRight ? undefined : `expected ${code}, no older than the cut, got X-Data-Age ${age}, ${textOf(answer)}`;
    };
    await drill.everywhere(path, judge, drill.noticedMs, { sites: [site] });
  });
  await drill.ask(path, { method: 'DELETE' });
  await drill.everywhere(path, expecting(404));
}
