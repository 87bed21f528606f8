/** A site falls into two halves, of which one reaches the arbiters, and then the other one. */
import type { InstanceEntry, SiteEntry } from '../../../../../src/model/cluster/cluster-map.ts';
import { type Drill, drillOf } from '../kit/drill.ts';

const lookMs = 100;

export const halvesSplit = drillOf({
  name: 'halves-split',
  rule: 'When a site falls into two halves, the one that reaches the arbiters serves all that it can, and the other one nothing; when it loses them to the other half, which may have to wait for arbiters that have restarted, this serves and it does not, and at no moment both; when none reaches them, none serves; when two arbiters of one site lose each other, the later one grants nothing; afterwards one instance of each group is active. When two nodes of a site lose each other while a third one reaches both, the same instances are active as before.',
  exclusions:
    'Sites with an odd number of nodes, and without arbiters; for the nodes that lose each other, sites with fewer than three.',
  sender: '10.6.1.101',
  play: async (drill) => {
    const { map } = drill.context;
    const sites = [...map.sites.values()];
    const split = sites.filter(({ nodes, arbiters }) => nodes.length % 2 === 0 && arbiters.length > 0);
    const divided = split[drill.drawn % Math.max(1, split.length)];
    if (divided !== undefined) {
      await divide(drill, divided);
      await partArbiters(drill, divided);
    }
    const large = sites.filter(({ nodes }) => nodes.length >= 3);
    const apart = large[drill.drawn % Math.max(1, large.length)];
    if (apart !== undefined) await part(drill, apart);
  },
});

async function divide(drill: Drill, site: SiteEntry): Promise<void> {
  const { questions } = drill.context;
  const halves = halvesOf(site);
  const drawn = drill.drawn % 4 < 2 ? halves : halves.toReversed();
  // Without a gateway it does not reach the arbiters, which are at other sites.
  const [first = [], second = []] = hasGateway(site, drawn[0] ?? []) ? drawn : drawn.toReversed();
  let lift = () => {};
  await drill.during(
    (faults) => {
      lift = faults.cut({ from: second });
      return () => lift();
    },
    async () => {
      await questions.wait(drill.noticedMs);
      serves(drill, site, first, 'which reaches the arbiters');
      const { faults } = drill.context;
      const isMoved = hasGateway(site, second);
      if (isMoved) {
        lift();
        lift = faults.cut({ from: first });
        if (drill.drawn % 3 > 0) await restart(drill, site.arbiters);
        // The lease of the first half, and then the same as before.
        await areNeverTwo(drill, site, 2 * drill.noticedMs);
        serves(drill, site, second, 'which has got the arbiters');
      }
      const before = lift;
      const last = faults.cut({ from: isMoved ? second : first });
      lift = () => {
        before();
        last();
      };
      await questions.wait(drill.noticedMs);
      serves(drill, site, [], 'none of which reaches the arbiters');
    },
  );
  serves(drill, site, halves.flat(), 'which is whole again');
}

/** Two arbiters of one site lose each other, while a third node reaches both, and each half reaches one of them: the later one grants nothing. */
async function partArbiters(drill: Drill, site: SiteEntry): Promise<void> {
  const { map } = drill.context;
  const [first, second] = halvesOf(site);
  const [earlier, later] = site.arbiters;
  if (earlier === undefined || later === undefined) return;
  const there = map.site(map.node(earlier).site);
  const areTogether = there.name === map.node(later).site && there.nodes.length > 2;
  const areGateways = [earlier, later].every((name) => hasGateway(there, [name]));
  if (!areTogether || !areGateways || !hasGateway(site, first) || !hasGateway(site, second)) return;
  await drill.duringAll(
    [
      { from: first, to: second },
      { from: second, to: [earlier] },
      { from: [earlier], to: [later] },
    ],
    (faults, between) => faults.cut(between),
    async () => {
      await areNeverTwo(drill, site, 2 * drill.noticedMs);
      serves(drill, site, first, `which reaches ${earlier}`);
    },
  );
  serves(drill, site, [...first, ...second], 'which is whole again');
}

function halvesOf({ nodes }: SiteEntry): readonly [string[], string[]] {
  const names = nodes.map(({ name }) => name);
  return [names.slice(0, names.length / 2), names.slice(names.length / 2)];
}

/** Without a gateway nodes do not reach other sites. */
function hasGateway(site: SiteEntry, names: readonly string[]): boolean {
  return site.nodes.some(
    ({ name, instances }) => names.includes(name) && instances.some(({ role }) => role === 'rpco'),
  );
}

/** Nodes forget what they have granted. */
async function restart({ context: { faults } }: Drill, nodes: readonly string[]): Promise<void> {
  for (const node of nodes) {
    faults.crashNode(node);
    await faults.restartNode(node);
  }
}

/** At no moment are two instances of a group active, one in each half. */
async function areNeverTwo(drill: Drill, site: SiteEntry, forMs: number): Promise<void> {
  const groups = groupsOf(drill, site);
  const two = new Set<string>();
  for (let ms = 0; ms < forMs; ms += lookMs) {
    await drill.context.questions.wait(lookMs);
    for (const group of groups) if (activeIn(drill, group).length > 1) two.add(namesOf(activeIn(drill, group)));
  }
  drill.expect(`the halves of ${site.name}, while arbiters go from one to the other`, undefined, () =>
    two.size === 0 ? undefined : `expected one of each group to be active, got ${[...two].join(' and ')}`,
  );
}

/** One instance of each group with a member on these nodes is active there, and none elsewhere at the site. */
function serves(drill: Drill, site: SiteEntry, nodes: readonly string[], what: string): void {
  for (const group of groupsOf(drill, site)) {
    const isServed = group.some(({ node }) => nodes.includes(node));
    const active = activeIn(drill, group);
    const isRight = active.length === (isServed ? 1 : 0) && active.every(({ node }) => nodes.includes(node));
    const half = nodes.length === 0 ? `the halves of ${site.name}` : `the half ${nodes.join()}`;
    drill.expect(`${half}, ${what}`, undefined, () =>
      isRight
        ? undefined
        : `expected ${isServed ? 'one' : 'none'} of ${namesOf(group)} to be active, and there, got ${namesOf(active) || 'none'}`,
    );
  }
}

/** An active instance and a standby of it lose each other. */
async function part(drill: Drill, site: SiteEntry): Promise<void> {
  const groups = groupsOf(drill, site).filter((group) => new Set(group.map(({ node }) => node)).size > 1);
  const group = groups[drill.drawn % Math.max(1, groups.length)] ?? [];
  const [active] = activeIn(drill, group);
  const standby = group.find(({ node }) => node !== active?.node);
  if (active === undefined || standby === undefined) return;
  const before = groups.flatMap((each) => activeIn(drill, each));
  const names = namesOf(before);
  await drill.during(
    (faults) => faults.cut({ from: active.node, to: standby.node }),
    async () => {
      const { questions } = drill.context;
      const now = () => namesOf(groups.flatMap((each) => activeIn(drill, each)));
      let seen = names;
      // One that takes over may yield again at once.
      await questions.eventually(2 * drill.noticedMs, () => {
        seen = now();
        return seen === names ? ['the same are active'] : [];
      });
      drill.expect(`${active.node} and ${standby.node} without each other`, undefined, () =>
        seen === names ? undefined : `expected ${names} to be active, got ${seen}`,
      );
    },
  );
}

/** The groups of which one instance is active at a time. */
function groupsOf({ context: { map } }: Drill, site: SiteEntry): readonly (readonly InstanceEntry[])[] {
  const groups = new Map<InstanceEntry | undefined, readonly InstanceEntry[]>();
  for (const instance of site.nodes.flatMap(({ instances }) => instances)) {
    if (instance.group === undefined) continue;
    const group = map.groupOf(instance);
    groups.set(group[0], group);
  }
  return [...groups.values()];
}

function activeIn({ context: { statusOf } }: Drill, group: readonly InstanceEntry[]): InstanceEntry[] {
  return group.filter((instance) => statusOf(instance) === 'active');
}

function namesOf(instances: readonly InstanceEntry[]): string {
  return instances.map(({ name }) => name).join();
}
