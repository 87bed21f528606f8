/** Rooms of conferences, their participants, and how drills leave them. */

import { roomNumberOf } from '../../use-cases/conferences/rooms.ts';
import { connect, endedMs, type OwnCall, type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { conferences, selectors } from '../../use-cases/kit/paths.ts';
import { filterOf, type Item, itemsOf } from '../../use-cases/kit/use-case.ts';
import type { Drill } from './drill.ts';

export interface Room {
  readonly room: string;
  readonly number: string;
  readonly confid: string;
  readonly path: string;
  readonly uri: unknown;
  readonly confnumber: unknown;
  readonly startts: unknown;
  /** The call that opened it. */
  readonly call: OwnCall;
}

/** Connects a user to a room, and returns the conference that this has opened; `undefined` where the call failed. */
export async function openRoom(drill: Drill, from: SteadyUser, room: string): Promise<Room | undefined> {
  const number = roomNumberOf(drill, room) ?? room;
  const call = await connect(drill, { from: from.number, to: number });
  if (call === undefined) return undefined;
  const [item] = itemsOf(await drill.ask(`${conferences}?${filterOf({ confroomnum: room })}`));
  const confid = item?.['confid'];
  if (typeof confid !== 'string') return undefined;
  const { uri, confnumber, startts } = item as Item;
  return { room, number, confid, path: `${conferences}/${confid}`, uri, confnumber, startts, call };
}

/** The srvidx in the id of a conference or call: that of the instance that has it. */
export function srvidxOf(id: string): number {
  return Number(id.split('-')[0]);
}

/** Has a number called into a conference. Returns the id of its participant; `undefined` if it does not become active. */
export async function callIn(drill: Drill, { path }: Room, to: string, withinMs: number): Promise<string | undefined> {
  const added = await drill.ask(`${path}/participants`, { method: 'POST', body: { to } });
  const { participantid } = (added?.body ?? {}) as Item;
  if (typeof participantid !== 'string') return undefined;
  const isActive = async () =>
    ((await drill.ask(`${path}/participants/${participantid}`))?.body as Item | undefined)?.['state'] === 'active';
  const wrong = await drill.context.questions.eventually(withinMs, async () => ((await isActive()) ? [] : ['later']));
  return wrong.length === 0 ? participantid : undefined;
}

/** Each hears all others. */
export function allHear(ids: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(ids.map((id) => [id, ids.filter((other) => other !== id)]));
}

export interface MeetingPlan {
  readonly path: string;
  /** The paths of its participants, in the order of the users. */
  readonly members: readonly string[];
}

/** Plans a selector meeting of speakers that is not enabled yet, and is removed afterwards. */
export async function planMeeting(
  drill: Drill,
  body: Item,
  users: readonly SteadyUser[],
): Promise<MeetingPlan | undefined> {
  const planned = await drill.make(selectors, { topology_mode: 'direct', ...body, enabled: false });
  if (planned === undefined) return undefined;
  const participants = `${planned.path}/participants`;
  const members: string[] = [];
  for (const { number } of users) {
    const participant = { number, topology_type: 'speaker', recall: false };
    const added = await drill.ask(participants, { method: 'POST', body: participant });
    if (added?.status !== 200) return undefined;
    members.push(`${participants}/${String((added.body as Item)['id'])}`);
  }
  return { path: planned.path, members };
}

/** Steady users whose phones hang up afterwards what they have still, which the platform may not know. */
export async function freedUsers(drill: Drill, most: number): Promise<SteadyUser[]> {
  const users: SteadyUser[] = [];
  drill.afterwards(() => hangUpAll(drill, users));
  users.push(...(await steadyUsers(drill, most)));
  return users;
}

/** The phones of users hang up what they have still. */
export async function hangUpAll(drill: Drill, users: readonly SteadyUser[]): Promise<void> {
  const { questions } = drill.context;
  await questions.eventually(endedMs, () => {
    const phones = users.flatMap((user) => drill.phonesOf(user));
    const open = phones.flatMap(({ endpoint, calls }) => calls.map(({ callid }) => ({ endpoint, callid })));
    for (const call of open) questions.hangUp(call);
    return open.map(({ callid }) => callid);
  });
}
