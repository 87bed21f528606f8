/** In each group one serves. */
import type { ClusterMap, InstanceEntry, NodeEntry } from '../../../src/model/cluster-map.ts';
import { roles } from '../../../src/model/roles.ts';
import { membersOf, type Place } from '../../faults/places.ts';
import { aboutVerb } from '../../faults/verbs.ts';
import { boundsOf } from '../bounds.ts';
import type { Hears, OracleMaker } from '../oracle.ts';

export const oneActive: OracleMaker = {
  name: 'one-active',
  rule: 'Of an active-passive group never two serve for longer than it takes to notice, and at rest exactly one does.',
  make: ({ map, calmMs, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const active = new Set<string>();
    const groups = groupsOf(map);
    /** Since when two of a group serve while nothing inside their site is broken. */
    const sinceMs = new Map<string, number>();
    const touched = (site: string) => {
      for (const { name, members } of groups) if (members[0]?.site === site) sinceMs.delete(name);
    };
    const standing = new Map<string, readonly string[]>();
    const hears: Hears = {
      'instance.status': ({ instance, status }) => {
        if (status === 'active') active.add(instance);
        else active.delete(instance);
      },
      'instance.crashed': ({ instance }) => void active.delete(instance),
      'node.ended': ({ node }) => {
        for (const each of map.node(node).instances) active.delete(each.address);
      },
      'fault.inflicted': ({ fault, verb, args }) => {
        const sites = sitesBrokenBy(map, verb, args);
        standing.set(nameOf(fault, verb, args), sites);
        if (verb === 'resumeNode') standing.delete(nameOf(0, 'pauseNode', args));
        for (const site of sites) touched(site);
      },
      'fault.mended': ({ fault, verb, args }) => {
        const name = nameOf(fault, verb, args);
        for (const site of standing.get(name) ?? []) touched(site);
        // Who stands still does so until it is resumed.
        if (verb !== 'pauseNode') standing.delete(name);
        if (verb === 'mend') standing.clear();
      },
    };
    const tick = (nowMs: number) => {
      const broken = new Set([...standing.values()].flat());
      const isCalm = calmMs() > noticedMs;
      for (const { name, members } of groups) {
        const serving = members.filter(({ address }) => active.has(address));
        if (isCalm) check();
        if (isCalm && serving.length === 0) fail(`nobody of ${name} serves`);
        if (serving.length < 2 || broken.has(members[0]?.site ?? '')) sinceMs.delete(name);
        else if (!sinceMs.has(name)) sinceMs.set(name, nowMs);
        else if (nowMs - (sinceMs.get(name) ?? nowMs) > noticedMs) {
          sinceMs.delete(name);
          fail(`${serving.map((each) => each.name).join(' and ')} of ${name} serve at once`);
        }
      }
    };
    return { hears, tick };
  },
};

interface Group {
  readonly name: string;
  readonly members: readonly InstanceEntry[];
}

function groupsOf(map: ClusterMap): Group[] {
  const groups = new Map<string, InstanceEntry[]>();
  for (const instance of map.instances.values()) {
    if (roles[instance.role].redundancy !== 'active-passive') continue;
    const name = `${instance.role} group ${instance.group ?? 0} of ${instance.site}`;
    groups.set(name, [...(groups.get(name) ?? []), instance]);
  }
  return [...groups].map(([name, members]) => ({ name, members }));
}

function nameOf(fault: number, verb: string, args: readonly unknown[]): string {
  return verb === 'pauseNode' ? `paused ${args[0]}` : String(fault);
}

/** The sites whose nodes do not see each other as ever; all of them where it is not known what a verb does. */
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
