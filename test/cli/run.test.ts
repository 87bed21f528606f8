/** `strowger run`: what comes out of scenarios, and that the same seed comes out the same. */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import type { RunReport } from '../../sim/scenario/run/runner.ts';
import { sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { makeFolder, writeFile } from '../topology/edits.ts';
import { smallYaml } from '../topology/small.ts';
import { Running } from './command.ts';
import { strowger } from './in-process.ts';

const siteCut = fileURLToPath(new URL('../../../scenarios/site-cut.yaml', import.meta.url));
const passing = 'steps:\n  - request: { through: east, path: /healthz }\n    expect: { status: 200 }\n';
const failing = `${passing}  - request: { through: west, path: /healthz }\n    expect: { status: 404, body: { error_message: gone } }\n`;
const proofless = 'steps:\n  - wait: 250ms\n';

/** A scenario over the small topology. */
function writeScenario(t: ExecutionContext, name: string, steps: string): string {
  const file = writeFile(
    t,
    `${name}.yaml`,
    `name: ${name}\nwhy: For what the tests expect of the command.\ntopology: ./small.yaml\nseed: 5\n${steps}`,
  );
  writeFileSync(join(dirname(file), 'small.yaml'), smallYaml);
  return file;
}

test('site-cut passes in virtual time, step by step, and exits 0', async (t) => {
  const { code, out, err } = await strowger(t, 'run', siteCut);
  t.is(code, 0);
  t.is(err, '');
  const lines = out.split('\n');
  t.is(lines[0], 'site-cut, virtual, seed 1');
  const steps = lines.slice(1, -2);
  t.is(steps.length, 9);
  for (const step of steps) t.regex(step, /^ {0,9}\d+\.\d{3} s {2}(ok {2}| {4}) {1,2}\d+ {2}\S/);
  t.is(steps.filter((step) => step.includes(' ok ')).length, 7);
  t.regex(lines.at(-2) ?? '', /^pass: 9 steps, 7 expectations, \d+ of \d+ oracles exercised, trace [0-9a-f]{64}$/);
});

test('a scenario that ships runs by its name, and an unknown name is refused with the known ones', async (t) => {
  const { code, out } = await strowger(t, 'run', 'ban-storm');
  t.is(code, 0, out);
  t.regex(out, /^ban-storm, virtual, seed 1\n/);
  const unknown = await strowger(t, 'run', 'ban-storms');
  t.is(unknown.code, 1);
  t.regex(unknown.err, /or a scenario that ships \(ban-storm, .*; did you mean "ban-storm"\?/);
  t.regex((await strowger(t, 'validate', 'site-cut')).out, /^site-cut: a valid scenario: 9 steps/);
});

test('a scenario that fails says what it expected and what it got, and exits 1', async (t) => {
  const { code, out } = await strowger(t, 'run', writeScenario(t, 'failing', failing));
  t.is(code, 1);
  const [title, first, second, ...rest] = out.split('\n');
  t.is(title, 'failing, virtual, seed 5');
  t.regex(first ?? '', / ok {4}1 {2}GET \/healthz through east$/);
  t.regex(second ?? '', / FAIL {2}2 {2}GET \/healthz through west$/);
  t.deepEqual(rest.slice(0, 2), [
    `${' '.repeat(22)}status: expected 404, got 200`,
    `${' '.repeat(22)}body.error_message: expected "gone", got nothing`,
  ]);
  t.regex(rest[2] ?? '', /^fail: 2 steps, 2 expectations, \d+ of \d+ oracles exercised, trace /);
});

test('a scenario that expects nothing says that it proved nothing, and exits 2', async (t) => {
  const { code, out } = await strowger(t, 'run', writeScenario(t, 'proofless', proofless));
  t.is(code, 2);
  t.regex(
    out,
    /\nunknown \(the scenario has no expectation, so the run proves nothing\): 1 step, 0 expectations, \d+ of \d+ oracles exercised, trace /,
  );
});

test('of several scenarios all run, in order, with one seed for all, and the worst decides', async (t) => {
  const files = (
    [
      ['failing', failing],
      ['proofless', proofless],
      ['passing', passing],
    ] as const
  ).map(([name, steps]) => writeScenario(t, name, steps));
  const { code, out, err } = await strowger(t, 'run', '--json', '--seed', '77', ...files);
  t.is(code, 1);
  t.is(err, '');
  const reports = reportsIn(out);
  t.deepEqual(
    reports.map(({ name, seed, verdict }) => [name, seed, verdict]),
    [
      ['failing', 77, 'fail'],
      ['proofless', 77, 'unknown'],
      ['passing', 77, 'pass'],
    ],
  );
  const [{ steps = [], mode, traceHash } = {} as RunReport] = reports;
  t.is(mode, 'virtual');
  t.regex(traceHash ?? '', /^[0-9a-f]{64}$/);
  t.deepEqual(
    steps.map(({ number, what, isExpectation, failures }) => [number, what, isExpectation, failures.length]),
    [
      [1, 'GET /healthz through east', true, 0],
      [2, 'GET /healthz through west', true, 2],
    ],
  );
});

test('a scenario runs live, without a trace, and ends whatever is still to come', async (t) => {
  const steps = `${passing}  - fault: { delay: { from: "*", by: 1h } }\n  - wait: 1.5s\n`;
  const { code, out, err } = await strowger(t, 'run', '--mode', 'live', '--json', writeScenario(t, 'delayed', steps));
  t.is(code, 0, err);
  const [report] = reportsIn(out);
  t.deepEqual([report?.mode, report?.verdict, report?.steps.length], ['live', 'pass', 3]);
  t.is(report?.traceHash, undefined);
});

test('a missing or invalid file is reported by its lines, fails in the reports, and the other files run', async (t) => {
  const none = `${makeFolder(t)}/none.yaml`;
  const missing = await strowger(t, 'run', none);
  t.deepEqual(missing, { code: 1, out: '', err: `strowger: ${none}: no such file\n` });
  const file = writeFile(t, 'faulty.yaml', 'name: Faulty\nsteps: [{}]\n');
  const junit = join(makeFolder(t), 'junit.xml');
  const faulty = await strowger(t, 'run', '--json', '--junit', junit, file, siteCut);
  t.is(faulty.code, 1);
  t.deepEqual(
    reportsIn(faulty.out).map(({ name, verdict }) => [name, verdict]),
    [
      [file, 'fail'],
      ['site-cut', 'pass'],
    ],
  );
  const written = readFileSync(junit, 'utf8');
  t.true(written.includes(`<testsuite name="${file}" tests="1" failures="1"`));
  t.true(written.includes('1:1 why: expected at least a sentence'));
  t.true(written.includes('<testsuite name="site-cut" tests="1" failures="0"'));
  t.deepEqual(
    faulty.err.split('\n').map((line) => line.replace(/: .*/, '')),
    [`${file}:1:1 name`, `${file}:1:1 why`, `${file}:2:9 steps[0]`, ''],
  );
});

test('seeds of site-cut pass, and leave the same traces in another process and another order', async (t) => {
  const seeds = Array.from({ length: sized(2, 10) }, (_, index) => index + 1);
  const folder = makeFolder(t);
  const files = seeds.map((seed) => {
    const file = join(folder, `seed-${seed}.yaml`);
    writeFileSync(file, siteCutWith(seed));
    return file;
  });
  const runs = await Promise.all([files, files.toReversed()].map((order) => strowger(t, 'run', '--json', ...order)));
  const traces = runs.map(({ code, out }) => {
    t.is(code, 0);
    return new Map(reportsIn(out).map(({ seed, traceHash }) => [seed, traceHash]));
  });
  t.deepEqual([...(traces[0] ?? [])], [...(traces[1] ?? [])].reverse());
  t.is(new Set(traces[0]?.values()).size, seeds.length, 'each seed has a trace of its own');
});

function siteCutWith(seed: number): string {
  const text = readFileSync(siteCut, 'utf8');
  if (!text.includes('\nseed: 1\n')) throw new Error('site-cut has another seed');
  return text.replace('\nseed: 1\n', `\nseed: ${seed}\n`);
}

function reportsIn(out: string): RunReport[] {
  const lines = out.split('\n');
  if (lines.pop() !== '') throw new Error('the last line has no end');
  return lines.map((line) => JSON.parse(line) as RunReport);
}

test('a signal ends a run where it is, and its reports say so', async (t) => {
  const file = writeScenario(t, 'long', `${passing}  - wait: 24h\n`);
  const junit = join(dirname(file), 'junit.xml');
  const page = join(dirname(file), 'page.html');
  const running = new Running(t, ['run', '--junit', junit, '--report', page, file]);
  await running.says(/GET \/healthz through east\n/);
  t.is(await running.end('SIGINT'), 130);
  t.regex(running.out, /\nunknown \(the run was stopped in step 2\): 1 of 2 steps, /);
  t.regex(readFileSync(junit, 'utf8'), /<skipped message="unknown: the run was stopped in step 2"\/>/);
  t.regex(readFileSync(page, 'utf8'), /<title>long: unknown<\/title>/);
});

test('the report page of an invalid file shows its faults', async (t) => {
  const valid = writeScenario(t, 'valid', passing);
  const invalid = writeScenario(t, 'invalid', 'steps: nothing\n');
  const page = join(dirname(valid), 'page.html');
  t.is((await strowger(t, 'run', '--report', page, invalid, valid)).code, 1);
  const text = readFileSync(page, 'utf8');
  t.regex(text, /<title>\S*invalid\.yaml: fail<\/title>/);
  t.regex(text, /<td>\s*the file<pre>5:\d+ steps: /);
});
