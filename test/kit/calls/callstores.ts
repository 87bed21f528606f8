/** A cluster whose callstores are real and whose b2b a test plays: the site north, with two of either. */
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import type { RoleScope } from '../../../src/cluster/role.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import type { AskType, BodyOf, ReplyOf } from '../../../src/model/protocol/catalogue.ts';
import type { ShownCdr } from '../../../src/model/protocol/messages/callstore.ts';
import { topologySchema } from '../../../src/model/topology/schema.ts';
import { createCallstore } from '../../../src/roles/callstore/callstore.ts';
import { ProbedCluster } from '../cluster/probed-cluster.ts';
import { acme, PlayedB2b } from './played-calls.ts';

/** `a1` to `a3`: each with a b2b (11, 21, 31); callstores 12 and 22 are a group, in this order; 33 only asks. */
export const callMap = new ClusterMap(
  topologySchema.parse({
    name: 'calls',
    sites: [
      {
        name: 'north',
        type: 'master_communication',
        domains: ['root.test'],
        nodes: [1, 2, 3].map((n) => ({
          name: `a${n}`,
          ip: `10.0.0.${n}`,
          instances: [
            { role: 'rpco', srvidx: 10 * n, order: n },
            { role: 'b2b', srvidx: 10 * n + 1 },
            ...(n < 3 ? [{ role: 'callstore', srvidx: 10 * n + 2, group: 1, order: n }] : []),
            { role: 'ws', srvidx: 10 * n + 3 },
          ],
        })),
      },
    ],
    domains: [{ name: 'root.test' }, { name: acme }],
  }),
);

export const members = ['callstore-12', 'callstore-22'] as const;
export const b2bs = ['b2b-11', 'b2b-21', 'b2b-31'] as const;

export class CallstoreCluster {
  readonly probed: ProbedCluster;
  readonly #b2bs = new Map<string, PlayedB2b>();

  #stores: SimulatedStores | undefined;

  private constructor(seed: number) {
    const play = (scope: RoleScope) => {
      const b2b = new PlayedB2b(scope);
      this.#b2bs.set(scope.instance.name, b2b);
      return b2b.role;
    };
    const store = (scope: RoleScope) => {
      const random = new SeededRandom(seed).stream('faults');
      this.#stores ??= new SimulatedStores({ clock: this.probed.clock, random });
      return createCallstore(scope, this.#stores.of(scope.instance.node));
    };
    this.probed = new ProbedCluster({ map: callMap, seed, roles: { b2b: play, callstore: store } });
  }

  static async start(seed = 1): Promise<CallstoreCluster> {
    const cluster = new CallstoreCluster(seed);
    await cluster.probed.start();
    return cluster;
  }

  get nowMs(): number {
    return this.probed.clock.now();
  }

  pass(ms = 100): Promise<void> {
    return this.probed.pass(ms);
  }

  crashNode(name: string): void {
    this.probed.faults.crashNode(name);
    this.#stores?.crash(name);
  }

  /** How long each write of a node takes from now on. */
  slowStore(node: string, latencyMs: number): void {
    this.#stores?.setLatency(node, latencyMs);
  }

  /** The b2b of a name, in its present life. */
  b2b(name: string): PlayedB2b {
    const b2b = this.#b2bs.get(name);
    if (b2b === undefined) throw new Error(`${name} has not started`);
    return b2b;
  }

  /** What the active callstore is, as the node of the asker sees it. */
  active(by = 'ws-33'): string | undefined {
    const { view, map } = this.probed.scope(by);
    return map.instancesOf('callstore').find((each) => view.statusOf(each) === 'active')?.name;
  }

  async ask<T extends AskType>(to: string, type: T, body: BodyOf<T>, by = 'ws-33'): Promise<ReplyOf<T>> {
    const address = callMap.instanceNamed(to)?.address as string;
    const { value: outcome } = await this.probed.comes(this.probed.scope(by).ask(address, type, body));
    if (!outcome.ok) throw new Error(`${to} ${type}: ${outcome.fault.code} ${outcome.fault.message}`);
    return outcome.value;
  }

  /** The live calls that a callstore shows. */
  async live(to: string, domain = acme): Promise<string[]> {
    const { dialogs } = await this.ask(to, 'callstore.list', { domain, params: [] });
    return dialogs.map(({ dialogid }) => dialogid);
  }

  async records(to: string, domain = acme): Promise<ShownCdr[]> {
    const { records } = await this.ask(to, 'callstore.records', { domain, params: [['limit', '100000']] });
    return records;
  }
}
