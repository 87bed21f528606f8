/** The plan of a scenario: what is known of a run before it runs. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scenariosFolder } from '../../../sim/input/package-folder.ts';
import { planText } from '../../../sim/report/plan.ts';
import { loadScenario, readScenario } from '../../../sim/scenario/load-scenario.ts';
import { planOf } from '../../../sim/scenario/plan.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { test } from '../../kit/test.ts';
import { scenarioOf } from './kit.ts';

test('the plan says when each step begins at the earliest, as far as that is known, and what it affects', (t) => {
  const { steps } = planOf(
    scenarioOf(`steps:
  - wait: 2s
  - { at: 5s, every: 1s, times: 3, fault: { crash: mware-215 } }
  - parallel:
      - steps: [{ wait: 1s }, { fault: { cut: { from: north, to: s1 }, name: lines } }, { fault: { mend: lines } }]
      - { note: second, steps: [{ wait: 4s }] }
  - when: { event: dlg_start }
  - wait: 1s
`),
    1,
  );
  t.deepEqual(
    steps.map(({ path, atMs, when }) => [path, atMs, when]),
    [
      ['1', 0, undefined],
      ['2', 5_000, 'every 1 s, 3 times'],
      ['3', 7_000, undefined],
      ['4', undefined, 'when event dlg_start is seen, within 60 s'],
      ['5', undefined, undefined],
    ],
  );
  t.deepEqual(steps[1]?.targets, ['north/n1/mware-215 on node n1']);
  const [first, second] = steps[2]?.steps ?? [];
  t.is(second?.what, 'second');
  t.deepEqual(
    first?.steps.map(({ path, atMs }) => [path, atMs]),
    [
      ['3.1.1', 7_000],
      ['3.1.2', 8_000],
      ['3.1.3', 8_000],
    ],
  );
  t.is(first?.steps[1]?.targets[0], 'site north: nodes n1, n2');
  t.deepEqual(first?.steps[2]?.targets, [], 'what is lifted strikes nothing');
});

test('what must hold and what goes on are in it, and the text names all of it', (t) => {
  const plan = planOf(
    scenarioOf(`always: [one-home]
workload: { calls: { rate: 2 }, requests: { rate: 1, path: /healthz } }
sometimes: [{ name: an end, seen: { message: sip, method: BYE, at: sg } }]
promise: { detect: 3s }
steps: [{ converge: {} }]
`),
    3,
  );
  t.deepEqual(plan.workload, ['2/s calls of 20 s', '1/s GET /healthz through any site']);
  t.is(plan.holds.length, 3);
  const text = planText(plan);
  for (const part of [...plan.workload, ...plan.holds, 'clerk: admin at acme.root.test', 'core: hq', 'n2 (esg-221']) {
    t.true(text.includes(part), part);
  }
});

test('the example of the documents is a valid scenario', (t) => {
  const text = readFileSync(join(dirname(scenariosFolder), 'docs', 'reference', 'scenarios.md'), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
  const { scenario } = readScenario({ file: 'example.yaml', text: example }, () => loadTopology('default'));
  t.true(scenario.steps.length > 3);
});

test('every scenario that ships has a plan', (t) => {
  const file = join(scenariosFolder, 'site-cut.yaml');
  const loaded = loadScenario(file);
  t.is(planOf(loaded, 1).steps.length, loaded.scenario.steps.length);
});
