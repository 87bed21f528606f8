/**
 * A conf instance answers nothing for some seconds: rooms of others open meanwhile, though each asks it whether it has them. And callers
 * hang up while the instances answer late.
 */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { exactly } from '../../use-cases/calls/call-judges.ts';
import { roomNumberOf } from '../../use-cases/conferences/rooms.ts';
import { place } from '../../use-cases/dialogs/phone-calls.ts';
import { connect, endedMs, type SteadyUser, uriOf } from '../../use-cases/kit/call.ts';
import { EventClient } from '../../use-cases/kit/event-client.ts';
import { calls, conferences } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { isOver } from '../kit/known-call.ts';
import { freedUsers, hangUpAll, openRoom, type Room } from '../kit/rooms.ts';

/** Digits of rooms: others are those of clients, use cases and other drills. */
const rooms = ['86', '87', '88'];
/** How long a conf instance waits for the others to say that they do not have the room. */
const searchMs = 1_000;
const leftRoom = '84';
/** Of each question for a room: it is looked for longer than its callers wait. */
const lateMs = 450;
const waitedMs = 250;

export const roomsSilenced = drillOf({
  name: 'rooms-silenced',
  rule: 'When a conf instance answers nothing, callers of a room whose home is another one are let in within a second more than usual, all into one conference, the later ones as usual, and each front shows it. When the instance goes on, the conference is the only one of its room, with its participants, and new rooms open. When the instances answer late, and a caller of a room hangs up, or a client ends its call, before it is let in, it leaves no conference and no event of one; another caller at that time is let in alone.',
  exclusions:
    'Domains without rooms, with fewer than three phones that are registered and answer, or with fewer than two conf instances.',
  sender: '10.6.1.62',
  play: async (drill) => {
    const [a, b, c] = await freedUsers(drill, 3);
    if (roomNumberOf(drill, '') === undefined || a === undefined || b === undefined || c === undefined) return;
    for (const room of rooms) if (await judged(drill, [a, b, c], room)) break;
    await leave(drill, [a, b]);
  },
});

type Three = readonly [SteadyUser, SteadyUser, SteadyUser];

/** Returns whether an instance could be silenced. */
async function judged(drill: Drill, [a, b, c]: Three, room: string): Promise<boolean> {
  const first = await openRoom(drill, a, room);
  if (first === undefined) return false;
  const home = drill.ownerOf('conf', first.confid);
  if (home === undefined || !(await end(drill, first, [a]))) return false;
  const [silent] = others(drill, home);
  if (silent === undefined) return false;
  const { faults } = drill.context;
  let opened: string | undefined;
  await drill.during(
    () => faults.hold({ from: silent.name, to: '*' }),
    async () => {
      const from = [drill.here, drill.there] as const;
      const came = await Promise.all(
        [a, b].map((user, index) => comesIn(drill, user, { room, mostMs: searchMs, site: from[index] ?? drill.here })),
      );
      if (came.includes(undefined)) return;
      await comesIn(drill, c, { room, mostMs: 0, site: drill.there });
      opened = await isOnly(drill, room, 3);
    },
  );
  if (opened === undefined) return true;
  const again = await isOnly(drill, room, 3);
  drill.expect(`the conference of room ${room}`, undefined, () =>
    again === opened ? undefined : `it was ${opened}, and is ${again}`,
  );
  const path = `${conferences}/${opened}`;
  drill.expect(`DELETE ${path}`, await drill.ask(path, { method: 'DELETE' }), expecting(200, { confid: opened }));
  await drill.everywhere(path, expecting(404), endedMs);
  await areFree(drill, [a, b, c]);
  // The instance that was silent answers again.
  const site = drill.there;
  await comesIn(drill, a, { room, mostMs: 0, site });
  await isOnly(drill, room, 1);
  return true;
}

function others(drill: Drill, home: InstanceEntry): readonly InstanceEntry[] {
  const all = [...drill.context.map.sites.keys()].flatMap((site) => drill.activeOf('conf', site));
  return drill.turned(all.filter(({ node }) => node !== home.node));
}

interface Coming {
  readonly room: string;
  /** Beside the time of a call without a search. */
  readonly mostMs: number;
  readonly site: string;
}

/** A user calls the room, and is let in in time. */
async function comesIn(drill: Drill, from: SteadyUser, { room, mostMs, site }: Coming): Promise<true | undefined> {
  const { now } = drill.context;
  const number = roomNumberOf(drill, room) ?? room;
  const beganMs = now();
  const call = await connect(drill, { from: from.number, to: number }, { site });
  const tookMs = now() - beganMs - from.answerMs;
  const isRight = drill.expect(`a call of ${from.number} to room ${room} at ${site}`, undefined, () =>
    call !== undefined && tookMs <= mostMs + drill.quickMs
      ? undefined
      : `${call === undefined ? 'not let in' : 'let in'} after ${tookMs} ms`,
  );
  return isRight || undefined;
}

/** Each front lists one conference of the room, with so many participants. Returns its id. */
async function isOnly(drill: Drill, room: string, participants: number): Promise<string | undefined> {
  let confid: string | undefined;
  const judge: Judge = (answer) => {
    const found = itemsOf(answer).map((item) => String(item['confid']));
    confid = found[0];
    return found.length === 1 ? undefined : `expected one conference of room ${room}, got ${textOf(answer)}`;
  };
  if (!(await drill.everywhere(`${conferences}?${filterOf({ confroomnum: room })}`, judge))) return undefined;
  await drill.everywhere(`${conferences}/${confid}/participants?countonly`, expecting(200, { count: participants }));
  return confid;
}

async function end(drill: Drill, { path, call }: Room, users: readonly SteadyUser[]): Promise<boolean> {
  await drill.ask(path, { method: 'DELETE' });
  const isOver = await drill.everywhere(path, expecting(404), endedMs);
  await drill.everywhere(`${calls}/${call.dialogid}`, expecting(404), endedMs);
  return isOver && (await areFree(drill, users));
}

function areFree(drill: Drill, users: readonly SteadyUser[]): Promise<boolean> {
  const what = `the phones of a conference that was ended hang up`;
  return drill.holds(endedMs, what, () => users.every((user) => drill.callsOf(user).length === 0));
}

/** Callers that do not wait until they are let in. */
async function leave(drill: Drill, [a, b]: readonly [SteadyUser, SteadyUser]): Promise<void> {
  const { questions } = drill.context;
  const asked = [...drill.context.map.sites.keys()].flatMap((site) => drill.activeOf('conf', site));
  if (new Set(asked.map(({ node }) => node)).size < 2) return;
  const number = roomNumberOf(drill, leftRoom) ?? leftRoom;
  await hangUpAll(drill, [a, b]);
  const events = await EventClient.open(drill);
  await events?.subscribe({ id: 'all', objects: 'any', events: ['confevents.*'], expires: 900 });
  const begun = () =>
    events?.eventsOf('all').filter(({ name, data }) => name.endsWith('.conf_start') && data['room'] === leftRoom) ?? [];
  const isNone = async (what: string, callid: string, count: number) => {
    await questions.wait(2 * searchMs);
    await drill.everywhere(`${conferences}?countonly&${ofRoom}`, expecting(200, { count }));
    await isOver(drill, callid, { users: [a], what });
    drill.expect(`conf_start of a room, after ${what}`, undefined, () =>
      begun().length === count ? undefined : `expected ${count}, got ${JSON.stringify(begun())}`,
    );
  };
  const hangsUp = async () => {
    const placed = place(drill, a, number);
    await questions.wait(waitedMs);
    if (placed !== undefined) questions.hangUp(placed);
    return placed;
  };
  await drill.during(
    (faults) => faults.delay({ from: asked.map(({ name }) => name), to: '*', messages: ['conference.find'] }, lateMs),
    async () => {
      const alone = await hangsUp();
      if (alone !== undefined) await isNone('a caller who hung up before it was let in', alone.callid, 0);
      const ended = place(drill, a, number);
      if (ended === undefined) return;
      await questions.wait(waitedMs);
      const found = await drill.ask(calls, { method: 'LOOKUP', body: { callid: ended.callid } });
      const [id] = Array.isArray(found?.body) ? found.body : [];
      if (id === undefined) questions.hangUp(ended);
      else await drill.ask(`${calls}/${String(id)}`, { method: 'DELETE' });
      await isNone('a call that a client ended before its caller was let in', ended.callid, 0);
      const other = place(drill, b, number);
      const first = await hangsUp();
      if (other === undefined || first === undefined) return;
      await isNone('a caller who hung up, where another one was let in', first.callid, 1);
      const [item] = itemsOf(await drill.ask(`${conferences}?${ofRoom}`));
      await drill.everywhere(
        `${conferences}/${String(item?.['confid'])}/participants?mask=ruri,state`,
        exactly(200, [{ ruri: uriOf(drill, b), state: 'active' }]),
      );
      questions.hangUp(other);
      await isOver(drill, other.callid, { users: [b], what: 'the only caller hung up' });
      await drill.everywhere(`${conferences}?countonly&${ofRoom}`, expecting(200, { count: 0 }));
    },
  );
}

const ofRoom = filterOf({ confroomnum: leftRoom });
