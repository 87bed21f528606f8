/**
 * A cluster in virtual time whose role instances are probes: a test asks and sends through them, decides what they
 * answer, and sees what they get. Nodes, links, stores and faults are those of the virtual world.
 */
import type { InspectionEvent } from 'xstate';
import { Faults } from '../../../sim/faults/faults.ts';
import { Journal } from '../../../sim/ports/journal.ts';
import { SimulatedNetwork } from '../../../sim/ports/network.ts';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { SimulatedStores } from '../../../sim/ports/store.ts';
import { VirtualClock } from '../../../sim/ports/virtual-clock.ts';
import { Cluster } from '../../../sim/world/cluster.ts';
import type { Node } from '../../../src/cluster/node.ts';
import type { Role, RoleScope } from '../../../src/cluster/role.ts';
import { composeProcess } from '../../../src/compose.ts';
import type { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { type Envelope, encode } from '../../../src/model/cluster/envelope.ts';
import { type RoleName, roleNames } from '../../../src/model/cluster/roles.ts';
import { done, type Outcome } from '../../../src/model/fault.ts';
import { catalogue } from '../../../src/model/protocol/catalogue.ts';
import type { Link } from '../../../src/ports/link.ts';
import type { Stores } from '../../../src/ports/store.ts';
import { roleToken, tokens } from '../../../src/tokens.ts';
import { defaultMap } from '../maps.ts';
import { idle, silentLog } from '../quiet.ts';

export interface ProbedClusterOptions {
  readonly map?: ClusterMap;
  readonly seed?: number;
  /** What a probe answers; default: an empty object. */
  readonly answer?: (envelope: Envelope, scope: RoleScope) => Outcome<unknown> | Promise<Outcome<unknown>> | undefined;
  /** What else a probe's role does. */
  readonly life?: (scope: RoleScope) => Partial<Role>;
  /** Receives XState's inspection events. */
  readonly inspect?: (event: InspectionEvent) => void;
  /** Roles that are real. `stores`: those of the node. */
  readonly roles?: { readonly [R in RoleName]?: (scope: RoleScope, stores: Stores) => Role<R> };
}

export class ProbedCluster {
  readonly map: ClusterMap;
  readonly clock = new VirtualClock(0);
  readonly cluster: Cluster;
  readonly faults: Faults;
  readonly journal: Journal;
  /** What the probes got, in order. */
  readonly received: { readonly by: string; readonly envelope: Envelope; readonly atMs: number }[] = [];
  readonly #network: SimulatedNetwork;
  readonly #scopes = new Map<string, RoleScope>();

  constructor({ map = defaultMap, seed = 1, ...options }: ProbedClusterOptions = {}) {
    const { answer = () => done({}), life = () => ({}), roles = {} } = options;
    const { clock } = this;
    const random = new SeededRandom(seed);
    this.map = map;
    this.journal = new Journal(clock, { keep: true });
    const onFrame = (from: string, to: string, frame: string) => this.journal.write(`frame ${from} ${to} ${frame}`);
    this.#network = new SimulatedNetwork({ map, clock, random: random.stream('network'), onFrame });
    const stores = new SimulatedStores({ clock, random: random.stream('faults') });
    const makeProbe = (scope: RoleScope, ofNode: Stores): Role => {
      this.#scopes.set(scope.instance.name, scope);
      const real = roles[scope.instance.role]?.(scope, ofNode);
      if (real !== undefined) return real as Role;
      const handle = (_body: unknown, envelope: Envelope) => {
        this.received.push({ by: scope.instance.name, envelope, atMs: clock.now() });
        return answer(envelope, scope);
      };
      const handlers = Object.fromEntries(Object.keys(catalogue).map((type) => [type, handle]));
      return { ...life(scope), handlers: handlers as unknown as Role['handlers'] };
    };
    const scope = composeProcess();
    scope.register(tokens.map, { useValue: map });
    if (options.inspect !== undefined) scope.register(tokens.inspect, { useValue: options.inspect });
    for (const role of roleNames) {
      scope.register(roleToken(role), {
        useFactory: (inner) => makeProbe(inner.resolve(tokens.scope), inner.resolve(tokens.stores)),
      });
    }
    this.cluster = new Cluster({
      map,
      clock,
      random,
      log: this.journal.log(silentLog),
      scope,
      portsOf: (node) => ({
        link: this.#network.linkOf(node),
        stores: stores.of(node),
        siteStores: stores.shared(`sites/${map.node(node).site}`, node),
        random: random.fork(node),
      }),
      onCrash: (node) => void stores.crash(node),
      wipe: (node) => stores.wipe(node),
    });
    this.faults = new Faults(this.cluster);
  }

  /** Starts nodes, by default all, and lets them find each other. */
  async start(nodes: Iterable<string> = this.map.nodes.keys()): Promise<void> {
    void this.cluster.start(nodes);
    await this.pass(5_000);
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    for (;;) {
      await idle();
      const nextMs = this.clock.nextDeadlineMs();
      if (nextMs === undefined || nextMs > untilMs) break;
      this.clock.advanceTo(nextMs);
    }
    this.clock.advanceTo(untilMs);
    await idle();
  }

  /** Waits for a promise while time passes; answers what came, and when. */
  async comes<T>(promise: Promise<T>, withinMs = 60_000): Promise<{ value: T; atMs: number }> {
    let came: { value: T; atMs: number } | undefined;
    void promise.then((value) => {
      came = { value, atMs: this.clock.now() };
    });
    const untilMs = this.clock.now() + withinMs;
    for (await idle(); came === undefined; await idle()) {
      const nextMs = this.clock.nextDeadlineMs();
      if (nextMs === undefined || nextMs > untilMs) throw new Error(`nothing came within ${withinMs} ms`);
      this.clock.advanceTo(nextMs);
    }
    return came;
  }

  node(name: string): Node {
    const node = this.cluster.node(name);
    if (node === undefined) throw new Error(`node ${name} does not run`);
    return node;
  }

  /** The scope of the probe that was made last for an instance, `role-srvidx`. */
  scope(name: string): RoleScope {
    const scope = this.#scopes.get(name);
    if (scope === undefined) throw new Error(`${name} has not started`);
    return scope;
  }

  address(name: string): string {
    return this.scope(name).instance.address;
  }

  /**
   * Plays a node that does not run: connects as it, answers pings so that it is found, and sends frames that it would
   * never send. `got`: what it was sent, but for what nodes tell each other of themselves.
   */
  async impersonate(node: string): Promise<{ send(peer: string, frame: string | Envelope): void; got: Envelope[] }> {
    const link: Link = this.#network.linkOf(node);
    const got: Envelope[] = [];
    const digest = { self: { incarnation: 1, instances: {} }, home: {}, sites: {} };
    const received = (peer: string, frame: string) => {
      const { id, type, from, to, body } = JSON.parse(frame) as Envelope;
      if (!type.startsWith('peer.')) got.push(JSON.parse(frame) as Envelope);
      if (type !== 'peer.ping') return;
      // One of its own frames may come back to it, as a gateway passes on what is for its node.
      const { seq } = (body ?? {}) as { readonly seq?: unknown };
      if (seq === undefined) return;
      const pong = { seq, version: '1.0', digest, found: 1 };
      link.send(peer, encode({ id, kind: 'tell', type: 'peer.pong', from: to, to: from, hops: 0, body: pong }));
    };
    await link.open({ received, connected: () => {}, disconnected: () => {} });
    await this.pass(2_000);
    const send = (peer: string, frame: string | Envelope) => {
      const refusal = link.send(peer, typeof frame === 'string' ? frame : encode(frame));
      if (refusal !== undefined) throw new Error(`${peer}: ${refusal}`);
    };
    return { send, got };
  }
}
