/** A cluster in a test: virtual time, no ports, everything from one seed. */
import { z } from 'zod';
import { type Client, type Credentials, createClient } from '../../src/client/client.ts';
import { expectedText } from '../../src/model/shapes/nearest.ts';
import { faultText, readValue } from '../input/read-value.ts';
import type { OracleVerdict } from '../oracles/oracle.ts';
import type { StubHandler } from '../outside/http/http-stub.ts';
import type { StubAnswer } from '../outside/http/stub-answer.ts';
import { type AddedPhone, isProviderNamed, providersOf } from '../outside/population.ts';
import { type InitialData, withData, withDataFile, withSettings } from '../scenario/initial-data.ts';
import { scenarioTopologySchema } from '../scenario/language/scenario.ts';
import { findTopology } from '../scenario/load-scenario.ts';
import { type LoadedTopology, readText } from '../topology/load-topology.ts';
import { ClusterClock } from './cluster/cluster-clock.ts';
import { type ClusterFaults, clusterFaults } from './cluster/cluster-faults.ts';
import { ClusterJournal } from './cluster/cluster-journal.ts';
import { ClusterLoad, ClusterNumbers } from './cluster/cluster-numbers.ts';
import { ClusterPhone, ClusterProvider } from './cluster/cluster-party.ts';
import { ClusterSite } from './cluster/cluster-site.ts';
import type { AnyEventName, EventFields, FieldsOf, Matcher, Seen, SeenEvent, WaitOptions } from './cluster/waiting.ts';
import { directed } from './hosting/directives.ts';
import type { ServedFronts } from './hosting/served-fronts.ts';
import { type Snapshot, snapshotSchema } from './recorded/input.ts';
import { RecordedCluster } from './recorded/recorded-cluster.ts';
import type { RecordedWorld } from './recorded/recorded-world.ts';
import { type Recording, recordingOf } from './recorded/recording-file.ts';

export type { StubAnswer, StubHandler };

export interface StartOptions {
  /**
   * Name of a topology that ships (`default`: three sites; `single`: one node, fast; `pair`: two sites of one node), a file,
   * `{ from, set }` or `{ draw }`, as in scenarios. Default: `default`.
   */
  readonly topology?: z.input<typeof scenarioTopologySchema>;
  /** Seed of everything random: ids, tokens, jitter, faults. Default 1. */
  readonly seed?: number;
  /**
   * `virtual`: time moves on demand, as fast as it can. `real`: it passes by itself, as that of this computer; forks and replays stay exact.
   * `clock.setPace` changes it. Default `virtual`.
   */
  readonly clock?: (typeof clocks)[number];
  /** What it begins with, besides its topology: a YAML file, or the same as data (docs/reference/embedding.md). */
  readonly initialData?: string | InitialData;
  /** Whether addresses are banned for wrong logins. Default true. */
  readonly bans?: boolean;
  /** Names of the oracles that observe the cluster. Default: all. */
  readonly oracles?: 'all' | readonly string[];
}

const clocks = ['virtual', 'real'] as const;

/** A user, and the site whose front the client uses. */
export interface ClientCredentials extends Credentials {
  readonly site?: string;
}

const seedSchema = z
  .int()
  .min(0)
  .max(2 ** 31);

/** Starts a cluster. It is ready: all nodes see each other, and the phones are registered. */
export async function startCluster(options: StartOptions = {}): Promise<TestCluster> {
  return new TestCluster(await startRecorded(options));
}

const optionNames: readonly string[] = [
  'topology',
  'seed',
  'clock',
  'initialData',
  'bans',
  'oracles',
] satisfies (keyof StartOptions)[];

async function startRecorded(options: StartOptions): Promise<RecordedCluster> {
  const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
  if (unknown !== undefined) throw new TypeError(expectedText('options', unknown, optionNames));
  const { topology, initialData, seed = 1, clock = 'virtual', oracles = 'all', bans = true } = options;
  if (!clocks.includes(clock))
    throw new TypeError(`clock: expected ${clocks.join(' or ')}, got ${JSON.stringify(clock)}`);
  if (!seedSchema.safeParse(seed).success)
    throw new TypeError(`seed: expected a whole number from 0, got ${JSON.stringify(seed)}`);
  const wanted = scenarioTopologySchema.parse(topology);
  const whole = begunWith(findTopology(wanted, seed, process.cwd()), initialData);
  const loaded = bans ? whole : withSettings(whole, { bans });
  const cluster = await RecordedCluster.start({ loaded, seed, oracles });
  if (clock === 'real') cluster.pace.set(1);
  return cluster;
}

function begunWith(loaded: LoadedTopology, data: StartOptions['initialData']): LoadedTopology {
  if (data === undefined) return loaded;
  return typeof data === 'string' ? withDataFile(loaded, { file: data, text: readText(data) }) : withData(loaded, data);
}

export class TestCluster implements AsyncDisposable {
  readonly clock: ClusterClock;
  readonly faults: ClusterFaults;
  readonly numbers: ClusterNumbers;
  readonly load: ClusterLoad;
  readonly journal: ClusterJournal;
  readonly #cluster: RecordedCluster;
  #fronts: ServedFronts | undefined;

  /** @internal */
  constructor(cluster: RecordedCluster) {
    const present = () => cluster.present;
    this.#cluster = cluster;
    this.clock = new ClusterClock(cluster);
    this.faults = clusterFaults(present);
    this.numbers = new ClusterNumbers(present);
    this.load = new ClusterLoad(present);
    this.journal = new ClusterJournal(present);
  }

  get seed(): number {
    return this.#cluster.options.seed;
  }

  /** Names of the sites that have a front, in the order of the topology. */
  get sites(): readonly string[] {
    return [...new Set(this.#map.instancesOf('ws').map(({ site }) => site))];
  }

  /** The front of a site; default: of the first. */
  site(name = this.sites[0] ?? ''): ClusterSite {
    if (!this.sites.includes(name))
      throw new TypeError(`expected a site with a front (${this.sites.join(', ')}), got "${name}"`);
    return new ClusterSite(() => this.#present, name);
  }

  /** Sends a request to the front of a site, without a socket. */
  async fetch(site: string, path: string, init?: RequestInit): Promise<Response> {
    return this.site(site).fetch(path, init);
  }

  /** A typed client of a front that is logged in. Default: the first site. */
  async client(given: ClientCredentials): Promise<Client> {
    const { site, ...credentials } = given ?? {};
    for (const name of ['domain', 'login', 'pwd'] as const)
      if (typeof credentials[name] !== 'string')
        throw new TypeError(`client: ${name}: expected a string, got ${credentials[name]}`);
    const front = this.site(site);
    const { time } = this.#present.world;
    const client = createClient({
      url: front.url,
      fetch: front.fetch,
      openSocket: (_url, token) => front.socket('/ws', { headers: { authorization: `Bearer ${token ?? ''}` } }),
      wait: (ms) => time.passed(time.position.atMs + ms),
    });
    await client.logIn(credentials);
    return client;
  }

  /**
   * A phone: `acme.root.test/1002`, its second device `acme.root.test/1002/2`, or the login alone, of the first domain
   * that has it.
   */
  phone(name: string): ClusterPhone {
    const present = () => this.#present;
    const phones = this.#present.world.outside.phones();
    if (phones.some((phone) => phone.name === name || phone.endpoint === name))
      return new ClusterPhone(present, name, this.clock);
    const named = phones.find((phone) => phone.name.split('/')[1] === name);
    if (named === undefined)
      throw unknownName(
        'a phone',
        name,
        phones.map((phone) => phone.name),
      );
    return new ClusterPhone(present, named.name.split('/').slice(0, 2).join('/'), this.clock);
  }

  /** Adds a phone of a SIP user, such as one that was created by a client. It registers at once. */
  async addPhone(phone: AddedPhone): Promise<ClusterPhone> {
    return this.phone(await this.#cluster.present.enter<'addPhone'>({ do: 'addPhone', ...phone }));
  }

  /**
   * Answers the HTTP requests of scripts to URLs that begin with `prefix`; other systems refuse connections. What the handler
   * decides is recorded: a fork or a replay does not call it for the past, and a fork has no handlers of its own. Returns the
   * function that removes it.
   */
  onHttp(prefix: string, handler: StubHandler): () => void {
    const { stubs } = this.#present.world.outside;
    stubs.handle(prefix, handler);
    return () => stubs.set(prefix, undefined);
  }

  /** A provider: `sip.telecom.test`, or the key of an account. */
  provider(name: string): ClusterProvider {
    if (!providersOf(this.#map).some((provider) => isProviderNamed(provider, name)))
      throw unknownName('a provider', name, this.#providerNames);
    return new ClusterProvider(() => this.#present, name);
  }

  /**
   * Lets time pass until an event of the platform, a message, a state or a count is seen. What was seen before counts,
   * so that a wait cannot miss it; `sinceMs: cluster.clock.now` waits for a new one.
   */
  waitFor(matcher: Matcher, options?: WaitOptions): Promise<Seen>;
  waitFor<N extends AnyEventName>(event: N, fields?: FieldsOf<N>, options?: WaitOptions): Promise<SeenEvent<N>>;
  waitFor(wanted: string | Matcher, more: EventFields | WaitOptions = {}, options: WaitOptions = {}): Promise<Seen> {
    if (typeof wanted === 'string') return this.clock.untilSeen({ event: wanted }, more as EventFields, options);
    return this.clock.untilSeen(wanted, {}, more as WaitOptions);
  }

  /** The verdict of each oracle so far. */
  verdicts(): readonly OracleVerdict[] {
    return this.#present.watch.verdicts();
  }

  /** Throws if an oracle failed: a rule of the platform was broken. */
  assertRules(): void {
    const broken = this.verdicts().flatMap(({ name, failures: [first] }) => (first ? [`${name}: ${first.what}`] : []));
    if (broken.length > 0) throw new Error(`rules were broken: ${broken.join('; ')}`);
  }

  /** The past of this cluster as plain JSON: its seed and its inputs. */
  snapshot(): Snapshot {
    return this.#present.snapshot;
  }

  /** A second cluster with the same past and a future of its own. It costs what the past costs: the inputs run again. */
  async fork(): Promise<TestCluster> {
    return new TestCluster(await this.#cluster.fork());
  }

  /** Starts this cluster anew: same topology, same seed, no past. Its web sockets and handlers end. */
  reset(): Promise<void> {
    return this.#cluster.reset();
  }

  /** Returns this cluster to a snapshot of it, or of another cluster of this topology and seed. */
  async restore(snapshot: Snapshot): Promise<void> {
    const read = readValue(snapshotSchema, snapshot);
    if (!read.isValid) throw new TypeError(read.faults.map((each) => faultText(each, 'snapshot')).join('; '));
    await this.#cluster.restore(read.value);
  }

  /**
   * Opens the fronts on ports of the loopback address, for clients in other processes: the first on `port`, the next on the
   * following ones, 0: free ones. Returns their base URLs by site.
   */
  async listen(port = 0): Promise<Readonly<Record<string, string>>> {
    this.#fronts?.abort();
    // Most tests need no ports, and the server takes time to load.
    const fronts = await import('./hosting/served-fronts.ts');
    this.#fronts = await fronts.ServedFronts.open(this.#cluster, {
      host: '127.0.0.1',
      port,
      ...directed(() => this.#present.world, undefined),
    });
    return Object.fromEntries(this.#fronts.urls);
  }

  /** Everything that another machine needs to repeat this cluster: the content of a file for `strowger replay`. */
  recording(failure: string): Recording {
    return recordingOf(this.#cluster.options, this.#present, failure);
  }

  /** SHA-256 of every event so far. Two clusters of one topology, seed and past have the same. */
  get traceHash(): string {
    return this.#present.world.journal.hash();
  }

  /** Ends the cluster; no effect if it has ended. */
  async stop(): Promise<void> {
    this.#fronts?.abort();
    await this.#cluster.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #present(): RecordedWorld {
    return this.#cluster.present;
  }

  get #map(): LoadedTopology['map'] {
    return this.#cluster.options.loaded.map;
  }

  get #providerNames(): string[] {
    const accounts = providersOf(this.#map).flatMap((provider) => provider.accounts);
    return [...new Set(accounts.flatMap(({ key, provider }) => [provider.domain, key]))];
  }
}

function unknownName(what: string, name: string, known: readonly string[]): TypeError {
  return new TypeError(expectedText(what, name, known));
}
