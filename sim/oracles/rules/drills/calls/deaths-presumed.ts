/** A callstore is cut from the b2b instance of a call, which it takes for dead. The call ends meanwhile by BYE, or goes on. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { records } from '../../use-cases/kit/paths.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import * as known from '../kit/known-call.ts';
import { connectWhere, type KnownCall } from '../kit/known-call.ts';
import { gatesOf } from '../kit/nodes.ts';

const label = 'deaths-presumed';

export const deathsPresumed = drillOf({
  name: 'deaths-presumed',
  rule: 'When a callstore of a group does not reach the b2b instance of calls for longer than callGoneMs, while another member does, and phones hang up one of them before that and one after, each has one record when all is whole again, the same at each front: that of its end, with type bye and the time until then. A call that goes on is shown at each front as it was, and its record is that of its end as well.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; sites without two callstores, or whose other nodes have no b2b and gates of their own.',
  sender: '10.6.1.72',
  play: async (drill) => {
    const [a, b, c, d] = await steadyUsers(drill, 4);
    if (a === undefined || b === undefined) return;
    await presume(drill, [a, b], c === undefined || d === undefined ? undefined : [c, d]);
  },
});

type Pair = readonly [SteadyUser, SteadyUser];

interface Cut {
  readonly call: KnownCall;
  readonly from: InstanceEntry;
}

async function presume(drill: Drill, pair: Pair, other: Pair | undefined): Promise<void> {
  const { questions, map, now } = drill.context;
  const users = [...pair, ...(other ?? [])];
  const found = await begin(drill, pair, users);
  if (found === undefined) return;
  const { call: ends, from } = found;
  const stays = other && (await sameB2b(drill, other, ends.b2b));
  const endpoint = drill.phonesOf(pair[0])[0]?.endpoint;
  const last = stays && drill.phonesOf(stays.pair[1])[0]?.endpoint;
  // In one of two runs it is hung up after it was presumed dead, and not when all is whole.
  const late = drill.drawn % 2 === 0 ? last : undefined;
  if (endpoint === undefined) return;
  const { callGoneMs } = map.topology.timings;
  await questions.wait(drill.quickMs);
  let [hungUpMs, lateMs] = [0, 0];
  await drill.during(
    (faults) => faults.cut({ from: ends.b2b.node, to: from.node }),
    async () => {
      // Before it is presumed dead, so that the presumption is the later one.
      hungUpMs = now();
      questions.hangUp({ endpoint, callid: ends.acallid });
      await questions.wait(drill.noticedMs + callGoneMs);
      if (stays === undefined || late === undefined) return;
      lateMs = now();
      questions.hangUp({ endpoint: late, callid: stays.bcallid });
      await questions.wait(drill.quickMs);
    },
  );
  await known.isGone(drill, ends, { withinMs: drill.patienceMs });
  await isEnd(drill, ends, hungUpMs);
  if (stays === undefined || last === undefined) return;
  if (late === undefined) {
    await known.goesOn(drill, stays, { withinMs: drill.patienceMs });
    lateMs = now();
    questions.hangUp({ endpoint: last, callid: stays.bcallid });
  }
  await known.isGone(drill, stays);
  await isEnd(drill, stays, lateMs);
}

/** The record says that it ended then, by BYE. */
async function isEnd(drill: Drill, call: KnownCall, atMs: number): Promise<void> {
  await known.hasRecord(drill, call, { type: 'bye' });
  if (!drill.areClocksRight) return;
  const record = await drill.ask(`${records}/${call.inviteid}`);
  drill.expect(`the end of ${call.inviteid}`, record, (answer) => {
    const { endts, answerts, talkms } = (answer?.body ?? {}) as Record<string, number>;
    const isRight =
      Number(endts) >= atMs - 5 && Number(endts) <= atMs + drill.quickMs && talkms === Number(endts) - Number(answerts);
    return isRight ? undefined : `expected the end at ${atMs}, got ${endts}, answered at ${answerts}, talk ${talkms}`;
  });
}

/** A call, and the callstore of its site that is to be cut from its b2b. */
async function begin(drill: Drill, pair: Pair, users: readonly SteadyUser[]): Promise<Cut | undefined> {
  // A callstore that reaches a majority of the nodes of its site serves on.
  const nodesAt = (site: string) => drill.context.map.site(site).nodes.length;
  const sites = drill.sites.toSorted((one, other) => nodesAt(other) - nodesAt(one));
  const siteOf = (count: number) => sites[Math.floor(count / 2) % sites.length] ?? drill.here;
  const fromOf = ({ b2b }: KnownCall) => cuttable(drill, b2b, users);
  const call = await connectWhere(drill, pair, (count) => ({ label, site: siteOf(count) }), fromOf);
  const from = call && fromOf(call);
  return call && from && { call, from };
}

function cuttable(drill: Drill, b2b: InstanceEntry, users: readonly SteadyUser[]): InstanceEntry | undefined {
  const { map } = drill.context;
  const [active] = drill.activeOf('callstore', b2b.site);
  const all = map.serving('callstore', b2b.site, drill.domain);
  const gates = users.flatMap((user) => gatesOf(drill, user));
  // What a gate of another site sends comes through a gateway of this one.
  const isGateway = map.node(active?.node ?? b2b.node).instances.some(({ role }) => role === 'rpco');
  const isNeeded = gates.some((name) => {
    const gate = map.instanceNamed(name);
    return gate?.node === active?.node || (isGateway && gate?.site !== b2b.site);
  });
  const hasOther = all.some(({ node }) => node !== active?.node);
  return active === undefined || active.node === b2b.node || isNeeded || !hasOther ? undefined : active;
}

/** A second call of the instance. */
function sameB2b(drill: Drill, pair: Pair, b2b: InstanceEntry): Promise<KnownCall | undefined> {
  return connectWhere(
    drill,
    pair,
    () => ({ label, site: b2b.site }),
    (call) => call.b2b === b2b,
  );
}
