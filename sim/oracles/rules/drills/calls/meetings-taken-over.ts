/** The mware that runs the selector meetings of a domain crashes while one runs and another one is about to start. */

import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { hearing } from '../../use-cases/conferences/rooms.ts';
import { endedMs, type SteadyUser } from '../../use-cases/kit/call.ts';
import { calls, conferences, records, selectors } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, listing, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';
import { allHear, freedUsers, type MeetingPlan, planMeeting, srvidxOf } from '../kit/rooms.ts';

/** Of the running meeting: longer than its phones ring and the takeover takes. */
const durationSec = 40;
/** From the plan of the second one to its start: after the crash, and before the takeover. */
const leadMs = 2_000;
/** An mware looks at running meetings each second. */
const roundMs = 1_000;

export const meetingsTakenOver = drillOf({
  name: 'meetings-taken-over',
  rule: 'When the mware that runs the selector meetings of a domain crashes, the next one goes on with a running meeting: participants are called once, one that was removed stays so, each front shows the same, and it ends in time. A meeting whose time comes meanwhile starts once. One that has ended before its conf and that mware are lost together does not start again.',
  exclusions:
    'Domains with fewer than three phones that are registered and answer; calls that phones or other rules end.',
  sender: '10.6.1.41',
  play: async (drill) => {
    const [a, b, c] = await freedUsers(drill, 3);
    if (a === undefined || b === undefined || c === undefined) return;
    await takeOver(drill, { a, b, c });
    await loseBoth(drill, [a, b]);
  },
});

type Users = Readonly<Record<'a' | 'b' | 'c', SteadyUser>>;

async function takeOver(drill: Drill, { a, b, c }: Users): Promise<void> {
  const { context, noticedMs } = drill;
  const { now } = context;
  const runner = runnerOf(drill);
  const before = await Promise.all([a, b, c].map((user) => recordedOf(drill, user)));
  const plan = { topology_mode: 'direct', calldurationsec: durationSec, timestartutc: utc(now() - 60_000) };
  const running = await planned(drill, plan, [a, b, c]);
  if (runner === undefined || running === undefined) return;
  const [ofA = '', ofB = '', ofC = ''] = running.members;
  for (const member of running.members)
    if (!(await drill.everywhere(member, expecting(200, { state: 'active' }), c.answerMs + 2 * noticedMs))) return;
  const confid = await confidOf(drill, a);
  if (confid === undefined) return;
  await drill.ask(ofC, { site: drill.there, method: 'DELETE' });
  await drill.holds(endedMs, 'the phone of a removed participant hangs up', () => drill.callsOf(c).length === 0);
  const callids = idsOf(drill, [a, b]);
  const next = await planned(drill, { topology_mode: 'direct', timestartutc: utc(now() + leadMs) }, [c]);
  if (next === undefined) return;

  const goOn = async (sites: readonly string[]) => {
    const see = (path: string, judge: Judge, ms = drill.quickMs) => drill.everywhere(path, judge, ms, { sites });
    const startedMs = now() + leadMs;
    await see(next.members[0] ?? '', expecting(200, { state: 'active' }), leadMs + noticedMs + c.answerMs + roundMs);
    await see(next.path, expecting(200, { state: 'online' }));
    await see(running.path, expecting(200, { state: 'online' }), noticedMs);
    for (const member of [ofA, ofB]) await see(member, expecting(200, { state: 'active' }));
    await see(ofC, expecting(404));
    await see(`${running.path}/participants?countonly`, expecting(200, { count: 2 }));
    await drill.holds(0, 'the phones of a meeting have their calls still', () => idsOf(drill, [a, b]) === callids);
    drill.expect('the conference of the meeting', await drill.ask(conferences), (answer) =>
      itemsOf(answer).some((item) => item['confid'] === confid) ? undefined : `${confid} is not in ${textOf(answer)}`,
    );
    const ids = itemsOf(await drill.ask(`${conferences}/${confid}/participants`)).map((each) =>
      String(each['participantid']),
    );
    await see(`${conferences}/${confid}/topology`, hearing(allHear(ids)));
    await drill.holds(0, `a meeting that starts at ${utc(startedMs)} calls once`, () => drill.callsOf(c).length === 1);
  };
  const all = async (sites: readonly string[]) => {
    await goOn(sites);
    await endsInTime(drill, { confid, running, callids, users: [a, b], sites });
  };
  if (isSpare(drill, runner.node, await neededBy(drill, [a, b], confid))) {
    const sites = sitesWithout(drill, runner.node);
    await drill.without([runner.node], () => all(sites));
  } else {
    drill.crash(runner);
    await all(drill.sites);
  }
  await drill.everywhere(next.path, expecting(200, { state: 'online' }));
  await drill.ask(next.path, { site: drill.there, method: 'DELETE' });
  await drill.everywhere(next.path, expecting(404));
  await drill.holds(endedMs, 'the phone of a removed meeting hangs up', () => drill.callsOf(c).length === 0);
  for (const [index, user] of [a, b, c].entries()) {
    const count = (before[index] ?? 0) + (user === c ? 2 : 1);
    await drill.everywhere(recordsTo(drill, user), expecting(200, { count }), endedMs);
  }
}

async function endsInTime(
  drill: Drill,
  {
    confid,
    running,
    callids,
    users,
    sites,
  }: {
    confid: string;
    running: MeetingPlan;
    callids: string;
    users: SteadyUser[];
    sites: readonly string[];
  },
): Promise<void> {
  const { now, questions } = drill.context;
  const shown = (await drill.ask(`${conferences}/${confid}`))?.body as Item | undefined;
  const endMs = Number(shown?.['startts']) + durationSec * 1_000;
  if (Number.isNaN(endMs)) return;
  await questions.wait(Math.max(endMs - 1_000 - now(), 0));
  await drill.holds(0, 'a meeting lasts as long as it may', () => now() > endMs || idsOf(drill, users) === callids);
  const withinMs = endMs + 2 * roundMs + drill.quickMs - now();
  await drill.holds(withinMs, 'a meeting ends after its longest duration', () => idsOf(drill, users) === '');
  await drill.everywhere(running.path, expecting(404), 2 * roundMs + drill.quickMs, { sites });
  await drill.everywhere(selectors, listing('id', running.path.split('/').at(-1), false), drill.quickMs, { sites });
}

/** A meeting is ended, and its conf and the mware that runs it are lost before this one has removed it: the next one does. */
async function loseBoth(drill: Drill, users: readonly SteadyUser[]): Promise<void> {
  const { context, quickMs, noticedMs } = drill;
  const { map, now, faults, questions } = context;
  const runner = runnerOf(drill);
  const before = await Promise.all(users.map((user) => recordedOf(drill, user)));
  const meeting = await planned(drill, { topology_mode: 'direct', timestartutc: utc(now()) }, users);
  if (runner === undefined || meeting === undefined) return;
  const { path, members } = meeting;
  const longestMs = Math.max(...users.map(({ answerMs }) => answerMs));
  for (const member of members)
    if (!(await drill.everywhere(member, expecting(200, { state: 'active' }), longestMs + noticedMs))) return;
  const [user] = users;
  const confid = user && (await confidOf(drill, user));
  const conf = confid && drill.ownerOf('conf', confid);
  if (!confid || !conf) return;
  const nodes = [...new Set([conf.node, runner.node])];
  const sites = drill.sites.filter((site) => nodes.every((node) => sitesWithout(drill, node).includes(site)));
  const needed = users.flatMap((each) => gatesOf(drill, each));
  const areApart = new Set(nodes.map((node) => map.node(node).site)).size === nodes.length;
  const hasOther = map
    .instancesOf('mware')
    .some((each) => !nodes.includes(each.node) && drill.activeOf('mware', each.site).includes(each));
  if (!areApart || !hasOther || sites.length === 0 || !nodes.every((node) => isSpare(drill, node, needed))) return;
  await drill.ask(`${conferences}/${confid}`, { method: 'DELETE', site: drill.there });
  for (const node of nodes) faults.pauseNode(node);
  // All other instances of mware have heard of the end by then.
  await questions.wait(quickMs);
  await drill.without(nodes, async () => {
    for (const node of nodes) faults.resumeNode(node);
    await drill.everywhere(path, expecting(404), noticedMs + 2 * roundMs + quickMs, { sites });
  });
  for (const [index, each] of users.entries())
    await drill.everywhere(recordsTo(drill, each), expecting(200, { count: (before[index] ?? 0) + 1 }), endedMs);
  await drill.holds(0, 'a meeting that has ended calls no participant', () => idsOf(drill, [...users]) === '');
}

/** The mware that runs the meetings of the domain. */
function runnerOf(drill: Drill): InstanceEntry | undefined {
  return drill.context.map.instancesOf('mware').find((each) => drill.activeOf('mware', each.site).includes(each));
}

/** Plans a meeting, and starts it when all its participants are there. */
async function planned(drill: Drill, body: Item, users: readonly SteadyUser[]): Promise<MeetingPlan | undefined> {
  const meeting = await planMeeting(drill, body, users);
  if (meeting === undefined) return undefined;
  const { path } = meeting;
  const enabled = await drill.ask(path, { method: 'PATCH', body: { enabled: true } });
  return enabled?.status === 200 ? meeting : undefined;
}

/** The instances by which users are in a conference. */
async function neededBy(drill: Drill, users: readonly SteadyUser[], confid: string): Promise<string[]> {
  const found: string[] = [`conf-${srvidxOf(confid)}`, ...users.flatMap((user) => gatesOf(drill, user))];
  for (const { id } of users) {
    const ids = await drill.ask(calls, { method: 'LOOKUP', body: { sipuserid: id } });
    for (const dialogid of (ids?.body ?? []) as string[]) found.push(`b2b-${srvidxOf(dialogid)}`);
  }
  return found;
}

async function confidOf(drill: Drill, { id }: SteadyUser): Promise<string | undefined> {
  const found = await drill.ask(conferences, { method: 'LOOKUP', body: { sipuserid: id } });
  return (found?.body as string[] | undefined)?.[0];
}

/** The Call-Ids of the phones of users. */
function idsOf(drill: Drill, users: readonly SteadyUser[]): string {
  return users.flatMap((user) => drill.callsOf(user).map(({ callid }) => callid)).join();
}

/** How many calls to a user are recorded. */
async function recordedOf(drill: Drill, user: SteadyUser): Promise<number> {
  return Number(((await drill.ask(recordsTo(drill, user)))?.body as Item | undefined)?.['count']);
}

function recordsTo({ domain }: Drill, { number }: SteadyUser): string {
  const filter = ['like', ['property', 'to'], `<sip:${number}@${domain}%`];
  return `${records}?countonly&${filterOf(filter)}`;
}

function utc(ms: number): string {
  return new Date(ms).toISOString();
}
