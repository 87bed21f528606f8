/** A site is cut off, and each side goes on with what it has. */
import { boundsOf } from '../../../bounds.ts';
import { noSession } from '../../../questions.ts';
import { exactly } from '../../use-cases/calls/call-judges.ts';
import { connect, endCalls, endedMs, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { calls, campaigns, conferences, nodes, records, sessions } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf, type Judge, listing, textOf } from '../../use-cases/kit/use-case.ts';
import { makeUser } from '../../use-cases/sessions/own-sessions.ts';
import {
  acrossCut,
  type Cut,
  type CutSide,
  cutOf,
  fromCopy,
  fromMaster,
  homeOf,
  lacking,
  seeing,
  without,
} from '../kit/cut.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { hasOneRecord } from '../kit/known-call.ts';

const filters = '/rest/v1/master/logicalroles';
const account = { login: 'sites-cut', pwd: 'sites-cut-1' };
const code = 'sites-cut';
/** For documentation (RFC 5737): nothing comes from it. */
const banned = '192.0.2.91';

export const sitesCut = drillOf({
  name: 'sites-cut',
  rule: 'When a site is cut off, each side shows the nodes and edges of the other one as out of reach, and goes on with its own calls; lists say which sites they lack; domain data are read from copies that say how old they are, and change on the side of the master site only; users log in where their domain is served. After the end of the cut all sites agree, and what was refused has not happened.',
  exclusions: 'Clusters of one site. Calls where a side has fewer than two phones that are registered and answer.',
  sender: '10.6.1.20',
  play: async (drill) => {
    const cut = await cutOf(drill);
    if (cut === undefined) return;
    const users = await steadyUsers(drill, 8);
    const made = await make(drill);
    if (made !== undefined) await play(drill, cut, { users, made });
  },
});

interface Made {
  /** A campaign that is changed during the cut, and one that is removed. */
  readonly kept: string;
  readonly removed: string;
}

async function make(drill: Drill): Promise<Made | undefined> {
  const kept = await drill.make(campaigns, { code, name: 'before' });
  const removed = kept && (await drill.make(campaigns, { code: `${code}-removed` }));
  const user = removed && (await makeUser(drill, account.login));
  return user && { kept: kept.id, removed: removed.id };
}

interface Play {
  readonly users: readonly SteadyUser[];
  readonly made: Made;
}

/** A call of two phones of one side, or of both. */
interface SideCall {
  readonly call: OwnCall;
  readonly users: readonly [SteadyUser, SteadyUser];
}

async function play(drill: Drill, cut: Cut, { users, made }: Play): Promise<void> {
  const { sides } = cut;
  const free = sides.map((side) => [...side.usersOf(users)]);
  const begin = async (at: string | undefined, x: SteadyUser | undefined, y: SteadyUser | undefined) => {
    const call = x && y && at && (await connect(drill, { from: x.number, to: y.number }, { site: at }));
    return call ? { call, users: [x, y] as const } : undefined;
  };
  const across = await begin(drill.here, free[0]?.pop(), free[1]?.pop());
  const before: (SideCall | undefined)[] = [];
  for (const [at, { home }] of sides.entries()) {
    const own = free[at] ?? [];
    const pair = own.length < 2 ? [] : own.splice(0, 2);
    before.push(await begin(home, pair[0], pair[1]));
  }
  const begun: (SideCall | undefined)[] = [];
  // The age of a copy counts from when it was current last, not from the last change: for so long there was none.
  await drill.context.questions.wait(boundsOf(drill.context.map).copiedMs + drill.quickMs);
  await acrossCut(drill, cut, async (cutMs) => {
    await edges(drill, cut);
    await data(drill, cut, { made, cutMs });
    await logins(drill, cut);
    for (const [at, side] of sides.entries()) {
      await lists(side, sides[1 - at] as CutSide);
      const own = free[at] ?? [];
      const again = before[at];
      if (again !== undefined) await goesOn(drill, cut, side, again);
      if (again !== undefined && isOwn(drill, side, again.call)) begun.push(await endAndBegin(drill, side, again));
      else begun.push(await begin(side.home, own[0], own[1]));
    }
    if (across !== undefined) await breaks(drill, cut, across);
  });
  await agree(drill, cut, made);
  for (const each of begun) if (each !== undefined) await stays(drill, each);
  await endCalls(drill, users);
  for (const each of [...before, ...begun, across]) if (each !== undefined) await isOver(drill, each);
}

/** Whether it is one of a b2b of this side. */
function isOwn(drill: Drill, side: CutSide, call: OwnCall): boolean {
  return side.sites.includes(homeOf(drill, call) ?? '');
}

/** Edges and sums, as each side sees them. */
async function edges(drill: Drill, { sides }: Cut): Promise<void> {
  const { map } = drill.context;
  const asked = { domain: map.masterDomain };
  for (const side of sides) {
    const isOn = (role: 'esg' | 'sg' | 'ws') => (answer: Parameters<Judge>[0]) => {
      const rows = itemsOf(answer);
      const wrong = rows.find(
        ({ site, online, banned: addresses }) =>
          online !== side.sites.includes(String(site)) || online !== Array.isArray(addresses),
      );
      if (rows.length !== map.instancesOf(role).length) return `expected all ${role} instances, got ${textOf(answer)}`;
      return wrong && `expected only ${side.sites.join()} online, got ${JSON.stringify(wrong)}`;
    };
    for (const role of ['esg', 'sg', 'ws'] as const)
      await side.everywhere(`${filters}/${role}/bannedaddrs`, () => isOn(role), 0, asked);
    const lost = [...new Set(map.instancesOf('esg').map(({ site }) => site))].filter(
      (site) => !side.sites.includes(site),
    );
    await side.everywhere(`${filters}/esg/dashboards/sites`, () => lacking(lost, expecting(200)), 0, asked);
    const [front] = side.fronts;
    const post = { ...asked, method: 'POST', body: { ip: banned, expires: side.hasMaster ? 600 : 300 } };
    const result = await drill.ask(`${filters}/sg/bannedaddrs`, { ...post, site: front ?? drill.here });
    drill.expect(`a ban at ${front}`, result, (answer) => {
      const rows = itemsOf(answer);
      const wrong = rows.find(({ site, online, result: isDone }) =>
        side.sites.includes(String(site))
          ? online !== true || isDone !== true
          : online !== false || isDone !== undefined,
      );
      return rows.length === 0 || wrong !== undefined ? `got ${JSON.stringify(wrong)} in ${textOf(answer)}` : undefined;
    });
  }
}

/** Domain data: read on both sides, changed on that of the master site. */
async function data(
  drill: Drill,
  { master, other }: Cut,
  at: { readonly made: Made; readonly cutMs: number },
): Promise<void> {
  const { made, cutMs } = at;
  const path = `${campaigns}/${made.kept}`;
  const old = expecting(200, { id: made.kept, code, name: 'before' });
  const asRead = (judge: Judge) => (site: string) =>
    other.reads(site) ? fromCopy(drill, cutMs, judge) : without('mdc');
  const find = (body: string) => ({ method: 'LOOKUP', body });
  const found = exactly(200, [made.kept]);
  await master.everywhere(path, () => fromMaster(old));
  await master.everywhere(campaigns, () => fromMaster(found), 0, find(code));
  await other.everywhere(path, asRead(old));
  await other.everywhere(campaigns, asRead(found), 0, find(code));
  await other.everywhere(`${campaigns}?${filterOf({ code })}`, asRead(listing('id', made.kept)));
  for (const [request, target] of [
    [{ method: 'POST', body: { code: `${code}-refused` } }, campaigns],
    [{ method: 'PATCH', body: { name: 'refused' } }, path],
    [{ method: 'DELETE' }, path],
  ] as const)
    await other.everywhere(target, () => without('mdc'), 0, request);
  const [front = drill.here] = master.fronts;
  const change = (target: string, request: Item) => drill.ask(target, { site: front, ...request });
  const isChanged = drill.expect(
    `PATCH at ${front}`,
    await change(path, { method: 'PATCH', body: { name: 'during' } }),
    expecting(200, { id: made.kept, code, name: 'during' }),
  );
  drill.expect(
    `DELETE at ${front}`,
    await change(`${campaigns}/${made.removed}`, { method: 'DELETE' }),
    expecting(204),
  );
  if (!isChanged) return;
  await master.everywhere(path, () => fromMaster(expecting(200, { name: 'during' })));
  await master.everywhere(`${campaigns}/${made.removed}`, () => fromMaster(expecting(404)));
  // It has not heard of that.
  await other.everywhere(path, asRead(old));
  await other.everywhere(`${campaigns}/${made.removed}`, asRead(expecting(200, { code: `${code}-removed` })));
}

async function logins(drill: Drill, { sides }: Cut): Promise<void> {
  const { masterDomain, masterSite } = drill.context.map;
  for (const side of sides) {
    const request = { session: noSession, method: 'POST' };
    const body = { domain: drill.domain, ...account, session_type: 'token' };
    await side.everywhere(sessions, (site) => (side.reads(site) ? expecting(200) : without('mdc')), 0, {
      ...request,
      body,
    });
    if (side.hasMaster) continue;
    const admin = { domain: masterDomain, login: 'nowhere', pwd: `at-${masterSite.name}` };
    await side.everywhere(sessions, () => without('mdc'), 0, { ...request, body: admin });
  }
}

/** What lists of calls and lookups of devices lack on this side. */
async function lists(side: CutSide, lost: CutSide): Promise<void> {
  const missing = lost.serving('callstore');
  const isAnswered = side.serving('mware').length > 0;
  const judge = () => (isAnswered ? lacking(missing, expecting(200)) : without('mware'));
  await side.everywhere(calls, judge);
  await side.everywhere(`${calls}?countonly`, judge);
  await side.everywhere(`${records}?limit=1`, judge);
  const rooms = () => (isAnswered ? lacking(lost.serving('conf'), expecting(200)) : without('mware'));
  await side.everywhere(conferences, rooms);
  const unknown = { method: 'LOOKUP', body: { confroomnum: '0' } };
  const noRoom = () => (isAnswered ? lacking(lost.serving('conf'), expecting(404)) : without('mware'));
  await side.everywhere(conferences, noRoom, 0, unknown);
  const states = '/rest/v1/uc/sipuser_states';
  // SIP users are read from the copy of another site too.
  const isKnown = side.hasMaster || side.serving('sdc').length > 0;
  await side.everywhere(states, () => (isKnown ? expecting(200) : without('mdc', 'sdc', 'sr')));
}

/** A call inside a side is shown there, and at the other side it is not denied. */
async function goesOn(drill: Drill, { sides }: Cut, side: CutSide, { call, users: [x, y] }: SideCall): Promise<void> {
  if (!isOwn(drill, side, call)) return;
  const { path, dialogid, inviteid } = call;
  if (drill.callsOf(x).length !== 1 || drill.callsOf(y).length !== 1)
    drill.expect(`the call ${dialogid} inside ${side.sites.join()}`, undefined, () => 'its phones have ended it');
  await side.everywhere(path, () => expecting(200, { dialogid, inviteid, status: 'dialog' }));
  const other = sides.find((each) => each !== side) as CutSide;
  const isAnswered = other.serving('mware').length > 0;
  await other.everywhere(path, () => without(isAnswered ? `callstore of site ${homeOf(drill, call)}` : 'mware'));
}

/** Ends a call inside a side, and begins another one of the same phones. */
async function endAndBegin(drill: Drill, side: CutSide, { call, users }: SideCall): Promise<SideCall | undefined> {
  const { home } = side;
  if (home === undefined) return undefined;
  const { dialogid, inviteid, path } = call;
  const end = await drill.ask(path, { site: home, method: 'DELETE' });
  drill.expect(`DELETE of ${dialogid} at ${home}`, end, expecting(200, { dialogid, result: 'ok' }));
  await side.everywhere(path, () => expecting(404), endedMs);
  await side.everywhere(
    `${records}/${inviteid}`,
    () => expecting(200, { inviteid, type: 'call_terminate' }),
    drill.quickMs,
  );
  await drill.context.questions.wait(drill.quickMs);
  // A phone may have registered through a gate of the other side since.
  if (side.usersOf(users).length < users.length) return undefined;
  const [x, y] = users;
  const again = await connect(drill, { from: y.number, to: x.number }, { site: home });
  drill.expect(`a call inside ${side.sites.join()}`, undefined, () =>
    again === undefined ? `no call of ${y.number} to ${x.number}` : undefined,
  );
  return again && { call: again, users };
}

/** A call of phones on both sides ends where its b2b is, as that has lost the way to a party. */
async function breaks(drill: Drill, { sides }: Cut, { call, users }: SideCall): Promise<void> {
  const side = sides.find((each) => isOwn(drill, each, call));
  const [near] = side?.usersOf(users) ?? [];
  if (side === undefined || near === undefined) return;
  await side.everywhere(call.path, () => expecting(404), endedMs);
  await drill.holds(drill.quickMs, `the phone of ${near.number} has no call`, () => drill.callsOf(near).length === 0);
}

/** After the cut all is as one. */
async function agree(drill: Drill, { master, other }: Cut, made: Made): Promise<void> {
  const { map } = drill.context;
  const path = `${campaigns}/${made.kept}`;
  await drill.everywhere(path, fromMaster(expecting(200, { code, name: 'during' })));
  await drill.everywhere(`${campaigns}/${made.removed}`, fromMaster(expecting(404)));
  const refused = { method: 'LOOKUP', body: `${code}-refused` };
  await drill.everywhere(campaigns, fromMaster(expecting(404)), drill.quickMs, refused);
  await drill.everywhere(calls, lacking([], expecting(200)));
  const asked = { domain: map.masterDomain };
  await drill.everywhere(nodes, seeing([...map.sites.keys()]), drill.quickMs, asked);
  await drill.everywhere(
    `${filters}/sg/bannedaddrs`,
    (answer) => {
      const wrong = itemsOf(answer).find(({ site, banned: all }) => {
        const [most, least] = master.sites.includes(String(site)) ? [600, 300] : [300, 0];
        const own = ((all ?? []) as Item[]).find(({ ip }) => ip === banned);
        return own === undefined || Number(own['expires']) > most || Number(own['expires']) <= least;
      });
      return answer?.status !== 200 || wrong !== undefined
        ? `expected ${banned} as ${master.sites.join()} and ${other.sites.join()} have banned it, got ${JSON.stringify(wrong)}`
        : undefined;
    },
    drill.quickMs,
    asked,
  );
  await drill.ask(`${filters}/sg/bannedaddrs/${banned}`, { ...asked, method: 'DELETE' });
}

/** A call that was begun during the cut is shown everywhere, once. */
async function stays(drill: Drill, { call, users: [x, y] }: SideCall): Promise<void> {
  const { path, dialogid, inviteid } = call;
  const isLive = () => drill.callsOf(x).length === 1 && drill.callsOf(y).length === 1;
  drill.expect(`the call ${dialogid} begun during the cut`, undefined, () =>
    isLive() ? undefined : 'its phones have ended it',
  );
  await drill.everywhere(path, expecting(200, { dialogid, inviteid, status: 'dialog' }));
  await drill.everywhere(`${calls}?countonly&${filterOf({ inviteid })}`, exactly(200, { count: 1 }));
  const end = await drill.ask(path, { site: drill.there, method: 'DELETE' });
  drill.expect(`DELETE of ${dialogid}`, end, expecting(200, { dialogid, result: 'ok' }));
}

/** It has one record, and its phones have no call. */
async function isOver(drill: Drill, { call, users }: SideCall): Promise<void> {
  await hasOneRecord(drill, { inviteid: call.inviteid }, { withinMs: endedMs });
  await drill.everywhere(call.path, expecting(404), drill.quickMs);
  for (const user of users) {
    const has = () => drill.callsOf(user).some(({ callid }) => callid === call.acallid || callid === call.bcallid);
    await drill.holds(endedMs, `the phone of ${user.number} has ended ${call.dialogid}`, () => !has());
  }
}
