/** A run told in lines of text, for people. */
import type { PromiseReport, RunReport, StepReport } from '../scenario/report.ts';
import { accountText } from './account.ts';
import { expectationsText, stepsText } from './step-counts.ts';

/** When, whether it held, its number, what; and what did not hold. `repeated`: it stands for several rounds that held. */
export function stepText(step: StepReport, repeated?: { readonly count: number; readonly lastMs: number }): string {
  const { atMs, number, path, what, round, failures, isExpectation } = step;
  const mark = failures.length > 0 ? 'FAIL' : isExpectation ? 'ok  ' : '    ';
  const times = repeated === undefined ? roundText(round) : ` (${repeatedText(repeated)})`;
  const indent = ' '.repeat(22);
  const place = (path ?? String(number)).padStart(2);
  return `${timeText(atMs)}  ${mark} ${place}  ${what}${times}\n${failures.map((failure) => `${indent}${failure}\n`).join('')}`;
}

function roundText(round: number | undefined): string {
  return round === undefined ? '' : ` (round ${round})`;
}

/** `21 times, last at 21.000 s`. */
function repeatedText({ count, lastMs }: { readonly count: number; readonly lastMs: number }): string {
  return `${count} times, last at ${timeText(lastMs).trim()}`;
}

/** The verdict and why, after what was measured and done. */
export function reportText(report: RunReport): string {
  const { verdict, traceHash, unproved, oracles, failures } = report;
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
    `${verdict}${why}: ${stepsText(report)}, ${expectationsText(report)}${watched}${trace}\n`,
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
