/** A run told in lines, as JSON and as JUnit: accounts of the workload, numbers of steps, times. */
import test from 'ava';
import { accountText } from '../../../sim/report/account.ts';
import { reportJson } from '../../../sim/report/json.ts';
import { runsJunit } from '../../../sim/report/junit.ts';
import { reportText, stepText } from '../../../sim/report/text.ts';
import type { RunReport, WorkloadReport } from '../../../sim/scenario/report.ts';

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
  t.is(stepText({ ...step, path: '3.1.2', round: 2 }), '    1.500 s  ok   3.1.2  a look (2)\n');
  t.is(stepText({ ...step, failures: ['no'] }), `    1.500 s  FAIL  3  a look\n${' '.repeat(22)}no\n`);
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
  t.regex(runsJunit([{ ...report, mode: 'live' }]), /name="time" value="seconds from when/);
});
