/** How a run becomes quiescent, so that oracles can compare copies; and `converge`, which heals a core of the cluster first. */
import { z } from 'zod';
import type { ClusterMap, InstanceEntry } from '../../../src/model/cluster/cluster-map.ts';
import { roles } from '../../../src/model/cluster/roles.ts';
import { type Bounds, boundsOf } from '../../oracles/bounds.ts';
import { observedMs } from '../../oracles/stability.ts';
import { isWilling, reactionOf } from '../../outside/behaviour.ts';
import { type PhoneEntry, phonesOf } from '../../outside/population.ts';
import { SeededRandom } from '../../ports/random.ts';
import type { World } from '../../world/world.ts';
import type { Converge } from '../language/steps.ts';
import { type RunContext, retryMs } from './context.ts';

/**
 * A core of the cluster: sites that `converge` heals while all other faults stay active. It always includes the master
 * site, because configuration changes need it, and it has all nodes of its sites.
 */
export interface Core {
  readonly sites: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly instances: readonly InstanceEntry[];
  /** Phones whose first gate is at one of its sites. */
  readonly phones: readonly PhoneEntry[];
}

export function coreOf(map: ClusterMap, sites: readonly string[]): Core {
  const within = new Set([map.masterSite.name, ...sites]);
  const instances = [...map.instances.values()].filter(({ site }) => within.has(site));
  const nodes = new Set([...map.nodes.values()].filter(({ site }) => within.has(site)).map(({ name }) => name));
  const phones = phonesOf(map).filter(({ gates: [first] }) => first !== undefined && within.has(first.site));
  return { sites: within, nodes, instances, phones };
}

/** The master site, and each other site with a chance of one half. A seed always draws the same core. */
export function drawCore(map: ClusterMap, seed: number): Core {
  const random = new SeededRandom(seed).fork('the core').stream('faults');
  return coreOf(
    map,
    [...map.sites.keys()].filter(() => random.float() < 0.5),
  );
}

/** Lifts all faults inside a core: traffic, full disks, nodes, role instances, phones. */
export async function heal(world: World, core: Core): Promise<void> {
  const { cluster, faults, map, outside } = world;
  cluster.rules.spare((from, to) => core.nodes.has(from.name) && core.nodes.has(to.name));
  const gates = new Set(core.instances.filter(isGate).map((instance) => map.endpointOf(instance)));
  outside.network.rules.spare((from, to) => gates.has(from) || gates.has(to));
  for (const name of core.nodes) {
    faults.makeRoom(name);
    faults.resumeNode(name);
  }
  await Promise.all(
    [...core.nodes].filter((name) => cluster.node(name) === undefined).map((name) => faults.restartNode(name)),
  );
  restartInstances(world, core);
  for (const { name, isSilent } of outside.phones()) {
    if (!core.phones.some((phone) => phone.name === name)) continue;
    if (isSilent) faults.revive(name);
    // The sr instance with its registration may have ended, and by itself a phone registers again only before that expires.
    else outside.register(name);
  }
}

/** Starts the role instances of a core that have crashed, also after they were given up. */
function restartInstances(world: World, core: Core): void {
  for (const { name, node } of core.instances) if (isDown(world, name, node)) world.faults.restartInstance(name);
}

/** Reasons why the core is not connected; empty if each of its nodes sees all others at work. */
export function disconnectedIn({ cluster, map }: World, core: Core): string[] {
  return [...core.nodes].flatMap((name) => {
    const view = cluster.viewOf(name);
    if (view === undefined) return [`node ${name} does not run`];
    const unseen = [...core.nodes].filter((other) => !view.isReachable(other));
    if (unseen.length > 0) return [`node ${name} does not see ${unseen.join(', ')}`];
    const idle = core.instances.filter((instance) => {
      const members = roles[instance.role].redundancy === 'active-active' ? [instance] : map.groupOf(instance);
      return members.every((member) => view.statusOf(member) !== 'active');
    });
    return idle.length === 0 ? [] : [`node ${name} sees no active ${idle.map((instance) => instance.name).join(', ')}`];
  });
}

/** Pairs of a caller and a callee of the same domain, in which the callee answers calls. */
export function pairsIn({ map }: World, { phones }: Core): { from: PhoneEntry; to: PhoneEntry }[] {
  const answers = ({ domain, user }: PhoneEntry) =>
    isWilling(reactionOf(user.phonenumber, map.domains.get(domain)?.numbers[user.phonenumber]));
  return phones.flatMap((from) =>
    phones
      .filter((to) => to.domain === from.domain && to.user !== from.user && answers(to))
      .map((to) => ({ from, to })),
  );
}

function isGate({ role }: InstanceEntry): boolean {
  return role === 'sg' || role === 'esg';
}

function isDown({ cluster, map }: World, name: string, node: string): boolean {
  const instance = map.instanceNamed(name);
  return instance !== undefined && cluster.viewOf(node)?.statusOf(instance) === 'stopped';
}

/** After a fault point has lost a message: the bound of the time until it is known. */
const caughtUp: Readonly<Record<string, keyof Bounds>> = {
  'stream.unheard': 'streamCatchUpMs',
  'events.unheard': 'subscriberCatchUpMs',
  'session.untold': 'closedMs',
  'registrar.untold': 'comparedMs',
  'data.unheard': 'copiedMs',
};

/** Longest time for calls to end, and the settle time after them. */
const callsMs = 100_000;
const settleMs = 60_000;
const stableMs = 5_000;
const pollMs = 250;
/** Longest delay of observations: a process that reports nothing delays them no longer. */
const lateMs = 10_000;

/**
 * Makes the cluster quiescent (no load, no calls, all events delivered), and runs the checks of the oracles, which compare
 * copies. Skipped while a fault is active, because copies may differ then.
 */
export async function becomeQuiescent(context: RunContext): Promise<void> {
  const { watch, workloads, faultInjector } = context;
  workloads.stop();
  if (
    watch === undefined ||
    watch.verdicts().length === 0 ||
    faultInjector.activeCount > 0 ||
    context.quiescentMs === context.atMs ||
    !(await comesToRest(context))
  )
    return;
  await watch.atQuiescence(() => playUseCases(context));
  context.quiescentMs = context.atMs;
}

/** Plays use cases while fault points lose no message, and when copies have caught up with what was lost before. */
async function playUseCases(context: RunContext): Promise<void> {
  const { faultPoints, map } = context.world;
  if (faultPoints === undefined) return play(context, 'useCase', async () => true);
  faultPoints.losesMessages = false;
  const bounds = boundsOf(map);
  const waits = [...faultPoints.fired.keys()].map((point) => bounds[caughtUp[point] ?? 'quickMs']);
  await context.wait(Math.max(0, ...waits));
  await play(context, 'useCase', async () => true);
  faultPoints.losesMessages = true;
}

/**
 * Plays the use cases or drills that the scenario names, or as many as it says, in the order that the seed draws: one that is impossible
 * in this cluster does not count. Before each one `isReady` says whether it can be played; if not, the others are not played either.
 */
async function play(
  { watch, scenario, seed }: RunContext,
  kind: 'useCase' | 'drill',
  isReady: () => Promise<boolean>,
): Promise<void> {
  const { always = 'all', useCases, drills } = scenario;
  const playable = watch?.playable(kind) ?? [];
  const rank = (name: string) => new SeededRandom(seed).fork(`${kind} ${name}`).stream('faults').float();
  const wanted = kind === 'drill' ? drills : useCases;
  const areAll = always !== 'all' || wanted === true;
  const order = areAll ? playable : playable.toSorted((one, other) => rank(one) - rank(other));
  let left = areAll ? order.length : Number(wanted);
  for (const name of order) {
    if (left === 0 || !(await isReady())) return;
    if (await watch?.play(name)) left -= 1;
  }
}

/**
 * Plays drills in a cluster that was quiescent, the ones that the scenario names or as many as the seed draws. Then runs the quiescence
 * checks of the rules once more.
 */
export async function playDrills(context: RunContext): Promise<void> {
  const { watch, world, scenario } = context;
  const { always = 'all', drills } = scenario;
  const areNone = always === 'all' ? drills === 0 : watch?.playable('drill').length === 0;
  if (watch === undefined || areNone || context.quiescentMs < 0) return;
  // What breaks from here on, a drill has broken.
  world.faultPoints?.end();
  world.cluster.rules.spareNone();
  world.outside.network.rules.spareNone();
  await play(context, 'drill', async () => {
    if (context.isOver || !(await comesToRest(context))) return false;
    context.requestCount += 1;
    return true;
  });
  if (context.isOver || !(await comesToRest(context))) return;
  await watch.atQuiescence();
  context.quiescentMs = context.atMs;
}

/** Waits until no call is live, and all see each other; resolves with whether that is so. */
async function comesToRest(context: RunContext): Promise<boolean> {
  const { world } = context;
  const isAtRest = () => world.outside.calls === 0;
  const hasEnded = () => {
    if (!isAtRest()) endCalls(context);
    return isAtRest() && !isCalling(world);
  };
  endCalls(context);
  await waitFor(context, hasEnded, callsMs);
  await waitFor(context, () => world.cluster.isSettled, settleMs);
  if (!world.cluster.isSettled || !isAtRest()) return false;
  await context.wait(stableMs);
  return true;
}

/** Whether a call on request goes on, which may call a party again that has hung up. */
function isCalling(world: World): boolean {
  return world.census().some(({ counts }) => (counts.get('entities.ivr-call') ?? 0) > 0);
}

/** Observations of other processes arrive later: waits until all of what has happened so far is observed. */
export async function observeAll(context: RunContext): Promise<void> {
  const { world } = context;
  const nowMs = world.now();
  await waitFor(context, () => observedMs(world) >= nowMs, lateMs);
}

/** All phones and providers hang up. */
export function endCalls({ world: { outside }, workloads }: RunContext): void {
  workloads.hangUp();
  for (const { endpoint } of [...outside.phones(), ...outside.providers()]) outside.hangUp(endpoint);
}

async function waitFor(context: RunContext, holds: () => boolean, mostMs: number): Promise<void> {
  const untilMs = context.atMs + mostMs;
  while (!holds() && context.atMs < untilMs) await context.wait(pollMs);
}

/** Longer than any phone rings that answers by its number. */
const probeMs = 12_000;

/**
 * Liveness after safety: heals a core of the cluster, while all other faults stay active. The core must reconnect, put a
 * call through and show the same lists at each of its sites. A core that is the whole cluster must satisfy the quiescence
 * checks of the oracles as well. Returns what the core did not reach in time.
 */
export async function converge(context: RunContext, { core: wanted, within }: Converge): Promise<readonly string[]> {
  const { world, seed } = context;
  const core = wanted === 'random' ? drawCore(world.map, seed) : coreOf(world.map, wanted);
  const untilMs = context.atMs + within;
  const inTime = (attempt: () => string[] | Promise<string[]>) =>
    context.retry(attempt, Math.max(0, untilMs - context.atMs));
  const isCluster = core.sites.size === world.map.sites.size;
  if (isCluster) await context.faultInjector.liftAll();
  // A node that does not start is among what is missing then.
  await Promise.race([heal(world, core), context.wait(within)]);
  const named = (lines: readonly string[]) => lines.map((line) => `core ${[...core.sites].join(', ')}: ${line}`);
  const missing = await inTime(() => {
    // A fault point may fire again where one has just started.
    restartInstances(world, core);
    return disconnectedIn(world, core);
  });
  if (missing.length > 0) return named(missing);
  let attempts = 0;
  const unanswered = await inTime(() => probeCall(context, core, attempts++));
  if (unanswered.length > 0) return named(unanswered);
  context.workloads.stop();
  const lists = new SharedLists(context, core);
  const differing = await inTime(() => lists.firstDifference());
  if (differing.length > 0) return named(await lists.differences(differing));
  if (isCluster) await becomeQuiescent(context);
  return [];
}

/**
 * Makes one call within the core and expects an answer. Skipped if the core has no pair of phones. Both are registered through
 * gates of the core: messages through others may still be lost or late. Users without limits come first: calls of the load may last, and devices
 * may answer late, so each attempt tries another pair where all have one.
 */
async function probeCall(context: RunContext, core: Core, attempt: number): Promise<string[]> {
  const { outside } = context.world;
  const pairs = pairsIn(context.world, core);
  if (pairs.length === 0) return [];
  const registered = registeredIn(context.world, core);
  const reachable = pairs.filter(({ from, to }) => registered.has(from.name) && registered.has(to.name));
  const unlimited = reachable.find(({ from, to }) => from.user.trunks < 0 && isUnlimited(to.user));
  const pair = unlimited ?? reachable[attempt % reachable.length];
  if (pair === undefined) return ['no two phones that could call each other are registered'];
  const [from, to] = [pair.from.name, pair.to.user.phonenumber];
  return new Promise((resolve) => {
    const timer = context.clock.setTimer(probeMs, () => resolve([`a call from ${from} to ${to} is not answered`]));
    const end = (unmet: string[]) => {
      timer.cancel();
      resolve(unmet);
    };
    outside.call(from, to, {
      hangupMs: retryMs,
      patienceMs: probeMs,
      onProgress: ({ type, ...more }) => {
        if (type === 'answered') end([]);
        if (type === 'failed') end([`a call from ${from} to ${to} failed: ${JSON.stringify(more)}`]);
      },
    });
  });
}

/** Whether a user may have any number of calls, and ring for as long as a device takes to answer. */
function isUnlimited({ trunks, calltimesec }: PhoneEntry['user']): boolean {
  return trunks < 0 && (calltimesec === 0 || 1_000 * calltimesec >= probeMs);
}

/** The names of the phones of a core that are registered through its gates. The ones registered elsewhere move. */
function registeredIn({ outside }: World, core: Core): ReadonlySet<string> {
  const gates = new Set(core.instances.filter(isGate).map(({ name }) => name));
  const own = new Set(core.phones.map(({ name }) => name));
  const within = new Set<string>();
  for (const { name, state, isRegistered, gate = '' } of outside.phones()) {
    if (!own.has(name) || !isRegistered || state !== 'registered') continue;
    if (gates.has(gate)) within.add(name);
    else outside.register(name);
  }
  return within;
}

/** The address from which lists are asked for: that of the workload may be banned for its failed logins. */
const pollSender = '10.6.0.1';

/** A list as a session sees it. */
interface SharedList {
  readonly as: string;
  readonly path: string;
}

/** The lists that must be the same at all sites of the core, for each session of the scenario. */
class SharedLists {
  readonly #context: RunContext;
  readonly #core: Core;
  readonly #sites: readonly string[];
  /** The one that differed last is asked for first: most attempts end there. */
  #all: readonly SharedList[];

  constructor(context: RunContext, core: Core) {
    const { world, scenario } = context;
    this.#context = context;
    this.#core = core;
    const fronts = world.map.instancesOf('ws');
    this.#sites = [...core.sites].filter((site) => fronts.some((front) => front.site === site));
    this.#all = Object.entries(scenario.sessions).flatMap(([as, { domain }]) =>
      (domain === world.map.masterDomain ? masterLists : lists).map((path) => ({ as, path })),
    );
  }

  /** How the first list differs that does; empty if none does. */
  async firstDifference(): Promise<string[]> {
    for (const list of this.#all) {
      const differing = await this.#differenceIn(list);
      if (differing.length === 0) continue;
      this.#all = [list, ...this.#all.filter((each) => each !== list)];
      return differing;
    }
    return [];
  }

  /** How all lists differ; `known` if they agree by now. */
  async differences(known: readonly string[]): Promise<readonly string[]> {
    const differing: string[] = [];
    for (const list of this.#all) differing.push(...(await this.#differenceIn(list)));
    return differing.length > 0 ? differing : known;
  }

  async #differenceIn({ as, path }: SharedList): Promise<string[]> {
    const sites = this.#sites;
    const { apiClients } = this.#context;
    const answers = await Promise.all(
      sites.map((through) => apiClients.sendOrNone({ through, as, method: 'GET', path, sender: pollSender })),
    );
    const differing: string[] = [];
    const silent = sites.filter((_, index) => (answers[index]?.status ?? 500) >= 500);
    if (silent.length > 0) differing.push(`${silent.join(' and ')} did not answer ${path} as ${as}`);
    const texts = answers.map((answer) => `${answer?.status} ${JSON.stringify(withinCore(answer?.body, this.#core))}`);
    if (new Set(texts).size > 1) differing.push(`${sites.join(' and ')} differ in ${path} as ${as}`);
    return differing;
  }
}

/**
 * The calls of a list that are at sites of the core, by id: an active fault may hide other calls from one site of the core
 * and not from another, and each site lists its own calls first. Other lists must be equal as they are.
 */
function withinCore(body: unknown, core: Core): unknown {
  const calls = z.array(z.object({ dialogid: z.string(), site: z.string() })).safeParse(body);
  if (!calls.success) return body;
  return calls.data.flatMap(({ dialogid, site }) => (core.sites.has(site) ? [dialogid] : [])).sort();
}

const lists = [
  '/rest/v1/uc/calls?mask=dialogid,site',
  '/rest/v1/uc/sipuser_states?mask=username,status',
  '/rest/v1/uc/sipusers?mask=id',
];
const masterLists = ['/rest/v1/master/borderrules?mask=id'];
