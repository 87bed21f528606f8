/**
 * A world: a running cluster, its clock, and the fault verbs. The virtual and the live world implement it; a scenario
 * runs in either.
 */
import type { ClusterMap, NodeEntry } from '../../src/model/cluster/cluster-map.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Census, CensusOptions } from '../../src/ports/instrumentation/probe.ts';
import type { RandomStream } from '../../src/ports/random.ts';
import type { Faults } from '../faults/faults.ts';
import type { TrafficRules } from '../faults/rules.ts';
import type { Listener, ObservationFilter, ObservationKind } from '../observation/observation.ts';
import type { OutsideWorld } from '../outside/outside-world.ts';
import type { Journal } from '../ports/journal.ts';
import type { SimulatedSamples } from '../ports/samples.ts';
import type { RecordsOnDisk } from '../ports/store.ts';
import type { Cluster } from './cluster.ts';
import type { SeenNode, SeenNodes } from './convergence-check.ts';

/** The nodes of a world, wherever they run. */
export interface WorldNodes extends SeenNodes {
  /** The faults of the traffic between nodes. */
  readonly rules: TrafficRules<NodeEntry>;
  /** For draws of places. */
  readonly random: RandomStream;
  readonly isSettled: boolean;
  /** What a node sees of the cluster; undefined while it does not run, and while it waits for its store. */
  viewOf(node: string): SeenNode['view'] | undefined;
  /** Calls `listener` after each change of a node's view. */
  onChange(listener: () => void): () => void;
}

export interface World {
  readonly mode: 'virtual' | 'live' | 'processes';
  readonly map: ClusterMap;
  /** The nodes of this process, if other processes run the rest. */
  readonly nodes?: readonly string[] | undefined;
  readonly faults: Faults;
  readonly journal: Journal;
  /** The clock for timers of the world. */
  readonly clock: Clock;
  readonly cluster: WorldNodes;
  /** The same nodes, if this process runs them. */
  readonly here?: Cluster | undefined;
  /** Phones and providers. */
  readonly outside: OutsideWorld;
  /** The folder of the audio matchers' samples, in a virtual world. */
  readonly samples?: SimulatedSamples | undefined;
  /** Milliseconds since the Unix epoch, by the world's clock. */
  now(): number;
  /** The time until which observers have seen everything. Absent: they see all at once. */
  observedMs?(): number;
  /**
   * Starts every node, then registers the phones. Resolves when all nodes see each other, every group has its active
   * instance, and phones and accounts have their first answers (with a short limit).
   */
  start(): Promise<void>;
  /** Lets time pass. */
  wait(ms: number): Promise<void>;
  /** Lets time pass until the promise has settled. */
  during<T>(promise: Promise<T>): Promise<T>;
  /**
   * Sends a request to the front of a site. Rejects with `FrontAway` if no front is open, or it ends during the
   * request.
   */
  request(site: string, request: Request, options?: WorldClientOptions): Promise<Response>;
  /** Opens a web socket at the front of a site; the status of the refusal, or 0 if no front is open, where it cannot. */
  openSocket(site: string, client: SocketOpener, listener: SocketListener): Promise<EventSocket | number>;
  /**
   * Subscribes `listener` to the observations of these kinds. Returns the function that unsubscribes. Observers do not
   * change the journal.
   */
  observe<K extends ObservationKind = ObservationKind>(
    listener: Listener<K>,
    wanted?: ObservationFilter<K>,
  ): () => void;
  /** Present if fault points may fire: how often each has fired. */
  readonly faultPoints?: WorldFaultPoints | undefined;
  /** Whether every node runs, all see each other, and every group has its active instance. */
  readonly isSettled: boolean;
  /** Present where stores are simulated: what each has on disk, by its path (`n1/data-133`, `sites/hq/scripts-11`). */
  onDisk?(): ReadonlyMap<string, RecordsOnDisk>;
  /** Present state sizes of each node, each instance and the world outside. */
  census(options?: CensusOptions): Census[];
  /** Present on real connections: the frames that wait in the links of each node. */
  queuedFrames?(): ReadonlyMap<string, number>;
  /** Base URLs of the fronts that are open, by the name of their ws instance. */
  urls(): ReadonlyMap<string, string>;
  /** Ends every node gracefully. */
  stop(): Promise<void>;
}

interface WorldFaultPoints {
  readonly fired: ReadonlyMap<string, number>;
  /** Whether the points fire at which a message is lost. */
  losesMessages: boolean;
  end(): void;
}

export interface WorldClientOptions {
  /** The text of the body, for observers: a request has it as a stream. */
  readonly sent?: string | undefined;
  /** The address of the client, in a virtual world; default: `127.0.0.1`. */
  readonly sender?: string | undefined;
}

/** The header field that shows a session. */
export function bearing(token: string) {
  return { authorization: `Bearer ${token}` };
}

/** Who opens a web socket. */
export interface SocketOpener {
  /** The token of a session. */
  readonly token: string;
  /** Path and query. Default: `/ws`. */
  readonly target?: string | undefined;
  /** Default: the token in `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The address of the client, in a virtual world; default: `127.0.0.1`. */
  readonly sender?: string | undefined;
}

/** The side of the client of a web socket. */
export interface EventSocket {
  send(text: string): void;
  close(): void;
}

/** Receives the messages of the platform, and the end of the socket once. */
export interface SocketListener {
  message(text: string): void;
  end(): void;
}

/** Thrown if no front of a site answers: the connection is refused or reset. */
export class FrontAway extends Error {
  constructor(site: string, reason: string) {
    super(`the front of site ${site} is away: ${reason}`);
    this.name = 'FrontAway';
  }
}
