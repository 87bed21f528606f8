/**
 * The default campaign: a scenario that the seed draws, in swarm style: each seed has its own parameters, its own part
 * of the workload, and its own subset of the kinds of faults, so that some runs reach states that an average run would
 * not.
 *
 * Every run has the same course: the cluster works, faults begin and end, the load goes on for a while and ends, and in
 * the quiescent cluster every oracle must pass. In a quarter of the runs there are no faults, so that all is judged by the
 * oracles of undisturbed clusters. In a third of the runs the faults stay active and `converge` heals a
 * core first; in a quarter a phone leaves and stays away until its registrations must have expired; in half of them standbys
 * take over in the end.
 */
import { stringify } from 'yaml';
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import { storingRoles } from '../faults/places.ts';
import { hands } from '../oracles/deck.ts';
import { type ProviderEntry, phonesOf, providersOf } from '../outside/population.ts';
import { type LoadedScenario, readScenario } from '../scenario/load-scenario.ts';
import { type Chance, chanceOf } from './chance.ts';
import { drawFault, drawLateTakeovers, drawLogout, drawTakeovers, faultKinds } from './drawn-faults.ts';
import { drawScripts } from './drawn-scripts.ts';
import { topologyOf } from './drawn-topology.ts';
import {
  drawClients,
  drawPhones,
  drawRequests,
  drawSubscribers,
  drawWorkload,
  nameOf,
  sessionsOf,
  withLongCalls,
  withProviders,
} from './drawn-workload.ts';
import { PartRandoms, type PartSeeds } from './parts.ts';
import { drawDetour, drawSplitSite } from './split-sites.ts';

type Data = Record<string, unknown>;

interface Timed {
  readonly atMs: number;
  readonly step: Data;
  /** Whether the repair of a fault may wait until all faults end. */
  readonly canWait?: boolean;
}

/** What is drawn of faults where there are none. */
const noFaults: DrawnFaults = { passing: [], long: [] };
const undisturbedShare = 1 / 4;
const firstMs = 3_000;
const longestFaultMs = 20_000;
const briefShare = 1 / 5;
const longCutShare = 1 / 10;
/** In these runs calls last longer than callstores keep those of a b2b out of reach, and the load goes on for longer. */
const longCallsShare = 1 / 5;
const gateAbsences = 3;
/** Time for interrupted calls to end, and for registrations to be refreshed. */
const refreshMs = 15_000;
/** How long the load goes on after all faults have ended; with long calls until lists are judged that have those from before. */
const againMs = [0, 5_000, 20_000] as const;
const longAgainMs = 40_000;
/** Shortly before a Sunday ends, also as the last day of a month or a year, or another day; and other times of the day. (chosen) */
const startTimes = [
  '2026-01-04T23:56:00Z',
  '2027-02-28T23:55:00Z',
  '2028-12-31T23:54:00Z',
  '2028-02-28T23:57:00Z',
  '2026-03-28T12:00:00Z',
  '2027-06-14T05:58:00Z',
] as const;
const usualStartShare = 1 / 2;
/** Longer than the registrations of a campaign last. */
const expiryMs = 150_000;

/** The scenario of a campaign, in the form of a file. */
function drawScenario(map: ClusterMap, randoms: PartRandoms, seed: number): Data {
  const chance = chanceOf(randoms.of('faults'), 'campaign');
  const start = chanceOf(randoms.of('phones'), 'start');
  const times = randoms.has('times') ? chanceOf(randoms.of('times'), 'times') : undefined;
  const faultWindowMs = chance.one([10_000, 20_000, 40_000]);
  const isUndisturbed = chanceOf(randoms.of('faults'), 'undisturbed').is(undisturbedShare);
  const gates = chanceOf(randoms.of('faults'), 'gates');
  const longCalls = chanceOf(randoms.of('phones'), 'long calls');
  const areLong = longCalls.is(longCallsShare);
  const brief = chanceOf(randoms.of('faults'), 'brief');
  const faults = withLeaver(drawFaults(map, { chance, times, brief, faultWindowMs }), map, { chance, gates });
  const cutOff = withLongCut(faults, map, chanceOf(randoms.of('faults'), 'long cut'));
  const takenOver = withTakeovers(cutOff, map, {
    chance: chanceOf(randoms.of('takeovers'), 'takeovers'),
    faultWindowMs,
  });
  const faultWindow = { fromMs: firstMs, untilMs: firstMs + faultWindowMs };
  const scripts = drawScripts(map, chanceOf(randoms.of('scripts'), 'scripts'), { ...faultWindow, nameOf });
  const around = isUndisturbed ? noFaults : takenOver;
  const drawn = { ...around, passing: [...around.passing, ...scripts.faults] };
  const hasCore = !isUndisturbed && chanceOf(randoms.of('faults'), 'the core').is(1 / 3);
  const { passing, ends, long } = hasCore ? lasting(drawn) : { ...drawn, ends: [] };
  const requests = drawRequests(map, chance, faultWindow).filter((each) => !isUndisturbed || !isTermination(each));
  const clients = drawClients(map, chanceOf(randoms.of('clients'), 'clients'));
  const phones = drawPhones(map, chanceOf(randoms.of('phones'), 'phones'));
  const subscribers = drawSubscribers(map, chanceOf(randoms.of('subscribers'), 'subscribers'));
  const outside = chanceOf(randoms.of('phones'), 'calls of providers');
  const usual = withProviders(drawWorkload(map, chance), outside);
  const calls = areLong ? withLongCalls(usual, longCalls) : usual;
  const workload = { ...calls, ...clients, ...phones, ...subscribers };
  const drawnAgain = chance.one(againMs);
  const again = areLong ? longAgainMs : drawnAgain;
  const drawnLogout = drawLogout(map, chanceOf(randoms.of('logouts'), 'logouts'), { ...faultWindow, mends: !hasCore });
  const arbiters = chanceOf(randoms.of('takeovers'), 'arbiters');
  const arbiterLoss = isUndisturbed ? [] : drawSplitSite(map, arbiters, { ...faultWindow, mends: !hasCore });
  const logout = isUndisturbed ? undefined : drawnLogout;
  const late = isUndisturbed ? [] : drawLateTakeovers(map, chanceOf(randoms.of('takeovers'), 'late takeovers'));
  const restarts = restartsOf(map, around.passing);
  const splits = chanceOf(randoms.of('takeovers'), 'detours');
  const detour = isUndisturbed ? [] : drawDetour(map, splits, usual['requests'] as readonly Data[]);
  const branches = [
    ...(passing.length > 0 ? [inTime(withRoom(passing))] : []),
    ...(logout === undefined ? [] : [inTime(logout.steps)]),
    ...(arbiterLoss.length > 0 ? [inTime(arbiterLoss)] : []),
    ...[...requests, ...scripts.starts].map((one) => inTime([one])),
  ];
  return {
    name: 'campaign',
    why: 'Whatever fails, alone or together, and whenever: the invariants hold, and after all faults have ended the whole cluster agrees.',
    topology: 'drawn',
    seed,
    ...(start.is(usualStartShare) ? {} : { starts: start.one(startTimes) }),
    sessions: { ...sessionsOf(map), ...(logout && { leaver: logout.session }) },
    workload,
    faultPoints: !isUndisturbed,
    always: 'all',
    useCases: hands.useCase,
    drills: hands.drill,
    steps: [
      { note: 'trouble', parallel: branches.map((steps) => ({ steps })) },
      ...(hasCore
        ? [{ note: 'the runner heals a core, and it serves', converge: { core: 'random', within: '240s' } }]
        : []),
      ...(isUndisturbed ? [] : repairs(map)),
      ...ends.map((fault) => ({ fault })),
      ...scripts.last,
      ...(hasCore && again > 0 ? [{ note: 'the load again, because it ended with the core', workload }] : []),
      ...(again > 0 ? [{ note: 'no fault is active, and the load goes on', wait: `${again}ms` }] : []),
      { note: 'no more load', workload: 'none' },
      {
        note: 'calls end, and registrations are refreshed or expire',
        wait: `${long.length > 0 ? expiryMs : refreshMs}ms`,
      },
      ...long.map((fault) => ({ fault })),
      ...restarts.map((fault) => ({ note: 'what could not be written on a full disk is on it now', fault })),
      ...detour,
      ...late.map((fault) => ({ note: 'another member serves', fault })),
      { note: 'all nodes serve and agree', converge: { core: [...map.sites.keys()], within: '240s' } },
    ],
  };
}

function repairs(map: ClusterMap): Data[] {
  return [
    { note: 'all faults of traffic are lifted', fault: { mend: '*' } },
    ...[...map.nodes.keys()].flatMap((node) => [{ fault: { resume: node } }, { fault: { restart: node } }]),
  ];
}

/** Whether a request terminates a node. */
function isTermination({ step }: Timed): boolean {
  const { method, path } = (step['request'] ?? {}) as Data;
  return method === 'DELETE' && String(path).startsWith('/rest/v1/master/nodes/');
}

function inTime(timed: readonly Timed[]): Data[] {
  return timed.toSorted((a, b) => a.atMs - b.atMs).map(({ atMs, step }) => ({ at: `${atMs}ms`, ...step }));
}

/** A node whose disk is full does not start: there is room again before the node is restarted, since a step waits for its node. */
function withRoom(timed: readonly Timed[]): Timed[] {
  const faultOf = ({ step }: Timed) => step['fault'] as Readonly<Record<string, unknown>>;
  const restarts = timed.filter((each) => faultOf(each)['restart'] !== undefined);
  const isEnd = (each: Timed) => faultOf(each)['mend'] !== undefined;
  const moved = timed.filter(isEnd).map((end) => {
    const full = timed.find((each) => faultOf(each)['name'] === faultOf(end)['mend']);
    const node = full && (faultOf(full)['fillStore'] as Data | undefined)?.['at'];
    const own = restarts.filter((each) => faultOf(each)['restart'] === node && each.atMs > (full?.atMs ?? Infinity));
    return { ...end, atMs: Math.min(end.atMs, ...own.map(({ atMs }) => atMs)) };
  });
  return [...moved, ...timed.filter((each) => !isEnd(each))];
}

/** Crashes of the instances whose disk was full, when there is room again: each goes on with what is on its disk. */
function restartsOf(map: ClusterMap, passing: readonly Timed[]): Data[] {
  const full = new Set(passing.map(({ step }) => ((step['fault'] as Data)['fillStore'] as Data | undefined)?.['at']));
  const { instances } = map;
  return [...instances.values()].flatMap(({ node, role, name }) =>
    full.has(node) && storingRoles.has(role) ? [{ crash: name }] : [],
  );
}

interface DrawnFaults {
  /** Each is repaired some time later. */
  readonly passing: readonly Timed[];
  /** The repairs of the lasting faults. */
  readonly long: readonly Data[];
}

/** The same faults, all lasting; `ends`: the repairs that the end of the run would not make anyway. */
function lasting({ passing, long }: DrawnFaults): DrawnFaults & { readonly ends: readonly Data[] } {
  const ends = passing.filter(({ canWait }) => canWait === true).map(({ step }) => step['fault'] as Data);
  return {
    passing: passing.filter(({ canWait }) => canWait !== true),
    ends: ends.filter((end) => end['revive'] !== undefined),
    long,
  };
}

/** The time between two checks of the connection of an account. */
const pingsMs = '30s';

/** In some runs a phone leaves for good, and its registrations must expire; or a provider that is asked whether it is there. */
function withLeaver(
  { passing, long }: DrawnFaults,
  map: ClusterMap,
  { chance, gates }: { chance: Chance; gates: Chance },
): DrawnFaults {
  const phones = phonesOf(map);
  if (phones.length === 0 || !chance.is(1 / 4)) return { passing, long };
  const { name: phone } = chance.one(phones);
  const asked = providersOf(map).filter(({ accounts }) => accounts.some(({ provider }) => provider.ping));
  const provider = asked.length > 0 && chance.is(1 / 2) ? chance.one(asked) : undefined;
  const name = provider?.endpoint ?? phone;
  // One that comes and goes misses every other check.
  const isThere = provider !== undefined && gates.is(1 / 2);
  const absence = isThere ? { flapOutside: { who: name, every: pingsMs } } : { silence: name };
  return {
    passing: [
      ...passing,
      { atMs: firstMs, step: { fault: absence } },
      ...(provider === undefined || isThere ? [] : withoutGate(provider, gates)),
    ],
    long: [...long, { revive: name }],
  };
}

/** The gate of a provider that has left comes and goes: another one takes its accounts, and lets them go. */
function withoutGate({ accounts }: ProviderEntry, chance: Chance): Timed[] {
  const { node } = chance.one(accounts).gate;
  const drawn: Timed[] = [];
  for (
    let atMs = firstMs;
    drawn.length < 2 * gateAbsences;
    atMs += chance.integer(longestFaultMs / 2, longestFaultMs)
  ) {
    drawn.push({ atMs, step: { fault: { crash: node } } });
    atMs += chance.integer(longestFaultMs, 2 * longestFaultMs);
    drawn.push({ atMs, step: { fault: { restart: node } }, canWait: true });
  }
  return drawn;
}

/** In some runs standbys take over in the first half of the faults, with time left to observe them. */
function withTakeovers(
  { passing, long }: DrawnFaults,
  map: ClusterMap,
  { chance, faultWindowMs }: { chance: Chance; faultWindowMs: number },
): DrawnFaults {
  const atMs = firstMs + chance.integer(0, faultWindowMs / 2);
  return { passing: [...passing, ...drawTakeovers(map, chance).map((fault) => ({ atMs, step: { fault } }))], long };
}

/** In some runs a site is cut off for longer than other faults last: what happens meanwhile it must learn afterwards. */
function withLongCut({ passing, long }: DrawnFaults, map: ClusterMap, chance: Chance): DrawnFaults {
  const sites = [...map.sites.keys()];
  if (sites.length < 2 || !chance.is(longCutShare)) return { passing, long };
  const name = 'long-cut';
  const atMs = chance.integer(firstMs, 2 * firstMs);
  const untilMs = atMs + chance.integer(2 * longestFaultMs, 3 * longestFaultMs);
  const cut = { atMs, step: { fault: { cut: { from: chance.one(sites) }, name } } };
  const end = { atMs: untilMs, step: { fault: { mend: name } }, canWait: true };
  return { passing: [...passing, cut, end], long };
}

interface FaultTimes {
  readonly chance: Chance;
  readonly times: Chance | undefined;
  readonly brief: Chance;
  readonly faultWindowMs: number;
}

/** Faults at random times, which `times` draws where they are not drawn with the faults; some are over when they have just been noticed. */
function drawFaults(map: ClusterMap, { chance, times, brief, faultWindowMs }: FaultTimes): DrawnFaults {
  const { pingIntervalMs, pingMisses, callGoneMs } = map.topology.timings;
  const timeFrom = (least: number, most: number) => {
    const drawn = chance.integer(least, most);
    return times?.integer(least, most) ?? drawn;
  };
  const kinds = chance.subset(faultKinds);
  const passing: Timed[] = [];
  const long: Data[] = [];
  for (let n = chance.integer(1, 6); n > 0; n -= 1) {
    const fault = drawFault(chance.one(kinds), { map, chance, name: `fault-${n}` });
    if (fault === undefined) continue;
    const atMs = firstMs + timeFrom(0, faultWindowMs);
    passing.push({ atMs, step: { fault: fault.begin } });
    const drawnMs = timeFrom(200, longestFaultMs);
    const noticedMs = pingIntervalMs * pingMisses + brief.integer(0, 2 * callGoneMs);
    const untilMs = atMs + (brief.is(briefShare) ? noticedMs : drawnMs);
    if (fault.end === undefined) continue;
    if (fault.isLong === true) long.push(fault.end);
    else passing.push({ atMs: untilMs, step: { fault: fault.end }, canWait: true });
  }
  return { passing, long };
}

/** The name of its runs in reports. */
export const campaignName = 'campaign';

/**
 * A run of the default campaign: the scenario and the topology that a seed draws, loaded like any other. `seeds`: of parts
 * that are not drawn with the seed of the run.
 */
export function loadCampaign(seed: number, seeds: PartSeeds = {}): LoadedScenario {
  const randoms = new PartRandoms(seed, seeds);
  const topology = topologyOf(randoms);
  const text = stringify(drawScenario(topology.map, randoms, seed), { lineWidth: 120 });
  const parts = Object.entries(seeds).map(([part, of]) => `, ${part} of ${of}`);
  return readScenario({ file: `campaign, seed ${seed}${parts.join('')}`, text }, () => topology);
}
