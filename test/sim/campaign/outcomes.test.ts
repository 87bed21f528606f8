/** What runs come to in a sweep: causes, groups, and what was never seen with any seed. */

import { runsJunit } from '../../../sim/report/junit.ts';
import type { RunReport } from '../../../sim/scenario/report.ts';
import { causeOf, groupsOf, outcomeOf, talliesOf, verdictOfAll } from '../../../sim/sweep/outcome.ts';
import { historyText, sweepJunit, sweepText } from '../../../sim/sweep/sweep-text.ts';
import { test } from '../../kit/test.ts';

const of = { build: 'b', source: 's' };
const passed: RunReport = {
  name: 'tested',
  mode: 'virtual',
  seed: 1,
  verdict: 'pass',
  steps: [{ number: 1, what: 'a look', atMs: 1_500, isExpectation: true, failures: [] }],
  stepCount: 1,
  traceHash: 'abc',
  failures: [],
  unproved: [],
  durationMs: 2_000,
  oracles: [{ name: 'one-home', rule: 'A rule.', verdict: 'pass', checks: 3, failures: [] }],
  sometimes: [],
  eventually: [],
  promises: [],
  workload: [],
};
const seen = (count: number) => ({ name: 'a race', count, atMs: undefined });
const unseen: RunReport = {
  ...passed,
  verdict: 'unknown',
  sometimes: [seen(0)],
  unproved: ['sometimes "a race" was never seen'],
};
const oracleFails = (seed: number, step: number, atMs: number): RunReport => ({
  ...passed,
  seed,
  verdict: 'fail',
  failures: [{ kind: 'oracle', name: 'one-home', step, atMs, text: `room 0${seed} of call 5f3a9c1b-77 has 2 homes` }],
});

test('what was seen with one of the seeds is proved by all of them', (t) => {
  const both = [unseen, { ...passed, seed: 2, sometimes: [seen(4)] }].map((report) => outcomeOf(report, of));
  t.deepEqual(
    both.map(({ verdict }) => verdict),
    ['pass', 'pass'],
  );
  t.is(verdictOfAll(both), 'pass');
});

test('a part of the workload without a success leaves a seed unproved, which another seed proves', (t) => {
  const part = (acknowledged: number) => [
    { part: 'commands', name: 'commands', started: 2, acknowledged, failed: 0, open: 0, reasons: [] },
  ];
  const reason = 'no commands of the workload succeeded (2 started)';
  const idle: RunReport = { ...passed, verdict: 'unknown', unproved: [reason], workload: part(0) };
  t.is(verdictOfAll([outcomeOf(idle, of)]), 'unknown');
  t.is(verdictOfAll([idle, { ...passed, seed: 2, workload: part(1) }].map((report) => outcomeOf(report, of))), 'pass');
});

test('what was seen with no seed proves nothing, and the text says so', (t) => {
  const none = [1, 2].map((seed) => outcomeOf({ ...unseen, seed }, of));
  t.is(verdictOfAll(none), 'unknown');
  t.deepEqual(talliesOf(none)[0]?.neverSeen, ['a race']);
  t.regex(sweepText(none), /\ntested: sometimes "a race" was never seen with any seed, so the sweep proves nothing\n/);
  t.is(verdictOfAll(none, { isPart: true }), 'pass');
  t.regex(
    sweepText(none, { isPart: true }),
    /\ntested: sometimes "a race" was not seen so far; the whole sweep decides\n/,
  );
});

test('what else was not proved makes each seed unknown, with its reason', (t) => {
  const outcome = outcomeOf({ ...unseen, unproved: [...unseen.unproved, 'oracle one-home was never exercised'] }, of);
  t.is(outcome.verdict, 'unknown');
  t.deepEqual(outcome.unproved, ['oracle one-home was never exercised']);
  t.regex(sweepText([outcome]), /\ntested: oracle one-home was never exercised \(1 seeds\)\n/);
});

test('an oracle that fails is one group in whichever step, the fastest seed first', (t) => {
  const outcomes = [oracleFails(7, 2, 9_000), oracleFails(8, 5, 3_000), passed].map((report) => outcomeOf(report, of));
  t.deepEqual(groupsOf(outcomes), [
    {
      scenario: 'tested',
      kind: 'oracle',
      step: 5,
      what: 'one-home',
      failure: 'room 08 of call 5f3a9c1b-77 has 2 homes',
      seeds: [8, 7],
    },
  ]);
  t.is(verdictOfAll(outcomes), 'fail');
  t.regex(
    sweepText(outcomes),
    /\ntested, oracle one-home\n {2}room 08 of call .*\n {2}seeds \(2\), shortest run first: 8, 7\n/,
  );
});

test('a cause has neither numbers nor ids nor what came instead', (t) => {
  t.not(causeOf('status: expected 200, got 404: {}'), causeOf('status: expected 200, got 503: {}'));
  t.is(causeOf('body.count: expected 3, got 12'), 'body.count: expected #');
  t.is(causeOf('call 0f2c11aa-9 of "acme/1001" twice'), causeOf('call 77bb10cc-1 of "acme/1007" twice'));
  const ofPhone = (name: string) => `it calls ${name} (10.101.1.1:5060) twice`;
  t.is(causeOf(ofPhone('acme.root.test/ann')), causeOf(ofPhone('globex.root.test/bob')));
  const absent = 'header x-missing-sites: expected "s1", got none';
  t.is(causeOf(absent), causeOf(absent.replace('s1', 's2')));
  t.not(causeOf(absent), causeOf('header x-missing-sites: expected "s1,s2", got "s1"'));
  t.not(causeOf('body.name: expected "a", got nothing'), causeOf('body.name: expected "a", got "b"'));
  t.not(causeOf('status: expected "active"'), causeOf('status: expected "standby"'));
});

test('JUnit has a case for each run, and its texts are XML whatever is in them', (t) => {
  const failed = {
    ...oracleFails(2, 1, 10),
    failures: [{ kind: 'step', name: 'a <b> & "c"', step: 1, atMs: 1, text: '\u0000 ]]> &' }],
  } as RunReport;
  const xml = runsJunit([passed, failed, unseen]);
  t.regex(xml, /<testsuite name="tested" tests="3" failures="1" skipped="1">/);
  t.regex(xml, /<testcase classname="tested" name="seed 1" time="2\.000"\/>/);
  t.regex(
    xml,
    /<failure message="step a &lt;b&gt; &amp; &quot;c&quot;">step a &lt;b&gt; &amp; &quot;c&quot;: \? \]\]&gt; &amp;<\/failure>/,
  );
  t.regex(xml, /<skipped message="unknown: sometimes &quot;a race&quot; was never seen"\/>/);
  t.regex(sweepJunit([outcomeOf(passed, of)]), /tests="1" failures="0" skipped="0"/);
});

test('failures of earlier builds are known, or pass now, or were not tried', (t) => {
  const run = (seed: number, build: string, report = oracleFails(seed, 1, 9)) => outcomeOf(report, { ...of, build });
  const before = [run(7, 'x'), run(9, 'y'), run(8, 'x', { ...passed, seed: 8 })];
  const known = '\nfailures of earlier builds:\n  known: tested, oracle one-home: seeds 7, 9 of builds x to y\n';
  t.is(historyText([run(8, 'z')], before), known);
  t.is(historyText([run(9, 'z', { ...passed, seed: 9 })], before), known.replace('known', 'passes now'));
  t.is(historyText([run(8, 'z', { ...passed, seed: 8 })], before), '');
  t.is(historyText([run(8, 'z')], []), '');
});
