/** Scope: which role instances a request concerns. Over any topology and any parameters, without a world. */

import fc from 'fast-check';
import { loadTopology } from '../../sim/topology/load-topology.ts';
import { ClusterMap, type InstanceEntry } from '../../src/model/cluster/cluster-map.ts';
import type { EdgeRole } from '../../src/model/cluster/roles.ts';
import { FaultError } from '../../src/model/fault.ts';
import { topologySchema } from '../../src/model/topology/schema.ts';
import { resolveScope, type ScopeParams, scopeNames } from '../../src/services/fan-out.ts';
import { runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const { map } = loadTopology('default');
const everyInstance = [...map.instances.values()];

function names(instances: readonly InstanceEntry[]): string[] {
  return instances.map((instance) => instance.name);
}

/** What a refusal says, or the names of the instances in scope. */
function outcome(role: EdgeRole, params: ScopeParams): string[] | string {
  try {
    return names(resolveScope(map, role, params));
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return `${error.fault.code}: ${error.fault.message}`;
  }
}

test('without a parameter every instance of the role is in scope', (t) => {
  t.deepEqual(outcome('esg', {}), ['esg-113', 'esg-122', 'esg-221', 'esg-321']);
  t.deepEqual(outcome('sg', {}), ['sg-123', 'sg-213', 'sg-313']);
  t.deepEqual(outcome('ws', {}), ['ws-111', 'ws-211', 'ws-311']);
});

test('a parameter that is there but undefined counts as not given', (t) => {
  t.deepEqual(outcome('esg', { site: undefined, server: '221' }), ['esg-221']);
});

test('instances come by site, node and number, wherever the topology has them', (t) => {
  const node = (name: string, ip: string, srvidxs: number[]) => ({
    name,
    ip,
    instances: [...srvidxs.map((srvidx) => ({ role: 'esg', srvidx })), { role: 'rpco', srvidx: srvidxs[0]! + 1_000 }],
  });
  const topology = {
    name: 'unsorted',
    sites: [
      { name: 'west', type: 'master', domains: ['t'], nodes: [node('w1', '10.0.0.1', [30, 4, 100])] },
      {
        name: 'east',
        type: 'communication',
        domains: ['t'],
        nodes: [node('e9', '10.0.0.2', [1]), node('e10', '10.0.0.3', [2]), node('b', '10.0.0.4', [3])],
      },
    ],
    domains: [{ name: 't' }],
  };
  const instances = resolveScope(new ClusterMap(topologySchema.parse(topology)), 'esg', {});
  t.deepEqual(names(instances), ['esg-3', 'esg-2', 'esg-1', 'esg-4', 'esg-30', 'esg-100']);
});

test('an instance with an address of its own goes by that, and by the address of its server', (t) => {
  const topology = {
    name: 'addressed',
    sites: [
      {
        name: 'hq',
        type: 'master',
        domains: ['t'],
        nodes: [
          {
            name: 'h1',
            ip: '10.0.0.1',
            instances: [
              { role: 'esg', srvidx: 1, addr: '192.0.2.1' },
              { role: 'esg', srvidx: 2 },
            ],
          },
        ],
      },
    ],
    domains: [{ name: 't' }],
  };
  const own = new ClusterMap(topologySchema.parse(topology));
  t.deepEqual(names(resolveScope(own, 'esg', { server: '192.0.2.1' })), ['esg-1']);
  t.deepEqual(names(resolveScope(own, 'esg', { server: '10.0.0.1' })), ['esg-1', 'esg-2']);
});

test('a refusal names the parameter, its value and the known values', (t) => {
  t.is(outcome('esg', { site: 'west' }), 'invalid: site: no site "west"; there are hq, north, south');
  t.regex(String(outcome('esg', { servers: 'n2,n9' })), /^invalid: servers: .*"n9".*h1, h2, h3, n1, n2, s1, s2$/);
  t.regex(String(outcome('esg', { site: 'hq', servers: 'n2' })), /^invalid: site, servers: .*at most one/);
});

const roles = fc.constantFrom<EdgeRole>('esg', 'sg', 'ws');
const someSites = fc.subarray([...map.sites.keys()], { minLength: 1 });
const someServers = fc.subarray(everyInstance, { minLength: 1, maxLength: 5 });

test('sites of several is the union of site of each', (t) => {
  fc.assert(
    fc.property(roles, someSites, (role, sites) => {
      const union = new Set(sites.flatMap((site) => outcome(role, { site })));
      const all = names(resolveScope(map, role, {}));
      t.deepEqual(
        outcome(role, { sites: sites.join(',') }),
        all.filter((name) => union.has(name)),
      );
    }),
    { seed: 1 },
  );
});

test('a server goes by its number, its short and its full name alike, and by its address with its neighbours', (t) => {
  fc.assert(
    fc.property(roles, someServers, (role, instances) => {
      const by = (name: (instance: InstanceEntry) => string) =>
        outcome(role, { servers: instances.map(name).join(',') });
      const wanted = names(instances.filter((instance) => instance.role === role)).toSorted();
      const byNumber = by((instance) => String(instance.srvidx));
      t.deepEqual([...byNumber].sort(), wanted);
      t.deepEqual(
        by((instance) => instance.name),
        byNumber,
      );
      t.deepEqual(
        by((instance) => `${instance.name}@${map.node(instance.node).ip}`),
        byNumber,
      );
      const byNode = by((instance) => instance.node);
      t.deepEqual(
        by((instance) => `${instance.node}@${map.node(instance.node).ip}`),
        byNode,
      );
      t.deepEqual(
        by((instance) => instance.addr),
        byNode,
      );
    }),
    { seed: 2 },
  );
});

test('any parameters give instances of the role without repeats, in order, or an invalid fault', (t) => {
  const text = fc.oneof(
    fc.constantFrom('hq', 'north', 'n2', '221', '10.1.0.11', '', ',', 'hq,hq', 'n2,,n1'),
    fc.string(),
  );
  const params = fc.record(Object.fromEntries(scopeNames.map((name) => [name, text])), { requiredKeys: [] });
  fc.assert(
    fc.property(roles, params, (role, given) => {
      const result = outcome(role, given);
      if (typeof result === 'string') return t.regex(result, /^invalid: (site|server)/);
      const all = names(resolveScope(map, role, {}));
      return t.deepEqual(
        result,
        all.filter((name) => result.includes(name)),
      );
    }),
    { seed: 3, numRuns: runs(38) },
  );
});
