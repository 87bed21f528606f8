/** A conf instance is cut from the b2b of the only participant of its conference: for a moment, and later for longer. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { listingIds, roomNumberOf } from '../../use-cases/conferences/rooms.ts';
import { endedMs, type SteadyUser } from '../../use-cases/kit/call.ts';
import { calls, conferences } from '../../use-cases/kit/paths.ts';
import { expecting, filterOf } from '../../use-cases/kit/use-case.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { hasOneRecord, isGone } from '../kit/known-call.ts';
import { gatesOf } from '../kit/nodes.ts';
import { freedUsers, hangUpAll, openRoom, type Room } from '../kit/rooms.ts';

/** Digits of rooms: others are those of clients, use cases and other drills. */
const rooms = ['71', '72', '73', '74', '75', '76'];

export const cutsRepeated = drillOf({
  name: 'cuts-repeated',
  rule: 'When the nodes of a conference and of the b2b of its participant are cut from each other for a moment that is shorter than callGoneMs allows, the conference goes on, as each front shows; when they are cut from each other once more, for longer, the participant leaves, its phone is free if its b2b reaches it, and the conference ends: no front shows or finds it or its call, which has one record, and its room opens anew.',
  exclusions:
    'Domains without rooms, or with no phone that is registered and answers; topologies in which no room has its conf and b2b on two nodes; clusters that notice a loss no sooner than a call ends by it.',
  sender: '10.6.1.73',
  play: async (drill) => {
    const [user] = await freedUsers(drill, 1);
    const { callGoneMs, pingIntervalMs } = drill.context.map.topology.timings;
    if (roomNumberOf(drill, '') === undefined || user === undefined || callGoneMs < pingIntervalMs) return;
    for (const room of rooms) if (await isJudged(drill, user, room)) break;
  },
});

/** Returns whether the conference has lasted until the second cut. */
async function isJudged(drill: Drill, user: SteadyUser, room: string): Promise<boolean> {
  const { questions, map } = drill.context;
  const opened = await openRoom(drill, user, room);
  if (opened === undefined) return true;
  const conf = drill.ownerOf('conf', opened.confid);
  const b2b = drill.ownerOf('b2b', opened.call.dialogid);
  const isAt = conf !== undefined && b2b !== undefined && conf.node !== b2b.node;
  if (!isAt) return end(drill, user, opened);
  const { pingIntervalMs, pingMisses, callGoneMs } = map.topology.timings;
  // Whether a loss is noticed at all, before the cut is over, is chance.
  for (const intervals of drill.turned([0, 0.5, 1.2])) {
    const noticedMs = intervals * pingIntervalMs;
    // A loss is noticed up to an interval sooner, and its end up to an interval later.
    const mayEnd = noticedMs + 2 * pingIntervalMs > callGoneMs;
    await drill.during(
      (faults) => faults.cut(between(conf, b2b)),
      () => questions.wait(pingIntervalMs * pingMisses + noticedMs),
    );
    await questions.wait(callGoneMs);
    if (mayEnd && (await drill.ask(opened.path))?.status === 404) return end(drill, user, opened);
    const shown = expecting(200, { confid: opened.confid, startts: opened.startts });
    await drill.everywhere(opened.path, shown);
    await drill.everywhere(`${opened.path}/participants?countonly`, expecting(200, { count: 1 }));
  }
  const isFree = () => drill.callsOf(user).length === 0;
  // A phone that its b2b does not reach meanwhile has the call until its session is over.
  const isReached = gatesOf(drill, user).every((name) => {
    const gate = map.instanceNamed(name);
    return gate?.site === b2b.site && gate.node !== conf.node;
  });
  await drill.during(
    (faults) => faults.cut(between(conf, b2b)),
    async () => {
      const withinMs = drill.noticedMs + callGoneMs;
      if (isReached) await drill.holds(withinMs, `the phone of ${user.number} has left ${opened.confid}`, isFree);
      else await questions.wait(withinMs);
    },
  );
  // A leg whose BYE reached no phone ends when the BYE is given up.
  await isOver(drill, opened, isReached ? drill.quickMs : endedMs);
  await again(drill, user, opened);
  return true;
}

function between(conf: InstanceEntry, b2b: InstanceEntry) {
  return conf.site === b2b.site ? { from: conf.node, to: b2b.node } : { from: conf.site };
}

async function isOver(drill: Drill, { confid, path, room, call }: Room, withinMs: number): Promise<void> {
  const missing = expecting(404, { error_code: 1404 });
  await drill.everywhere(path, missing, withinMs);
  await drill.everywhere(`${path}/participants`, missing);
  await drill.everywhere(`${conferences}?${filterOf({ confroomnum: room })}`, listingIds([], 'confid'));
  for (const body of [{ confid }, { dialogid: call.dialogid }])
    await drill.everywhere(conferences, missing, drill.quickMs, { method: 'LOOKUP', body });
  await isGone(drill, call, { withinMs });
  await hasOneRecord(drill, { inviteid: call.inviteid }, { withinMs: drill.patienceMs });
}

/** The room opens anew, with one participant. */
async function again(drill: Drill, user: SteadyUser, { room, confid }: Room): Promise<void> {
  if (!(await drill.willing()).includes(user.number)) return;
  const opened = await openRoom(drill, user, room);
  drill.expect(`room ${room} after its conference was lost`, undefined, () =>
    opened !== undefined && opened.confid !== confid ? undefined : `a call leads to ${opened?.confid}`,
  );
  if (opened === undefined) return;
  await drill.everywhere(`${conferences}?${filterOf({ confroomnum: room })}`, listingIds([opened.confid], 'confid'));
  await drill.everywhere(`${opened.path}/participants?countonly`, expecting(200, { count: 1 }));
}

async function end(drill: Drill, user: SteadyUser, { path, call }: Room): Promise<false> {
  await drill.ask(path, { method: 'DELETE' });
  await drill.everywhere(path, expecting(404), drill.patienceMs);
  await drill.everywhere(`${calls}/${call.dialogid}`, expecting(404), drill.patienceMs);
  await hangUpAll(drill, [user]);
  return false;
}
