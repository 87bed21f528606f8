/** Safety first, then liveness: a core is healed, everything else stays as broken as it is. */

import { coreOf, drawCore } from '../../../sim/scenario/run/core.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';
import { play, scenarioOf } from './kit.ts';

const { map } = loadTopology('default');
const list = 'request: { through: hq, as: operator, path: /rest/v1/master/nodes }';
const row = (name: string, status: string) => `{ where: { name: ${name} }, every: { status: ${status} }, count: 1 }`;

test('a core has the master site, and of a seed it is always the same', (t) => {
  const drawn = Array.from({ length: 20 }, (_, seed) => [...drawCore(map, seed).sites].join());
  t.deepEqual(
    drawn,
    Array.from({ length: 20 }, (_, seed) => [...drawCore(map, seed).sites].join()),
  );
  t.true(drawn.every((sites) => sites.startsWith('hq')));
  t.true(new Set(drawn).size > 2, `${[...new Set(drawn)]}`);
  t.deepEqual([...coreOf(map, ['south']).nodes], ['h1', 'h2', 'h3', 's1', 's2']);
});

test('within the core all is healed: lines, nodes, phones; outside of it nothing is', async (t) => {
  const { verdict, failures, reported } = await play(`steps:
  - fault: { cut: { from: '*', to: '*' }, name: lines }
  - fault: { crash: s2 }
  - fault: { pause: h3 }
  - fault: { crash: n2 }
  - fault: { silence: acme.root.test/1010 }
  - wait: 10s
  - converge: { core: [south], within: 60s }
  - ${list}
    expect: { items: [${row('s2', 'active')}, ${row('h3', 'active')}, ${row('n1', 'unreachable')}, ${row('n2', 'unreachable')}] }
  - look: acme.root.test/1010
    expect: { body: { isSilent: false } }
`);
  t.is(verdict, 'pass', JSON.stringify(failures));
  t.true(reported.find(({ number }) => number === 7)?.isExpectation);
});

test('phones of a core that are registered outside of it move: messages through other gates are still late', async (t) => {
  const phones = ['acme', 'globex'].flatMap((domain) => ['1009', '1010'].map((user) => `${domain}.root.test/${user}`));
  const lookAt = (gate: string) => `  - look: acme.root.test/1009
    expect: { body: { state: registered, gate: ${gate} } }
`;
  const { failures } = await play(`steps:
  - fault: { pause: h2 }
${phones.map((name) => `  - fault: { silence: ${name} }\n  - fault: { revive: ${name} }\n`).join('')}
  - wait: 30s
${lookAt('sg-213')}
  - fault: { delayOutside: { by: 2s } }
  - converge: { core: [hq], within: 60s }
${lookAt('sg-123')}`);
  t.deepEqual(failures, []);
});

test('a core has room on its disks: a node that waits for its store starts', async (t) => {
  const { verdict, failures } = await play(`steps:
  - fault: { fillStore: { at: n2 }, name: full }
  - fault: { fillStore: { at: [h3, s2] }, name: others }
  - fault: { drain: n2 }
  - fault: { drain: h3 }
  - converge: { core: [north], within: 60s }
  - ${list}
    expect: { items: [${row('n2', 'active')}, ${row('h3', 'active')}] }
`);
  t.is(verdict, 'pass', JSON.stringify(failures));
});

test('a node that waits for its store when its core comes together is one that does not run', async (t) => {
  const { failures } = await play(`steps:
  - fault: { fillStore: { at: n2 }, name: full }
  - fault: { crash: n2 }
  - parallel:
      - steps:
          - { at: 1s, fault: { restart: n2 } }
      - steps:
          - at: 2s
            converge: { core: [south], within: 5s }
          - { at: 3s, fault: { mend: full } }
  - converge: { core: [north], within: 60s }
`);
  t.deepEqual(failures, []);
});

test('a core that can not come together in its time names the nodes that do not see each other', async (t) => {
  const { verdict, failures } = await play(`steps:
  - fault: { cut: { from: north }, name: lines }
  - wait: 10s
  - converge: { core: [hq, north, south], within: 100ms }
`);
  t.is(verdict, 'fail');
  t.regex(failures[0]?.text ?? '', /^core hq, north, south: node h1 does not see n1, n2$/);
});

test('a core whose lists differ to the end asks again for one of them only, and names all', async (t) => {
  const { map, webApps, scenario } = scenarioOf('steps:\n  - converge: { core: [south], within: 20s }\n');
  const world = new VirtualWorld({ map, webApps, seed: 1 });
  const asked: string[] = [];
  const request = world.request.bind(world);
  world.request = async (site, each, ...more) => {
    asked.push(`${each.method} ${each.url}`);
    const answer = await request(site, each, ...more);
    return site === 'south' && /mask=(id|username)/.test(each.url) ? new Response('["another"]') : answer;
  };
  const { failures } = await runScenario(scenario, world, { seed: 1 });
  const differing = failures.map(({ text }) => text).join();
  const times = (path: string) => asked.filter((each) => each === `GET http://south${path}`).length;
  t.regex(differing, /hq and south differ in \/rest\/v1\/uc\/sipusers\?mask=id as clerk/);
  t.regex(differing, /hq and south differ in \/rest\/v1\/master\/borderrules\?mask=id as operator/);
  t.true(times('/rest/v1/uc/sipuser_states?mask=username,status') > 40);
  t.is(times('/rest/v1/uc/sipusers?mask=id'), 1);
  t.is(times('/rest/v1/master/borderrules?mask=id'), 1);
});

test('lists are asked for from an address of their own: that of the clients may be banned', async (t) => {
  const login = `request: { through: south, method: POST, path: /rest/v1/iam/sessions, body: { domain: acme.root.test, login: admin, pwd: wrong } }`;
  const { verdict, failures } = await play(`steps:
${`  - ${login}\n`.repeat(6)}  - ${login}
    expect: { status: 429 }
  - converge: { core: [south], within: 10s }
`);
  t.is(verdict, 'pass', JSON.stringify(failures));
});

test('a core of all sites is quiescent in the end, and the oracles are asked', async (t) => {
  const { verdict, oracles, failures } = await play(`always: all
workload: { calls: { rate: 1, holding: 5s } }
steps:
  - fault: { lose: { from: north, probability: 0.3 } }
  - wait: 10s
  - converge: { core: [hq, north, south] }
`);
  t.is(verdict, 'pass', JSON.stringify(failures));
  t.true(oracles.filter(({ checks }) => checks > 0).length > 10);
});
