/** The rows of the timeline: steps, faults and failures, placed without overlaps. */

type FaultRow = Data['faults'][number];

interface Bar {
  readonly fault: FaultRow;
  readonly x: number;
  readonly wide: number;
  /** A label cut to the present room. */
  readonly text: string;
  /** Position of its label. */
  readonly textX: number;
  /** Whether its label ends or begins there; or no label. */
  readonly anchor: 'start' | 'end' | 'none';
}

const letterWidth = 6.4;

/**
 * The label of a bar: from its begin, or up to it if there is more room. It may be longer than a small bar, but stays
 * within the timeline.
 */
function placedText(what: string, x: number, wide: number): Pick<Bar, 'text' | 'textX'> & { anchor: 'start' | 'end' } {
  const room = { start: timeline.width - x - 8, end: x - timeline.left - 4 };
  const isLate = what.length * letterWidth > room.start && room.end > room.start;
  const anchor = isLate ? 'end' : 'start';
  const most = Math.max(Math.min(70, timeline.width / 2 / letterWidth), wide / letterWidth - 1);
  const text = cut(what, Math.floor(Math.min(most, room[anchor] / letterWidth)));
  return { text, textX: isLate ? x - 4 : x + 4, anchor };
}

/** Adjacent steps share one mark, in the worst of their colours. */
function drawSteps(y: number): SVGElement[] {
  const groups: { x: number; steps: Data['steps'][number][] }[] = [];
  for (const step of data.steps.filter(({ atMs }) => isShown(atMs))) {
    const x = xOf(step.atMs);
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < 8) last.steps.push(step);
    else groups.push({ x, steps: [step] });
  }
  return groups.map(({ x, steps }) => {
    const hasFailed = steps.some(({ failures }) => failures.length > 0);
    const kind = hasFailed ? 'fail' : steps.some(({ isExpectation }) => isExpectation) ? 'pass' : 'plain';
    const lines = steps
      .slice(0, 20)
      .map((step) => [`step ${step.place}, ${secondsOf(step.atMs)}: ${stepTitle(step)}`, ...step.failures].join('\n'));
    if (steps.length > 20) lines.push(`and ${steps.length - 20} more`);
    const mark = { cx: x, cy: y + 9, r: hasFailed ? 6 : steps.length > 1 ? 5 : 4, class: kind };
    return svg('circle', mark, svg('title', {}, lines.join('\n')));
  });
}

interface Taken {
  readonly bars: Bar[];
  readonly spans: [from: number, until: number][];
}

/** Faults in as few rows as possible, without overlaps of bars or labels. */
function packed(): { rows: Bar[][]; left: number } {
  const rows: Taken[] = [];
  let left = 0;
  for (const fault of data.faults.filter(({ fromMs, untilMs = data.untilMs }) => isShown(fromMs, untilMs))) {
    const bar = barOf(fault);
    if (joined(rows, bar)) continue;
    const span = spanOf(bar);
    let row = rows.find(({ spans }) => isFree(spans, span));
    if (row === undefined && rows.length < timeline.mostRows) {
      row = { bars: [], spans: [] };
      rows.push(row);
    }
    row?.bars.push(bar);
    row?.spans.push(span);
    if (row === undefined) left += 1;
  }
  return { rows: rows.map(({ bars }) => bars), left };
}

/** A repeated fault shares the row of its first time, without a label if there is no room. */
function joined(rows: Taken[], bar: Bar): boolean {
  const row = rows.find(({ bars }) => bars.some(({ fault }) => fault.what === bar.fault.what));
  if (row === undefined) return false;
  const whole = spanOf(bar);
  const bare: Taken['spans'][number] = [bar.x, bar.x + bar.wide];
  const isAlike = row.bars.every(({ fault }) => fault.what === bar.fault.what);
  const hasRoom = isFree(row.spans, whole);
  if (!hasRoom && !(isAlike && row.bars.every((other) => other.x + other.wide <= bar.x))) return false;
  row.bars.push(hasRoom ? bar : { ...bar, anchor: 'none' });
  row.spans.push(hasRoom ? whole : bare);
  return true;
}

function isFree(spans: Taken['spans'], [from, until]: [number, number]): boolean {
  return spans.every(([start, end]) => until < start || from > end);
}

/** The span of a bar with its label. */
function spanOf({ text, x, wide, textX, anchor }: Bar): [number, number] {
  const letters = text.length * letterWidth + 8;
  return anchor === 'end' ? [textX - letters, x + wide] : [x, Math.max(x + wide, textX + letters)];
}

function barOf(fault: FaultRow): Bar {
  const { fromMs, untilMs = data.untilMs } = fault;
  const x = xOf(Math.max(view.fromMs, fromMs));
  const wide = Math.max(3, xOf(Math.min(view.untilMs, untilMs)) - x);
  return { fault, x, wide, ...placedText(fault.what, x, wide) };
}

function drawFault({ fault, x, wide }: Bar, y: number): SVGElement {
  const { what, fromMs, untilMs } = fault;
  const end = untilMs === undefined ? 'the end' : secondsOf(untilMs);
  const title = svg('title', {}, `${what}\n${secondsOf(fromMs)} to ${end}`);
  return svg('rect', { x, y: y + 2, width: wide, height: 15, rx: 2, class: 'fault' }, title);
}

function drawFaultText({ text, textX, anchor }: Bar, y: number): SVGElement[] {
  const at = { x: textX, y: y + 13, 'text-anchor': anchor, class: 'inside' };
  return anchor === 'none' ? [] : [svg('text', at, text)];
}

/** The time in which a core was healed and converged. */
function drawHealing({ what, fromMs, atMs, failures }: Data['steps'][number], y: number): SVGElement[] {
  const x = xOf(Math.max(view.fromMs, fromMs ?? atMs));
  const wide = Math.max(3, xOf(Math.min(view.untilMs, atMs)) - x);
  const title = svg('title', {}, `${what}\n${secondsOf(fromMs ?? atMs)} to ${secondsOf(atMs)}`);
  const kind = failures.length > 0 ? 'healing fail' : 'healing';
  const { text, textX, anchor } = placedText(what, x, wide);
  return [
    svg('rect', { x, y: y + 2, width: wide, height: 15, rx: 2, class: kind }, title),
    svg('text', { x: textX, y: y + 13, 'text-anchor': anchor, class: 'inside' }, text),
  ];
}

function drawFailure({ atMs, what }: { atMs: number; what: string }, y: number): SVGElement {
  const x = xOf(atMs);
  return svg(
    'path',
    { d: `M${x - 5} ${y + 4} l10 10 m0 -10 l-10 10`, class: 'failure' },
    svg('title', {}, `${secondsOf(atMs)}: ${what}`),
  );
}
