/** The topology of one node that ships: what the default one has, without its other sites. */
import test from 'ava';
import { startCluster } from '../../sim/embed/cluster.ts';
import { loadTopology } from '../../sim/topology/load.ts';
import { roleNames, roles } from '../../src/model/cluster/roles.ts';
import type { TopologyDomain } from '../../src/model/topology/schema.ts';
import { credentials } from '../embed/kit.ts';

const { map } = loadTopology('single');

test('one node has each role that a master site may have, once', (t) => {
  t.deepEqual([...map.nodes.keys()], ['h1']);
  const wanted = roleNames.filter((role) => roles[role].sites !== 'working');
  t.deepEqual([...map.instances.values()].map(({ role }) => role).sort(), wanted.sort());
});

test('its domains, users and phones are those of the default topology, whatever the site', (t) => {
  const withoutPlaces = ({ sipusers, providers, ...domain }: TopologyDomain) => ({
    ...domain,
    sipusers: sipusers.map(({ site: _, ...user }) => user),
    providers: providers.map(({ esg: _, ...provider }) => provider),
  });
  const domainsOf = (of: typeof map) => [...of.domains.values()].map(withoutPlaces);
  t.deepEqual(domainsOf(map), domainsOf(loadTopology('default').map));
});

test('it serves calls of phones, providers and conference rooms, and breaks no rule', async (t) => {
  await using cluster = await startCluster({ topology: 'single' });
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

test('topologies that are loaded in turn are each parsed once', (t) => {
  for (let round = 0; round < 2; round += 1) {
    t.is(loadTopology('single').map, map);
    t.is(loadTopology('default').map, loadTopology('default').map);
  }
});
