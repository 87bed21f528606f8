/** What a scenario waits for, or says that it is seen: names of events, machines, messages and places; and that they are those of a run. */

import { eventNames, logNames, machineStates, publishersOf } from '../../../sim/scenario/checks/matcher-names.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';
import { faultsOf, scenarioOf } from './kit.ts';

const places = 'a site (hq, north, south), a node (h1, h2, h3, n1, n2, s1, s2)';
const steps = 'steps: [{ wait: 1s }]\n';

/** Each of these is the only fault of its scenario, at the field that is named. */
const matchers: readonly (readonly [seen: string, field: string, fault: RegExp | string])[] = [
  [
    'event: callevents.dlg_stopp',
    'event',
    /^expected an event \(callevents\.dlg_stop, .* more\), got "callevents\.dlg_stopp"; did you mean "callevents\.dlg_stop"\?$/,
  ],
  [
    'event: dlg_stopp',
    'event',
    /^expected an event \(dlg_stop, .* more\), got "dlg_stopp"; did you mean "dlg_stop"\?$/,
  ],
  ['event: dlg_stop, at: nix', 'at', `expected ${places}, a role or a role instance, got "nix"`],
  [
    'event: dlg_stop, at: esg',
    'at',
    'expected the place of an instance that publishes dlg_stop (b2b, callstore), got "esg"',
  ],
  [
    'event: ivrevents.ivr_start, at: conf',
    'at',
    'expected the place of an instance that publishes ivrevents.ivr_start (ivr), got "conf"',
  ],
  [
    'event: part_start, at: ivr-225',
    'at',
    'expected the place of an instance that publishes part_start (conf), got "ivr-225"',
  ],
  [
    'event: dlg_stop, at: north/n2/esg-221',
    'at',
    'expected the place of an instance that publishes dlg_stop (b2b, callstore), got "north/n2/esg-221"',
  ],
  [
    'machine: pear, state: lost',
    'machine',
    /^expected a machine \(peer, .* more\), got "pear"; did you mean "peer"\?$/,
  ],
  [
    'machine: peer, state: loste',
    'state',
    /^expected a state of the machine peer \(lost, .* more\), got "loste"; did you mean "lost"\?$/,
  ],
  ['state: loste', 'state', /^expected a state of a machine \(.*\), got "loste"; did you mean "lost"\?$/],
  ['state: over, at: nix', 'at', `expected ${places}, a role, a role instance, a phone or a provider, got "nix"`],
  [
    'status: upp',
    'status',
    'expected a status of a role instance (starting, active, standby, draining, stopped), got "upp"',
  ],
  ['status: active, at: nix', 'at', `expected ${places}, a role or a role instance, got "nix"`],
  ['status: active, at: "*"', 'at', `expected ${places}, a role or a role instance, got "*"`],
  [
    'message: dialog.orginate',
    'message',
    'expected sip, or a type of docs/reference/protocol.md such as dialog.originate, got "dialog.orginate"; did you mean "dialog.originate"?',
  ],
  ['message: sip, at: nix', 'at', `expected ${places}, a role, a role instance, a phone or a provider, got "nix"`],
  [
    'message: sip, at: b2b',
    'at',
    'expected the place of an edge that exchanges SIP with the world outside (sg, esg), got "b2b"',
  ],
  [
    'message: sip, method: INVTE',
    'method',
    /^expected a method of SIP \(INVITE, .*\), got "INVTE"; did you mean "INVITE"\?$/,
  ],
  ['message: sip, status: busy', 'status', 'expected a number such as 200, got "busy"'],
  [
    'message: dialog.originate, method: INVITE',
    'method',
    'expected "method" only of the message sip, not of dialog.originate',
  ],
  ['log: bugg', 'log', /^expected a line of the log \(.*\), got "bugg"; did you mean "bug"\?$/],
  [
    'answer: /rest/v1/uc/cals',
    'answer',
    'expected a path of docs/reference/interface.md, got "/rest/v1/uc/cals"; did you mean "/rest/v1/uc/calls"?',
  ],
  [
    'answer: /rest/v1/uc/calls, method: PSOT',
    'method',
    /^expected a method \(POST, .*\), got "PSOT"; did you mean "POST"\?$/,
  ],
  ['answer: /rest, at: n1', 'at', 'expected a site (hq, north, south), got "n1"'],
  ['oracle: one-hom', 'oracle', /^expected an oracle \(.*\), got "one-hom"; did you mean "one-home"\?$/],
];

for (const [seen, field, fault] of matchers) {
  test(`refused where nothing like it is ever seen: ${seen}`, (t) => {
    const [one, ...more] = faultsOf(`sometimes: [{ name: it, seen: { ${seen} } }]\n${steps}`);
    t.deepEqual(more, []);
    const start = `sometimes[0].seen.${field}: `;
    t.is(one?.slice(0, start.length), start);
    if (typeof fault === 'string') t.is(one?.slice(start.length), fault);
    else t.regex(one?.slice(start.length) ?? '', fault);
  });
}

for (const seen of [
  'event: dlg_stop, at: north',
  'event: callevents.dlg_stop, at: b2b',
  'event: callevents.dlg_dead, at: callstore',
  'event: ivrevents.ivr_start, at: ivr',
  'event: data_changed, at: sr',
  'machine: peer, state: lost, at: north/n2',
  'machine: party, state: gone, at: acme.root.test/1001',
  'message: sip, method: INVITE, at: north',
  'message: sip, status: 200, at: sip.telecom.test',
  'message: sip, status: "486"',
  'message: dialog.originate, at: b2b-214',
  'status: active, at: north/n2/esg-221',
  'answer: /rest/v1/uc/ca',
  'answer: /rest/v1/uc/calls/, method: REFER, at: north',
  'log: dead_letter, at: north',
  'settled: true',
]) {
  test(`a matcher of events is valid: ${seen}`, (t) => {
    t.notThrows(() => scenarioOf(`sometimes: [{ name: it, seen: { ${seen} } }]\n${steps}`));
  });
}

test('whatever is seen in a run has a name that can be waited for', async (t) => {
  const { scenario, map, webApps } = scenarioOf(`workload:
  calls: { rate: 3, holding: 3s }
  logins: { rate: 0.5, domain: acme.root.test, login: user, pwd: user, stay: 1s }
  commands: { rate: 1, as: clerk }
steps:
  - wait: 10s
  - fault: { crash: n2 }
  - fault: { cut: { from: south } }
  - wait: 10s
`);
  const world = new VirtualWorld({ map, webApps, seed: 1 });
  const states = new Set<string>();
  const events = new Set<string>();
  const misplaced: string[] = [];
  const logs = new Set<string>();
  world.observe(({ machine, state = 'gone' }) => states.add(`${machine} ${state}`), { kinds: ['entity.state'] });
  world.observe(({ event }) => logs.add(event), { kinds: ['logged'] });
  world.observe(
    ({ envelope }) => {
      const { items } = envelope.body as { items: { event?: { class: string; name: string } }[] };
      const role = map.instances.get(envelope.from)?.role ?? '';
      for (const { event } of items) {
        if (event === undefined) continue;
        events.add(`${event.class} ${event.name}`);
        if (!publishersOf(event.name).includes(role)) misplaced.push(`${event.name} at ${envelope.from}`);
      }
    },
    { kinds: ['envelope.sent'], types: ['stream.published'] },
  );
  await runScenario(scenario, world, { seed: 1 });
  const known = [...machineStates].flatMap(([machine, all]) => all.map((state) => `${machine} ${state}`));
  t.deepEqual(
    [...states].filter((each) => !known.includes(each)),
    [],
  );
  t.true(states.size > 40, `${states.size}`);
  const names = Object.entries(eventNames).flatMap(([of, all]) => all.map((name) => `${of} ${name}`));
  t.deepEqual(
    [...events].filter((each) => !names.includes(each)),
    [],
  );
  t.true(events.size > 10, `${events.size}`);
  t.deepEqual(misplaced, []);
  t.deepEqual(
    [...logs].filter((each) => !logNames.includes(each)),
    [],
  );
});
