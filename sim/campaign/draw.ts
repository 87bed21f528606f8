/**
 * The default campaign: a scenario that the seed draws. Swarm style: each seed has its own knobs, its own part of the
 * workload, and its own subset of the kinds of faults, so that some runs go far where the mean of all would not.
 *
 * Every run is the same story: a cluster works, faults come and go, all of them end, the load ends, and at quiet every oracle
 * must agree. In some runs a core is healed first while the other faults stay.
 */
import type { ClusterMap } from '../../src/model/cluster-map.ts';
import type { SeededRandom } from '../random.ts';
import { Chance } from './chance.ts';
import { drawFault, faultKinds } from './faults.ts';
import { drawRequests, drawWorkload, sessionsOf } from './workload.ts';

type Data = Record<string, unknown>;

interface Timed {
  readonly atMs: number;
  readonly step: Data;
}

const firstMs = 3_000;
const longestFaultMs = 20_000;
/** What calls that were cut off need to end by themselves, and registrations to be refreshed. */
const calmMs = 15_000;

/** The scenario of a campaign, as its file would have it. */
export function drawScenario(map: ClusterMap, random: SeededRandom, seed: number): Data {
  const chance = new Chance(random.fork('campaign').stream('faults'));
  const troubleMs = chance.one([10_000, 20_000, 40_000]);
  const faults = inTime(drawFaults(map, chance, troubleMs));
  const requests = drawRequests(map, chance, { fromMs: firstMs, untilMs: firstMs + troubleMs });
  const branches = [...(faults.length > 0 ? [faults] : []), ...requests.map((request) => inTime([request]))];
  return {
    name: 'campaign',
    why: 'Whatever fails, alone or together, and whenever: what must always hold holds, and when all is well again everybody agrees.',
    topology: 'drawn',
    seed,
    sessions: sessionsOf(map),
    workload: drawWorkload(map, chance),
    faultPoints: true,
    always: 'all',
    steps: [
      { note: 'trouble', parallel: branches.map((steps) => ({ steps })) },
      { note: 'every fault is mended', fault: { mend: '*' } },
      ...[...map.nodes.keys()].flatMap((node) => [{ fault: { resume: node } }, { fault: { restart: node } }]),
      { note: 'no more load', workload: 'none' },
      { note: 'calm', wait: `${calmMs}ms` },
      { note: 'all serve and agree', converge: { core: [...map.sites.keys()], within: '240s' } },
    ],
  };
}

function inTime(timed: readonly Timed[]): Data[] {
  return timed.toSorted((a, b) => a.atMs - b.atMs).map(({ atMs, step }) => ({ at: `${atMs}ms`, ...step }));
}

/** Faults at random times; each that stands is mended some time later. */
function drawFaults(map: ClusterMap, chance: Chance, troubleMs: number): Timed[] {
  const kinds = chance.subset(faultKinds);
  const timed: Timed[] = [];
  for (let n = chance.integer(1, 6); n > 0; n -= 1) {
    const fault = drawFault(chance.one(kinds), { map, chance, name: `fault-${n}` });
    if (fault === undefined) continue;
    const atMs = firstMs + chance.integer(0, troubleMs);
    timed.push({ atMs, step: { fault: fault.begin } });
    if (fault.end !== undefined) {
      timed.push({ atMs: atMs + chance.integer(200, longestFaultMs), step: { fault: fault.end } });
    }
  }
  return timed;
}
