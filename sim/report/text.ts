/** A run told in lines of text, for people. */
import type { PromiseReport, RunReport, StepReport } from '../scenario/report.ts';
import { accountText } from './account.ts';
import { counted } from './counted.ts';

/** When, whether it held, its number, what; and what did not hold. */
export function stepText({ atMs, number, path, what, round, failures, isExpectation }: StepReport): string {
  const mark = failures.length > 0 ? 'FAIL' : isExpectation ? 'ok  ' : '    ';
  const times = round === undefined ? '' : ` (${round})`;
  const indent = ' '.repeat(22);
  const place = (path ?? String(number)).padStart(2);
  return `${timeText(atMs)}  ${mark} ${place}  ${what}${times}\n${failures.map((failure) => `${indent}${failure}\n`).join('')}`;
}

/** The verdict and why, after what was measured and done. */
export function reportText(report: RunReport): string {
  const { verdict, steps, traceHash, unproved, oracles, failures } = report;
  const expectations = steps.filter((step) => step.isExpectation).length;
  const why = unproved.length === 0 ? '' : ` (${unproved.join('; ')})`;
  const trace = traceHash === undefined ? '' : `, trace ${traceHash}`;
  const checked = oracles.filter(({ checks }) => checks > 0).length;
  const watched = oracles.length === 0 ? '' : `, ${checked} of ${oracles.length} oracles exercised`;
  const others = failures.filter(({ kind }) => kind === 'eventually' || kind === 'promise');
  return [
    ...others.map(
      ({ kind, name, atMs, text }) => `${timeText(atMs)}  FAIL ${kind} ${name}\n${' '.repeat(22)}${text}\n`,
    ),
    ...report.eventually
      .filter(({ count }) => count > 0)
      .map(({ name, atMs = 0 }) => `${timeText(atMs)}  ok   eventually ${name}\n`),
    ...report.sometimes.map(({ name, count }) => `  sometimes ${name}: ${timesSeen(count)}\n`),
    ...report.promises.map(promiseText),
    ...report.workload.map((account) => `  workload ${accountText(account)}\n`),
    `${verdict}${why}: ${counted(steps.length, 'step')}, ${counted(expectations, 'expectation')}${watched}${trace}\n`,
  ].join('');
}

function timesSeen(count: number): string {
  if (count === 0) return 'never seen';
  return count === 1 ? 'seen once' : `seen ${count} times`;
}

const promiseMarks = { kept: ': kept', broken: ': BROKEN', open: ', and the run ended before' } as const;

function promiseText({ name, fault, promisedMs, measuredMs, verdict }: PromiseReport): string {
  const measured = measuredMs === undefined ? (verdict === 'open' ? 'not yet' : 'never') : `${seconds(measuredMs)} s`;
  return `  promise ${name} of "${fault}": ${measured}, promised ${seconds(promisedMs)} s${promiseMarks[verdict]}\n`;
}

function timeText(atMs: number): string {
  return `${(atMs / 1_000).toFixed(3)} s`.padStart(11);
}

function seconds(ms: number): string {
  return String(Math.round(ms) / 1_000);
}
