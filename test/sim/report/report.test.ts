/** A run reported in lines, as JSON and as JUnit: accounts of the workload, numbers of steps, times. */

import { reportJson, runsJunit } from '../../../sim/report/junit.ts';
import { accountText, reportText, StepLines, stepText } from '../../../sim/report/run-text.ts';
import type { RunReport, StepReport, WorkloadReport } from '../../../sim/scenario/report.ts';
import { test } from '../../kit/test.ts';

const calls: WorkloadReport = {
  part: 'calls',
  name: 'calls',
  started: 60,
  acknowledged: 20,
  failed: 36,
  open: 4,
  reasons: [
    { why: '503', count: 22 },
    { why: '480', count: 10 },
    { why: 'no way', count: 2 },
    { why: '408', count: 1 },
    { why: '500', count: 1 },
  ],
};
const reads: WorkloadReport = { ...calls, name: 'GET /healthz', acknowledged: 60, failed: 0, open: 0, reasons: [] };
const report: RunReport = {
  name: 'tested',
  mode: 'virtual',
  seed: 1,
  verdict: 'pass',
  steps: [],
  stepCount: 0,
  traceHash: 'abc',
  failures: [],
  unproved: [],
  durationMs: 15_304.443359375,
  oracles: [],
  sometimes: [],
  eventually: [],
  promises: [],
  workload: [calls, reads],
};
const account = 'calls: 60 begun, 20 acknowledged, 36 failed (503 ×22, 480 ×10, no way ×2, others ×2), 4 open';

test('an account names the commonest reasons, and says what is open only where something is', (t) => {
  t.is(accountText(calls), account);
  t.is(accountText(reads), 'GET /healthz: 60 begun, 60 acknowledged, 0 failed');
  t.is(accountText({ ...reads, part: 'requests 2' }), 'GET /healthz (requests 2): 60 begun, 60 acknowledged, 0 failed');
  t.true(reportText(report).startsWith(`  workload ${account}\n  workload GET`));
});

test('a step has its number, of blocks that on the way to it, and its text stands under what the others say', (t) => {
  const step = { number: 3, what: 'a look', atMs: 1_500, isExpectation: true, failures: [] };
  t.is(stepText(step), '    1.500 s  ok    3  a look\n');
  t.is(stepText({ ...step, number: 12, isExpectation: false }), '    1.500 s       12  a look\n');
  t.is(stepText({ ...step, path: '3.1.2', round: 2 }), '    1.500 s  ok   3.1.2  a look (round 2)\n');
  t.is(stepText({ ...step, failures: ['no'] }), `    1.500 s  FAIL  3  a look\n${' '.repeat(22)}no\n`);
});

const round = (n: number, more: Partial<StepReport> = {}): StepReport => {
  const about = { number: 2, path: '2.1', what: 'a look', isExpectation: true, failures: [] };
  return { ...about, round: n, atMs: n * 1_000, ...more };
};

test('rounds that hold and say the same are one line, which comes before the line of the next step', (t) => {
  const lines = new StepLines();
  t.is(lines.add(round(1)) + lines.add(round(2)) + lines.add(round(3)), '');
  const next = { number: 3, what: 'a wait', atMs: 3_500, isExpectation: false, failures: [] };
  t.is(lines.add(next), '    1.000 s  ok   2.1  a look (3 times, last at 3.000 s)\n    3.500 s        3  a wait\n');
  t.is(lines.rest(), '');
});

test('rounds of a block are a line for each of its steps, and a round that fails has its own', (t) => {
  const lines = new StepLines();
  const other = { path: '2.2', what: 'a call' };
  for (const n of [1, 2]) t.is(lines.add(round(n)) + lines.add(round(n, other)), '');
  t.is(
    lines.add(round(3, { failures: ['no'] })),
    [
      '    1.000 s  ok   2.1  a look (2 times, last at 2.000 s)',
      '    1.000 s  ok   2.2  a call (2 times, last at 2.000 s)',
      '    3.000 s  FAIL 2.1  a look (round 3)',
      `${' '.repeat(22)}no\n`,
    ].join('\n'),
  );
  lines.add(round(4, { what: 'a look ($a is 1)' }));
  t.is(lines.add(round(5, { what: 'a look ($a is 2)' })), '');
  t.is(lines.rest().split('\n').length, 3, 'what differs is shown');
});

test('steps are counted without blocks, each once however often it is done', (t) => {
  const steps: StepReport[] = [
    { ...round(1), path: '1', is: 'block' },
    round(1),
    round(2),
    { number: 3, what: 'a wait', atMs: 9_000, isExpectation: false, failures: [] },
    { number: 3, what: 'oracle x', atMs: 9_000, isExpectation: true, failures: ['no'], is: 'oracle' },
  ];
  const last = (stepCount: number) =>
    reportText({ ...report, steps, stepCount })
      .split('\n')
      .at(-2) ?? '';
  t.true(last(2).startsWith('pass: 2 steps (3 times), 1 expectation, trace'), last(2));
  t.true(last(4).startsWith('pass: 2 of 4 steps (3 times), 1 expectation, trace'), last(4));
});

test('JSON has milliseconds to the microsecond, and all reasons', (t) => {
  const { durationMs, workload } = JSON.parse(reportJson(report));
  t.is(durationMs, 15_304.443);
  t.deepEqual(workload, [calls, reads]);
});

test('JUnit says of what its seconds are, and has the accounts of each run', (t) => {
  const xml = runsJunit([report]);
  t.regex(xml, /<properties><property name="time" value="virtual: seconds of the simulated cluster /);
  t.true(xml.includes(`<system-out>workload ${account}\nworkload GET /healthz: `));
  t.regex(runsJunit([{ ...report, mode: 'live' }]), /name="time" value="seconds since/);
});
