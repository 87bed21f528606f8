/** The clocks of some nodes are ahead while devices register, a meeting calls and callers enter a room, and a node starts again after its clock was set back. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { over, refusing } from '../../use-cases/calls/call-judges.ts';
import { directedUsers, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { campaigns, current, records, selectors, sipUsers, states } from '../../use-cases/kit/paths.ts';
import { expecting, type Item, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { eventsAt } from '../kit/call-events.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { sitesWithout } from '../kit/nodes.ts';
import { hangUpAll, planMeeting } from '../kit/rooms.ts';
import { enterTiedRoom } from '../kit/tied-rooms.ts';

const label = 'clocks-set';
const meetingId = '7d1f2a60-5b1c-4f0e-9c3a-0c5e7a4463a1';
const aheadMs = 15_000;
const account = { login: label, pwd: `${label}-1` };
const device = { ip: '10.66.3.41', username: account.login, pwd: account.pwd };
/** A clock that is ahead runs at three quarters of its speed until it is right. */
const rightMs = 4 * aheadMs;
/** Of the registrations, in seconds; longer than the part of the drill in which they count. */
const expires = 120;
/** How long a participant of the meeting is called, in seconds. */
const calltimeout = 4;
/** Of a meeting, in seconds. */
const durationSec = 12;
/** An mware looks at running meetings each second, and SIP takes a moment. */
const lateMs = 3_000;

export const clocksSet = drillOf({
  name: 'clocks-set',
  rule: 'When the clock of a node is ahead, a device that registers there leaves and returns by gates of other sites at once, a session that switches its domain there and then back at another site is back, a meeting calls a participant as long as it says and lasts as long as it says, one that has ended is removed, and one that is made with its id at once runs and stays, callers who enter one room at two instances at once are in one conference, and each change of an item has a later time than the one before, also after another mdc has taken over; when a node starts again with its clock set back, the calls of its b2b from before are over, and new ones are shown at each front, have their records, and subscribers have their events.',
  sender: '10.6.1.76',
  play: async (drill) => {
    // Others judge times.
    drill.afterwards(() => drill.context.questions.wait(rightMs));
    const users = await steadyUsers(drill, 3);
    await meetAgain(drill);
    if (await enterTiedRoom(drill, aheadMs)) await drill.context.questions.wait(rightMs);
    const restarted = await restartedOf(drill, users);
    const ahead = aheadOf(drill);
    const [mdc] = drill.activeOf('mdc', drill.context.map.masterSite.name);
    if (mdc !== undefined)
      await drill.during(
        (faults) => faults.skew(mdc.node, aheadMs),
        () => change(drill, mdc),
      );
    await drill.during(
      (faults) =>
        faults.skew([...new Set([...ahead, ...(restarted === undefined ? [] : [restarted.b2b.node])])], aheadMs),
      async () => {
        await drill.context.questions.wait(drill.noticedMs);
        await register(drill);
        await switchDomains(drill, ahead);
        await meet(drill);
        // Last, so that it starts once more before its clock would be there again.
        if (restarted !== undefined) await startAgain(drill, restarted.b2b);
      },
    );
    if (restarted !== undefined) await setBack(drill, restarted, users);
  },
});

/** The nodes of the registrars of all sites but the first, and of the conf instances that are not with the mware that runs meetings. */
function aheadOf(drill: Drill): string[] {
  const sites = [...drill.context.map.sites.keys()];
  const runner = runnerOf(drill);
  const registrars = sites.slice(1).flatMap((site) => drill.activeOf('sr', site));
  const confs = sites.flatMap((site) => drill.activeOf('conf', site)).filter(({ node }) => node !== runner?.node);
  return [...registrars, ...confs].map(({ node }) => node);
}

/** The mware that runs the meetings of the domain. */
function runnerOf(drill: Drill): InstanceEntry | undefined {
  return [...drill.context.map.sites.keys()].flatMap((site) => drill.activeOf('mware', site))[0];
}

interface Restarted {
  readonly b2b: InstanceEntry;
  /** Where calls that are asked for are given to it. */
  readonly site: string;
}

/** Another b2b in each run, and the site that gives it calls; if there is one, a b2b whose calls a callstore knows that is not on its node. */
async function restartedOf(drill: Drill, [x, y]: readonly SteadyUser[]): Promise<Restarted | undefined> {
  if (x === undefined || y === undefined) return undefined;
  let site = drill.here;
  const begun = (count: number) => {
    site = drill.siteAt(drill.drawn + count);
    return { label, site };
  };
  const isRight = ({ b2b }: known.KnownCall) => isKnownElsewhere(drill, b2b);
  const pair = [x, y] as const;
  const call =
    (await known.connectWhere(drill, pair, begun, isRight)) ?? (await known.connectPair(drill, pair, begun(0)));
  if (call === undefined) return undefined;
  await drill.ask(call.path, { method: 'DELETE' });
  await known.isGone(drill, call, { withinMs: drill.patienceMs });
  return { b2b: call.b2b, site };
}

/** Whether a callstore of its site is on another node. */
function isKnownElsewhere({ context: { map }, domain }: Drill, { site, node }: InstanceEntry): boolean {
  return map.serving('callstore', site, domain).some((store) => store.node !== node);
}

/** Another mdc, whose clock is behind, changes an item next. */
async function change(drill: Drill, mdc: InstanceEntry): Promise<void> {
  // Nodes know by then how much the clocks of others differ.
  await drill.context.questions.wait(drill.noticedMs);
  const path = (await drill.make(campaigns, { code: label, name: '0' }))?.path;
  if (path === undefined) return;
  const times: string[] = [];
  for (const name of ['1', '2', '3']) {
    const isDone = await drill.holds(drill.noticedMs, `PATCH ${path} is done`, async () => {
      const changed = await drill.ask(path, { method: 'PATCH', body: { name }, site: drill.there });
      const { ext } = (changed?.body ?? {}) as { ext?: Item };
      if (changed?.status === 200) times.push(String(ext?.['lwt']));
      return changed?.status === 200;
    });
    if (!isDone) break;
    if (name === '1') drill.crash(mdc);
  }
  drill.expect(`times of changes of ${path}`, undefined, () =>
    times.every((time, index) => index === 0 || time > (times[index - 1] ?? '')) ? undefined : times.join(),
  );
}

async function startAgain(drill: Drill, { node, name }: InstanceEntry): Promise<void> {
  const { faults, map, statusOf } = drill.context;
  faults.crashNode(node);
  await faults.restartNode(node);
  const isActive = () => map.node(node).instances.some((each) => each.name === name && statusOf(each) === 'active');
  await drill.holds(drill.noticedMs, `${name} is active again`, isActive);
}

/** The same device, by a gate of each site in turn: what was done last counts, at each front. */
async function register(drill: Drill): Promise<void> {
  const { map, questions } = drill.context;
  const gates = drill.sites.flatMap((site) => map.serving('sg', site, drill.domain).slice(0, 1));
  if (gates.length < 2) return;
  const opts = { maxexpires: expires };
  const user = await drill.make(sipUsers, { name: label, ...account, lic: { devices: 1 }, opts });
  if (user === undefined) return;
  await drill.copied();
  for (const [turn, gate] of [...gates.toReversed(), ...gates].entries()) {
    const isOn = turn % 2 === 0;
    const response = await questions.register({ ...device, domain: drill.domain, gate, expires: isOn ? expires : 0 });
    if (response.status === 503 || response.status === 408) break;
    drill.expect(`${isOn ? 'REGISTER' : 'leaving'} by ${gate.name}`, undefined, () =>
      response.status === 200 ? undefined : `got ${response.status}`,
    );
    await drill.everywhere(`${states}/${user.id}`, showing(isOn));
  }
}

function showing(isOnline: boolean): Judge {
  return expecting(200, { username: account.login, status: isOnline ? 'online' : 'offline' });
}

/** A session goes to a domain where the clock is ahead, and back where it is not: the later switch counts. */
async function switchDomains(drill: Drill, ahead: readonly string[]): Promise<void> {
  const { map, questions } = drill.context;
  const areAhead = (site: string) => drill.activeOf('ws', site).map(({ node }) => ahead.includes(node));
  const first = drill.sites.find((site) => areAhead(site).every(Boolean));
  const then = drill.sites.find((site) => !areAhead(site).some(Boolean));
  const session = await questions.login(drill.here, map.masterDomain, undefined, drill.sender);
  if (first === undefined || then === undefined || session === undefined) return;
  for (const [site, domain] of [
    [first, drill.domain],
    [then, map.masterDomain],
  ] as const) {
    const switched = await drill.ask(current, { session, site, method: 'PATCH', body: { domain } });
    drill.expect(`a switch to ${domain} at ${site}`, switched, expecting(204));
    await drill.everywhere(current, expecting(200, { domain }), drill.quickMs, { session });
  }
  await drill.ask(current, { session, method: 'DELETE' });
}

/** A participant whose phone only rings is called for as long as the meeting says, whatever the clock of the conf instance is. */
async function meet(drill: Drill): Promise<void> {
  // By the clock of a registrar, a registration may be over some seconds before its phone refreshes it.
  const user = (await steadyUsers(drill, 3)).at(-1);
  if (user === undefined) return;
  const { questions, now } = drill.context;
  const meeting = await planMeeting(drill, { timestartutc: new Date(now()).toISOString(), calltimeout }, [user]);
  if (meeting === undefined) return;
  const { path } = meeting;
  questions.behave(drill.domain, user.number, { ringMs: 0 });
  try {
    const enabled = await drill.ask(path, { method: 'PATCH', body: { enabled: true } });
    if (enabled?.status !== 200) return;
    const rings = () => drill.callsOf(user).length > 0;
    if (!(await drill.holds(lateMs + drill.quickMs, `${user.number} is called`, rings))) return;
    const beganMs = now();
    await drill.holds(calltimeout * 1_000 + lateMs, `the call of ${user.number} ends in time`, () => !rings());
    const lastedMs = now() - beganMs;
    drill.expect('how long a participant is called', undefined, () =>
      lastedMs >= calltimeout * 1_000 - 1_000 ? undefined : `${Math.round(lastedMs)} ms, calltimeout ${calltimeout} s`,
    );
  } finally {
    questions.behave(drill.domain, user.number);
    await drill.ask(path, { method: 'DELETE' });
  }
}

/**
 * The clock of the conf instance that gets the meetings is ahead of those of the mware that runs them and of the mdc that keeps them: a
 * meeting ends, and one is made with its id.
 */
async function meetAgain(drill: Drill): Promise<void> {
  const { map, questions } = drill.context;
  const runner = runnerOf(drill);
  if (runner === undefined || !drill.areClocksRight) return;
  const sites = [runner.site, ...[...map.sites.keys()].filter((site) => site !== runner.site)];
  const [conf] = sites.flatMap((site) => drill.activeOf('conf', site));
  const [mdc] = drill.activeOf('mdc', map.masterSite.name);
  if (conf === undefined || [runner.node, mdc?.node].includes(conf.node)) return;
  await drill.during(
    (faults) => faults.skew(conf.node, aheadMs),
    async () => {
      await questions.wait(drill.noticedMs);
      const [user] = await directedUsers(drill, 1);
      if (user === undefined) return;
      const path = await meetOnce(drill, user, 'a meeting');
      if (path === undefined) return;
      await hangUpAll(drill, [user]);
      const isRemoved = await drill.everywhere(path, refusing(404), lateMs + drill.patienceMs);
      if (isRemoved && (await meetOnce(drill, user, 'a meeting with the id of one that has ended')) !== undefined)
        await drill.everywhere(path, expecting(200, { enabled: true }));
      await drill.ask(path, { method: 'DELETE' });
      if (await isFree(drill, user, lateMs + drill.patienceMs)) await endInTime(drill, user);
    },
  );
  await questions.wait(rightMs);
}

function isFree(drill: Drill, user: SteadyUser, withinMs: number): Promise<boolean> {
  return drill.holds(withinMs, `the call of ${user.number} ends`, () => drill.callsOf(user).length === 0);
}

/** A meeting lasts as long as it says, which is less than the clocks differ. */
async function endInTime(drill: Drill, user: SteadyUser): Promise<void> {
  const { now } = drill.context;
  if ((await meetOnce(drill, user, 'a meeting with a duration', { calldurationsec: durationSec })) === undefined)
    return;
  const beganMs = now();
  const marginMs = lateMs + drill.quickMs;
  await isFree(drill, user, durationSec * 1_000 + marginMs);
  const lastedMs = now() - beganMs;
  drill.expect('how long a meeting lasts', undefined, () =>
    lastedMs >= durationSec * 1_000 - marginMs
      ? undefined
      : `${Math.round(lastedMs)} ms, calldurationsec ${durationSec}`,
  );
}

/** Makes a meeting with one participant, and waits until this one takes part. Returns its path. */
async function meetOnce(drill: Drill, user: SteadyUser, what: string, plan: Item = {}): Promise<string | undefined> {
  const timestartutc = new Date(drill.context.now() - aheadMs).toISOString();
  const meeting = await planMeeting(drill, { id: meetingId, timestartutc, ...plan }, [user]);
  const path = `${selectors}/${meetingId}`;
  const enabled = await drill.ask(path, { method: 'PATCH', body: { enabled: true } });
  const isMade = meeting !== undefined && enabled?.status === 200;
  drill.expect(what, enabled, (answer) => (isMade ? undefined : `it is not made: ${textOf(answer)}`));
  const talks = () => drill.callsOf(user).some(({ state }) => state === 'talking');
  const isThere = isMade && (await drill.holds(lateMs + drill.patienceMs, `${what} calls its participant`, talks));
  return isThere ? path : undefined;
}

/** Its clock is behind that of its start before. */
async function setBack(drill: Drill, { b2b, site }: Restarted, [x, y]: readonly SteadyUser[]): Promise<void> {
  if (x === undefined || y === undefined) return;
  const begin = () => known.connectPair(drill, [x, y], { label, site });
  // Of times nothing is known: clocks are slow until they are right.
  const recorded = ({ inviteid, dialogid }: known.KnownCall, type: string) =>
    drill.everywhere(`${records}/${inviteid}`, expecting(200, { inviteid, dialogid, type }), drill.patienceMs);
  const subscribers = await eventsAt(drill, sitesWithout(drill, b2b.node));
  const before = await begin();
  await drill.without([b2b.node], async () => {});
  if (before?.b2b === b2b && isKnownElsewhere(drill, b2b)) {
    await drill.everywhere(before.path, over, drill.patienceMs);
    await recorded(before, 'dead');
  }
  await hangUpAll(drill, [x, y]);
  const call = await begin();
  if (call === undefined) return;
  await drill.everywhere(call.path, expecting(200, { dialogid: call.dialogid, status: 'dialog' }), drill.patienceMs);
  const ended = await drill.ask(call.path, { method: 'DELETE', site: drill.there });
  drill.expect(`DELETE of ${call.path}`, ended, (answer) => (answer?.status === 200 ? undefined : textOf(answer)));
  await drill.everywhere(call.path, over, drill.patienceMs);
  await recorded(call, 'call_terminate');
  // A front that has lost a callstore may have missed events, and says so.
  for (const subscriber of subscribers) await subscriber.resume();
  const whole = subscribers.filter(({ hasGap }) => !hasGap);
  await known.heard(drill, call, whole, ['dlg_end', 'dlg_stop'], drill.patienceMs);
}
