/** Unknown names in a scenario: logins, phones, sites, paths, fields, forms; each is reported with the known ones. */
import type { ExecutionContext } from 'ava';
import { YamlError } from '../../../sim/input/yaml-error.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { test } from '../../kit/test.ts';
import { writeFile } from '../../topology/edits.ts';
import { faultsOf, scenarioOf } from './kit.ts';

const steps = 'steps: [{ wait: 1s }]\n';

/** What is wrong with the rest of a scenario, each time all of it. */
const others: readonly (readonly [title: string, text: string, faults: readonly string[]])[] = [
  [
    'things to be seen that are of no kind, of two, or say what their kind does not have',
    `sometimes:
  - { name: a, seen: { at: hq } }
  - { name: b, seen: { settled: true, at: hq } }
  - { name: c, seen: { event: refer, method: REFER } }
${steps}`,
    [
      'sometimes[0].seen: expected exactly one of event, message, state, status, log, answer, oracle, settled',
      'sometimes[1].seen: expected "at" only beside event, message, state, status, log, answer, got it beside settled',
      'sometimes[2].seen: expected "method" only beside message, answer, got it beside event',
    ],
  ],
  [
    'logins that the topology does not have',
    `sessions:
  a: { through: north, domain: acme.test, login: admin, pwd: admin }
  b: { through: north, domain: acme.root.test, login: adm, pwd: admin }
  c: { through: north, domain: acme.root.test, login: admin, pwd: wrong }
workload: { logins: { rate: 1, domain: acme.root.test, login: user, pwd: usr } }
${steps}`,
    [
      'sessions.a.domain: expected a domain (root.test, acme.root.test, globex.root.test), got "acme.test"',
      'sessions.b.login: expected a user of acme.root.test (admin, user), got "adm"; did you mean "admin"?',
      'sessions.c.pwd: expected the password that the topology has for admin of acme.root.test, got "wrong"',
      'workload.logins.pwd: expected the password that the topology has for user of acme.root.test, got "usr"',
    ],
  ],
  [
    'a session and a request at a site without a front',
    `topology:
  from: default
  set: { sites: [{ name: south, nodes: [{ name: s1, instances: [{ srvidx: 311, remove: true }] }] }] }
sessions:
  a: { through: south, domain: acme.root.test, login: admin, pwd: admin }
steps:
  - request: { through: south, path: /healthz }
`,
    [
      'sessions.a.through: expected a site that has a front (hq, north), got "south"',
      'steps[0].request.through: expected a site that has a front (hq, north), got "south"',
    ],
  ],
  [
    'a session of a workload of one kind, where it stands',
    `workload: { requests: { rate: 1, as: absent, path: /healthz } }\n${steps}`,
    ['workload.requests.as: expected the name of a session (none), got "absent"'],
  ],
  [
    'methods and paths that the interface does not have, but where a refusal is expected',
    `workload: { requests: { rate: 1, mix: { /healthz: 1, /callz: 1 } } }
steps:
  - request: { through: north, method: PSOT, path: /rest/v1/uc/calls }
  - request: { through: north, path: /rest/v1/uc/calz }
  - request: { through: north, path: /callz }
    expect: { status: 404 }
  - request: { through: north, path: /healthz, method: HEAD, save: { base: x, id: y } }
  - request: { through: north, path: $base/participants }
  - request: { through: north, path: /rest/v1/uc/conferences/$id/participants }
  - request: { through: north, path: /rest/v1/uc$base/participants }
`.replace('path: $base/participants', 'path: /rest$base/participants'),
    [
      'workload.requests.mix./callz: expected a path of docs/reference/interface.md, got "/callz"',
      'steps[0].request.method: expected a method of /rest/v1/uc/calls (GET, POST, INVITE, INVITEBYIVR, LOOKUP, HEAD, OPTIONS), got "PSOT"; did you mean "POST"?',
      'steps[1].request.path: expected a path of docs/reference/interface.md, got "/rest/v1/uc/calz"; did you mean "/rest/v1/uc/calls"?',
    ],
  ],
  [
    'malformed forms',
    `workload: nothing
steps:
  - wait: 10
  - fault: { skew: { at: n1, by: 10 } }
  - fault: { mend: x, crash: n1 }
  - workload: { calls: nothing }
  - request: { through: north, path: /healthz }
    expect: { items: [{ status: dialog }] }
`,
    [
      'workload: expected calls, requests, logins, changes, commands, clients, phones or subscribers, got "nothing"',
      'steps[0].wait: expected a duration such as 250ms, 5s, 1.5m or 1h, got 10',
      'steps[1].fault.skew.by: expected a duration such as 30s or -2m, got 10',
      'steps[2].fault: expected exactly one verb, got crash and mend',
      'steps[3].workload.calls: expected none, or the part that replaces the present one, got "nothing"',
      'steps[4].expect.items[0].status: no such field here, expected one of where, every, count',
    ],
  ],
  [
    'fields that are almost one',
    `workload: { calls: { rate: 1, hold: 5s } }
steps:
  - requst: { through: north }
  - fault: { crash: { site: north, pik: 1 } }
`,
    [
      'workload.calls.hold: no such field here, expected one of rate, holding, fixed, rooms, mix; did you mean "holding"?',
      'steps[0].requst: no such field here, expected one of at, when, every, times, until, note, fault, wait, request, look, dial, press, hangUp, stub, load, workload, converge, expect, steps, parallel, repeat; did you mean "request"?',
      'steps[1].fault.crash.pik: no such field here, expected one of site, node, role, instance, pick; did you mean "pick"?',
    ],
  ],
  [
    'a topology by a name that none has',
    `topology: defualt\n${steps}`,
    [
      'topology: expected a path relative to this file (./defualt.yaml), or a topology that ships (default, pair, single), got "defualt"; did you mean "default"?',
    ],
  ],
  [
    'a change of a topology by a name that none has',
    `topology: { from: defualt, set: {} }\n${steps}`,
    [
      'topology.from: expected a path relative to this file (./defualt.yaml), or a topology that ships (default, pair, single), got "defualt"; did you mean "default"?',
    ],
  ],
];

for (const [title, text, faults] of others) {
  test(`refused: ${title}`, (t) => t.deepEqual(faultsIn(t, text), faults));
}

test('a workload may log in as a user that a step has created', (t) => {
  const ann = '{ name: Ann, login: ann, pwd: new }';
  const made = `request: { through: hq, as: operator, method: POST, path: /rest/v1/domain/domains/x/users, body: ${ann} }`;
  const logins = 'workload: { logins: { rate: 1, domain: acme.root.test, login: ann, pwd: new } }';
  t.notThrows(() => scenarioOf(`steps:\n  - ${made}\n  - ${logins}\n`));
  t.deepEqual(faultsOf(`steps:\n  - ${logins}\n  - ${made}\n`), [
    'steps[0].workload.logins.login: expected a user of acme.root.test (admin, user), got "ann"',
  ]);
});

test('phones and providers that there are not are refused with the likely ones', (t) => {
  const wrong = [
    ['look: acme.root.test/1099, expect: { status: 200 }', 'acme.root.test/1099', 'acme.root.test/1009'],
    ["dial: { from: acme.rot.test/1001, to: '1002' }", 'acme.rot.test/1001', 'acme.root.test/1001'],
    ['hangUp: sip.telecm.test', 'sip.telecm.test', 'sip.telecom.test'],
  ] as const;
  for (const [step, got, meant] of wrong) {
    const [fault = '', ...more] = faultsIn(t, `steps: [{ ${step} }]\n`);
    t.deepEqual(more, []);
    t.regex(fault, /^steps\[0\]\.[\w.]+: expected a phone or a provider \(.* and 11 more\), got /);
    t.true(fault.includes(`provider (${meant}, `), fault);
    t.true(fault.endsWith(`got "${got}"; did you mean "${meant}"?`), fault);
  }
});

test('an instance that there is not is refused with those of its role', (t) => {
  t.deepEqual(faultsIn(t, 'steps: [{ fault: { crash: b2b-999 } }]\n'), [
    'steps[0].fault.crash: expected a role instance (b2b-114, b2b-124, b2b-214, b2b-223, b2b-314, b2b-323), got "b2b-999"',
  ]);
});

/** The same, of a file with no sessions of its own. */
function faultsIn(t: ExecutionContext, text: string): string[] {
  const file = writeFile(t, 'faulty.yaml', `name: faulty\nwhy: It has unknown names, as authors write them.\n${text}`);
  const error = t.throws(() => loadScenario(file), { instanceOf: YamlError });
  return error.faults.map(({ message }) => message);
}
