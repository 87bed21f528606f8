/** Whatever happens between a front and the callstores: each event reaches a subscription once, those of a source in order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { VirtualSocket } from '../../../sim/world/virtual/virtual-socket.ts';
import { acmeAdmin } from '../../kit/front.ts';
import { notificationsOn, SocketCluster } from '../../kit/http/sockets.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const b2bs = ['b2b-111', 'b2b-121', 'b2b-211', 'b2b-221'] as const;
/** At most one of a site crashes at a time: the other one has the events. */
const callstores = ['callstore-112', 'callstore-212'] as const;
const cuts = [
  { from: 'hq' },
  { from: 'n3' },
  { from: 'n1', to: 'n3' },
  { from: 'h1', to: 'n3', oneWay: true },
] as const;

type Step =
  | { readonly do: 'begin' | 'end'; readonly b2b: number; readonly afterMs: number }
  | { readonly do: 'crash'; readonly callstore: number; readonly afterMs: number }
  | { readonly do: 'cut' | 'lose' | 'double'; readonly cut: number; readonly afterMs: number }
  | { readonly do: 'mend' | 'come back'; readonly afterMs: number };

const afterMs = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 100, max: 4_000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('begin' as const, 'end' as const), b2b: fc.nat(3), afterMs }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), callstore: fc.nat(1), afterMs }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('cut' as const, 'lose' as const, 'double' as const),
      cut: fc.nat(cuts.length - 1),
      afterMs,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('mend' as const, 'come back' as const), afterMs }) },
);

/** Clients: one that stays, and one that comes back with its last cursor now and then. */
class Clients {
  readonly cluster: SocketCluster;
  readonly staying: VirtualSocket;
  /** Of the session of both, for at a site that is cut off no login succeeds. */
  readonly #token: string;
  #coming: VirtualSocket | undefined;
  #cursor: unknown;
  readonly got: unknown[] = [];

  private constructor(cluster: SocketCluster, staying: VirtualSocket, token: string) {
    this.cluster = cluster;
    this.staying = staying;
    this.#token = token;
  }

  static async start(cluster: SocketCluster): Promise<Clients> {
    const token = await cluster.fronts.token(acmeAdmin, 'north');
    const staying = await cluster.open(token);
    await cluster.subscribe(staying);
    return new Clients(cluster, staying, token);
  }

  async comeBack(): Promise<void> {
    this.leave();
    this.#coming = await this.cluster.open(this.#token);
    const { cursor, gap } = await this.cluster.subscribe(
      this.#coming,
      this.#cursor === undefined ? {} : { cursor: this.#cursor },
    );
    assert.equal(gap, undefined);
    this.#cursor ??= cursor;
  }

  leave(): void {
    if (this.#coming === undefined) return;
    const notifications = notificationsOn(this.#coming);
    this.got.push(...notifications.map(({ data }) => data['eventid']));
    this.#cursor = notifications.at(-1)?.cursor ?? this.#cursor;
    this.#coming.close();
    this.#coming = undefined;
  }
}

async function play(clients: Clients, steps: readonly Step[]): Promise<void> {
  const { cluster } = clients;
  const { faults } = cluster.world;
  const crashes = new Map<string, number>();
  for (const each of steps) {
    await cluster.wait(each.afterMs);
    if (each.do === 'begin') cluster.b2b(b2bs[each.b2b] as string).begin();
    if (each.do === 'end') {
      const b2b = cluster.b2b(b2bs[each.b2b] as string);
      const [call] = b2b.calls;
      if (call !== undefined) b2b.end(call.dialogid);
    }
    if (each.do === 'crash') {
      const name = callstores[each.callstore] as string;
      crashes.set(name, (crashes.get(name) ?? 0) + 1);
      if ((crashes.get(name) ?? 0) < 4) faults.crashInstance(name);
    }
    if (each.do === 'cut') faults.cut(cuts[each.cut] as (typeof cuts)[number]);
    if (each.do === 'lose') faults.lose(cuts[each.cut] as (typeof cuts)[number], 0.3);
    if (each.do === 'double') faults.duplicate(cuts[each.cut] as (typeof cuts)[number], 0.3);
    if (each.do === 'mend') faults.mend();
    if (each.do === 'come back') await clients.comeBack();
  }
}

/** Drawn once: a client comes back while two cuts overlap, and its site reaches no directory. */
const cutOffTwice: Step[] = [
  { do: 'cut', cut: 1, afterMs: 0 },
  { do: 'cut', cut: 0, afterMs: 1_400 },
  { do: 'come back', afterMs: 2_522 },
];

test('each event reaches a subscription once and in order, across failovers, cuts, losses, doublings and returns', (t) =>
  holds(
    t,
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const cluster = await SocketCluster.start();
      const clients = await Clients.start(cluster);
      await clients.comeBack();
      await play(clients, steps);
      cluster.world.faults.mend();
      await cluster.wait(40_000);
      await clients.comeBack();
      await cluster.wait(3_000);
      clients.leave();
      const wanted = b2bs.map((name) => cluster.eventsOf(name));
      for (const got of [notificationsOn(clients.staying).map(({ data }) => data['eventid']), clients.got]) {
        assert.equal(new Set(got).size, got.length);
        for (const ids of wanted) {
          assert.deepEqual(
            got.filter((id) => ids.includes(id)),
            ids,
          );
        }
      }
    }),
    { numRuns: runs(2), examples: [[cutOffTwice]] },
  ));
