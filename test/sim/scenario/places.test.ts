/** Values that a scenario saves, as names of what its steps are about. */

import { planText } from '../../../sim/report/plan.ts';
import { Names } from '../../../sim/scenario/checks/names.ts';
import { resolveTargets } from '../../../sim/scenario/checks/targets.ts';
import { Values } from '../../../sim/scenario/language/values.ts';
import { readScenario } from '../../../sim/scenario/load-scenario.ts';
import { planOf } from '../../../sim/scenario/plan.ts';
import { shrink } from '../../../sim/shrink/shrinker.ts';
import { readTopology } from '../../../sim/topology/load-topology.ts';
import { test } from '../../kit/test.ts';
import { smallYaml } from '../../topology/small.ts';
import { afterRuns, faultsOf, play, scenarioOf } from './kit.ts';

const call = `
  - request: { through: north, as: clerk, method: POST, path: /rest/v1/uc/calls, body: { from: '1001', to: '1002', response_mode: 3 }, save: { call: dialogid, b2b: { from: dialogid, match: '^(\\d+)-' } } }
    expect: { status: 200 }
  - request: { through: north, as: clerk, path: /rest/v1/uc/calls/$call, save: { home: site, uris: uris, from: legs.0.localuri, callee: { from: remoteuri, match: 'sip:(\\w+)@' } } }
    expect: { status: 200 }`;
/** Names for values that no run is needed for. */
const saving = `
  - request: { through: hq, as: operator, path: /openapi.json, save: { uri: a, b2b: b, home: c, list: d } }`;

test('the b2b that has a call is the one that dies', async (t) => {
  const { failures, steps, world } = await play(`steps:${call}
  - fault: { crash: { role: b2b, instance: $b2b } }
  - when: { status: active, at: $b2b }
  - request: { through: $home, as: clerk, path: '/rest/v1/uc/calls' }
    expect: { within: 5s, count: 0 }
  - { look: acme.root.test/$callee, expect: { body: { isRegistered: true } } }
  - { fault: { silence: [acme.root.test/$callee] } }
  - hangUp: acme.root.test/$callee
`);
  t.deepEqual(failures, []);
  const [, number] = / \(\$b2b is (\d+)\)$/.exec(steps[2]?.what ?? '') ?? [];
  t.true(world.map.instancesOf('b2b').some(({ srvidx }) => String(srvidx) === number));
  t.deepEqual(
    steps.slice(3).map(({ what }) => what),
    [
      `wait for an instance active at $b2b ($b2b is ${number})`,
      'GET /rest/v1/uc/calls through $home within 5000 ms ($home is north)',
      'look at acme.root.test/$callee ($callee is 1002)',
      'silence acme.root.test/$callee ($callee is 1002)',
      'acme.root.test/$callee hangs up ($callee is 1002)',
    ],
  );
});

test('every part of a step that names its subject may name a value', (t) => {
  const { scenario, map } = scenarioOf(`steps:${saving}
  - { fault: { crash: $b2b } }
  - { fault: { restart: b2b-$b2b } }
  - { fault: { cut: { from: [$home, h1], to: { node: n$uri } }, name: lines } }
  - { fault: { slowStore: { at: $home, by: 1s } } }
  - { fault: { cutOutside: { from: $home, who: [acme.root.test/100$uri] } } }
  - { dial: { from: acme.root.test/100$uri, to: $b2b } }
  - { every: 1s, until: { event: dlg_stop, at: b2b-$b2b }, wait: 1s }
  - { converge: { core: [hq, $home] } }
  - { request: { through: $home, path: /healthz } }
`);
  const values = new Values();
  t.deepEqual(values.save({ b2b: 'b', home: 'h', uri: 'u' }, { b: 223, h: 'north', u: 2 }), []);
  const names = new Names(map, { areOpen: false });
  const settled = scenario.steps.slice(1).map((step) => resolveTargets(step, values, names));
  t.deepEqual(
    settled.flatMap(({ problems }) => problems),
    [],
  );
  const whom = settled.map(({ step: { fault, dial, until, converge, request } }) => [
    ...[fault?.crash, fault?.restart, fault?.cut?.from, fault?.cut?.to, fault?.slowStore?.at],
    ...[fault?.cutOutside?.from, fault?.cutOutside?.who, dial?.from, converge?.core, request?.through],
    typeof until === 'object' ? until.at : undefined,
  ]);
  t.deepEqual(
    whom.map((each) => each.filter((part) => part !== undefined)),
    [
      ['223'],
      ['b2b-223'],
      [['north', 'h1'], { node: 'n2' }],
      ['north'],
      ['north', ['acme.root.test/1002']],
      ['acme.root.test/1002'],
      ['b2b-223'],
      [['hq', 'north']],
      ['north'],
    ],
  );
});

const places = 'expected a site (hq, north, south), a node (h1, h2, h3, n1, n2, s1, s2), a role, a role instance or *';
const wrong: readonly [what: string, step: string, problem: RegExp | string][] = [
  ['no place', 'fault: { crash: $uri }', `fault.crash: ${places}, got "<sip:1@a>" ($uri is <sip:1@a>)`],
  [
    'no number of an instance of the role',
    'fault: { crash: { role: conf, instance: $b2b } }',
    /^fault\.crash: expected a role instance or its number \(.*conf-125.*\), got "223" \(\$b2b is 223\)$/,
  ],
  [
    'instances where only nodes can be struck',
    'fault: { pause: b2b-$b2b }',
    'fault.pause: expected nodes, got the role instance b2b-223 ($b2b is 223)',
  ],
  [
    'no instance that fits',
    'fault: { crash: { site: $home, role: mdc } }',
    'fault.crash: expected at least 1 that match, got 0 ($home is north)',
  ],
  ['a list', 'fault: { cut: { from: [hq, $list] } }', /^fault\.cut\.from\[1\]: .* a number as \$list, got \["a"\]$/],
  [
    'no phone',
    'look: acme.root.test/$b2b',
    /^look: expected a phone or a provider \(.*\), got "acme\.root\.test\/223"/,
  ],
  ['no front', 'request: { through: $uri, path: /healthz }', /^request\.through: expected a site \(hq, north, south\)/],
  ['nowhere', 'when: { status: active, at: $uri }', /^when\.at: expected a site .*, got "<sip:1@a>"/],
  ['nowhere until', 'every: 1s, until: { status: active, at: $uri }, wait: 1s', /^until\.at: expected a site/],
  ['no site', 'converge: { core: [$uri] }', /^converge\.core\[0\]: expected a site/],
];
for (const [what, step, problem] of wrong) {
  test(`a step fails clearly where a value is ${what}`, (t) => {
    const { scenario, map } = scenarioOf(`steps:${saving}\n  - { ${step} }\n`);
    const values = new Values();
    const body = { uri: '<sip:1@a>', b2b: 223, home: 'north', list: ['a'] };
    t.deepEqual(values.save({ uri: 'uri', b2b: 'b2b', home: 'home', list: 'list' }, body), []);
    const { problems } = resolveTargets(scenario.steps[1] ?? {}, values, new Names(map, { areOpen: false }));
    t.is(problems.length, 1);
    if (typeof problem === 'string') t.is(problems[0], problem);
    else t.regex(problems[0] ?? '', problem);
  });
}

test('a value that no step that ran has saved fails the step that names it', async (t) => {
  const { failures } = await play(`steps:
  - every: 1s
    until: 1ms
    at: 1s
    request: { through: hq, as: operator, path: /rest/v1/master/nodes, save: { node: 0.name } }
  - { note: saved, fault: { crash: $node } }
`);
  t.deepEqual(
    failures.map(({ step, name, text }) => [step, name, text]),
    [[2, 'saved', 'fault.crash: expected a name or a number as $node, got nothing: no step so far has saved it']],
  );
});

test('a part of a text is saved, and what has no such part is said', (t) => {
  const values = new Values();
  const body = { id: '223-m-1', legs: [] };
  const save = (from: string, match: string) => values.save({ it: { from, match } }, body);
  t.deepEqual(save('id', '^\\d+'), []);
  t.is(values.fill('$it'), '223');
  t.deepEqual(save('id', '-(\\w+)-'), []);
  t.is(values.fill('$it'), 'm');
  t.deepEqual(save('id', '^x'), ['save it: expected a text with ^x in it at id, got "223-m-1"']);
  t.deepEqual(save('legs', '.*'), ['save it: expected a text with .* in it at legs, got []']);
  t.deepEqual(save('none', '.*'), ['save it: nothing at none']);
  t.deepEqual(
    faultsOf("steps: [{ request: { through: hq, path: /healthz, save: { it: { from: x, match: '(' } } } }]"),
    ['steps[0].request.save.it.match: expected a regular expression with a ")" for each "(" (at 1), got "("'],
  );
});

const invalid: readonly [what: string, step: string, faults: readonly (RegExp | string)[]][] = [
  [
    'a name that no earlier step saves',
    'fault: { crash: { instance: $b2c } }',
    [
      /^steps\[2\]\.fault\.crash\.instance: expected a name that an earlier step saves \(call, b2b, .*got "b2c"; did you mean "b2b"\?$/,
    ],
  ],
  [
    'a text that no value makes a place',
    'fault: { crash: b2bb-$b2b }',
    [`steps[2].fault.crash: ${places}, got "b2bb-$b2b"`],
  ],
  [
    'what is wrong beside it',
    'fault: { cut: { from: [nowhere, $home] } }',
    [`steps[2].fault.cut.from: ${places}, got "nowhere"`],
  ],
  [
    'a site beside it',
    'fault: { crash: { site: nort, instance: $b2b } }',
    [/^steps\[2\]\.fault\.crash: expected a site \(hq, north, south\), got "nort"; did you mean "north"\?$/],
  ],
  [
    'an instance beside it that can not drain',
    'fault: { drain: [b2b-214, $home] }',
    ['steps[2].fault.drain: expected nodes, got the role instance b2b-214'],
  ],
  [
    'a phone of a domain that there is not',
    'hangUp: acme.rot.test/$callee',
    [/^steps\[2\]\.hangUp: expected a phone or a provider/],
  ],
  ['a place of matchers', 'when: { status: active, at: bb-$b2b }', [/^steps\[2\]\.when\.at: expected a site/]],
];
for (const [what, step, faults] of invalid) {
  test(`refused before it runs: ${what}`, (t) => {
    const found = faultsOf(`steps:${call}\n  - { ${step} }\n`);
    t.is(found.length, faults.length, found.join('\n'));
    for (const [i, fault] of faults.entries()) {
      if (typeof fault === 'string') t.is(found[i], fault);
      else t.regex(found[i] ?? '', fault);
    }
  });
}

test('traffic that an earlier step has healed for the rest of the run cannot be harmed', (t) => {
  const after = (fault: string) =>
    faultsOf(`steps:${call}\n  - converge: { core: [hq, north], within: 60s }\n  - fault: ${fault}\n`);
  t.deepEqual(after('{ cut: { from: n1, to: [hq, n2] } }'), [
    'steps[3].fault.cut: expected traffic of a node outside the core: an earlier converge lets all traffic between h1, h2, h3, n1, n2 pass for the rest of the run',
  ]);
  for (const fault of [
    '{ cut: { from: n1 } }',
    '{ delay: { from: hq, to: south, by: 1s } }',
    '{ cut: { from: $home } }',
    '{ crash: n1 }',
  ])
    t.deepEqual(after(fault), [], fault);
});

test('what is looked at over the whole run can not be named by what a step saves', (t) => {
  const [fault] = faultsOf(`sometimes: [{ name: it, seen: { status: active, at: $b2b } }]\nsteps:${call}\n`);
  t.regex(fault ?? '', /^sometimes\[0\]\.seen\.at: expected a site .*, got "\$b2b"$/);
});

test('the plan says which step a name comes from, and what it may mean', (t) => {
  const text = planText(
    planOf(
      scenarioOf(`steps:${call}
  - fault: { crash: b2b-$b2b }
  - fault: { cut: { from: $home, to: south } }
  - fault: { crash: { site: north, role: b2b, instance: $b2b } }
`),
      1,
    ),
  );
  for (const line of [
    'saves $call from dialogid, $b2b from dialogid, the part that matches ^(\\d+)-',
    '→ b2b-$b2b, one of b2b-114, b2b-124, b2b-214, b2b-223, b2b-314, b2b-323 ($b2b: saved by step 1)',
    '→ $home ($home: saved by step 2)',
    '→ site south: nodes s1, s2',
    '→ (site north, role b2b, instance $b2b), one of b2b-214, b2b-223 ($b2b: saved by step 1)',
  ])
    t.true(text.includes(line), `${line}\n${text}`);
});

test('what shrinks keeps the step that saves as long as its value names a node', async (t) => {
  const topologySource = { file: 'small.yaml', text: smallYaml };
  const text = `name: saving
why: What is shrunk runs many times, so the topology is a small one.
sessions: { operator: { through: east, domain: root.test, login: admin, pwd: admin } }
steps:
  - wait: 1s
  - request: { through: east, as: operator, path: '/rest/v1/master/nodes?filter={"name":"w2"}', save: { node: 0.name, site: 0.site } }
  - fault: { crash: $node }
  - wait: 5s
  - request: { through: east, as: operator, path: /rest/v1/master/nodes }
    expect: { items: [{ where: { name: w2 }, every: { status: active } }] }
`;
  const find = () => ({ map: readTopology(topologySource), webApps: () => [], topologySource });
  const shrunk = await shrink(readScenario({ file: 'saving.yaml', text }, find), { seed: 1, isEnough: afterRuns(12) });
  t.is(shrunk.steps, 3, shrunk.scenario);
  t.regex(shrunk.scenario, /save:[\s\S]*node: 0.name[\s\S]*crash: \$node/);
});
