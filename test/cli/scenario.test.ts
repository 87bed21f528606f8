/** `strowger scenario explain`, and what `run` writes beside its lines. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { test } from '../kit/test.ts';
import { writeFile } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { strowger } from './in-process.ts';

function writeScenario(t: ExecutionContext, text: string): string {
  const file = writeFile(t, 'tested.yaml', `name: tested\nwhy: For what the tests expect of the command.\n${text}`);
  writeFileSync(join(dirname(file), 'small.yaml'), smallYaml);
  return file;
}

const text = `topology: ./small.yaml
workload: { requests: { rate: 2, path: /healthz } }
sometimes: [{ name: a node is lost, seen: { status: stopped } }]
steps:
  - { at: 2s, fault: { crash: w2 } }
  - parallel:
      - steps: [{ wait: 5s }]
      - steps: [{ every: 1s, request: { through: east, path: /healthz }, expect: { status: 200 } }]
`;

test('explain describes a scenario without running it: places, load, times, targets and expectations', async (t) => {
  const file = writeScenario(t, text);
  const { code, out, err } = await strowger(t, 'scenario', 'explain', file);
  t.deepEqual([code, err], [0, '']);
  for (const part of [
    /^tested, seed 1\n/,
    /\n {2}west\n {4}w1 \(ws-21, rpco-22, sdc-23\)\n/,
    /\n {2}2\/s GET \/healthz through any site\n/,
    /\n {2}sometimes a node is lost: an instance stopped\n/,
    /\n {4}2\.000 s {2}1 {2}crash w2\n +→ node west\/w2: esg-31, rpco-32, sdc-33\n/,
    /\n {4}2\.000 s +2\.2\.1 {2}GET \/healthz through east\n +every 1 s, as long as the other branches run\n/,
  ]) {
    t.regex(out, part);
  }
  const json = await strowger(t, 'scenario', 'explain', '--json', '--seed', '9', file);
  const plan = JSON.parse(json.out);
  t.deepEqual([plan.seed, plan.steps[0].atMs, plan.steps[1].steps.length], [9, 2_000, 2]);
});

test('validate, explain and run count steps in the same way, and rounds are one line', async (t) => {
  const file = writeScenario(t, text.replace(/^sometimes.*\n/m, ''));
  t.regex((await strowger(t, 'validate', file)).out, /: a valid scenario: 3 steps, blocks not counted, over /);
  t.regex((await strowger(t, 'scenario', 'explain', file)).out, /\n3 steps, blocks not counted /);
  const { out } = await strowger(t, 'run', file);
  t.regex(out, /\n +2\.\d{3} s {2}ok {3}2\.2\.1 {2}GET \/healthz through east \(\d times, last at \d\.\d{3} s\)\n/);
  t.regex(out, /\n(pass|unknown)[^\n]*: 3 steps \(\d times\), 1 expectation, /);
});

test('the same seed draws the same topology for the plan and for the run', async (t) => {
  const file = writeScenario(
    t,
    'topology: { draw: { sites: 2..3, nodes: 1..2 } }\nsteps: [{ request: { through: hq, path: /healthz }, expect: { status: 200 } }]\n',
  );
  const plans = await Promise.all(
    ['1', '2', '3', '4'].map((seed) => strowger(t, 'scenario', 'explain', '--seed', seed, file)),
  );
  t.true(new Set(plans.map(({ out }) => out.replace(/seed \d/, ''))).size > 1);
  const { code, out } = await strowger(t, 'run', '--seeds', '1..4', file);
  t.is(code, 0, out);
  t.is((await strowger(t, 'validate', file)).out, `${file}: a valid scenario: 1 step over topologies of 50 seeds\n`);
});

test('runs are written as JUnit, and the worst run as a self-contained page', async (t) => {
  const file = writeScenario(t, text);
  const [junit, page] = [join(dirname(file), 'junit.xml'), join(dirname(file), 'page.html')];
  const { code, out } = await strowger(t, 'run', '--junit', junit, '--report', page, file);
  t.is(code, 2, out);
  t.regex(out, /\n {2}workload GET \/healthz: \d+ begun, \d+ acknowledged, 0 failed\n/);
  t.regex(out, /\nunknown \(sometimes "a node is lost" was never seen\): /);
  t.regex(
    readFileSync(junit, 'utf8'),
    /<skipped message="unknown: sometimes &quot;a node is lost&quot; was never seen"\/>/,
  );
  t.regex(readFileSync(page, 'utf8'), /^<!doctype html>[\s\S]*<title>tested: unknown<\/title>/);
});
