/** Reports of runs for other programs: one line of JSON, and JUnit XML. */
import type { RunReport } from '../scenario/report.ts';
import { accountText } from './run-text.ts';

/** A run as one line of JSON: its whole report. `more`: what a command adds to it. */
export function reportJson(report: RunReport, more: object = {}): string {
  return `${JSON.stringify({ ...report, ...more }, inMicroseconds)}\n`;
}

/** Milliseconds have three digits; more are noise of binary fractions. */
function inMicroseconds(key: string, value: unknown): unknown {
  return typeof value === 'number' && key.endsWith('Ms') ? Math.round(value * 1_000) / 1_000 : value;
}

export interface JunitCase {
  readonly name: string;
  readonly seconds: number;
  /** The failure: in one line, and in full. */
  readonly failure?: { readonly message: string; readonly text: string };
  /** The reason of an unknown result. */
  readonly skipped?: string;
  /** Further lines about the suite. */
  readonly lines?: readonly string[];
}

export interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
  /** The meaning of the times of its cases. */
  readonly time?: keyof typeof times;
}

const times = {
  virtual: 'virtual: seconds of the simulated cluster since it was ready, not of the computer',
  live: 'seconds since the cluster was ready',
  processes: 'seconds since the cluster was ready',
} as const;

/** JUnit XML, which every CI reads: suites of cases. */
export function junitXml(suites: readonly JunitSuite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`;
}

/** A suite for each scenario, a case for each of its runs. */
export function runsJunit(reports: readonly RunReport[]): string {
  const names = [...new Set(reports.map(({ name }) => name))];
  return junitXml(
    names.map((name) => {
      const own = reports.filter((report) => report.name === name);
      return { name, cases: own.map(caseOf), time: own[0]?.mode ?? 'virtual' };
    }),
  );
}

function caseOf({ seed, verdict, durationMs, failures, unproved, workload }: RunReport): JunitCase {
  const lines = workload.map((account) => `workload ${accountText(account)}`);
  const about = { name: `seed ${seed}`, seconds: durationMs / 1_000, lines };
  if (verdict === 'pass') return about;
  if (verdict === 'unknown') return { ...about, skipped: `unknown: ${unproved.join('; ')}` };
  const [first] = failures;
  const text = failures.map((failure) => `${failure.kind} ${failure.name}: ${failure.text}`).join('\n');
  return { ...about, failure: { message: `${first?.kind} ${first?.name}`, text } };
}

function suiteXml({ name, cases, time = 'virtual' }: JunitSuite): string {
  const [failures, skipped] = [
    cases.filter(({ failure }) => failure !== undefined).length,
    cases.filter((each) => each.skipped !== undefined).length,
  ];
  const counts = `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`;
  const lines = cases.map((each) => caseXml(name, each)).join('');
  const about = `    <properties><property name="time" value="${times[time]}"/></properties>\n`;
  return `  <testsuite name="${escaped(name)}" ${counts}>\n${about}${lines}  </testsuite>\n`;
}

function caseXml(suite: string, { name, seconds, failure, skipped, lines = [] }: JunitCase): string {
  const head = `testcase classname="${escaped(suite)}" name="${escaped(name)}" time="${seconds.toFixed(3)}"`;
  const parts = [
    failure && `<failure message="${escaped(failure.message)}">${escaped(failure.text)}</failure>`,
    skipped !== undefined && `<skipped message="${escaped(skipped)}"/>`,
    lines.length > 0 && `<system-out>${escaped(lines.join('\n'))}</system-out>`,
  ].filter((part) => typeof part === 'string');
  return parts.length === 0 ? `    <${head}/>\n` : `    <${head}>${parts.join('')}</testcase>\n`;
}

/** XML has no control characters, escaped or not. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?')
    .replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign);
}
