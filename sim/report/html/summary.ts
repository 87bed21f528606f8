/** The part of a report page that needs no script: verdict, reasons, steps, faults, promises. */
import { html } from 'hono/html';
import type { RunReport, StepReport } from '../../scenario/report.ts';
import { placeOf, stepsText } from '../run-text.ts';
import { comparedOf } from './compared.ts';
import type { ComparedLines, FailureRow, MarkedLine, ReportData, StepRow } from './page-data.ts';

/** Milliseconds with three digits, like all times of a page: else a message could follow the step that it ends. */
export function toMicroseconds(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** The steps of a run as rows of its page, with the rounds of each together, and the failures with their steps. */
export function stepFindings(report: RunReport): Pick<ReportData, 'failures' | 'steps' | 'stepGroups' | 'stepsText'> {
  const { steps, failures } = report;
  return {
    failures: failures.map((failure) => failureRow(failure, steps)),
    steps: steps.map(stepRowOf),
    stepGroups: groupsOf(steps),
    stepsText: stepsText(report),
  };
}

function failureRow(
  { kind, name, atMs, text }: RunReport['failures'][number],
  steps: readonly StepReport[],
): FailureRow {
  const step = steps.findIndex((each) => each.atMs === atMs && each.what === name && each.failures.includes(text));
  return { kind, name, atMs: toMicroseconds(atMs), text, ...(kind === 'step' && step >= 0 && { step }) };
}

function stepRowOf(step: StepReport): StepRow {
  const { what, round, beganMs, converges, atMs, isExpectation, failures, mismatch } = step;
  return {
    place: placeOf(step),
    what,
    ...(round !== undefined && { round }),
    ...(beganMs !== undefined && { fromMs: toMicroseconds(beganMs) }),
    ...(converges && { converges }),
    atMs: toMicroseconds(atMs),
    isExpectation,
    failures,
    ...(mismatch !== undefined && { compared: comparedOf(mismatch) }),
  };
}

function groupsOf(steps: readonly StepReport[]): number[][] {
  const groups: number[][] = [];
  const rounds = new Map<string, number[]>();
  for (const [i, step] of steps.entries()) {
    const known = step.round === undefined ? undefined : rounds.get(placeOf(step));
    if (known !== undefined) known.push(i);
    else groups.push([i]);
    if (known === undefined && step.round !== undefined) rounds.set(placeOf(step), groups.at(-1) ?? []);
  }
  return groups;
}

type Markup = ReturnType<typeof html>;
type Cells = readonly (string | number)[];

/** A row of a table; `kind` is its CSS class. */
interface Row {
  readonly kind?: 'fail' | 'unknown' | '' | undefined;
  readonly cells: Cells;
  /** Below the last cell. */
  readonly more?: readonly string[];
  readonly compared?: ComparedLines | undefined;
}

const mostRows = 1_000;

/** The page without scripts, as in a mail or an artefact viewer: verdict, reasons, steps. */
export function summary(data: ReportData): Markup {
  const { scenario, why, verdict, mode, seed, maker, again, oracles, leftOut, messages, said } = data;
  const tried = oracles.filter(({ checks }) => checks > 0).length;
  return html`<main>
<h1>${scenario} <span class="badge ${verdict}">${verdict}</span></h1>
<p>${why}</p>
<p class="note">${mode}, seed ${seed}, ${seconds(data.untilMs)}, strowger ${maker}</p>
${again === undefined ? '' : html`<p class="note">again: <code>${again}</code></p>`}
${messages.length < said ? html`<p class="missing">${leftOut[0]}</p>` : ''}
${table('Failures', ['at', 'what'], failures(data))}
${table(
  'Not exercised',
  ['what'],
  data.unproved.map((text): Row => ({ kind: 'unknown', cells: [text] })),
)}
${table('Steps', ['step', 'over at', 'result', 'what'], steps(data))}
${table('Faults', ['from', 'until', 'fault'], faults(data))}
${table('Promises', ['promise', 'measured', 'promised', 'result'], promises(data))}
${table('Expected to be seen', ['what', 'times', 'first at'], seen(data))}
${table('Workload', ['what', 'begun', 'acknowledged', 'failed', 'open', 'why failed'], workload(data))}
<p>${tried} of ${oracles.length} oracles were exercised.</p>
${leftOut.map((text) => html`<p class="note">${text}</p>`)}
<p class="note">The timeline, messages, calls and states need the script of this page, which does not run here.</p>
</main>`;
}

function table(title: string, heads: readonly string[], rows: readonly Row[]): Markup | string {
  if (rows.length === 0) return '';
  const shown = rows.slice(0, mostRows);
  const left =
    rows.length > shown.length ? html`<p class="note">${rows.length - shown.length} more are left out.</p>` : '';
  return html`<h2>${title}</h2>
<table><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr>
${shown.map(rowOf)}</table>
${left}`;
}

function rowOf({ kind = '', cells, more = [], compared }: Row): Markup {
  const last = cells.length - 1;
  const pre = [...more.map((text) => html`<pre>${text}</pre>`), compared === undefined ? '' : comparison(compared)];
  return html`<tr class="${kind}">${cells.map((cell, i) => html`<td>${cell}${i === last ? pre : ''}</td>`)}</tr>
`;
}

function failures({ failures: all }: ReportData): Row[] {
  return all.map(({ kind, name, atMs, text }) => {
    return { kind: 'fail', cells: [seconds(atMs), kind === 'step' ? name : `${kind} ${name}`], more: [text] };
  });
}

/** Passed rounds share one row; each failed round has its own. */
function steps({ steps: all, stepGroups }: ReportData): Row[] {
  return stepGroups.flatMap((group) => {
    const rounds = group.flatMap((i) => all[i] ?? []);
    const held = rounds.filter(({ failures: broken }) => broken.length === 0);
    const rows = rounds.filter(({ failures: broken }) => broken.length > 0).map(stepRow);
    const [first] = held;
    if (first === undefined) return rows;
    const { place, atMs, isExpectation, what } = first;
    const last = held.at(-1) ?? first;
    const time = held.length === 1 ? seconds(atMs) : `${seconds(atMs)} to ${seconds(last.atMs)}`;
    const times = held.length === 1 ? '' : ` (${held.length} times)`;
    return [{ cells: [place, time, isExpectation ? 'ok' : '', `${what}${times}`] }, ...rows];
  });
}

function stepRow({ place, what, round, atMs, isExpectation, failures: broken, compared }: StepRow): Row {
  const mark = broken.length > 0 ? 'FAIL' : isExpectation ? 'ok' : '';
  const which = round === undefined ? what : `${what} (round ${round})`;
  return { kind: broken.length > 0 ? 'fail' : '', cells: [place, seconds(atMs), mark, which], more: broken, compared };
}

function comparison({ expected, actual }: ComparedLines): Markup {
  return html`<p>expected</p>${markedText(expected)}<p>actual</p>${markedText(actual)}`;
}

function markedText(lines: readonly MarkedLine[]): Markup {
  return html`<pre>${lines.map(([text, isMarked]) => (isMarked === 1 ? html`<mark>${text}</mark>\n` : `${text}\n`))}</pre>`;
}

function faults({ faults: all }: ReportData): Row[] {
  return all.map(({ what, fromMs, untilMs }) => {
    return { cells: [seconds(fromMs), untilMs === undefined ? 'the end' : seconds(untilMs), what] };
  });
}

function promises({ promises: all }: ReportData): Row[] {
  return all.map(({ name, fault, promisedMs, measuredMs, verdict }) => {
    const measured = measuredMs === undefined ? 'never' : seconds(measuredMs);
    const kind = ({ kept: '', broken: 'fail', open: 'unknown' } as const)[verdict];
    const word = verdict === 'open' ? 'the run ended before' : verdict;
    return { kind, cells: [`${name}, after ${fault}`, measured, seconds(promisedMs), word] };
  });
}

function seen({ seen: all }: ReportData): Row[] {
  return all.map(({ kind, name, count, atMs }) => {
    return { cells: [`${kind}: ${name}`, count, atMs === undefined ? 'never' : seconds(atMs)] };
  });
}

function workload({ workload: all }: ReportData): Row[] {
  return all.map(({ name, started, acknowledged, failed, open, why }) => {
    return { cells: [name, started, acknowledged, failed, open, why] };
  });
}

/** With a non-breaking space. */
function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)}\u00A0s`;
}
