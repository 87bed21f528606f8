/** What scenarios may have beyond single steps: what is refused, where, and topologies by patch and by draw. */

import { YamlError } from '../../../sim/input/yaml-error.ts';
import { oracles } from '../../../sim/oracles/all.ts';
import { changeable } from '../../../sim/scenario/language/workloads.ts';
import { loadScenario, withSeed } from '../../../sim/scenario/load-scenario.ts';
import { test } from '../../kit/test.ts';
import { type FaultyFile, writeFile } from '../../topology/edits.ts';
import { faultsOf } from './kit.ts';

const head = `name: tested
why: What the tests of the language are about, in one sentence.
sessions: { clerk: { through: north, domain: acme.root.test, login: admin, pwd: admin } }
`;
const listedNames = 12;
const steps = 'steps: [{ wait: 1s }]\n';
const list = 'request: { through: north, as: clerk, path: /rest/v1/uc/calls }';
const kept = list.replace(' }', ', save: { n: count } }');

const refused: readonly (Omit<FaultyFile, 'edits'> & { readonly text: string })[] = [
  {
    title: 'a repetition without an end that is beside nothing',
    text: 'steps:\n  - { every: 1s, wait: 1ms }\n',
    faults: ['5:7 steps[0].every: expected "times" or "until": no other branch runs beside this step'],
  },
  {
    title: 'branches that all go on as long as the others',
    text: 'steps:\n  - parallel:\n      - steps: [{ every: 1s, wait: 1ms }]\n',
    faults: ['5:5 steps[0].parallel: expected a branch that ends: each of these runs as long as the others'],
  },
  {
    title: 'a value after the branches that only a step saves which goes on as long as the others',
    text: `steps:\n  - parallel:\n      - steps: [{ wait: 1s }]\n      - steps: [{ every: 1s, ${kept} }]\n  - { ${list}, expect: { body: $n } }\n`,
    faults: ['8:82 steps[1].expect.body: expected a name that an earlier step saves (none), got "n"'],
  },
  {
    title: 'a moment before that of an earlier step',
    text: 'steps:\n  - { at: 10s, wait: 1s }\n  - { at: 5s, wait: 1s }\n',
    faults: ['6:7 steps[1].at: expected a time from 10s on, the time of an earlier step, got 5s'],
  },
  {
    title: 'how often without how long',
    text: 'steps:\n  - { times: 3, wait: 1ms }\n',
    faults: ['5:5 steps[0]: expected "times" and "until" only beside "every"'],
  },
  {
    title: 'a value of a branch beside',
    text: `steps:\n  - parallel:\n      - steps: [{ ${kept} }]\n      - steps: [{ wait: 1s }, { ${list}, expect: { body: $n } }]\n`,
    faults: [
      '7:108 steps[0].parallel[1].steps[1].expect.body: expected a name that an earlier step saves (none), got "n"',
    ],
  },
  {
    title: 'something to be seen of two kinds',
    text: `steps:\n  - when: { event: dlg_start, log: x }\n`,
    faults: [
      '5:5 steps[0].when: expected exactly one of event, message, state, status, log, answer, oracle, settled, got event and log',
    ],
  },
  {
    title: 'an oracle that there is not',
    text: `always: [calls-agree, luck]\n${steps}`,
    faults: [`4:23 always[1]: expected an oracle (${firstOracles()}), got "luck"`],
  },
  {
    title: 'a malformed rate',
    text: `workload: { calls: { rate: often } }\n${steps}`,
    faults: ['4:22 workload.calls.rate: expected a rate a second from 0 to 1000, such as 5 or 0.5/s, got "often"'],
  },
  {
    title: 'an unknown field of a workload in one of its forms',
    text: `workload: { requests: { rate: 1, path: /healthz, speed: 3 } }\n${steps}`,
    faults: [
      '4:50 workload.requests.speed: no such field here, expected one of rate, through, as, method, path, mix, body',
    ],
  },
  {
    title: 'a workload through an unknown site, in the name of an unknown session',
    text: `workload: { changes: { rate: 1, as: absent, entity: user, through: west } }\n${steps}`,
    faults: [
      '4:33 workload.changes.as: expected the name of a session (clerk), got "absent"',
      '4:59 workload.changes.through: expected a site (hq, north, south), got "west"',
    ],
  },
  {
    title: 'an entity that there is not',
    text: `workload: { changes: { rate: 1, as: clerk, entity: tree } }\n${steps}`,
    faults: [`4:44 workload.changes.entity: expected one of ${changeable.join(', ')}, got "tree"`],
  },
  {
    title: 'a promise of a failover that nothing can tell',
    text: `promise: { failOver: 3s }\n${steps}`,
    faults: ['4:1 promise: expected "request" beside "failOver"'],
  },
  {
    title: 'a promise of a fault that there is not',
    text: `promise: { of: lines, detect: 3s }\n${steps}`,
    faults: ['4:12 promise.of: expected the name of a fault (none), got "lines"'],
  },
  {
    title: 'something to come true that is not asked for',
    text: `eventually: [{ name: x, within: 1s }]\n${steps}`,
    faults: [
      '4:14 eventually[0]: expected exactly one of request, look, seen',
      '4:14 eventually[0]: expected "expect" beside a request or a look',
    ],
  },
  {
    title: 'a core of a site that there is not',
    text: 'steps: [{ converge: { core: [west] } }]\n',
    faults: ['4:30 steps[0].converge.core[0]: expected a site (hq, north, south), got "west"'],
  },
  {
    title: 'a change that makes the topology invalid, at its place in the change',
    text: `topology:\n  from: default\n  set:\n    sites:\n      - { name: north, nodes: [{ name: n1, ip: 10.1.0.11 }] }\n${steps}`,
    faults: ['8:44 topology.set.sites[0].nodes[0].ip: node ip "10.1.0.11" is taken; expected a unique one'],
  },
  {
    title: 'a change that breaks what it does not speak of',
    text: `topology: { from: default, set: { sites: [{ name: north, nodes: [{ name: n2, instances: [{ srvidx: 221, remove: true }] }] }] } }\n${steps}`,
    faults: [
      '4:28 topology.set: in the patched topology, domains "acme.root.test" providers "acme-telecom" esg: expected the srvidx of an esg instance, got 221 (113, 122, 321)',
    ],
  },
  {
    title: 'a change that takes away what is not there',
    text: `topology: { from: default, set: { sites: [{ name: west, remove: true }] } }\n${steps}`,
    faults: [
      '4:45 topology.set.sites[0].name: expected the name of an existing item (hq, north, south) to remove, got "west"',
    ],
  },
  {
    title: 'a range with its ends exchanged',
    text: `topology: { draw: { sites: 4..2 } }\n${steps}`,
    faults: ['4:21 topology.draw.sites: expected a number from 1 to 5, or a range such as 2..4, got "4..2"'],
  },
  {
    title: 'blocks in blocks without measure',
    text: `steps: [${'{ steps: ['.repeat(9)}{ wait: 1s }${'] }'.repeat(9)}]\n`,
    faults: [`4:81 steps[0]${'.steps[0]'.repeat(7)}.steps: expected at most 8 levels of blocks`],
  },
];

for (const { title, text, faults } of refused) {
  test(`refused: ${title}`, (t) => {
    const file = writeFile(t, 'faulty.yaml', head + text);
    const error = t.throws(() => loadScenario(file), { instanceOf: YamlError });
    t.deepEqual(
      error.message.split('\n'),
      faults.map((each) => `${file}:${each}`),
    );
  });
}

/** The names of the oracles as an error lists them: a long list is cut. */
function firstOracles(): string {
  const names = oracles.map(({ name }) => name);
  const more = names.length > listedNames ? ` and ${names.length - listedNames} more` : '';
  return `${names.slice(0, listedNames).join(', ')}${more}`;
}

test('a topology by patch is the other one with its changes, and nothing else', (t) => {
  const set = `{ timings: { pingMisses: 2 }, sites: [{ name: south, remove: true }, { name: north, domains: [acme.root.test], nodes: [{ name: n3, ip: 10.2.0.13, instances: [{ role: b2b, srvidx: 231 }] }] }], domains: [{ name: acme.root.test, sipusers: [{ login: '1001', name: First }, { login: '1005', site: north }] }, { name: globex.root.test, remove: true }] }`;
  const file = writeFile(t, 'patched.yaml', `${head}topology: { from: default, set: ${set} }\n${steps}`);
  const { map, topologySource } = loadScenario(file);
  t.deepEqual([...map.sites.keys()], ['hq', 'north']);
  t.deepEqual([...map.nodes.keys()], ['h1', 'h2', 'h3', 'n1', 'n2', 'n3']);
  t.deepEqual([...map.domains.keys()], ['root.test', 'acme.root.test']);
  t.is(map.topology.timings.pingMisses, 2);
  t.is(map.topology.timings.pingIntervalMs, 1_000);
  const [first, , , , fifth] = map.domains.get('acme.root.test')?.sipusers ?? [];
  t.deepEqual([first?.name, first?.phonenumber, fifth?.site], ['First', '1001', 'north']);
  t.regex(topologySource.text, /pingMisses: 2/, 'an artefact has the resulting topology');
});

test('a drawn topology is another one for another seed, the same for the same, and has what every draw has', (t) => {
  const draw = 'topology: { draw: { sites: 2..3, nodes: 1..2, domains: 1, phones: 2..4 } }\n';
  const loaded = loadScenario(writeFile(t, 'drawn.yaml', head + draw + steps));
  const texts = [1, 2, 3, 4, 5].map((seed) => withSeed(loaded, seed).topologySource.text);
  t.is(withSeed(loaded, 3).topologySource.text, texts[2] ?? '');
  t.true(new Set(texts).size > 1);
  for (const seed of [1, 2, 3, 4, 5]) t.true(withSeed(loaded, seed).map.sites.has('north'));
});

test('a name that only some draws have is refused with the seed that has it not', (t) => {
  const draw = 'topology: { draw: { sites: 2..5 } }\n';
  const loaded = loadScenario(writeFile(t, 'drawn.yaml', `${head}${draw}steps: [{ fault: { cut: { from: '*' } } }]\n`));
  t.is(withSeed(loaded, 1).scenario.steps.length, 1);
  const file = writeFile(t, 'west.yaml', `${head}${draw}steps: [{ converge: { core: [west] } }]\n`);
  const seeds = Array.from({ length: 12 }, (_, i) => i + 1);
  const refusals = seeds.filter((seed) => {
    try {
      return !loadScenario(file, seed).map.sites.has('west');
    } catch (error) {
      return error instanceof YamlError && error.message.includes('expected a site');
    }
  });
  t.true(refusals.length > 0 && refusals.length < seeds.length, `${refusals}`);
});

test('what a branch saves before it goes on as long as the others is known after them', (t) => {
  const branch = `- steps: [{ ${kept} }, { every: 1s, wait: 1ms }]`;
  const text = `steps:\n  - parallel:\n      - steps: [{ wait: 1s }]\n      ${branch}\n  - { ${list}, expect: { body: $n } }\n`;
  t.deepEqual(faultsOf(text), []);
});
