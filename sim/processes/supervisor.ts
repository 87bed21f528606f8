/**
 * The supervisor of the process of a node, as the node sees it: it has the network outside and the other systems of scripts, injects
 * faults at the ports of the node, and receives what is observed.
 */

import type { SipMessage } from '../../src/model/sip/message.ts';
import type { ClientAnswer, ClientRequest, Delivery } from '../../src/ports/http-client.ts';
import type { Outside, OutsideLine } from '../../src/ports/outside.ts';
import type { Observation, ObservationKind } from '../observation/observation.ts';
import type { ObservationSubscriptions } from '../observation/observers.ts';
import type { LiveWorld } from '../world/live.ts';
import type { OtherSystems } from '../world/world-scope.ts';
import { type FromNode, type InnerFault, type NodeViewReport, type Stamped, stampMs, type ToNode } from './messages.ts';

/** Intervals of the signs of life and of the census. */
const [aliveMs, censusMs] = [20, 250];

export class Supervisor {
  readonly #received = new Map<string, (message: SipMessage, from: string) => void>();
  /** Requests of scripts without an answer. */
  readonly #asked = new Map<string, (answer: ClientAnswer) => void>();
  #asks = 0;
  #subscriptions: ObservationSubscriptions = {};
  #stopObserving: () => void = () => {};
  #world: { readonly world: LiveWorld; readonly node: string } | undefined;
  #alive: NodeJS.Timeout | undefined;
  #view = '';
  #censusMs = 0;
  #onSubscribed: () => void = () => {};
  /** Faults that were injected before the world was there. */
  readonly #early: InnerFault[] = [];

  /** Resolves when the supervisor has said what it wants to observe; `undefined` without a supervisor. */
  static async connect(): Promise<Supervisor | undefined> {
    if (process.channel === undefined) return undefined;
    const supervisor = new Supervisor();
    await new Promise<void>((resolve) => {
      supervisor.#onSubscribed = resolve;
      process.on('message', (message) => supervisor.#receive(message as ToNode));
    });
    process.channel.unref();
    return supervisor;
  }

  /** The network outside, which the supervisor has. */
  readonly outside: Outside = {
    attach: (endpoint, received): OutsideLine => {
      this.#received.set(endpoint, received);
      this.#send({ type: 'edge.attached', endpoint });
      return {
        send: (to, message) => this.#send({ type: 'edge.sent', endpoint, to, message }),
        detach: () => {
          if (this.#received.get(endpoint) !== received) return;
          this.#received.delete(endpoint);
          this.#send({ type: 'edge.detached', endpoint });
        },
      };
    },
  };

  /** The systems to which scripts send, which the supervisor has: what they have received outlives the node. */
  readonly otherSystems: OtherSystems = {
    deliveries: { send: (request, delivery) => this.#ask(request, delivery) },
    sms: { send: (message) => this.#send({ type: 'sms.sent', message }) },
  };

  /** Streams what is observed in a world, of which this process runs one node. Call it before the world starts. */
  observe(world: LiveWorld, node: string): void {
    this.#world = { world, node };
    for (const fault of this.#early.splice(0)) this.#inject(fault);
    this.#subscribe();
    // At once: a node that is lost and found again between two reports was lost all the same.
    world.cluster.onChange(() => this.#reportView(world, node));
    this.#alive = setInterval(() => this.#report(), aliveMs);
    this.#alive.unref();
  }

  /** Sends the last observations. Resolves when they are written. */
  async end(): Promise<void> {
    clearInterval(this.#alive);
    this.#stopObserving();
    await new Promise<void>((resolve) => this.#sendObserved([], resolve));
  }

  #receive(message: ToNode): void {
    if (message.type === 'edge.received') return this.#received.get(message.endpoint)?.(message.message, message.from);
    if (message.type === 'inject') return this.#inject(message.fault);
    if (message.type === 'http.answered') {
      this.#asked.get(message.id)?.(message.answer);
      this.#asked.delete(message.id);
      return undefined;
    }
    this.#subscriptions = message.subscriptions;
    this.#subscribe();
    this.#onSubscribed();
    return undefined;
  }

  #ask(request: ClientRequest, { signature: _, ...delivery }: Delivery): Promise<ClientAnswer> {
    this.#asks += 1;
    const id = `${process.pid}-${this.#asks}`;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#send({ type: 'http.sent', id, request, delivery });
    });
  }

  #inject(fault: InnerFault): void {
    const cluster = this.#world?.world.cluster;
    if (cluster === undefined) this.#early.push(fault);
    else (cluster[fault.verb] as (...args: readonly unknown[]) => void).call(cluster, ...fault.args);
  }

  #subscribe(): void {
    if (this.#world === undefined) return;
    const { world } = this.#world;
    const before = this.#stopObserving;
    // At once, before the message that is observed leaves the node: a SIGKILL must not lose what others have seen of it.
    const listener = (observation: Observation) => this.#sendObserved([[stampMs(), observation]]);
    const wanted = Object.entries(this.#subscriptions) as [ObservationKind, 'all' | readonly string[]][];
    const stops = wanted.map(([kind, types]) =>
      world.observe<ObservationKind>(listener, { kinds: [kind], ...(types !== 'all' && { types }) }),
    );
    this.#stopObserving = () => {
      for (const stop of stops) stop();
    };
    before();
  }

  #report(): void {
    if (this.#world === undefined) return;
    const { world, node } = this.#world;
    this.#reportView(world, node);
    if (world.now() - this.#censusMs >= censusMs) this.#sendCensus(world);
    this.#sendObserved([]);
  }

  /** What the node sees of its cluster, if that has changed. */
  #reportView(world: LiveWorld, node: string): void {
    const fronts = Object.fromEntries(world.urls());
    const view = viewReportOf(world, node);
    const text = JSON.stringify({ view, fronts });
    if (text !== this.#view) this.#send({ type: 'view', fronts, ...(view !== undefined && { view }) });
    this.#view = text;
  }

  #sendCensus(world: LiveWorld): void {
    this.#censusMs = world.now();
    const census = world.cluster.census({ withDetails: true });
    this.#send({
      type: 'census',
      stampMs: stampMs(),
      census: census.map(({ of, counts }) => [of, Object.fromEntries(counts)]),
    });
  }

  #sendObserved(observations: readonly Stamped[], then?: () => void): void {
    this.#send({ type: 'observed', untilMs: stampMs(), observations }, then);
  }

  /** After the end of the supervisor nothing is sent: `endWithSupervisor` ends the process. */
  #send(message: FromNode, then: () => void = () => {}): void {
    if (process.connected) process.send?.(message, undefined, {}, () => then());
    else then();
  }
}

function viewReportOf({ cluster, map }: LiveWorld, name: string): NodeViewReport | undefined {
  const node = cluster.node(name);
  if (node === undefined || node.status === 'starting') return undefined;
  const { view, isReady } = node;
  const statuses = [...map.instances.values()].flatMap((instance) => {
    const status = view.statusOf(instance);
    return status === undefined ? [] : [[instance.name, status] as const];
  });
  const reachable = [...map.nodes.keys()].filter((other) => view.isReachable(other));
  return { isReady, reachable, statuses: Object.fromEntries(statuses) };
}
