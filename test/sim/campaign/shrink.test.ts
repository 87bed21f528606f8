/** Shrinking what the language can say: blocks, repetitions, workloads, and what must hold. */

import { parse } from 'yaml';
import { NotInTopology } from '../../../sim/faults/places.ts';
import { oracles } from '../../../sim/oracles/all.ts';
import { leavesIn } from '../../../sim/scenario/language/steps.ts';
import { readScenario, type TopologyFinder } from '../../../sim/scenario/load-scenario.ts';
import { CausalChain } from '../../../sim/shrink/causal-chain.ts';
import { nearestOf } from '../../../sim/shrink/neighbour.ts';
import { judgementOf, shrink } from '../../../sim/shrink/shrinker.ts';
import { readTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { smallYaml } from '../../topology/small.ts';
import { afterRuns } from '../scenario/kit.ts';

const topologySource = { file: 'small.yaml', text: smallYaml };
const find: TopologyFinder = () => ({ map: readTopology(topologySource), webApps: () => [], topologySource });

/** `enough`: after how many runs the search ends. */
async function shrunk(text: string, enough = Number.POSITIVE_INFINITY) {
  const head = 'name: long\nwhy: What tests of shrinking are about, in many words.\n';
  const sessions = 'sessions: { operator: { through: east, domain: root.test, login: admin, pwd: admin } }\n';
  const loaded = readScenario({ file: 'long.yaml', text: head + sessions + text }, find);
  const result = await shrink(loaded, { seed: 1, isEnough: afterRuns(enough) });
  return { ...result, data: parse(result.scenario) };
}

const noise = '{ request: { through: east, path: /healthz }, expect: { status: 200 } }';
const looked = `request: { through: east, path: /rest/v1/master/nodes/w2, as: operator }
    expect: { status: 200, body: { status: active } }`;

test('what matters is found within blocks, and the blocks are gone', async (t) => {
  const { data, steps, failure } = await shrunk(
    `always: []
sometimes: [{ name: any, seen: { message: peer.ping } }]
workload: { requests: [{ rate: 2, path: /healthz }, { rate: 1, as: operator, path: /rest/v1/master/nodes }] }
steps:
  - { every: 500ms, times: 3, wait: 10ms }
  - parallel:
      - steps: [${noise}, { wait: 1s }, ${noise}]
      - steps:
          - repeat: { times: 2, steps: [${noise}, { steps: [{ every: 1s, times: 2, fault: { crash: w2 } }] }] }
      - steps: [{ every: 100ms, request: { through: east, path: /healthz } }]
  - ${noise}
  - wait: 5s
  - ${looked}
  - ${noise}
`,
    50,
  );
  t.is(steps, 2);
  t.deepEqual(leavesIn(data.steps)[0], { fault: { crash: 'w2' } });
  t.is(data.steps.length, 2);
  t.deepEqual(Object.keys(data).sort(), ['always', 'name', 'seed', 'sessions', 'steps', 'topology', 'why']);
  t.regex(failure, /^body\.status: expected "active", got "(unreachable|stopped)"/);
});

test('the causal chain leads from the failure to the fault', async (t) => {
  const { chain } = await shrunk(`always: []
steps:
  - ${noise}
  - { fault: { crash: w2 } }
  - { wait: 5s }
  - ${looked}
`);
  t.regex(chain[0] ?? '', /^\d+\.\d{3} s GET \/rest\/v1\/master\/nodes\/w2 at east: 200$/);
  t.regex(chain.at(-1) ?? '', /fault crash w2, earlier and not known to be a cause$/);
  const times = chain.slice(0, -1).map((line) => Number.parseFloat(line));
  t.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
});

test('a causal chain passes through the messages that led to an answer', async (t) => {
  const topology = readTopology(topologySource);
  const world = new VirtualWorld({ map: topology, webApps: () => [], seed: 1 });
  const chain = new CausalChain(world);
  await world.start();
  await world.request(
    'east',
    new Request('http://east/rest/v1/iam/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'root.test', login: 'admin', pwd: 'admin' }),
    }),
  );
  chain.stop();
  const lines = chain.of({ kind: 'step', text: 'expected 200, got 204', atMs: Number.POSITIVE_INFINITY }, (ms) => ms);
  t.regex(lines[0] ?? '', /POST \/rest\/v1\/iam\/sessions at east: 204$/);
  t.true(
    lines.some((line) => /directory\.authenticate reply from \S+ reaches \S+$/.test(line)),
    lines.join('\n'),
  );
  t.true(lines.some((line) => /directory\.authenticate ask from \S+ to \S+$/.test(line)));
  t.regex(lines.at(-1) ?? '', /POST \/rest\/v1\/iam\/sessions at east$/);
  await world.stop();
});

test('a causal chain names phones and gates as scenarios do, with the address in brackets', async (t) => {
  const world = new VirtualWorld({ map: defaultMap, webApps: () => [], seed: 1 });
  const chain = new CausalChain(world);
  await world.start();
  await world.wait(5_000);
  const [phone] = world.outside.phones();
  if (phone === undefined) throw new Error('the default cluster has phones');
  const { callid } = world.outside.call(phone.name, '1002');
  await world.wait(20);
  chain.stop();
  const lines = chain.of({ kind: 'oracle', text: `${callid} is late`, atMs: Number.POSITIVE_INFINITY }, (ms) => ms);
  const named = `${phone.name} (${phone.endpoint})`;
  t.true(lines.length > 0 && lines.some((line) => line.includes(named)), lines.join('\n'));
  for (const line of lines) t.is(line.replaceAll(named, '').includes(phone.endpoint), false, line);
  await world.stop();
});

test('a causal chain begins with the answer that the failure quotes, and not with the last one of its site', async (t) => {
  const world = new VirtualWorld({ map: readTopology(topologySource), webApps: () => [], seed: 1 });
  const chain = new CausalChain(world);
  await world.start();
  const { status, body } = await world.request('east', new Request('http://east/rest/v1/uc/calls'));
  await world.request('east', new Request('http://east/healthz'));
  chain.stop();
  const text = `quiescent: acme.test at east: the calls: expected 200, got ${status} ${await new Response(body).text()}`;
  const [first = ''] = chain.of({ kind: 'oracle', text, atMs: Number.POSITIVE_INFINITY }, (ms) => ms);
  t.regex(first, /GET \/rest\/v1\/uc\/calls at east: 401$/);
  await world.stop();
});

test('the causal chain of a drill begins with the last answer that it got before it judged', async (t) => {
  const world = new VirtualWorld({ map: readTopology(topologySource), webApps: () => [], seed: 1 });
  const chain = new CausalChain(world);
  await world.start();
  const asked = (path: string, sender?: string) =>
    world.request('east', new Request(`http://east${path}`), sender === undefined ? {} : { sender });
  const sender = oracles.find(({ name }) => name === 'disks-lost')?.sender;
  world.faults.pauseNode('w2');
  await asked('/rest/v1/uc/calls', sender);
  world.faults.resumeNode('w2');
  const atMs = world.now();
  await world.wait(10);
  await asked('/rest/v1/journal/calls', sender);
  await asked('/healthz');
  chain.stop();
  const failure = {
    kind: 'oracle',
    name: 'disks-lost',
    text: 'quiescent: acme.test at east: a call is missing',
    atMs,
  } as const;
  const lines = chain.of(failure, (ms) => ms).map((line) => line.replace(/^\S+ s /, ''));
  t.is(lines[0], 'GET /rest/v1/uc/calls at east: 401');
  const faults = ['resume', 'pause'].map((verb) => `fault ${verb} w2, earlier and not known to be a cause`);
  t.deepEqual(lines.slice(-2), faults);
  const quoting = {
    ...failure,
    text: `${failure.text}: east, GET /rest/v1/journal/calls: expected 200`,
    atMs: world.now(),
  };
  t.regex(chain.of(quoting, (ms) => ms)[0] ?? '', /GET \/rest\/v1\/journal\/calls at east: 401$/);
  await world.stop();
});

test('a causal chain passes through a write to a store, and says what a message to a paused node has waited for', async (t) => {
  const world = new VirtualWorld({ map: readTopology(topologySource), webApps: () => [], seed: 1 });
  const chain = new CausalChain(world);
  await world.start();
  // An ask of w2 is under way; what it returns is stored before it is followed.
  world.faults.pauseNode('w2');
  await world.wait(4_000);
  world.faults.resumeNode('w2');
  await world.wait(1);
  chain.stop();
  const failure = { kind: 'oracle', text: 'west/w2/sdc-33 is behind', atMs: Number.POSITIVE_INFINITY } as const;
  const lines = chain.of(failure, (ms) => ms).map((line) => line.replace(/^\S+ s /, ''));
  t.deepEqual(lines.slice(0, 5), [
    'data.changes ask from west/w2/sdc-33 to east/e1/mdc-14',
    'data.changes reply from east/e1/mdc-14 reaches west/w2/sdc-33, held until fault resume w2',
    'data.changes reply from east/e1/mdc-14 to west/w2/sdc-33',
    'data.changes ask from west/w2/sdc-33 reaches east/e1/mdc-14',
    'data.changes ask from west/w2/sdc-33 to east/e1/mdc-14',
  ]);
  await world.stop();
});

test('the causal chain of a drill begins with what its web socket was sent last', async (t) => {
  const world = new VirtualWorld({ map: readTopology(topologySource), webApps: () => [], seed: 1 });
  const chain = new CausalChain(world);
  await world.start();
  const sender = oracles.find(({ name }) => name === 'resumptions-delayed')?.sender;
  const login = await world.request(
    'east',
    new Request('http://east/rest/v1/iam/sessions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' }),
    }),
    { sender },
  );
  const { session_token: token } = (await login.json()) as { session_token: string };
  const socket = await world.during(world.openSocket('east', { token }, { message: () => {}, end: () => {} }));
  if (typeof socket === 'number') return t.fail(`refused with ${socket}`);
  socket.send('no JSON');
  await world.wait(10);
  chain.stop();
  const failure = { kind: 'oracle', name: 'resumptions-delayed', text: 'quiescent: nothing came' } as const;
  const [first = ''] = chain.of({ ...failure, atMs: world.now() }, (ms) => ms);
  t.regex(first, /web socket 1 at east is sent \["error",/);
  await world.stop();
});

test('failures of a use case or drill are the same if they are of one judgement, in whichever domain', (t) => {
  const of = (name: string, text: string) => judgementOf({ kind: 'oracle', name, text });
  const one = of('disks-lost', 'quiescent: acme.test at east: 3 records at west: expected 200, got 404');
  t.is(of('disks-lost', 'quiescent: globex.test at west: 5 records at west: expected 200, got no answer'), one);
  t.not(of('disks-lost', 'quiescent: acme.test at east: 3 calls at west: expected 200, got 404'), one);
  t.is(
    of('legs-agree', 'leg a is left behind'),
    of('legs-agree', 'leg b of c is not known'),
    'a rule is of one judgement',
  );
});

test('a promise that is broken is kept, and what else must hold is dropped', async (t) => {
  const { data, steps } = await shrunk(
    `promise: { of: lines, detect: 100ms }
eventually: [{ name: fine, within: 5s, request: { through: east, path: /healthz }, expect: { status: 200 } }]
steps:
  - ${noise}
  - parallel:
      - steps: [{ wait: 1s }, { fault: { cut: { from: west }, name: lines } }]
      - steps: [{ wait: 2s }]
  - wait: 5s
  - ${noise}
`,
    40,
  );
  t.is(steps, 1);
  t.deepEqual(data.steps, [{ fault: { cut: { from: 'west' }, name: 'lines' } }]);
  t.deepEqual(data.promise, { of: 'lines', detect: '100ms' });
  t.is(data.eventually, undefined);
});

test('the workload is kept where it is what fails, with as little of it as will do', async (t) => {
  const { data, failure } = await shrunk(
    `always: []
workload:
  requests: [{ rate: 5, path: /healthz }, { rate: 20/s, path: /rest/v1/uc/calls/none }]
eventually: [{ name: none is refused, within: 5s, seen: { answer: /rest/v1/uc/recordrules } }]
steps: [{ wait: 10s }, ${noise}, { wait: 1s }]
`,
    40,
  );
  t.is(failure, 'not seen within 5 s');
  t.is(data.workload, undefined);
  t.is(data.steps.length, 1);
  t.is(data.eventually.length, 1);
});

test('a step that fails because its set-up was removed fails for another reason: the set-up stays', async (t) => {
  const users = '/rest/v1/domain/domains/root.test/users';
  const { data, passes, needsNoFault } = await shrunk(
    `always: []
steps:
  - ${noise}
  - fault: { cut: { from: west }, name: lines }
  - wait: 5s
  - fault: { drain: w2 }
  - request: { through: east, as: operator, method: POST, path: ${users}, body: { login: ann, name: Ann, pwd: secret } }
    expect: { status: 200 }
  - request: { through: west, as: operator, method: LOOKUP, path: ${users}, body: ann }
    expect: { status: 200 }
`,
    20,
  );
  const leaves = leavesIn(data.steps) as { request?: { method: string }; fault?: object }[];
  t.deepEqual(
    leaves.flatMap(({ request }) => request?.method ?? []),
    ['POST', 'LOOKUP'],
  );
  const faults = leaves.flatMap(({ fault }) => fault ?? []);
  t.deepEqual(faults, [{ cut: { from: 'west' }, name: 'lines' }]);
  t.regex(passes ?? '', /^without .*cut/);
  t.false(needsNoFault);
});

test('a failure that no fault has caused is left without a fault, and the result says so', async (t) => {
  const wrong = '{ request: { through: east, path: /healthz }, expect: { status: 503 } }';
  const of = (steps: string) => shrunk(`always: []\nsteps: [${steps}]\n`);
  const { data, needsNoFault } = await of(`{ fault: { crash: w2 } }, ${wrong}`);
  t.deepEqual(
    leavesIn(data.steps).filter((step) => 'fault' in step),
    [],
  );
  t.true(needsNoFault);
  t.false((await of(wrong)).needsNoFault, 'there was none');
});

const cut = { at: '5ms', fault: { cut: { from: 'west' } } };
const waiting = { wait: '1s' };
const nearest: readonly [string, object, object, string | undefined][] = [
  [
    'a fault with a time',
    { steps: [cut, waiting] },
    { steps: [{ at: '5ms', wait: '1ms' }, waiting] },
    'without {"fault":{"cut":{"from":"west"}}}',
  ],
  ['an oracle that is not asked', { steps: [cut] }, { always: ['one'], steps: [cut] }, undefined],
  ['an expectation that is not there', { steps: [{ ...waiting, expect: {} }] }, { steps: [waiting] }, undefined],
  ['a part that is new', { steps: [] }, { seed: 2, steps: [] }, 'with {"seed":2}'],
  [
    'a step for a block',
    { steps: [{ parallel: [waiting, cut] }] },
    { steps: [waiting] },
    'with steps {"wait":"1s"} in place of {"parallel":[{"wait":"1s"},{"at":"5ms","fault":{"cut":{"from":"west"}}}]}',
  ],
  [
    'steps for a block',
    { steps: [{ parallel: [cut] }, waiting] },
    { steps: [cut, cut, waiting] },
    `with steps ${JSON.stringify([cut, cut])} in place of ${JSON.stringify([{ parallel: [cut] }])}`,
  ],
  ['a step more', { steps: [waiting] }, { steps: [waiting, waiting] }, 'with steps [{"wait":"1s"}] in place of []'],
  ['two steps less', { steps: [cut, cut, waiting] }, { steps: [waiting] }, `without ${JSON.stringify([cut, cut])}`],
  [
    'once in place of each second',
    { steps: [{ every: '1s', times: 3, ...waiting }] },
    { steps: [waiting] },
    'without {"every":"1s","times":3}',
  ],
];
for (const [what, failing, passing, said] of nearest)
  test(`what makes a scenario pass, in words: ${what}`, (t) => {
    const topology = {};
    const of = (scenario: object) => ({ scenario: { ...scenario }, topology });
    t.is(nearestOf(of(failing), [of(failing), of(passing)]), said);
  });

test('what is found in time has to do', async (t) => {
  const loaded = readScenario(
    {
      file: 'long.yaml',
      text: `name: long\nwhy: What tests of shrinking are about.\nsteps:\n${'  - wait: 1s\n'.repeat(20)}  - request: { through: east, path: /healthz }\n    expect: { status: 404 }\n`,
    },
    find,
  );
  let left = 3;
  const isEnough = () => {
    left -= 1;
    return left < 0;
  };
  const { runs, steps } = await shrink(loaded, { seed: 1, isEnough });
  t.is(runs, 4);
  t.true(steps < 21 && steps > 1);
});

test('an error of the simulator ends the shrinking, and is not taken for a candidate that does not fail', async (t) => {
  const text = `name: long\nwhy: What tests of shrinking are about.\nsteps:\n  - wait: 1s\n  - request: { through: east, path: /healthz }\n    expect: { status: 404 }\n`;
  const loaded = readScenario({ file: 'long.yaml', text }, find);
  let worlds = 0;
  const worldOf = ({ map, webApps }: typeof loaded, { seed }: { readonly seed: number }) => {
    worlds += 1;
    if (worlds === 2) throw new TypeError('a bug of the simulator');
    return new VirtualWorld({ map, webApps, seed });
  };
  await t.throwsAsync(shrink(loaded, { seed: 1, worldOf }), {
    instanceOf: TypeError,
    message: 'a bug of the simulator',
  });
});

test('a candidate that needs what its smaller topology lacks does not fail, and the shrinking goes on', async (t) => {
  const text = `name: long\nwhy: What tests of shrinking are about.\nsteps:\n  - wait: 1s\n  - request: { through: east, path: /healthz }\n    expect: { status: 404 }\n`;
  const loaded = readScenario({ file: 'long.yaml', text }, find);
  let worlds = 0;
  const worldOf = ({ map, webApps }: typeof loaded, { seed }: { readonly seed: number }) => {
    worlds += 1;
    if (worlds === 2) throw new NotInTopology('no phones');
    return new VirtualWorld({ map, webApps, seed });
  };
  t.is((await shrink(loaded, { seed: 1, worldOf })).steps, 1);
});

test('the sessions of clients and subscribers are kept with them', async (t) => {
  const text = `name: long
why: What tests of shrinking are about.
sessions:
  operator: { through: east, domain: root.test, login: admin, pwd: admin }
  unused: { through: west, domain: root.test, login: admin, pwd: admin }
workload: { clients: { rate: 1, as: [operator] } }
steps:
  - { wait: 1s }
  - { request: { through: east, path: /healthz }, expect: { status: 404 } }
`;
  const loaded = readScenario({ file: 'long.yaml', text }, find);
  const worldOf = ({ map, webApps, source }: typeof loaded, { seed }: { readonly seed: number }) => {
    if (!source.text.includes('clients')) throw new NotInTopology('what the clients have caused');
    return new VirtualWorld({ map, webApps, seed });
  };
  const { scenario } = await shrink(loaded, { seed: 1, worldOf, isEnough: afterRuns(40) });
  t.deepEqual(Object.keys(parse(scenario).sessions), ['operator']);
  t.notThrows(() => readScenario({ file: 'shrunk.yaml', text: scenario }, find));
});

test('a session without requests stays where its login is a part of the failure', async (t) => {
  const text = `name: long
why: What tests of shrinking are about.
sessions:
  operator: { through: east, domain: root.test, login: admin, pwd: admin }
  unused: { through: west, domain: root.test, login: admin, pwd: admin }
steps: [{ request: { through: east, path: /healthz, as: operator }, expect: { status: 404 } }]
`;
  const loaded = readScenario({ file: 'long.yaml', text }, find);
  const worldOf = ({ map, webApps, source }: typeof loaded, { seed }: { readonly seed: number }) => {
    if (!source.text.includes('unused')) throw new NotInTopology('what the login has caused');
    return new VirtualWorld({ map, webApps, seed });
  };
  const { scenario } = await shrink(loaded, { seed: 1, worldOf });
  t.deepEqual(Object.keys(parse(scenario).sessions), ['operator', 'unused']);
});
