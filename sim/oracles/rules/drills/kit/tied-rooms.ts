/** Two conf instances look for the home of one room at once, and by their clocks at the same moment. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { roomNumberOf } from '../../use-cases/conferences/rooms.ts';
import { place } from '../../use-cases/dialogs/phone-calls.ts';
import { directedUsers, endedMs, type SteadyUser, uriOf } from '../../use-cases/kit/call.ts';
import { conferences } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf, type Item, itemsOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';
import { gatesOf, sitesWithout } from './nodes.ts';
import { hangUpAll, openRoom } from './rooms.ts';

/** Digits of rooms: others are those of clients, use cases and other drills. */
const rooms = ['61', '62', '63', '64', '65', '66', '67', '68'];
/** Of each question for a room: an instance looks for it still when the other one begins to. An answer that waits for another one comes in time. */
const lateMs = 150;
/** The phones have the end of their calls; less than the three seconds for which an instance knows a conference that is over. */
const overMs = 500;
const enteredMs = 4_000;

/**
 * A room is opened while the node of its home does not run, so that another instance has it, and knows that callers are sent on to it.
 * When it has ended, one caller calls the room, and one the conference by its id: both instances look for its home. The clock of a third
 * instance is ahead, and both have heard its time: a question comes with a later time than all that were heard (Lamport), so that both
 * have the same one. Returns whether a clock was set.
 */
export async function enterTiedRoom(drill: Drill, aheadMs: number): Promise<boolean> {
  const [a, b] = await directedUsers(drill, 2);
  const confs = [...drill.context.map.sites.keys()].flatMap((site) => drill.activeOf('conf', site));
  const nodes = new Set(confs.map(({ node }) => node));
  if (a === undefined || b === undefined || roomNumberOf(drill, '') === undefined || nodes.size < 3) return false;
  const isSet = await tie(drill, { users: [a, b], confs, aheadMs });
  await hangUpAll(drill, [a, b]);
  return isSet;
}

interface Tying extends Pick<Tie, 'users'> {
  readonly confs: readonly InstanceEntry[];
  readonly aheadMs: number;
}

async function tie(drill: Drill, { users, confs, aheadMs }: Tying): Promise<boolean> {
  const [a, b] = users;
  const homes = await homesOf(drill, a);
  const gates = [a, b]
    .flatMap((user) => gatesOf(drill, user))
    .map((name) => drill.context.map.instanceNamed(name)?.node);
  const found = [...homes].find(
    ([{ node }]) => !gates.includes(node) && sitesWithout(drill, node).includes(drill.here),
  );
  if (found === undefined) return false;
  const [home, room] = found;
  await drill.without([home.node], async () => {
    await drill.context.questions.wait(drill.noticedMs);
    await enters(drill, b, numberOf(drill, room));
  });
  const [confid] = await conferencesOf(drill, room);
  const owner = confid === undefined ? undefined : drill.ownerOf('conf', confid);
  if (confid === undefined || owner === undefined || !(await enters(drill, a, numberOf(drill, room)))) return false;
  const third = [...homes].find(([{ node }]) => node !== home.node && node !== owner.node);
  if (third === undefined || owner.node === home.node) return false;
  await drill.everywhere(`${conferences}/${confid}/participants?countonly`, expecting(200, { count: 2 }));
  await hangUpAll(drill, [a]);
  const asked = confs.map(({ name }) => name);
  await drill.duringAll(
    ['clock', 'questions'],
    (faults, each) =>
      each === 'clock'
        ? faults.skew(third[0].node, aheadMs)
        : faults.delay({ from: asked, to: '*', messages: ['conference.find'] }, lateMs),
    () => enterAtOnce(drill, { users, room, confid, heard: third[1] }),
  );
  return true;
}

interface Tie {
  readonly users: readonly [SteadyUser, SteadyUser];
  readonly room: string;
  /** The conference of the room that ends. */
  readonly confid: string;
  /** The room whose home has the clock that is ahead. */
  readonly heard: string;
}

async function enterAtOnce(drill: Drill, { users: [a, b], room, confid, heard }: Tie): Promise<void> {
  const { questions } = drill.context;
  if (!(await enters(drill, a, numberOf(drill, heard)))) return;
  await hangUpAll(drill, [a]);
  await drill.ask(`${conferences}/${confid}`, { method: 'DELETE' });
  await questions.wait(overMs);
  place(drill, a, numberOf(drill, room));
  place(drill, b, `conf-${confid}`);
  await questions.wait(enteredMs);
  const wrong = await questions.eventually(drill.patienceMs, async () => {
    const open = await conferencesOf(drill, room);
    const talking = [a, b].filter((user) => drill.callsOf(user).some(({ state }) => state === 'talking'));
    const path = `${conferences}/${open[0] ?? ''}/participants`;
    const inside = open.length === 1 ? itemsOf(await drill.ask(path)).map(({ ruri }) => String(ruri)) : [];
    const isRight = open.length === 1 && talking.every((user) => inside.includes(uriOf(drill, user)));
    return isRight ? [] : [`${open.length} conferences, with ${inside.join()} in it`];
  });
  drill.expect(`callers who enter room ${room} at two instances at once`, undefined, () => wrong[0]);
}

/** The instances that are homes of rooms, each with one of them. */
async function homesOf(drill: Drill, user: SteadyUser): Promise<ReadonlyMap<InstanceEntry, string>> {
  const homes = new Map<InstanceEntry, string>();
  for (const room of rooms) {
    if (homes.size === 3) break;
    const opened = await openRoom(drill, user, room);
    const home = opened && drill.ownerOf('conf', opened.confid);
    await hangUpAll(drill, [user]);
    const isKnown = [...homes.keys()].some(({ node }) => node === home?.node);
    if (home !== undefined && !isKnown) homes.set(home, room);
  }
  return homes;
}

function numberOf(drill: Drill, room: string): string {
  return roomNumberOf(drill, room) ?? room;
}

async function conferencesOf(drill: Drill, room: string): Promise<string[]> {
  const listed = itemsOf(await drill.ask(`${conferences}?${filterOf({ confroomnum: room })}`));
  return listed.map(({ confid }: Item) => String(confid));
}

/** The phone calls a number. Returns whether it is let in. */
async function enters(drill: Drill, user: SteadyUser, number: string): Promise<boolean> {
  if (place(drill, user, number) === undefined) return false;
  const wrong = await drill.context.questions.eventually(endedMs, () =>
    drill.callsOf(user).some(({ state }) => state === 'talking') ? [] : [number],
  );
  return wrong.length === 0;
}
