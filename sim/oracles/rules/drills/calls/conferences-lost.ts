/** A conf instance with a conference crashes; after it, the node or instance of the b2b of one participant. */

import { exactly } from '../../use-cases/calls/call-judges.ts';
import { hearing, listingIds, roomNumberOf } from '../../use-cases/conferences/rooms.ts';
import { endedMs, type SteadyUser } from '../../use-cases/kit/call.ts';
import { calls, conferences, ownConferences } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, itemsOf, type Judge, listing, textOf } from '../../use-cases/kit/use-case.ts';
import { bindUser } from '../../use-cases/sessions/own-sessions.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { hasOneRecord } from '../kit/known-call.ts';
import { gatesOf, isSpare, sitesWithout } from '../kit/nodes.ts';
import { allHear, callIn, freedUsers, openRoom, type Room, srvidxOf } from '../kit/rooms.ts';

/** Digits of rooms: others are those of clients and use cases. */
const lostRoom = '91';
const otherRooms = ['92', '93', '94', '95'];

export const conferencesLost = drillOf({
  name: 'conferences-lost',
  rule: 'When a conf instance crashes, its conferences end: the phones are free, no front shows or finds the conference or its calls, each call has one record, and its room opens anew. A conference at another instance goes on unchanged. When the b2b of one participant is lost, that one leaves, and the others hear each other.',
  exclusions:
    'Domains without rooms or with fewer than three phones that are registered and answer; calls that phones or other rules end.',
  sender: '10.6.1.40',
  play: async (drill) => {
    const [a, b, d, c] = await freedUsers(drill, 4);
    if (roomNumberOf(drill, '') === undefined || a === undefined || b === undefined || d === undefined) return;
    const again = await crashConference(drill, { a, b, c, d });
    if (again !== undefined) await loseParticipant(drill, again, { a, b, d });
  },
});

interface Users {
  readonly a: SteadyUser;
  readonly b: SteadyUser;
  readonly c: SteadyUser | undefined;
  readonly d: SteadyUser;
}

/** Returns the conference that is opened after the crash. */
async function crashConference(drill: Drill, { a, b, c, d }: Users): Promise<Room | undefined> {
  const { noticedMs } = drill;
  const lost = await openRoom(drill, a, lostRoom);
  const home = lost && drill.ownerOf('conf', lost.confid);
  if (lost === undefined || home === undefined) return undefined;
  const guest = await callIn(drill, lost, b.number, b.answerMs + noticedMs);
  const other = c && (await openElsewhere(drill, c, home.srvidx));
  const user = await bindUser(drill, 'conferences-lost', a);
  const own = user && { session: user.session };
  if (guest === undefined) return undefined;
  const bInvite = await inviteidOf(drill, b);
  const all = c === undefined ? [a, b, d] : [a, b, d, c];
  const others = other === undefined ? [] : [other.call.inviteid];
  await drill.everywhere(calls, callsAre(drill, all, [lost.call.inviteid, bInvite, ...others]), noticedMs);
  await drill.everywhere(`${lost.path}/participants?countonly`, expecting(200, { count: 2 }));
  if (own !== undefined) await drill.everywhere(ownConferences, listing('confid', lost.confid), drill.quickMs, own);

  drill.crash(home);
  const again = await reopen(drill, d, lost);
  await drill.holds(noticedMs, 'the phones of a conference that is lost hang up', () =>
    [a, b].every((user) => drill.callsOf(user).length === 0),
  );
  if (again === undefined) return undefined;
  await drill.everywhere(
    `${conferences}?${filterOf({ confroomnum: lost.room })}`,
    listingIds([again.confid], 'confid'),
    noticedMs,
  );
  if (again.confid !== lost.confid) await isOver(drill, lost);
  await drill.everywhere(calls, callsAre(drill, all, [again.call.inviteid, ...others]), noticedMs);
  for (const inviteid of [lost.call.inviteid, bInvite]) await hasOneRecord(drill, { inviteid }, { withinMs: endedMs });
  if (own !== undefined) await drill.everywhere(ownConferences, listingIds([], 'confid'), drill.quickMs, own);
  if (other !== undefined && c !== undefined) await goesOn(drill, other, c);
  await goesOn(drill, again, d);
  if (other === undefined) return again;
  await drill.ask(other.path, { site: drill.there, method: 'DELETE' });
  await drill.everywhere(other.path, expecting(404), endedMs);
  return again;
}

/** Opens a room at another conf instance than the one with this number. */
async function openElsewhere(drill: Drill, from: SteadyUser, srvidx: number): Promise<Room | undefined> {
  for (const room of otherRooms) {
    const opened = await openRoom(drill, from, room);
    if (opened === undefined || srvidxOf(opened.confid) !== srvidx) return opened;
    await drill.ask(opened.path, { method: 'DELETE' });
    await drill.holds(
      endedMs,
      `the phone of a conference that was ended hangs up`,
      () => drill.callsOf(from).length === 0,
    );
  }
  return undefined;
}

async function reopen(drill: Drill, from: SteadyUser, { room }: Room): Promise<Room | undefined> {
  let opened: Room | undefined;
  await drill.holds(drill.noticedMs, `room ${room} opens anew`, async () => {
    opened = await openRoom(drill, from, room);
    return opened !== undefined;
  });
  return opened;
}

/** No front shows or finds a conference or the call that opened it. */
async function isOver(drill: Drill, { confid, path, call }: Room): Promise<void> {
  await drill.everywhere(path, expecting(404, { error_code: 1404 }), drill.noticedMs);
  await drill.everywhere(`${path}/participants`, expecting(404, { error_code: 1404 }));
  await drill.everywhere(call.path, expecting(404, { error_code: 1404 }));
  for (const key of [{ confid }, { dialogid: call.dialogid }, { inviteid: call.inviteid }]) {
    const lookup = { method: 'LOOKUP', body: key };
    await drill.everywhere(conferences, expecting(404, { error_code: 1404 }), drill.quickMs, lookup);
  }
  const lookup = { method: 'LOOKUP', body: { callid: call.acallid } };
  await drill.everywhere(calls, expecting(404, { error_code: 1404 }), drill.quickMs, lookup);
}

/** A conference with one participant is shown as it was, and found by its room. */
async function goesOn(drill: Drill, { path, confid, room, uri, confnumber, startts, call }: Room, of: SteadyUser) {
  const shown = { confid, confroomnum: room, confnumber, uri, startts };
  await drill.everywhere(path, expecting(200, shown), drill.noticedMs);
  await drill.everywhere(`${path}/participants?countonly`, expecting(200, { count: 1 }));
  await drill.everywhere(call.path, expecting(200, { inviteid: call.inviteid, status: 'dialog' }));
  const lookup = { method: 'LOOKUP', body: { dialogid: call.dialogid } };
  await drill.everywhere(conferences, exactly(200, [confid]), drill.quickMs, lookup);
  await drill.holds(0, `the phone of ${of.number} has its call`, () => drill.callsOf(of).length === 1);
}

/** The list has just these calls of these users. */
function callsAre(drill: Drill, users: readonly SteadyUser[], inviteids: readonly string[]): Judge {
  const uris = users.map(({ number }) => `<sip:${number}@${drill.domain}>`);
  return (answer) => {
    const own = itemsOf(answer).filter((item) => (item['uris'] as string[]).some((uri) => uris.includes(uri)));
    const found = own.map(({ inviteid }) => String(inviteid)).toSorted();
    const isRight = answer?.status === 200 && found.join() === inviteids.toSorted().join();
    return isRight ? undefined : `expected the calls ${inviteids.join()}, got ${found.join()} in ${textOf(answer)}`;
  };
}

async function inviteidOf(drill: Drill, { id }: SteadyUser): Promise<string> {
  const [call] = itemsOf(await drill.ask(`${calls}?${filterOf({ dialogid: await dialogidOf(drill, id) })}`));
  return String(call?.['inviteid']);
}

async function dialogidOf(drill: Drill, sipuserid: string): Promise<string> {
  const found = await drill.ask(calls, { method: 'LOOKUP', body: { sipuserid } });
  return String((found?.body as string[] | undefined)?.[0]);
}

interface Party {
  readonly user: SteadyUser;
  readonly participantid: string;
  readonly dialogid: string;
  readonly inviteid: string;
}

/** The b2b of one participant is lost: with its node, if no other participant depends on that. */
async function loseParticipant(drill: Drill, room: Room, { a, b, d }: Pick<Users, 'a' | 'b' | 'd'>): Promise<void> {
  const listed = itemsOf(await drill.ask(`${room.path}/participants`));
  const parties: Party[] = [{ user: d, participantid: String(listed[0]?.['participantid']), ...room.call }];
  for (const user of [a, b]) {
    const participantid = await callIn(drill, room, user.number, user.answerMs + drill.noticedMs);
    if (participantid === undefined) return;
    const dialogid = await dialogidOf(drill, user.id);
    parties.push({ user, participantid, dialogid, inviteid: await inviteidOf(drill, user) });
  }
  const choices = [...new Set(parties.map(({ dialogid }) => srvidxOf(dialogid)))].flatMap((number) => {
    const b2b = drill.context.map.instanceNamed(`b2b-${number}`);
    const [lost, stay] = parted(parties, ({ dialogid }) => srvidxOf(dialogid) === number);
    if (b2b === undefined || stay.length === 0) return [];
    return [{ b2b, lost, stay, withNode: isSpare(drill, b2b.node, neededBy(drill, room, stay)) }];
  });
  const choice = choices.find(({ withNode }) => withNode) ?? choices[0];
  if (choice === undefined) return;
  const { b2b, lost, stay, withNode } = choice;
  const ids = parties.map(({ participantid }) => participantid);
  if (!(await drill.everywhere(`${room.path}/topology`, hearing(allHear(ids))))) return;
  const judge = (sites: readonly string[]) => participantsLeft(drill, room, { lost, stay, sites });
  if (withNode) {
    const sites = sitesWithout(drill, b2b.node);
    await drill.without([b2b.node], () => judge(sites));
  } else {
    drill.crash(b2b);
    await judge(drill.sites);
    await drill.becomesWhole();
  }
  for (const { inviteid } of lost) await hasOneRecord(drill, { inviteid, type: 'dead' }, { withinMs: endedMs });
  const ended = await drill.ask(room.path, { site: drill.there, method: 'DELETE' });
  drill.expect(`DELETE of the conference at ${drill.there}`, ended, expecting(200, { confid: room.confid }));
  await drill.everywhere(room.path, expecting(404), endedMs);
}

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

async function participantsLeft(
  drill: Drill,
  { path, confid }: Room,
  { lost, stay, sites }: { lost: readonly Party[]; stay: readonly Party[]; sites: readonly string[] },
): Promise<void> {
  const withinMs = drill.noticedMs + drill.context.map.topology.timings.callGoneMs;
  const ids = stay.map(({ participantid }) => participantid);
  const see = (target: string, judge: Judge, ms = drill.quickMs) => drill.everywhere(target, judge, ms, { sites });
  await see(`${path}/topology`, hearing(allHear(ids)), withinMs);
  await see(`${path}/participants?countonly`, expecting(200, { count: ids.length }));
  for (const id of ids) await see(`${path}/participants/${id}`, expecting(200, { participantid: id, state: 'active' }));
  for (const { participantid } of lost)
    await see(`${path}/participants/${participantid}`, expecting(404, { error_code: 1404 }));
  await see(path, expecting(200, { confid }));
  const all = [...lost, ...stay].map(({ user }) => user);
  const left = stay.map(({ inviteid }) => inviteid);
  await see(calls, callsAre(drill, all, left), drill.noticedMs);
  for (const { dialogid } of lost) await see(`${calls}/${dialogid}`, expecting(404, { error_code: 1404 }));
  for (const { user } of stay)
    await drill.holds(0, `the phone of ${user.number} has its call`, () => drill.callsOf(user).length === 1);
}

/** The instances through which a conference and its participants go on. */
function neededBy(drill: Drill, { confid }: Room, stay: readonly Party[]): string[] {
  const b2bs = stay.map(({ dialogid }) => `b2b-${srvidxOf(dialogid)}`);
  return [`conf-${srvidxOf(confid)}`, ...b2bs, ...stay.flatMap(({ user }) => gatesOf(drill, user))];
}
