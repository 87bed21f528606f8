/** Whichever instance crashes, and whenever: each published call has one record in the end, at every member. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { b2bs, CallstoreCluster, members } from '../../kit/calls/callstores.ts';
import { acme } from '../../kit/calls/played-calls.ts';
import { runs as cases, holds } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

type Step =
  | { readonly do: 'begin' | 'crash b2b'; readonly b2b: number; readonly afterMs: number }
  | { readonly do: 'answer' | 'record' | 'end'; readonly call: number; readonly afterMs: number }
  | { readonly do: 'crash callstore' | 'crash node'; readonly member: number; readonly afterMs: number };

const afterMs = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 20, max: 2_000 }));
const b2b = fc.nat(2);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('begin' as const), b2b, afterMs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('answer' as const, 'record' as const, 'end' as const),
      call: fc.nat(20),
      afterMs,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash b2b' as const), b2b, afterMs }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('crash callstore' as const, 'crash node' as const),
      member: fc.nat(1),
      afterMs,
    }),
  },
);

interface PublishedCall {
  readonly at: string;
  readonly epoch: number;
  isOver: boolean;
  recordings: number;
}

/** Does the steps; answers the calls by dialogid. Crashes of callstores have a distance, so that one member knows the calls. */
async function play(cluster: CallstoreCluster, steps: readonly Step[]): Promise<Map<string, PublishedCall>> {
  const calls = new Map<string, PublishedCall>();
  const crashes = new Map<string, number>();
  let crashedMs = -Infinity;
  const isAlive = ({ at, epoch, isOver }: PublishedCall) =>
    !isOver && cluster.b2b(at).scope.epoch === epoch && runs(cluster, at);
  for (const each of steps) {
    await cluster.pass(each.afterMs);
    if (each.do === 'begin') {
      const at = b2bs[each.b2b] as string;
      if (!runs(cluster, at)) continue;
      calls.set(cluster.b2b(at).begin(), { at, epoch: cluster.b2b(at).scope.epoch, isOver: false, recordings: 0 });
    }
    if (each.do === 'answer' || each.do === 'record' || each.do === 'end') {
      const [dialogid, call] = [...calls][each.call % Math.max(1, calls.size)] ?? [];
      if (dialogid === undefined || call === undefined || !isAlive(call)) continue;
      cluster.b2b(call.at)[each.do](dialogid);
      call.isOver = each.do === 'end';
      if (each.do === 'record') call.recordings += 1;
    }
    if (each.do === 'crash b2b') crash(cluster, b2bs[each.b2b] as string, crashes);
    if ((each.do === 'crash callstore' || each.do === 'crash node') && cluster.nowMs - crashedMs > 6_000) {
      crashedMs = cluster.nowMs;
      if (each.do === 'crash callstore') crash(cluster, members[each.member] as string, crashes);
      else await crashNode(cluster, `a${each.member + 1}`);
    }
  }
  await cluster.pass(5);
  return calls;
}

/** An instance that crashes too often is given up. */
function crash(cluster: CallstoreCluster, name: string, crashes: Map<string, number>): void {
  const count = crashes.get(name) ?? 0;
  crashes.set(name, count + 1);
  if (count < 4) cluster.probed.faults.crashInstance(name);
}

async function crashNode(cluster: CallstoreCluster, node: string): Promise<void> {
  cluster.crashNode(node);
  await cluster.pass(700);
  void cluster.probed.faults.restartNode(node);
  await cluster.pass(4_000);
}

function runs(cluster: CallstoreCluster, name: string): boolean {
  const node = `a${Math.floor(Number(name.split('-')[1]) / 10)}`;
  return cluster.probed.cluster.node(node)?.instance(name)?.status === 'active';
}

test('each call has one record with its recordings at every member in the end, whichever instances crash meanwhile', (t) =>
  holds(
    t,
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(1_000), async (steps, seed) => {
      const cluster = await CallstoreCluster.start(seed);
      const calls = await play(cluster, steps);
      // Time to restart, to notice which instance is gone, and to compare records.
      await cluster.pass(70_000);
      const alive = b2bs.flatMap((name) => cluster.b2b(name).calls.map(({ dialogid }) => dialogid));
      const over = [...calls.keys()].filter((dialogid) => !alive.includes(dialogid)).sort();
      const active = cluster.active() as string;
      assert.deepEqual((await cluster.live(active)).sort(), alive.sort());
      const records = await cluster.records(active);
      assert.deepEqual(records.map(({ dialogid }) => dialogid).sort(), over);
      for (const { dialogid, type, recordings } of records) {
        assert.equal(recordings, calls.get(dialogid)?.recordings, dialogid);
        const wasEnded = calls.get(dialogid)?.isOver;
        assert.ok(type === 'dead' || wasEnded, `${dialogid} ${type}`);
      }
      // The other one serves: it has them all.
      cluster.crashNode(active === 'callstore-12' ? 'a1' : 'a2');
      await cluster.pass(6_000);
      const other = active === 'callstore-12' ? 'callstore-22' : 'callstore-12';
      const others = await cluster.records(other);
      const gone = alive.filter((dialogid) => dialogid.startsWith(active === 'callstore-12' ? '11-' : '21-'));
      const wanted = [...over, ...gone].sort();
      assert.deepEqual(others.map(({ dialogid }) => dialogid).sort(), wanted);
      for (const { dialogid, recordings } of others) {
        assert.equal(recordings, calls.get(dialogid)?.recordings, dialogid);
        const inviteid = `i-${dialogid}`;
        const kept = await cluster.ask(other, 'callstore.recordings', { domain: acme, inviteid });
        assert.equal(kept.recordings.length, recordings);
      }
    }),
    { numRuns: cases(3) },
  ));
