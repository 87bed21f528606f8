/** A conf instance answers nothing for some seconds: rooms of others open meanwhile, though each asks it whether it has them. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { roomNumberOf } from '../../use-cases/conferences/rooms.ts';
import { connect, endedMs, type SteadyUser } from '../../use-cases/kit/call.ts';
import { calls, conferences } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, itemsOf, type Judge, textOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { freedUsers, openRoom, type Room } from '../kit/rooms.ts';

/** Digits of rooms: others are those of clients, use cases and other drills. */
const rooms = ['86', '87', '88'];
/** How long a conf instance waits for the others to say that they do not have the room. */
const searchMs = 1_000;

export const roomsSilenced = drillOf({
  name: 'rooms-silenced',
  rule: 'When a conf instance answers nothing, callers of a room whose home is another one are let in within a second more than usual, all into one conference, the later ones as usual, and each front shows it. When the instance goes on, the conference is the only one of its room, with its participants, and new rooms open.',
  exclusions:
    'Domains without rooms, with fewer than three phones that are registered and answer, or with fewer than two conf instances.',
  sender: '10.6.1.62',
  play: async (drill) => {
    const [a, b, c] = await freedUsers(drill, 3);
    if (roomNumberOf(drill, '') === undefined || a === undefined || b === undefined || c === undefined) return;
    for (const room of rooms) if (await judged(drill, [a, b, c], room)) break;
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
