/** The names that texts and pages give to addresses of phones, providers and gates. */
import { EndpointNames } from '../../../sim/outside/endpoint-names.ts';
import { phonesOf } from '../../../sim/outside/population.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../../src/model/topology/schema.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const { sites } = defaultMap.topology;
const users = [
  { login: 'ann', phonenumber: '100' },
  { login: 'bob', phonenumber: '200', phones: 2 },
  { login: '200', phonenumber: '300' },
];
const map = new ClusterMap(
  topologySchema.parse({
    name: 'named',
    sites,
    domains: [{ name: 'root.test' }, { name: 'acme.root.test', sipusers: users }],
  }),
);
const phones = phonesOf(map);
const names = new EndpointNames({ map, outside: { phones: () => phones } });

test('an endpoint in a text stands in brackets behind the name of its phone, provider or gate', (t) => {
  const [ann, , second] = phones.map(({ endpoint }) => endpoint);
  const [gate] = map.instancesOf('sg');
  if (gate === undefined) throw new Error('the topology has a gate');
  t.is(
    names.inText(`sip INVITE from ${ann} to ${map.endpointOf(gate)}`),
    `sip INVITE from acme.root.test/ann (${ann}) to ${gate.address} (${map.endpointOf(gate)})`,
  );
  t.is(
    names.inText(`leg c1 of ${second}: idle > calling`),
    `leg c1 of acme.root.test/bob/2 (${second}): idle > calling`,
  );
  const withProviders = new EndpointNames({ map: defaultMap, outside: { phones: () => [] } });
  t.is(withProviders.inText('silence 10.9.0.1:5060'), 'silence sip.telecom.test (10.9.0.1:5060)');
});

test('other addresses, URIs and quoted JSON stay as they are', (t) => {
  const [ann] = phones.map(({ endpoint }) => endpoint);
  for (const text of [
    'from 10.250.0.1:5060',
    `Contact sip:ann@${ann}`,
    `got {"endpoint":"${ann}"}`,
    `acme.root.test/ann (${ann})`,
    `${ann}0`,
  ])
    t.is(names.inText(text), text);
});

test('a party of a call is the user of its URI: a caller by its login, a callee by its number', (t) => {
  t.is(names.ofUri('<sip:ann@acme.root.test>', 'caller'), 'acme.root.test/ann');
  t.is(names.ofUri('sip:100@acme.root.test', 'callee'), 'acme.root.test/ann');
  t.is(names.ofUri('sip:200@acme.root.test', 'callee'), 'acme.root.test/bob');
  t.is(names.ofUri('sip:200@acme.root.test', 'caller'), 'acme.root.test/200');
  t.is(names.ofUri('sip:84950000102@sip.telecom.test', 'callee'), '84950000102@sip.telecom.test');
});
