/** The first event at which a run differs from a kept one, with its time and step. */
import type { Difference } from '../scenario/artefact.ts';
import type { RunReport } from '../scenario/report.ts';

const before = 24;
const around = 160;

/** `readyMs`: the world's time when the cluster was ready. */
export function differenceText({ line, was, now }: Difference, report: RunReport, readyMs: number): string {
  const from = firstOther(was ?? '', now ?? '');
  const said = (text: string | undefined) =>
    text === undefined ? '(nothing: the run had ended)' : eventText(text, from, readyMs);
  const atMs = Math.min(...[was, now].map((text) => (text === undefined ? Infinity : timeOf(text)))) - readyMs;
  const place = atMs < 0 ? 'before the cluster was ready' : placeIn(report, atMs);
  return [`event ${line} is the first that differs, ${place}`, `  was ${said(was)}`, `  now ${said(now)}`, ''].join(
    '\n',
  );
}

function placeIn({ steps }: RunReport, atMs: number): string {
  const step = steps.find((each) => each.atMs >= atMs);
  return step === undefined ? 'after the last step' : `in step ${step.path ?? step.number}`;
}

/** An event with its time in the report, and the part of its text that differs. */
function eventText(text: string, from: number, readyMs: number): string {
  const said = text.slice(text.indexOf(' ') + 1);
  const start = from - (text.length - said.length);
  const [cut, end] = [Math.max(0, start - around), start + around];
  const shown = `${cut > before ? `${said.slice(0, before)} … ` : said.slice(0, cut)}${said.slice(cut, end)}${end < said.length ? ' …' : ''}`;
  return `${((timeOf(text) - readyMs) / 1_000).toFixed(3)} s  ${shown}`;
}

function timeOf(text: string): number {
  return Number(text.slice(0, text.indexOf(' ')));
}

function firstOther(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
