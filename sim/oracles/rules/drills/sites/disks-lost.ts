/** The disk of one callstore is lost, and the other member of its group has the records that were on it. */
import type { InstanceEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { limits } from '../../../../../src/model/limits.ts';
import { type SteadyUser, steadyUsers } from '../../use-cases/kit/call.ts';
import { homeOf } from '../kit/cut.ts';
import { type DeletedRecording, deleteFirst, leaves, recordTwice } from '../kit/deleted-recordings.ts';
import { type Drill, drillOf } from '../kit/drill.ts';
import { connectWhere, hasRecord, type KnownCall } from '../kit/known-call.ts';
import { isKeptElsewhere, isSpare, sitesWithout } from '../kit/nodes.ts';

/** A callstore has asked another one for its records by then, and given up. */
const askedMs = 10_000;

export const disksLost = drillOf({
  name: 'disks-lost',
  rule: 'When the disk of a node is lost, its callstore soon has again all records and recordings that the other member of its group has, also where it could not be sent them at first, and shows them when it serves alone; what was deleted stays deleted. The same when the other member was away while the disk was lost, also where it could not send them at first.',
  exclusions:
    'Domains with fewer than two phones that are registered and answer; sites without two callstores on nodes of which one may be lost; the only front.',
  sender: '10.6.1.102',
  play: async (drill) => {
    const [a, b] = await steadyUsers(drill, 2);
    const pair = pairOf(drill);
    if (a !== undefined && b !== undefined && pair !== undefined) await lose(drill, [a, b], pair);
  },
});

/** Two members of a group, one of which loses its disk: the active one, or the other one. */
interface Pair {
  readonly site: string;
  readonly loses: InstanceEntry;
  readonly stays: InstanceEntry;
}

function pairOf(drill: Drill): Pair | undefined {
  const { map } = drill.context;
  const pairs = drill.turned(drill.sites).flatMap((site) => {
    const [first, second, ...more] = map.serving('callstore', site, drill.domain);
    if (first === undefined || second === undefined || more.length > 0 || first.node === second.node) return [];
    if (!map.groupOf(first).includes(second)) return [];
    return [
      { site, loses: first, stays: second },
      { site, loses: second, stays: first },
    ];
  });
  const fit = pairs.filter(({ loses, stays }) => isKeptElsewhere(drill, loses.node) && isSpare(drill, stays.node, []));
  return fit[drill.drawn % Math.max(1, fit.length)];
}

async function lose(drill: Drill, users: readonly [SteadyUser, SteadyUser], pair: Pair): Promise<void> {
  const { questions, faults } = drill.context;
  const { site, loses, stays } = pair;
  const isHere = (call: KnownCall) => homeOf(drill, call) === site;
  const before = await connectWhere(drill, users, () => ({ label: 'disks-lost', site }), isHere);
  const recordings = before && isHere(before) && (await recordTwice(drill, before));
  if (!recordings) return;
  const deleted = await deleteFirst(drill, before, recordings);
  if (deleted === undefined) return;
  // A member that stands by compares its records with those of the other one by then.
  const compared = () => questions.wait(limits.compareMs + drill.quickMs);
  await compared();

  const losing = () =>
    faults.lose({ from: stays.node, to: loses.node, oneWay: true, messages: ['callstore.exchange'] }, 1);
  // What it asks the other one for does not come at first: it asks again.
  const { noticedMs } = drill;
  await drill.during(losing, async () => {
    await faults.wipeNode(loses.node);
    await questions.wait(noticedMs);
    await faults.restartNode(loses.node);
    await questions.wait(noticedMs + askedMs);
  });
  await compared();
  await showsAlone(drill, pair, { call: before, deleted });

  // The other member comes back to one that serves, and has nothing. What it sends that one does not come at first.
  await drill.during(
    () => {
      const lift = losing();
      faults.crashNode(stays.node);
      return async () => {
        await faults.restartNode(stays.node);
        await questions.wait(noticedMs + askedMs);
        lift();
      };
    },
    async () => {
      await questions.wait(noticedMs);
      await faults.wipeNode(loses.node);
      await faults.restartNode(loses.node);
      await questions.wait(noticedMs);
    },
  );
  await compared();
  await showsAlone(drill, pair, { call: before, deleted });
}

/** While the other node is away, the one that has lost its disk shows what both had. */
async function showsAlone(
  drill: Drill,
  { stays }: Pair,
  { call, deleted }: { call: KnownCall; deleted: DeletedRecording },
): Promise<void> {
  await drill.without([stays.node], async () => {
    await drill.context.questions.wait(drill.noticedMs);
    const sites = sitesWithout(drill, stays.node);
    await hasRecord(drill, call, { type: 'call_terminate' }, { sites });
    await leaves(drill, deleted, sites);
  });
}
