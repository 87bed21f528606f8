/**
 * Cuts between and within sites that random faults rarely cause. Sites that split evenly, which random faults cause in fewer than one run of a hundred: in some runs the first arbiter decides
 * for the half that reaches it, and is lost while the other half asks the next one; in some both halves ask the same one.
 */
import type { ClusterMap } from '../../src/model/cluster/cluster-map.ts';
import type { Chance } from './chance.ts';

type Data = Record<string, unknown>;

interface Timed {
  readonly atMs: number;
  readonly step: Data;
}

/** Share of the runs with a site that may split so. */
const share = 1 / 2;
/** How long the halves ask before the first arbiter is lost, and from then to the end of the cut (ms). */
const asksMs = [5_000, 9_000] as const;
const mendMs = 6_000;
/** How often both reach all arbiters, and how long they ask: several leases. */
const bothShare = 1 / 3;
const bothMs = [9_000, 15_000] as const;

/** The steps, which begin between the two times; empty in the other runs. `mends`: the cut ends with the story. */
export function drawSplitSite(
  map: ClusterMap,
  chance: Chance,
  { fromMs, untilMs, mends }: { fromMs: number; untilMs: number; mends: boolean },
): Timed[] {
  const sites = [...map.sites.values()].filter(({ nodes, arbiters }) => nodes.length % 2 === 0 && arbiters.length > 0);
  if (sites.length === 0 || !chance.is(share)) return [];
  const { nodes, arbiters } = chance.one(sites);
  const [first = ''] = arbiters;
  const names = nodes.map(({ name }) => name);
  const here = names.slice(names.length / 2);
  const there = names.slice(0, names.length / 2);
  const name = 'arbiters-cut';
  const cutMs = chance.integer(fromMs, untilMs);
  if (arbiters.length === 1 || chance.is(bothShare)) {
    const mend = { atMs: cutMs + chance.integer(...bothMs), step: { fault: { mend: name } } };
    return [{ atMs: cutMs, step: { fault: { cut: { from: here, to: there }, name } } }, ...(mends ? [mend] : [])];
  }
  const lostMs = cutMs + chance.integer(...asksMs);
  return [
    { atMs: cutMs, step: { fault: { cut: { from: here, to: [...there, first] }, name } } },
    { atMs: lostMs, step: { fault: { crash: first } } },
    ...(mends ? [{ atMs: lostMs + mendMs, step: { fault: { mend: name } } }] : []),
  ];
}

/** Share of the runs with three sites or more, and how long nodes take to notice, with some to spare (ms). */
const [detourShare, noticedMs] = [1 / 2, 16_000];

/**
 * Steps after the load, when nothing else is broken; empty in the other runs: two sites lose the direct way to each other,
 * which random faults cause alone in fewer than one run of fifty, and are asked for what is at the other one.
 */
export function drawDetour(map: ClusterMap, chance: Chance, requests: readonly Data[]): Data[] {
  const sites = [...map.sites.keys()].filter((name) => name !== map.masterSite.name);
  if (sites.length < 2 || !chance.is(detourShare)) return [];
  const from = chance.one(sites);
  const to = chance.one(sites.filter((name) => name !== from));
  return [
    { note: 'two sites reach each other by the master site only', fault: { cut: { from, to }, name: 'detour' } },
    { wait: `${noticedMs}ms` },
    { workload: { requests } },
    { wait: '4s' },
    { workload: 'none' },
    { fault: { mend: 'detour' } },
  ];
}
