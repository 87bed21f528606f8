/** A b2b or conf instance crashes while the callstore that must end what the instance has is silent. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { over } from '../../use-cases/calls/call-judges.ts';
import type { SteadyUser } from '../../use-cases/kit/call.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectWhere, type KnownCall } from '../kit/known-call.ts';
import { gatesOf } from '../kit/nodes.ts';
import { freedUsers, hangUpAll, openRoom, type Room } from '../kit/rooms.ts';
import { silentNode } from '../kit/silence.ts';

const label = 'losses-unheard';
/** Digits of the room: others are those of clients, use cases and other drills. */
const room = '89';
const restartMs = 3_000;
/** Whether the others have noticed the silence when the instances crash, and when it ends. */
const courses = [
  { isEarly: true, isLong: true },
  { isEarly: true, isLong: false },
  { isEarly: false, isLong: true },
] as const;

export const lossesUnheard = drillOf({
  name: 'losses-unheard',
  rule: 'When b2b and conf instances crash while the node of the active callstore of their site is silent, before or after the others have noticed that, their calls and conferences are shown, listed and found at no front soon after another callstore serves, or the node goes on; each call has one record, of type dead, the same at each front.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; sites whose b2b instances are all on the node of the callstore; conferences in domains without rooms or with fewer than three such phones.',
  sender: '10.6.1.78',
  play: async (drill) => {
    const [a, b, c] = await freedUsers(drill, 3);
    if (a === undefined || b === undefined) return;
    for (const course of courses) if (!(await lose(drill, { pair: [a, b], guest: c, course }))) return;
  },
});

interface Loss {
  readonly pair: readonly [SteadyUser, SteadyUser];
  /** Who opens a conference, where there is a third user. */
  readonly guest: SteadyUser | undefined;
  readonly course: (typeof courses)[number];
}

/** Returns whether it was possible. */
async function lose(drill: Drill, { pair, guest, course }: Loss): Promise<boolean> {
  const { questions, map, statusOf } = drill.context;
  const begun = await begin(drill, pair);
  if (begun === undefined) return false;
  const { call, silent } = begun;
  // A call whose gate is silent for long ends before its b2b is lost.
  const gates = pair.flatMap((user) => gatesOf(drill, user)).map((name) => map.instanceNamed(name));
  const isReached = gates.every((gate) => gate?.site === silent.site && gate.node !== silent.node);
  if (!course.isEarly && !isReached) return true;
  const conference = guest && (await meet(drill, guest, silent.node));
  await questions.wait(drill.quickMs);
  const lost = [call.b2b, ...(conference === undefined ? [] : [conference.home])];
  await drill.paused([silent.node], async () => {
    if (!course.isEarly) await questions.wait(drill.noticedMs);
    for (const instance of lost) drill.crash(instance);
    // An instance starts again before the others can tell that it was gone.
    await questions.eventually(restartMs, () =>
      lost.filter((instance) => statusOf(instance) !== 'active').map(({ name }) => name),
    );
    if (course.isLong) await endsMeanwhile(drill, call, silent);
  });
  const withinMs = drill.patienceMs + map.topology.timings.callGoneMs;
  await known.isGone(drill, call, { withinMs });
  await known.hasRecord(drill, call, { type: 'dead', status: null });
  if (conference !== undefined) await drill.everywhere(conference.room.path, over, withinMs);
  // By itself a phone ends its call with the session timer.
  await hangUpAll(drill, [...pair, ...(guest === undefined ? [] : [guest])]);
  return true;
}

/** Another callstore of the site serves, where there is one, and ends the call. */
async function endsMeanwhile(drill: Drill, call: KnownCall, { node, site }: InstanceEntry): Promise<void> {
  await drill.context.questions.wait(drill.noticedMs);
  const silent = silentNode(drill, node);
  // What crosses a gateway that is silent is not known.
  const sites = silent?.sites.filter((each) => each === site || !silent.isGateway) ?? [];
  const mwares = (silent?.isGateway === true ? [site] : drill.sites).flatMap((each) => drill.activeOf('mware', each));
  const isServed = [drill.activeOf('callstore', site), mwares].every((all) => all.some((each) => each.node !== node));
  if (isServed && sites.length > 0) await known.isGone(drill, call, { withinMs: drill.quickMs, sites });
}

interface Begun {
  readonly call: KnownCall;
  readonly silent: InstanceEntry;
}

/** A call, and the callstore of its site, on another node. */
async function begin(drill: Drill, pair: Loss['pair']): Promise<Begun | undefined> {
  const silentOf = ({ b2b }: KnownCall) => {
    const [active] = drill.activeOf('callstore', b2b.site);
    return active?.node === b2b.node ? undefined : active;
  };
  const begun = (count: number) => ({ label, site: count % 2 === 0 ? drill.here : drill.there });
  const call = await connectWhere(drill, pair, begun, silentOf);
  const silent = call && silentOf(call);
  return call && silent && { call, silent };
}

interface Meeting {
  readonly room: Room;
  readonly home: InstanceEntry;
}

/** A conference of an instance on another node than this one. */
async function meet(drill: Drill, guest: SteadyUser, node: string): Promise<Meeting | undefined> {
  const opened = await openRoom(drill, guest, room);
  const home = opened && drill.ownerOf('conf', opened.confid);
  return opened === undefined || home === undefined || home.node === node ? undefined : { room: opened, home };
}
