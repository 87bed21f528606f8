/** A conf instance answers nothing when a meeting is to start: it might have the meeting already. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { hearing } from '../../use-cases/conferences/rooms.ts';
import type { SteadyUser } from '../../use-cases/kit/call.ts';
import { conferences } from '../../use-cases/kit/paths.ts';
import { expecting, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { allHear, freedUsers, planMeeting } from '../kit/rooms.ts';

/** An mware looks at running meetings each second. */
const roundMs = 1_000;

export const meetingsSilenced = drillOf({
  name: 'meetings-silenced',
  rule: 'When a conf instance that may have a selector meeting answers nothing as the meeting is to start, no participant is called; when the instance goes on, the meeting starts by itself, in one conference, and each participant is called once.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer, or with fewer than two conf instances.',
  sender: '10.6.1.67',
  play: async (drill) => {
    const users = await freedUsers(drill, 2);
    const silent = silentOf(drill);
    if (users.length === 2 && silent !== undefined) await start(drill, silent, users);
  },
});

/** A conf that is asked for the meetings of the domain, and is not where they start. */
function silentOf(drill: Drill): InstanceEntry | undefined {
  const { map } = drill.context;
  const sites = [...map.sites.keys()];
  const runner = sites.flatMap((site) => drill.activeOf('mware', site))[0];
  const all = sites.flatMap((site) => drill.activeOf('conf', site));
  const first = all.find(({ site }) => site === runner?.site) ?? all[0];
  // Messages inside a node arrive.
  return all.findLast((each) => each !== first && each.node !== runner?.node);
}

async function start(drill: Drill, silent: InstanceEntry, users: readonly SteadyUser[]): Promise<void> {
  const { questions, now, map } = drill.context;
  const meeting = await planMeeting(drill, { timestartutc: new Date(now()).toISOString() }, users);
  if (meeting === undefined) return;
  const { path, members } = meeting;
  const called = () => users.flatMap((user) => drill.callsOf(user).map(({ callid }) => callid));
  const before = itemsOf(await drill.ask(conferences)).length;
  let isEnabled = false;
  await drill.during(
    (faults) => faults.hold({ from: silent.name, to: '*' }),
    async () => {
      const enabled = await drill.ask(path, { method: 'PATCH', site: drill.there, body: { enabled: true } });
      isEnabled = enabled?.status === 200;
      // An mware that stops waiting for the answer would start the meeting by then.
      const untilMs = now() + map.topology.timings.requestDeadlineMs + 3 * roundMs + drill.quickMs;
      while (isEnabled && now() < untilMs && called().length === 0) await questions.wait(roundMs);
      drill.expect(`a meeting while ${silent.name} is silent`, undefined, () =>
        called().length === 0 ? undefined : `a participant is called: ${called().join()}`,
      );
    },
  );
  if (!isEnabled) return;
  const longestMs = Math.max(...users.map(({ answerMs }) => answerMs));
  const withinMs = longestMs + map.topology.timings.requestDeadlineMs + 3 * roundMs + drill.quickMs;
  for (const member of members) await drill.everywhere(member, expecting(200, { state: 'active' }), withinMs);
  await drill.everywhere(path, expecting(200, { state: 'online' }));
  const ids = called();
  drill.expect('the calls of a meeting', undefined, () =>
    users.every((user) => drill.callsOf(user).length === 1) ? undefined : `phones have ${ids.join() || 'none'}`,
  );
  await isOnly(drill, before + 1, users);
  drill.expect('the calls of a meeting', undefined, () =>
    called().join() === ids.join() ? undefined : `they were ${ids.join()}, and are ${called().join() || 'none'}`,
  );
}

/** Each front lists one conference more than before, in which the users hear each other. */
async function isOnly(drill: Drill, count: number, [user]: readonly SteadyUser[]): Promise<void> {
  const counted: Judge = (answer) =>
    itemsOf(answer).length === count ? undefined : `expected ${count} conferences, got ${textOf(answer)}`;
  await drill.everywhere(conferences, counted);
  const found = await drill.ask(conferences, { method: 'LOOKUP', body: { sipuserid: user?.id } });
  const [confid] = (found?.body ?? []) as string[];
  const listed = itemsOf(await drill.ask(`${conferences}/${confid}/participants`));
  const ids = listed.map(({ participantid }) => String(participantid));
  await drill.everywhere(`${conferences}/${confid}/participants?countonly`, expecting(200, { count: 2 }));
  await drill.everywhere(`${conferences}/${confid}/topology`, hearing(allHear(ids)), drill.quickMs + roundMs);
}
