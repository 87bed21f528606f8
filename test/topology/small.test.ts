/** The small topologies that ship: what the default one has, with fewer nodes and sites. */

import { startCluster } from '../../sim/embed/test-cluster.ts';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { roleNames, roles } from '../../src/model/cluster/roles.ts';
import type { TopologyDomain } from '../../src/model/topology/schema.ts';
import { credentials } from '../embed/kit.ts';
import { test } from '../kit/test.ts';

const sitesOf = { single: { hq: 'h1' }, pair: { hq: 'h1', north: 'n1' } } as const;

for (const [name, nodes] of Object.entries(sitesOf)) {
  const { map } = loadTopology(name);

  test(`${name}: the node of a site has each role that its site may have, once`, (t) => {
    t.deepEqual([...map.nodes.keys()], Object.values(nodes));
    for (const [site, node] of Object.entries(nodes)) {
      const other = site === map.masterSite.name ? 'working' : 'master';
      const wanted = roleNames.filter((role) => roles[role].sites !== other);
      const given = [...map.instances.values()].filter((instance) => instance.node === node);
      t.deepEqual(given.map(({ role }) => role).sort(), wanted.sort());
    }
  });

  test(`${name}: its domains, users and phones are those of the default topology, whatever the site`, (t) => {
    const withoutPlaces = ({ sipusers, providers, ...domain }: TopologyDomain) => ({
      ...domain,
      sipusers: sipusers.map(({ site: _, ...user }) => user),
      providers: providers.map(({ esg: _, ...provider }) => provider),
    });
    const domainsOf = (of: typeof map) => [...of.domains.values()].map(withoutPlaces);
    t.deepEqual(domainsOf(map), domainsOf(loadTopology('default').map));
  });

  test(`${name}: it serves calls of phones, providers and conference rooms, and breaks no rule`, async (t) => {
    await using cluster = await startCluster({ topology: name });
    await cluster.load.set({ rate: 1, holdingMs: 5_000 });
    await cluster.clock.advance('60s');
    const { started, answered, why } = cluster.load.view;
    t.true(started > 30 && answered > 20, JSON.stringify({ started, answered, why }));
    const api = await cluster.client(credentials);
    for (const to of ['1002', '550001', '0800']) {
      const { connected } = await api.calls.create({ from: '1001', to, response_mode: 3 });
      t.true(connected, to);
    }
    cluster.assertRules();
  });
}

test('pair: a site that is cut off serves its own calls, and both agree again afterwards', async (t) => {
  await using cluster = await startCluster({ topology: 'pair' });
  const api = await cluster.client({ ...credentials, site: 'north' });
  const cut = await cluster.faults.cut({ from: 'north' });
  await cluster.clock.advance('10s');
  t.true((await api.calls.create({ from: '1001', to: '1002', response_mode: 3 })).connected);
  const far = await cluster.client({ ...credentials, site: 'hq' });
  t.is(await far.calls.count(), 0);
  await cut.lift();
  await cluster.clock.advance('10s');
  t.is(await far.calls.count(), 1);
  cluster.assertRules();
});

test('topologies that are loaded in turn are each parsed once', (t) => {
  for (let round = 0; round < 2; round += 1) {
    t.is(loadTopology('single').map, loadTopology('single').map);
    t.is(loadTopology('default').map, loadTopology('default').map);
  }
});
