/**
 * Liveness after safety: a core of the cluster is healed, all other faults stay for ever, and the core must come together, put
 * a call through, show the same lists at each of its sites, and, where it is the whole cluster, satisfy the oracles at quiet.
 */
import { apart, type Core, coreOf, drawCore, heal, pairsIn } from './core.ts';
import { becomeQuiet } from './quiet.ts';
import { retryMs, type Stage } from './stage.ts';
import type { Converge } from './step-schema.ts';

const probeMs = 8_000;

/** What of it did not come true in its time. */
export async function converge(stage: Stage, { core: wanted, within }: Converge): Promise<readonly string[]> {
  const { world, seed } = stage;
  const core = wanted === 'random' ? drawCore(world.map, seed) : coreOf(world.map, wanted);
  const untilMs = stage.atMs + within;
  const inTime = (look: () => string[] | Promise<string[]>) => stage.fulfil(look, Math.max(0, untilMs - stage.atMs));
  const isWhole = core.sites.size === world.map.sites.size;
  if (isWhole) await stage.inflictor.heal();
  await heal(world, core);
  const about = (lines: readonly string[]) => lines.map((line) => `core ${[...core.sites].join(', ')}: ${line}`);
  const missing = await inTime(() => apart(world, core));
  if (missing.length > 0) return about(missing);
  const uncalled = await inTime(() => probe(stage, core));
  if (uncalled.length > 0) return about(uncalled);
  stage.workloads.stop();
  const unlike = await inTime(() => disagreements(stage, core));
  if (unlike.length > 0) return about(unlike);
  if (isWhole) await becomeQuiet(stage);
  return [];
}

/** One call within the core is answered. Where nobody could make one there is nothing to try. */
async function probe(stage: Stage, core: Core): Promise<string[]> {
  const { outside } = stage.world;
  const registered = new Set(outside.phones().flatMap(({ name, isRegistered }) => (isRegistered ? [name] : [])));
  const pairs = pairsIn(stage.world, core);
  if (pairs.length === 0) return [];
  const pair = pairs.find(({ from, to }) => registered.has(from.name) && registered.has(to.name));
  if (pair === undefined) return ['no two phones are registered that could call each other'];
  const [from, to] = [pair.from.name, pair.to.user.phonenumber];
  return new Promise((resolve) => {
    const impatience = stage.clock.setTimer(probeMs, () => resolve([`a call from ${from} to ${to} is not answered`]));
    const end = (unmet: string[]) => {
      impatience.cancel();
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

/** Lists that the sites of the core do not show alike, of each session of the scenario. */
async function disagreements(stage: Stage, core: Core): Promise<string[]> {
  const { desk, scenario, world } = stage;
  const sites = [...core.sites].filter((site) => world.map.instancesOf('ws').some((front) => front.site === site));
  const unlike: string[] = [];
  for (const [as, { domain }] of Object.entries(scenario.sessions)) {
    for (const path of domain === world.map.masterDomain ? masterLists : lists) {
      const answers = await Promise.all(sites.map((through) => desk.askOrNone({ through, as, method: 'GET', path })));
      const texts = answers.map((answer) => `${answer?.status} ${JSON.stringify(answer?.body)}`);
      if (new Set(texts).size > 1) unlike.push(`${sites.join(' and ')} differ in ${path} as ${as}`);
    }
  }
  return unlike;
}

const lists = [
  '/rest/v1/uc/calls?countonly',
  '/rest/v1/uc/sipuser_states?mask=username,status',
  '/rest/v1/uc/sipusers?mask=id',
];
const masterLists = ['/rest/v1/master/borderrules?mask=id'];
