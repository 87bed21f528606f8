/** Which sites faults have broken, so that their nodes may not see each other as ever, and for how long the others are whole. */
import type { ClusterMap, NodeEntry } from '../../src/model/cluster-map.ts';
import { membersOf, type Place } from '../faults/places.ts';
import { aboutVerb } from '../faults/verbs.ts';
import type { Hears } from './oracle.ts';

export class BrokenSites {
  readonly #map: ClusterMap;
  /** What stands, and the sites that it breaks. */
  readonly #standing = new Map<string, readonly string[]>();
  /** When a fault has begun or ended there. */
  readonly #touchedMs = new Map<string, number>();

  constructor(map: ClusterMap) {
    this.#map = map;
  }

  /** To be heard by who wants to know. */
  readonly hears: Hears = {
    'fault.inflicted': ({ fault, verb, args, atMs }) => {
      const sites = sitesBrokenBy(this.#map, verb, args);
      this.#standing.set(nameOf(fault, verb, args), sites);
      if (verb === 'resumeNode') this.#standing.delete(nameOf(0, 'pauseNode', args));
      for (const site of sites) this.#touchedMs.set(site, atMs);
    },
    'fault.mended': ({ fault, verb, args, atMs }) => {
      const name = nameOf(fault, verb, args);
      const lifted = verb === 'mend' ? [...this.#standing.values()].flat() : (this.#standing.get(name) ?? []);
      for (const site of lifted) this.#touchedMs.set(site, atMs);
      // Who stands still does so until it is resumed.
      if (verb !== 'pauseNode') this.#standing.delete(name);
      if (verb === 'mend') this.#standing.clear();
    },
  };

  /** For how long no fault has stood inside a site (ms); 0 while one does. */
  wholeMs(site: string, nowMs: number): number {
    if ([...this.#standing.values()].some((sites) => sites.includes(site))) return 0;
    return nowMs - (this.#touchedMs.get(site) ?? Number.NEGATIVE_INFINITY);
  }
}

/** A pause goes by the name of its node: it is over when that goes on. */
function nameOf(fault: number, verb: string, args: readonly unknown[]): string {
  return verb === 'pauseNode' ? `paused ${args[0]}` : String(fault);
}

/** Their names; those of all where it is not known what a verb does. */
function sitesBrokenBy(map: ClusterMap, verb: string, [what]: readonly unknown[]): string[] {
  if (['outside', 'store'].includes(aboutVerb(verb).on)) return [];
  if (typeof what === 'string' || Array.isArray(what)) return sitesOf(nodesAt(map, what));
  if (typeof what !== 'object' || what === null || !('from' in what)) return [...map.sites.keys()];
  const { from, to } = what as { from: Place; to?: Place };
  const [here, there] = [nodesAt(map, from), to === undefined ? undefined : nodesAt(map, to)];
  const isElsewhere = (node: NodeEntry) => here.length === map.nodes.size || !here.includes(node);
  return sitesOf(
    here.filter((one) =>
      map.site(one.site).nodes.some((other) => other !== one && (there?.includes(other) ?? isElsewhere(other))),
    ),
  );
}

function nodesAt(map: ClusterMap, place: Place): NodeEntry[] {
  const { nodes, instances } = membersOf(map, place);
  return [...nodes, ...instances.map(({ node }) => map.node(node))];
}

function sitesOf(nodes: readonly NodeEntry[]): string[] {
  return [...new Set(nodes.map(({ site }) => site))];
}
