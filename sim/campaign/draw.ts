import { parse, stringify } from 'yaml';
import { ClusterMap } from '../../src/model/cluster-map.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { phonesOf } from '../outside/population.ts';
import { SeededRandom } from '../ports/random.ts';
import { type LoadedScenario, readScenario } from '../scenario/load.ts';
import { drawTopology } from '../topology/draw.ts';
import { type LoadedTopology, loadTopology } from '../topology/load.ts';
import { Chance } from './chance.ts';
import { drawFault, drawLogout, drawTakeovers, faultKinds } from './faults.ts';
import { drawRequests, drawWorkload, sessionsOf } from './workload.ts';

/**
 * The default campaign: a scenario that the seed draws. Swarm style: each seed has its own knobs, its own part of the
 * workload, and its own subset of the kinds of faults, so that some runs go far where the mean of all would not.
 *
 * Every run is the same story: a cluster works, faults come and go, all of them end, the load goes on for a while and ends, and
 * at quiet every oracle must agree. In a third of the runs the faults do not end by themselves, and a core is healed first, while
 * they stay elsewhere; in a quarter a phone goes away and stays away until all that it had registered must have expired.
 */

type Data = Record<string, unknown>;

interface Timed {
  readonly atMs: number;
  readonly step: Data;
  /** Of what ends a fault: whether it may as well stand until all are ended. */
  readonly canWait?: boolean;
}

const firstMs = 3_000;
const longestFaultMs = 20_000;
/** What calls that were cut off need to end by themselves, and registrations to be refreshed. */
const calmMs = 15_000;
/** How long the load goes on when all is well again: who has recovered must serve as before. */
const againMs = [0, 5_000, 20_000] as const;
/** Longer than the registrations of a campaign last. */
const expiryMs = 150_000;

/** The scenario of a campaign, as its file would have it. */
export function drawScenario(map: ClusterMap, random: SeededRandom, seed: number): Data {
  const chance = new Chance(random.fork('campaign').stream('faults'));
  const troubleMs = chance.one([10_000, 20_000, 40_000]);
  const struck = withLeaver(drawFaults(map, chance, troubleMs), map, chance);
  const drawn = withTakeovers(struck, map, {
    chance: new Chance(random.fork('takeovers').stream('faults')),
    troubleMs,
  });
  const hasCore = new Chance(random.fork('the core').stream('faults')).is(1 / 3);
  const { passing, ends, long } = hasCore ? lasting(drawn) : { ...drawn, ends: [] };
  const requests = drawRequests(map, chance, { fromMs: firstMs, untilMs: firstMs + troubleMs });
  const workload = drawWorkload(map, chance);
  const again = chance.one(againMs);
  const logout = drawLogout(map, new Chance(random.fork('logouts').stream('faults')), {
    fromMs: firstMs,
    mends: !hasCore,
  });
  const branches = [
    ...(passing.length > 0 ? [inTime(passing)] : []),
    ...(logout === undefined ? [] : [inTime(logout.steps)]),
    ...requests.map((request) => inTime([request])),
  ];
  return {
    name: 'campaign',
    why: 'Whatever fails, alone or together, and whenever: what must always hold holds, and when all is well again everybody agrees.',
    topology: 'drawn',
    seed,
    sessions: { ...sessionsOf(map), ...(logout && { leaver: logout.session }) },
    workload,
    faultPoints: true,
    always: 'all',
    steps: [
      { note: 'trouble', parallel: branches.map((steps) => ({ steps })) },
      ...(hasCore ? [{ note: 'a core is healed, and serves', converge: { core: 'random', within: '240s' } }] : []),
      { note: 'every fault of the traffic is mended', fault: { mend: '*' } },
      ...[...map.nodes.keys()].flatMap((node) => [{ fault: { resume: node } }, { fault: { restart: node } }]),
      ...ends.map((fault) => ({ fault })),
      ...(hasCore && again > 0 ? [{ note: 'the load again, for it ended with the core', workload }] : []),
      ...(again > 0 ? [{ note: 'all is well, and the load goes on', wait: `${again}ms` }] : []),
      { note: 'no more load', workload: 'none' },
      { note: 'calm', wait: `${long.length > 0 ? expiryMs : calmMs}ms` },
      ...long.map((fault) => ({ fault })),
      { note: 'all serve and agree', converge: { core: [...map.sites.keys()], within: '240s' } },
    ],
  };
}

function inTime(timed: readonly Timed[]): Data[] {
  return timed.toSorted((a, b) => a.atMs - b.atMs).map(({ atMs, step }) => ({ at: `${atMs}ms`, ...step }));
}

interface DrawnFaults {
  /** Each is mended some time later. */
  readonly passing: readonly Timed[];
  /** What ends those that last. */
  readonly long: readonly Data[];
}

/** The same faults, but that none ends before all do; `ends`: of those that the end of the story would not end anyway. */
function lasting({ passing, long }: DrawnFaults): DrawnFaults & { readonly ends: readonly Data[] } {
  const ends = passing.filter(({ canWait }) => canWait === true).map(({ step }) => step['fault'] as Data);
  return {
    passing: passing.filter(({ canWait }) => canWait !== true),
    ends: ends.filter((end) => end['revive'] !== undefined),
    long,
  };
}

/** In some runs a phone leaves for good: its registrations must end by themselves. */
function withLeaver({ passing, long }: DrawnFaults, map: ClusterMap, chance: Chance): DrawnFaults {
  const phones = phonesOf(map);
  if (phones.length === 0 || !chance.is(1 / 4)) return { passing, long };
  const { name } = chance.one(phones);
  return {
    passing: [...passing, { atMs: firstMs, step: { fault: { silence: name } } }],
    long: [...long, { revive: name }],
  };
}

/** In some runs others take over, in the first half of the trouble: there is time to see how they do. */
function withTakeovers(
  { passing, long }: DrawnFaults,
  map: ClusterMap,
  { chance, troubleMs }: { chance: Chance; troubleMs: number },
): DrawnFaults {
  const atMs = firstMs + chance.integer(0, troubleMs / 2);
  return { passing: [...passing, ...drawTakeovers(map, chance).map((fault) => ({ atMs, step: { fault } }))], long };
}

/** Faults at random times. */
function drawFaults(map: ClusterMap, chance: Chance, troubleMs: number): DrawnFaults {
  const kinds = chance.subset(faultKinds);
  const passing: Timed[] = [];
  const long: Data[] = [];
  for (let n = chance.integer(1, 6); n > 0; n -= 1) {
    const fault = drawFault(chance.one(kinds), { map, chance, name: `fault-${n}` });
    if (fault === undefined) continue;
    const atMs = firstMs + chance.integer(0, troubleMs);
    passing.push({ atMs, step: { fault: fault.begin } });
    const untilMs = atMs + chance.integer(200, longestFaultMs);
    if (fault.end === undefined) continue;
    if (fault.isLong === true) long.push(fault.end);
    else passing.push({ atMs: untilMs, step: { fault: fault.end }, canWait: true });
  }
  return { passing, long };
}

/** A run of the default campaign: the scenario and the topology that a seed draws, loaded as any other. */

/** Small clusters: what fails there fails faster, and can be read. */
const knobs = { sites: [2, 3], nodes: [1, 3], domains: [1, 2], phones: [4, 8], providers: [0, 2] } as const;

/** The name under which its runs are told. */
export const campaignName = 'campaign';

export function loadCampaign(seed: number): LoadedScenario {
  const random = new SeededRandom(seed).fork('the campaign');
  const topology = topologyOf(random);
  const text = stringify(drawScenario(topology.map, random, seed), { lineWidth: 120 });
  return readScenario({ file: `campaign, seed ${seed}`, text }, () => topology);
}

/** The default cluster, or one that is drawn. Registrations are short, so that what is lost with all who knew it comes again. */
function topologyOf(random: SeededRandom): LoadedTopology {
  const shipped = loadTopology('default');
  const chance = new Chance(random.stream('faults'));
  const isShipped = chance.is(1 / 2);
  const value = isShipped
    ? parse(shipped.topologySource.text, { merge: true })
    : drawTopology(knobs, random.fork('the topology').stream('ids'));
  const maxexpires = chance.one([60, 120]);
  for (const { sipusers = [] } of value.domains) for (const user of sipusers) user.maxexpires = maxexpires;
  const file = isShipped ? shipped.topologySource.file : 'drawn';
  return {
    ...shipped,
    map: new ClusterMap(topologySchema.parse(value)),
    topologySource: { file, text: stringify(value) },
  };
}
