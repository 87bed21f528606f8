/** All machines of the product pass their checks, and every one of them has a check. */

import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { scenarioOf } from '../../../sim/check/kit/counter-example.ts';
import { counterText } from '../../../sim/check/kit/report-text.ts';
import { checkMachine } from '../../../sim/check/machine/check-machine.ts';
import { nameOf } from '../../../sim/check/machine/machine-check.ts';
import { machines } from '../../../sim/check/machine-list.ts';
import { machineChecks } from '../../../sim/check/machines/all.ts';
import { exploredSystems } from '../../../sim/check/systems/all.ts';
import { scenarioSchema } from '../../../sim/scenario/language/scenario.ts';
import { formatReport } from '../../../sim/testing.ts';
import { sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

test('every machine has a check', (t) => {
  const checked = new Set(machineChecks.map(({ machine }) => machine.id));
  t.deepEqual(
    machines.map(({ id }) => id).filter((id) => !checked.has(id)),
    [],
  );
  const folder = new URL('../../../../src/machines/', import.meta.url);
  const ids = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => /\n {2,4}id: '([a-z-]+)'/.exec(readFileSync(new URL(file, folder), 'utf8'))?.[1] ?? []);
  t.true(ids.length >= 17);
  t.deepEqual(
    ids.filter((id) => !checked.has(id)),
    [],
  );
});

for (const check of machineChecks) {
  test(`${nameOf(check)}: decided, covered, and its rules hold, each way`, (t) => {
    const report = checkMachine(check, { runs: 15 });
    t.is(report.verdict, 'pass', formatReport(report));
  });
}

const states = sized(300, 6_000);
for (const system of exploredSystems) {
  test(`${system.name}: nothing goes wrong between them within the first states`, (t) => {
    const report = system.explore({ states });
    t.is(report.counterExample, undefined, counterText(report));
    t.true(report.states >= states);
    const [doubt, ...others] = report.doubts;
    t.regex(doubt ?? '', new RegExp(`^it was stopped at ${states} states, and its check states \\d+$`));
    t.deepEqual(others, []);
  });
}

test('what declares why it is so says it', (t) => {
  for (const { undecided = {}, unreachable = {} } of machineChecks) {
    for (const { why } of Object.values(undecided)) t.true(why.length > 10);
    for (const why of Object.values(unreachable)) t.true(why.length > 10);
  }
});

test('what a counter-example of a call would be as a scenario is a sound one', (t) => {
  const step = { atMs: 1_500, before: 'a', after: 'b', commands: [] };
  for (const check of machineChecks) {
    const events = Object.keys(check.events).map((type) => ({ type, side: 'a', status: 503 }));
    const steps = events.map((event) => ({ ...step, event, scenario: check.scenario?.(event) ?? [] }));
    const machine = nameOf(check);
    const text = scenarioOf({ machine, way: 'plain', rule: 'it holds', detail: '', steps, seed: 1, path: 'plain:0' });
    if (text !== undefined) t.is(scenarioSchema.safeParse(parse(text)).error?.message, undefined, text);
  }
});

const withoutScenario = new Set([
  'hold+recording',
  'session+fronts',
  'domain-data+copy',
  'stream+consumer',
  'b2b+callstores',
]);

test('the scenario of a counter-example of interacting machines is valid', (t) => {
  const moves = [
    ...[
      'start',
      'the caller hangs up',
      'the callee refuses',
      'lost: m ← BYE 2 leg-a',
      'one is sent comes',
      'two is sent leg.gone',
    ],
    ...[
      'link is sent cut',
      'provider is sent silence',
      'provider is sent revive',
      'device is sent register.wanted',
      'device is sent unregister.wanted',
    ],
  ];
  for (const { name, scenario } of exploredSystems) {
    const steps = moves.map((type) => ({
      atMs: 0,
      event: { type },
      before: '',
      after: '',
      commands: [],
      scenario: scenario(type),
    }));
    const found = { machine: name, way: 'explored', rule: 'r', detail: 'd', steps, seed: undefined, path: undefined };
    const text = scenarioOf(found);
    // No step of these moves says which party holds within a call, or what happens to replicated data.
    t.is(text === undefined, withoutScenario.has(name), name);
    if (text !== undefined) t.is(scenarioSchema.safeParse(parse(text)).error?.message, undefined, text);
  }
});

test('a counter-example whose events have no cause outside of the cluster has no scenario', (t) => {
  const steps = [{ atMs: 0, event: { type: 'elected' }, before: '', after: 'active', commands: [], scenario: [] }];
  const found = { machine: 'instance', way: 'plain', rule: 'r', detail: 'd', steps, seed: 1, path: 'plain:0' };
  t.is(scenarioOf(found), undefined);
});
