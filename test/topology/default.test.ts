/** The topology that ships, held against what the product promises of it. */

import { loadTopology } from '../../sim/topology/load-topology.ts';
import { type RoleName, roleNames, roles } from '../../src/model/cluster/roles.ts';
import { checkTopology } from '../../src/model/topology/checks.ts';
import { test } from '../kit/test.ts';

const { map } = loadTopology('default');
const { topology } = map;
const domain = (name: string) => {
  const found = map.domains.get(name);
  if (found === undefined) throw new Error(`no domain ${name}`);
  return found;
};
const children = ['acme.root.test', 'globex.root.test'];

test('the default topology is valid', (t) => {
  t.deepEqual(checkTopology(topology), []);
});

test('three sites: the master hq with three nodes, north and south with two each', (t) => {
  t.deepEqual(
    [...map.sites.values()].map(({ name, isMaster, nodes }) => [name, isMaster, nodes.length]),
    [
      ['hq', true, 3],
      ['north', false, 2],
      ['south', false, 2],
    ],
  );
});

test('every role is at every site where it may be, and nowhere else', (t) => {
  for (const site of map.sites.values()) {
    const here = new Set(site.nodes.flatMap((node) => node.instances.map((instance) => instance.role)));
    const may = (role: RoleName) => ({ any: true, master: site.isMaster, working: !site.isMaster })[roles[role].sites];
    t.deepEqual([...here].sort(), roleNames.filter(may).sort(), site.name);
  }
});

test('one front at each site, two external gates at hq', (t) => {
  const count = (role: RoleName, site: string) => map.instancesOf(role).filter((each) => each.site === site).length;
  t.deepEqual(
    ['hq', 'north', 'south'].map((site) => [count('ws', site), count('esg', site)]),
    [
      [1, 2],
      [1, 1],
      [1, 1],
    ],
  );
});

test('every active-passive group has two members on different nodes', (t) => {
  const passive = [...map.instances.values()].filter(({ role }) => roles[role].redundancy === 'active-passive');
  t.true(passive.length > 0);
  for (const instance of passive) {
    const group = map.groupOf(instance);
    t.is(group.length, 2, instance.address);
    t.is(new Set(group.map((each) => each.node)).size, 2, instance.address);
    t.is(new Set(group.map((each) => each.order)).size, 2, instance.address);
  }
});

test('sites with two nodes have arbiters elsewhere, for a majority of one half', (t) => {
  for (const site of map.sites.values()) {
    t.is(site.arbiters.length > 0, site.nodes.length % 2 === 0, site.name);
    for (const arbiter of site.arbiters) t.not(map.node(arbiter).site, site.name);
  }
});

test('the domains are root.test, the master, and two customers below it', (t) => {
  t.is(map.masterDomain, 'root.test');
  t.deepEqual([...map.domains.keys()], ['root.test', ...children]);
  t.deepEqual(map.site('hq').domains, ['root.test']);
  t.deepEqual(map.site('north').domains, children);
  t.deepEqual(map.site('south').domains, children);
});

test('every domain has an admin and a user', (t) => {
  for (const { name, users } of map.domains.values()) {
    t.deepEqual(
      users.map(({ login, pwd, roles: access }) => ({ login, pwd, roles: access })),
      [
        { login: 'admin', pwd: 'admin', roles: ['admin'] },
        { login: 'user', pwd: 'user', roles: ['user'] },
      ],
      name,
    );
  }
});

test('every customer has SIP users 1001 to 1010, a provider account and the feature codes 55 and 56', (t) => {
  t.deepEqual(domain('root.test').sipusers, []);
  for (const name of children) {
    const { sipusers, providers, features } = domain(name);
    t.deepEqual(
      sipusers.map(({ login, phonenumber }) => [login, phonenumber]),
      Array.from({ length: 10 }, (_, index) => [`${1001 + index}`, `${1001 + index}`]),
    );
    t.is(providers.length, 1, name);
    t.deepEqual(features, [
      { prefix: '55', type: 'conference' },
      { prefix: '56', type: 'videoconference' },
    ]);
  }
  const [first, second] = children.map((name) => domain(name).providers[0]?.esg);
  t.not(first, second);
});

test('the timings are the documented ones', (t) => {
  const { pingIntervalMs, pingPatienceMs, pingMisses, edgeWaitMs, requestDeadlineMs } = topology.timings;
  t.deepEqual(
    { pingIntervalMs, pingPatienceMs, pingMisses, edgeWaitMs, requestDeadlineMs },
    { pingIntervalMs: 1_000, pingPatienceMs: 1_000, pingMisses: 3, edgeWaitMs: 2_000, requestDeadlineMs: 5_000 },
  );
});

test('each node has a link of its own, each front an address, 8080 and the ports after it', (t) => {
  const nodes = topology.sites.flatMap((site) => site.nodes);
  t.is(new Set(nodes.map(({ link }) => link)).size, nodes.length);
  t.deepEqual(
    nodes.flatMap(({ http }) => http ?? []),
    ['127.0.0.1:8080', '127.0.0.1:8081', '127.0.0.1:8082'],
  );
});

test('between the sites only gateways are peers, and every site has two', (t) => {
  for (const site of map.sites.values()) t.is(site.nodes.filter((node) => node.isGateway).length, 2, site.name);
  const namesOf = (name: string) => map.peersOf(name).map((peer) => peer.name);
  t.deepEqual(namesOf('h3'), ['h1', 'h2']);
  t.deepEqual(namesOf('n1'), ['h1', 'h2', 'n2', 's1', 's2']);
});

test('the map knows its parts by name, and says which name it does not know', (t) => {
  t.is(map.node('n2').address, 'north/n2');
  t.is(map.instance('north/n2/esg-221').name, 'esg-221');
  t.is(map.masterSite.name, 'hq');
  t.deepEqual(
    map.serving('sdc', 'south', 'acme.root.test').map(({ name }) => name),
    ['sdc-318', 'sdc-329'],
  );
  t.deepEqual(map.serving('sdc', 'south', 'root.test'), []);
  t.throws(() => map.site('west'), { message: 'no site named "west"' });
  t.throws(() => map.node('hq/h1'), { message: 'no node named "hq/h1"' });
  t.throws(() => map.instance('esg-221'), { message: 'no instance named "esg-221"' });
});
