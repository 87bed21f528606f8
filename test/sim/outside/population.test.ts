/** Which phones and providers live outside a topology, where, behind which gates, and by which names they go. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { accountsOf, isOutside, namesOutside, phonesOf, providersOf } from '../../../sim/outside/population.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { type Topology, topologySchema } from '../../../src/model/topology/schema.ts';
import { defaultMap } from '../../kit/maps.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

/** The default sites with domains of their own making. */
function mapWith(domains: readonly object[]): ClusterMap {
  const { sites } = defaultMap.topology;
  return new ClusterMap(topologySchema.parse({ name: 'other', sites, domains: [{ name: 'root.test' }, ...domains] }));
}

function gatesOf(map: ClusterMap): string[][] {
  return phonesOf(map).map(({ gates }) => gates.map(({ name }) => name));
}

test('each SIP user of the default cluster has one phone, 1008 has two, with an endpoint and a device of its own', (t) => {
  const phones = phonesOf(defaultMap);
  t.is(phones.length, 22);
  t.like(phones[8], { name: 'acme.root.test/1008/2', endpoint: '10.101.8.2:5060', device: '1008-2' });
  const [first] = phones;
  t.like(first, { name: 'acme.root.test/1001', endpoint: '10.101.1.1:5060', device: '1001-1', pwd: '1001' });
  t.like(phones[21], { name: 'globex.root.test/1010', endpoint: '10.102.10.1:5060' });
});

test('a phone prefers the gates of its site and knows those of the others that serve its domain', (t) => {
  const gates = gatesOf(defaultMap);
  t.deepEqual(gates[0], ['sg-213', 'sg-123', 'sg-313'], 'north');
  t.deepEqual(gates[4], ['sg-313', 'sg-123', 'sg-213'], 'south');
  t.deepEqual(gates[9], ['sg-123', 'sg-213', 'sg-313'], 'hq');
});

test('users without a site take turns at the sites; a site that does not serve the domain is never asked', (t) => {
  const users = ['1', '2', '3', '4'].map((login) => ({ login, phonenumber: login }));
  const map = mapWith([{ name: 'acme.root.test', sipusers: users }]);
  t.deepEqual(
    gatesOf(map).map(([first]) => first),
    ['sg-123', 'sg-213', 'sg-313', 'sg-123'],
  );
  const elsewhere = mapWith([{ name: 'initech.root.test', sipusers: [{ ...users[0], site: 'north' }] }]);
  t.deepEqual(gatesOf(elsewhere), [['sg-123']], 'only hq serves the whole tree');
});

test('the users of a site with several gates take turns at them', (t) => {
  const { sites, ...rest } = structuredClone(defaultMap.topology) as Topology;
  sites[1]?.nodes[1]?.instances.push({ role: 'sg', srvidx: 250 });
  const gates = gatesOf(new ClusterMap({ ...rest, sites }));
  t.deepEqual(
    gates.slice(0, 3).map((each) => each.slice(0, 2)),
    [
      ['sg-213', 'sg-250'],
      ['sg-250', 'sg-213'],
      ['sg-213', 'sg-250'],
    ],
  );
});

test('accounts with one address share a provider, there is one for each address, and those without one have none', (t) => {
  const [shared, ...none] = providersOf(defaultMap);
  t.is(none.length, 0);
  t.is(shared?.endpoint, '10.9.0.1:5060');
  t.deepEqual(
    shared?.accounts.map(({ key, gate }) => [key, gate.name]),
    [
      ['acme.root.test/acme-telecom', 'esg-221'],
      ['globex.root.test/globex-telecom', 'esg-321'],
    ],
  );
  const provider = { code: 'one', username: 'u', domain: 'sip.one.test', esg: 221 };
  const at = (code: string, port: number) => ({ ...provider, code, port, addrs: ['10.9.0.1', '10.9.0.2'] });
  const map = mapWith([{ name: 'acme.root.test', providers: [provider, at('two', 5_060), at('three', 5_070)] }]);
  t.deepEqual(
    providersOf(map).map(({ endpoint, accounts }) => [endpoint, ...accounts.map((account) => account.key)]),
    ['10.9.0.1:5060', '10.9.0.2:5060', '10.9.0.1:5070', '10.9.0.2:5070'].map((endpoint, index) => [
      endpoint,
      `acme.root.test/${index < 2 ? 'two' : 'three'}`,
    ]),
  );
  t.deepEqual(
    accountsOf(map).map(({ key }) => key),
    ['acme.root.test/two', 'acme.root.test/three'],
  );
});

test('a phone goes by its name, its user and its endpoint, a provider by its domain, endpoint and accounts', (t) => {
  for (const name of ['acme.root.test/1001', '10.101.1.1:5060', 'sip.telecom.test', '10.9.0.1:5060']) {
    t.true(isOutside(defaultMap, name), name);
  }
  t.true(isOutside(defaultMap, 'acme.root.test/acme-telecom'));
  for (const name of ['1001', 'acme.root.test', 'acme.root.test/1011', 'acme.root.test/1001/2', '10.9.0.1', 'sg-213']) {
    t.false(isOutside(defaultMap, name), name);
  }
  t.is(namesOutside(defaultMap).length, 23);
  t.is(namesOutside(defaultMap)[22], 'sip.telecom.test');
});

test('however many domains, users and devices there are, no two phones share an endpoint or a name', async (t) => {
  const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 0, max: 20 })), { maxLength: 3 });
  await holds(
    t,
    fc.property(sizes, (domains) => {
      const map = mapWith(
        domains.map(([users, phones], d) => ({
          name: `d${d}.root.test`,
          sipusers: Array.from({ length: users }, (_, u) => ({ login: `${u}`, phonenumber: `${u}`, phones })),
        })),
      );
      const all = phonesOf(map);
      assert.equal(
        all.length,
        domains.reduce((sum, [users, phones]) => sum + users * phones, 0),
      );
      assert.equal(new Set(all.map(({ endpoint }) => endpoint)).size, all.length);
      assert.equal(new Set(all.map(({ name }) => name)).size, all.length);
      for (const { endpoint } of all) assert.match(endpoint, /^10(\.(1?\d?\d|2[0-4]\d|25[0-5])){3}:5060$/);
    }),
    { numRuns: sized(3, 10) },
  );
});
