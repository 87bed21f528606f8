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
      'sessions.b.login: expected a user of acme.root.test (did you mean "admin"? admin, user), got "adm"',
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
    'phones and providers that there are not',
    `steps:
  - look: acme.root.test/1099
    expect: { status: 200 }
  - dial: { from: acme.rot.test/1001, to: '1002' }
  - hangUp: sip.telecm.test
`,
    ['steps[0].look', 'steps[1].dial.from', 'steps[2].hangUp'].map(
      (at, i) =>
        `${at}: expected a phone or a provider (did you mean "${['acme.root.test/1009', 'acme.root.test/1001', 'sip.telecom.test'][i]}"? acme.root.test/1001, acme.root.test/1002, acme.root.test/1003, acme.root.test/1004, acme.root.test/1005, acme.root.test/1006, acme.root.test/1007, acme.root.test/1008, acme.root.test/1008/2, acme.root.test/1009, acme.root.test/1010, globex.root.test/1001 and 11 more), got "${['acme.root.test/1099', 'acme.rot.test/1001', 'sip.telecm.test'][i]}"`,
    ),
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
      'steps[0].request.method: expected a method of /rest/v1/uc/calls (did you mean "POST"? GET, POST, INVITE, INVITEBYIVR, LOOKUP, HEAD, OPTIONS), got "PSOT"',
      'steps[1].request.path: expected a path of docs/reference/interface.md (did you mean "/rest/v1/uc/calls"?), got "/rest/v1/uc/calz"',
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
      'topology: expected a topology that ships (did you mean "default"? default, pair, single), or a path relative to this file (./defualt.yaml), got "defualt"',
    ],
  ],
  [
    'a change of a topology by a name that none has',
    `topology: { from: defualt, set: {} }\n${steps}`,
    [
      'topology.from: expected a topology that ships (did you mean "default"? default, pair, single), or a path relative to this file (./defualt.yaml), got "defualt"',
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

/** The same, of a file with no sessions of its own. */
function faultsIn(t: ExecutionContext, text: string): string[] {
  const file = writeFile(t, 'faulty.yaml', `name: faulty\nwhy: It has unknown names, as authors write them.\n${text}`);
  const error = t.throws(() => loadScenario(file), { instanceOf: YamlError });
  return error.faults.map(({ message }) => message);
}
