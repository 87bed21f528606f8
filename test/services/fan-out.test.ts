/** Fan-out and what is made of it: one answer for each instance in scope, in order, and sums that agree at every level. */

import fc from 'fast-check';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { Counters } from '../../src/actors/counters.ts';
import type { RoleScope } from '../../src/cluster/role.ts';
import type { InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import { done, type Fault, failed, fault, faultCodes, type Outcome } from '../../src/model/fault.ts';
import { askAll, resolveScope } from '../../src/services/fan-out.ts';
import { ban, listBans } from '../../src/services/filter-requests.ts';
import { type Counts, count, countBySite, info } from '../../src/services/web-apps/user-interface.ts';
import { runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const { map } = loadTopology('default');
const esgs = resolveScope(map, 'esg', {});
const nowMs = 1_000_000;

/** The reaction of an instance to a request: an outcome, or nothing because it is out of reach. */
type Reaction = Outcome<unknown> | 'away';

interface Asked {
  readonly to: string;
  readonly deadlineMs: number | undefined;
}

/** The scope of ws-111 in a cluster whose instances react so; later ones answer first. */
function scopeOf(reactions: ReadonlyMap<string, Reaction>, asked: Asked[] = []): RoleScope {
  const reactionOf = (address: string) => reactions.get(address) ?? 'away';
  const stub = {
    map,
    instance: map.instancesOf('ws')[0],
    clock: { now: () => nowMs },
    counters: new Counters(),
    view: { statusOf: (instance: InstanceEntry) => (reactionOf(instance.address) === 'away' ? undefined : 'active') },
    ask: async (to: string, _type: string, _body: object, options?: { deadlineMs?: number }) => {
      asked.push({ to, deadlineMs: options?.deadlineMs });
      const rank = esgs.findIndex((each) => each.address === to);
      for (let turn = rank; turn < esgs.length; turn += 1) await Promise.resolve();
      return reactionOf(to);
    },
  };
  return stub as unknown as RoleScope;
}

function each(reaction: (instance: InstanceEntry, index: number) => Reaction): Map<string, Reaction> {
  return new Map(esgs.map((instance, index) => [instance.address, reaction(instance, index)]));
}

function figures(dlgcount: number, callcount: number): Outcome<unknown> {
  return done({ dlgcount, callcount, domains: ['root.test'], regs: [] });
}

test('outcomes come in the order of the instances, not of their arrival', async (t) => {
  const answers = await askAll(scopeOf(each((_, index) => figures(index, 0))), esgs, 'edge.figures', {});
  t.deepEqual(
    answers.map(({ instance, outcome }) => [instance.srvidx, outcome.ok && outcome.value.dlgcount]),
    [
      [113, 0],
      [122, 1],
      [221, 2],
      [321, 3],
    ],
  );
});

test('all instances are asked at once with one deadline, and unreachable ones are not asked', async (t) => {
  const asked: Asked[] = [];
  const reactions = each((instance) => (instance.site === 'north' ? 'away' : figures(0, 0)));
  const answers = askAll(scopeOf(reactions, asked), esgs, 'edge.figures', {});
  const deadlineMs = nowMs + map.topology.timings.edgeWaitMs;
  t.deepEqual(
    asked,
    esgs.filter(({ site }) => site !== 'north').map(({ address: to }) => ({ to, deadlineMs })),
  );
  const [, , north] = await answers;
  t.is(north?.outcome.ok, false);
  if (north?.outcome.ok === false) t.like(north.outcome.fault, { code: 'unreachable', definite: true });
});

test('without an instance in scope there is no outcome', async (t) => {
  t.deepEqual(await askAll(scopeOf(each(() => figures(1, 1))), [], 'edge.figures', {}), []);
});

test('an instance that has no room for another ban is online, without success', async (t) => {
  const rows = await ban(scopeOf(each(() => done({ result: false }))), esgs, { ip: '10.9.8.7', expires: 60 });
  t.deepEqual(
    rows.map(({ online, result }) => [online, result]),
    esgs.map(() => [true, false]),
  );
});

for (const code of faultCodes) {
  const reason: Fault = fault(code, 'for a test');

  test(`a ban that fails as ${code} is an instance offline, without a result`, async (t) => {
    const reactions = each((instance) => (instance.srvidx === 221 ? failed(reason) : done({ result: true })));
    const rows = await ban(scopeOf(reactions), esgs, { ip: '10.9.8.7', expires: 60 });
    t.deepEqual(
      rows.map(({ online, ...row }) => ({ online, result: 'result' in row ? row.result : 'none' })),
      esgs.map(({ srvidx }) => (srvidx === 221 ? { online: false, result: 'none' } : { online: true, result: true })),
    );
  });

  test(`a list that fails as ${code} is an instance offline, without banned`, async (t) => {
    const reactions = each((instance) => (instance.srvidx === 221 ? failed(reason) : done({ banned: [] })));
    const rows = await listBans(scopeOf(reactions), esgs);
    t.deepEqual(
      rows.map((row) => ['banned' in row, row.online]),
      esgs.map(({ srvidx }) => [srvidx !== 221, srvidx !== 221]),
    );
  });
}

const counts = fc.nat({ max: 100_000 });
const reaction = fc.option(fc.tuple(counts, counts), { nil: undefined });
const reactions = fc.tuple(reaction, reaction, reaction, reaction);

test('dashboards: totals are the sum of sites, sites the sum of servers online, and count and sites agree with info', async (t) => {
  await fc.assert(
    fc.asyncProperty(reactions, fc.subarray([...esgs]), async (all, instances) => {
      const scope = scopeOf(
        each((_, index) => {
          const [dlgcount, callcount] = all[index] ?? [];
          return dlgcount === undefined || callcount === undefined ? 'away' : figures(dlgcount, callcount);
        }),
      );
      const tree = await info(scope, instances, { regs: false, code: undefined });
      const online = tree.sites.flatMap((site) => site.servers.flatMap((server) => (server.online ? [server] : [])));
      const total = sum(online);
      t.is(online.length, instances.filter((instance) => all[esgs.indexOf(instance)] != null).length);
      t.deepEqual({ dlgcount: tree.dlgcount, callcount: tree.callcount }, total);
      t.deepEqual(sum(tree.sites), total);
      for (const site of tree.sites) {
        t.deepEqual(
          { dlgcount: site.dlgcount, callcount: site.callcount },
          sum(site.servers.flatMap((server) => (server.online ? [server] : []))),
        );
      }
      t.deepEqual(count(tree), total);
      const sites = tree.sites.map(({ site, dlgcount, callcount }) => ({ site, dlgcount, callcount }));
      t.deepEqual(countBySite(tree), { ...total, sites });
    }),
    { seed: 4, numRuns: runs(20) },
  );
});

function sum(all: readonly Counts[]): Counts {
  const total = (name: keyof Counts) => all.reduce((sofar, one) => sofar + one[name], 0);
  return { dlgcount: total('dlgcount'), callcount: total('callcount') };
}
