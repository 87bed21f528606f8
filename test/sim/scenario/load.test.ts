/** Scenario files: what is refused, and where the fault is. */

import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { YamlError } from '../../../sim/input/yaml-error.ts';
import { stepKinds } from '../../../sim/scenario/language/steps.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { test } from '../../kit/test.ts';
import { edited, type FaultyFile, makeFolder, writeFile } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';

const sound = `name: sound
why: Every other one here is this one with some lines changed.
topology: default
seed: 7
sessions:
  operator: { through: hq, domain: root.test, login: admin, pwd: admin }
steps:
  - note: first
    at: 1s
    fault: { cut: { from: north, to: h1, oneWay: true }, name: lines }
  - request: { through: hq, as: operator, path: /rest/v1/master/nodes }
    expect:
      status: 200
      within: 5s
      items:
        - { where: { name: n1 }, every: { status: unreachable }, count: 1 }
  - wait: 250ms
  - fault: { mend: lines }
`;
const fault = 'fault: { mend: lines }';
const somewhere =
  'expected a site (hq, north, south), a node (h1, h2, h3, n1, n2, s1, s2), a role, a role instance or *';

const faulty: readonly FaultyFile[] = [
  {
    title: 'a name with capitals',
    edits: [['name: sound', 'name: Sound']],
    faults: ['1:1 name: expected lower-case letters, digits and "-", got "Sound"'],
  },
  {
    title: 'no reason why',
    edits: [['why: Every other one here is this one with some lines changed.', 'why: because']],
    faults: [
      '2:1 why: expected at least a sentence that names the failure of real clusters that this is about, got "because"',
    ],
  },
  {
    title: 'no steps',
    edits: [[sound.slice(sound.indexOf('\n  - note')), ' []\n']],
    faults: [
      '7:1 steps: expected a list of 1 to 1000, each item { at, when, every, times, until, note, fault, wait … }, got an empty list',
    ],
  },
  {
    title: 'a start without its time',
    edits: [['seed: 7', 'starts: 2026-03-01']],
    faults: ['4:1 starts: expected a date and time, such as 2026-03-01T23:55:00Z, got "2026-03-01"'],
  },
  {
    title: 'a seed that is no whole number',
    edits: [['seed: 7', 'seed: 7.5']],
    faults: ['4:1 seed: expected a whole number, got 7.5'],
  },
  {
    title: 'a session without a login',
    edits: [['login: admin, ', '']],
    faults: ['6:3 sessions.operator.login: expected a text (Login of a user of the domain), got nothing'],
  },
  {
    title: 'a time without a unit',
    edits: [['at: 1s', 'at: 1']],
    faults: ['9:5 steps[0].at: expected a duration such as 250ms, 5s, 1.5m or 1h, got 1'],
  },
  {
    title: 'a time with an unknown unit',
    edits: [['wait: 250ms', 'wait: 250 days']],
    faults: ['17:5 steps[2].wait: expected a duration such as 250ms, 5s, 1.5m or 1h, got "250 days"'],
  },
  {
    title: 'a step with two things to do',
    edits: [['wait: 250ms', 'wait: 250ms\n    fault: { crash: h1 }']],
    faults: [`17:5 steps[2]: expected exactly one of ${stepKinds.join(', ')} (or "when" alone), got fault and wait`],
  },
  {
    title: 'a step with nothing to do',
    edits: [['wait: 250ms', 'note: nothing']],
    faults: [`17:5 steps[2]: expected exactly one of ${stepKinds.join(', ')} (or "when" alone)`],
  },
  {
    title: 'an expectation without a request',
    edits: [['wait: 250ms', 'wait: 250ms\n    expect: { status: 200 }']],
    faults: ['17:5 steps[2]: expected "expect" only beside a request or a look'],
  },
  {
    title: 'a fault of two verbs',
    edits: [[fault, 'fault: { mend: lines, crash: h1 }']],
    faults: ['18:5 steps[3].fault: expected exactly one verb, got crash and mend'],
  },
  {
    title: 'a fault with nothing but a name',
    edits: [[fault, 'fault: { name: nothing }']],
    faults: ['18:5 steps[3].fault: expected exactly one verb, got none'],
  },
  {
    title: 'an unknown verb',
    edits: [[fault, 'fault: { explode: h1 }']],
    faults: [
      '18:14 steps[3].fault.explode: no such field here, expected one of crash, restart, wipe, drain, pause, resume, cut, hold, delay, lose, duplicate, flap, swizzle, halfOpen, skew, slowStore, fillStore, silence, revive, flapOutside, refuseRegister, loseOutside, duplicateOutside, delayOutside, cutOutside, refuseHttp, delayHttp, duplicateHttp, reorderHttp, forgeHttp, truncateHttp, mend, name',
    ],
  },
  {
    title: 'a probability over 1',
    edits: [[fault, 'fault: { lose: { from: hq, probability: 2 } }']],
    faults: [
      '18:32 steps[3].fault.lose.probability: expected a number from 0 to 1 (Share of messages: 1 is all, 0.5 every other one), got 2',
    ],
  },
  {
    title: 'a delay without a time',
    edits: [[fault, 'fault: { delay: { from: hq } }']],
    faults: ['18:14 steps[3].fault.delay.by: expected a duration such as 250ms, 5s, 1.5m or 1h, got nothing'],
  },
  {
    title: 'a path that does not start with a slash',
    edits: [['path: /rest', 'path: rest']],
    faults: ['11:43 steps[1].request.path: expected a path that starts with /, got "rest/v1/master/nodes"'],
  },
  {
    title: 'a status that there is not',
    edits: [['status: 200', 'status: 20']],
    faults: ['13:7 steps[1].expect.status: expected a whole number from 100 to 599 (Status of the answer), got 20'],
  },
  {
    title: 'items without what holds for them',
    edits: [[', every: { status: unreachable }, count: 1', '']],
    faults: ['16:11 steps[1].expect.items[0]: expected "every" or "count" beside "where", in each item of the list'],
  },
  {
    title: 'a value that no earlier step saves',
    edits: [['path: /rest/v1/master/nodes', "path: '/rest/v1/master/nodes?site=$node'"]],
    faults: ['11:43 steps[1].request.path: expected a name that an earlier step saves (none), got "node"'],
  },
  {
    title: 'unknown fields',
    edits: [
      ['seed: 7', 'seed: 7\nspeed: 2'],
      ['within: 5s', 'within: 5s\n      body_: {}'],
    ],
    faults: [
      '5:1 speed: no such field here, expected one of name, why, topology, seed, starts, sessions, workload, faultPoints, always, useCases, drills, atFailure, eventually, sometimes, promise, steps; did you mean "seed"?',
      '16:7 steps[1].expect.body_: no such field here, expected one of status, headers, body, count, items, within; did you mean "body"?',
    ],
  },
  {
    title: 'no YAML',
    edits: [['name: sound', 'name: [sound']],
    faults: [
      '2:1 Flow sequence in block collection must be sufficiently indented and end with a ] (is this line, or the one before it, indented as it should be?)',
    ],
  },
];

const unknown: readonly FaultyFile[] = [
  {
    title: 'a session through a site that there is not',
    edits: [['{ through: hq, domain', '{ through: west, domain']],
    faults: ['6:15 sessions.operator.through: expected a site (hq, north, south), got "west"'],
  },
  {
    title: 'a request through a node',
    edits: [['{ through: hq, as', '{ through: h1, as']],
    faults: ['11:16 steps[1].request.through: expected a site (hq, north, south), got "h1"'],
  },
  {
    title: 'an unknown session',
    edits: [['as: operator', 'as: absent']],
    faults: ['11:29 steps[1].request.as: expected the name of a session (operator), got "absent"'],
  },
  {
    title: 'a session with a name that every object has',
    edits: [['as: operator', 'as: toString']],
    faults: ['11:29 steps[1].request.as: expected the name of a session (operator), got "toString"'],
  },
  {
    title: 'a cut between places that there are not',
    edits: [['from: north, to: h1', 'from: nord, to: h9']],
    faults: [
      `10:21 steps[0].fault.cut.from: ${somewhere}, got "nord"`,
      `10:33 steps[0].fault.cut.to: ${somewhere}, got "h9"`,
    ],
  },
  {
    title: 'a crash of an unknown node',
    edits: [[fault, 'fault: { crash: h9 }']],
    faults: [`18:14 steps[3].fault.crash: ${somewhere}, got "h9"`],
  },
  {
    title: 'a crash of a role at a site that has none',
    edits: [[fault, 'fault: { crash: { site: north, role: mdc } }']],
    faults: ['18:14 steps[3].fault.crash: expected at least 1 that match, got 0'],
  },
  {
    title: 'more to be drawn than there are',
    edits: [[fault, 'fault: { crash: { role: conf, pick: 9 } }']],
    faults: ['18:14 steps[3].fault.crash: expected at least 9 that match, got 4'],
  },
  {
    title: 'a selector with a role that there is not',
    edits: [[fault, 'fault: { cut: { from: { role: pbx } } }']],
    faults: [
      '18:21 steps[3].fault.cut.from: expected a role (ws, rpco, esg, b2b, mware, callstore, sg, conf, mdc, sr, ivr, sdc), got "pbx"',
    ],
  },
  {
    title: 'a pause of a role instance',
    edits: [[fault, 'fault: { pause: esg-221 }']],
    faults: ['18:14 steps[3].fault.pause: expected nodes, got the role instance esg-221'],
  },
  {
    title: 'a loss of messages that there are not',
    edits: [[fault, "fault: { lose: { from: '*', probability: 1, messages: [dialog.originat, sip CANCLE] } }"]],
    faults: [
      '18:60 steps[3].fault.lose.messages[0]: expected a type of docs/reference/protocol.md, such as dialog.originate, peer.* or sip CANCEL, got "dialog.originat"',
      '18:77 steps[3].fault.lose.messages[1]: expected a type of docs/reference/protocol.md, such as dialog.originate, peer.* or sip CANCEL, got "sip CANCLE"',
    ],
  },
  {
    title: 'a refusal of REGISTER by a phone',
    edits: [[fault, 'fault: { refuseRegister: { who: acme.root.test/1001 } }']],
    faults: [
      '18:32 steps[3].fault.refuseRegister.who: expected a provider (sip.telecom.test), got "acme.root.test/1001"',
    ],
  },
  {
    title: 'a mend of what was never broken',
    edits: [[fault, 'fault: { mend: leaks }']],
    faults: ['18:14 steps[3].fault.mend: expected the name of an earlier fault (lines), got "leaks"'],
  },
  {
    title: 'a mend before its fault',
    edits: [
      [', name: lines }', ' }'],
      [fault, 'fault: { mend: lines }\n  - fault: { cut: { from: hq }, name: lines }'],
    ],
    faults: ['18:14 steps[3].fault.mend: expected the name of an earlier fault (none), got "lines"'],
  },
];

for (const { title, edits, faults } of [...faulty, ...unknown]) {
  test(`refused: ${title}`, (t) => {
    const file = writeFile(t, 'faulty.yaml', edited(sound, edits));
    const error = t.throws(() => loadScenario(file), { instanceOf: YamlError });
    t.deepEqual(
      error.message.split('\n'),
      faults.map((each) => `${file}:${each}`),
    );
  });
}

test('a valid scenario is read with its times in milliseconds and its defaults filled in', (t) => {
  const { scenario, map } = loadScenario(writeFile(t, 'sound.yaml', sound));
  t.is(map.topology.name, 'default');
  t.is(scenario.seed, 7);
  t.is(scenario.steps[0]?.at, 1_000);
  t.is(scenario.steps[1]?.expect?.within, 5_000);
  t.is(scenario.steps[1]?.request?.method, 'GET');
  t.is(scenario.steps[2]?.wait, 250);
  const short = 'name: short\nwhy: Says no more than it must say.\nsteps: [{ wait: 1.5m }, { wait: 0.5h }]\n';
  const { scenario: defaults } = loadScenario(writeFile(t, 'short.yaml', short));
  t.deepEqual([defaults.topology, defaults.seed, defaults.sessions], ['default', 1, {}]);
  t.deepEqual(
    defaults.steps.map(({ wait }) => wait),
    [90_000, 1_800_000],
  );
});

test('a role instance can crash and be restarted, and every place can be *', (t) => {
  const file = writeFile(
    t,
    'sound.yaml',
    edited(sound, [
      [
        fault,
        'fault: { crash: esg-221 }\n  - fault: { restart: esg-221 }\n  - fault: { hold: { from: "*", to: "*" } }',
      ],
    ]),
  );
  t.is(loadScenario(file).scenario.steps.length, 6);
});

test('a topology is found beside the scenario that names it, and its faults are reported with its own name', (t) => {
  const file = writeFile(
    t,
    'scenario.yaml',
    'name: near\nwhy: Its topology lies beside it.\ntopology: ./small.yaml\nsteps: [{ wait: 1s }]\n',
  );
  const topology = join(dirname(file), 'small.yaml');
  t.throws(() => loadScenario(file), {
    message: `${file}:3:1 topology: no such file: ${topology}; expected a path relative to this file, or a topology that ships (default, pair, single)`,
  });
  writeFileSync(topology, smallYaml.replace('role: esg', 'role: sbc'));
  const error = t.throws(() => loadScenario(file), { instanceOf: YamlError });
  t.true(error.message.startsWith(`${topology}:14:15 sites[0]`));
  writeFileSync(topology, smallYaml);
  t.is(loadScenario(file).map.topology.name, 'small');
});

test('a scenario that is not there', (t) => {
  const file = join(makeFolder(t), 'none.yaml');
  t.throws(() => loadScenario(file), { message: `${file}: no such file` });
});
