/** Liveness after safety: a core of the cluster is healed, and serves again in time. */
import { z } from 'zod';
import type { PhoneEntry } from '../../outside/population.ts';
import type { World } from '../../world/world.ts';
import type { Converge } from '../language/steps.ts';
import { type RunContext, retryMs } from './context.ts';
import { type Core, coreOf, disconnectedIn, drawCore, heal, isGate, pairsIn, restartInstances } from './core.ts';
import { becomeQuiescent } from './quiescence.ts';

/** Longer than any phone rings that answers by its number. */
const probeMs = 12_000;

/**
 * Heals a core of the cluster, while all other faults stay active. The core must reconnect, put a
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
