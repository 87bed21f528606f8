/** The timeline on top: faults, steps, oracles that failed, and how much was said; a click looks at a moment. */

const timeline = { width: 1_200, left: 150, row: 20 };

function xOf(atMs: number): number {
  const { width, left } = timeline;
  const span = Math.max(1, data.untilMs - data.fromMs);
  return left + ((atMs - data.fromMs) / span) * (width - left - 10);
}

function drawTimeline(): SVGElement {
  const { width, left, row } = timeline;
  const rows: SVGElement[] = [];
  let y = 24;
  const label = (text: string) =>
    svg('text', { x: left - 8, y: y + 13, 'text-anchor': 'end', class: 'label' }, cut(text, 22));
  rows.push(...drawScale());
  rows.push(label('messages'), ...drawRate(y, 34));
  y += 40;
  rows.push(label('steps'), ...data.steps.map((step) => drawStep(step, y)));
  y += row;
  for (const fault of data.faults) {
    rows.push(label('fault'), drawFault(fault, y));
    y += row;
  }
  for (const oracle of data.oracles.filter(({ failures }) => failures.length > 0)) {
    rows.push(label(oracle.name), ...oracle.failures.map((failure) => drawFailure(failure, y)));
    y += row;
  }
  const x = xOf(view.atMs);
  rows.push(svg('line', { x1: x, x2: x, y1: 18, y2: y + 4, class: 'cursor' }));
  const chart = svg(
    'svg',
    { viewBox: `0 0 ${width} ${y + 8}`, class: 'timeline', role: 'img', 'aria-label': 'timeline' },
    ...rows,
  );
  chart.addEventListener('click', (event) => {
    const box = chart.getBoundingClientRect();
    const at = ((event as MouseEvent).clientX - box.left) * (width / box.width);
    lookAt(data.fromMs + ((at - left) / (width - left - 10)) * (data.untilMs - data.fromMs));
  });
  return chart;
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

/** Marks at round moments, some ten of them. */
function drawScale(): SVGElement[] {
  const span = data.untilMs - data.fromMs;
  const rough = span / 10;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const stepMs = [1, 2, 5, 10].map((n) => n * power).find((each) => each >= rough) ?? power;
  const marks: SVGElement[] = [];
  for (let atMs = Math.ceil(data.fromMs / stepMs) * stepMs; atMs <= data.untilMs; atMs += stepMs) {
    const x = xOf(atMs);
    marks.push(svg('line', { x1: x, x2: x, y1: 16, y2: 22, class: 'tick' }));
    marks.push(svg('text', { x, y: 12, 'text-anchor': 'middle', class: 'tick' }, `${atMs / 1_000} s`));
  }
  return marks;
}

/** How many messages went, over time. */
function drawRate(y: number, height: number): SVGElement[] {
  const columns = 240;
  const span = Math.max(1, data.untilMs - data.fromMs);
  const counts = new Array<number>(columns).fill(0);
  for (const [atMs] of data.messages) {
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((atMs - data.fromMs) / span) * columns)));
    counts[column] = (counts[column] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  const points = counts.map(
    (count, i) => `${xOf(data.fromMs + (i / columns) * span)},${y + height - Math.sqrt(count / most) * height}`,
  );
  const foot = `${xOf(data.untilMs)},${y + height}`;
  return [svg('polygon', { points: [`${xOf(data.fromMs)},${y + height}`, ...points, foot].join(' '), class: 'rate' })];
}

function drawStep({ atMs, what, failures, isExpectation, number }: Data['steps'][number], y: number): SVGElement {
  const kind = failures.length > 0 ? 'fail' : isExpectation ? 'pass' : 'plain';
  const text = [`step ${number}, ${secondsOf(atMs)}: ${what}`, ...failures].join('\n');
  return svg(
    'circle',
    { cx: xOf(atMs), cy: y + 9, r: failures.length > 0 ? 6 : 4, class: kind },
    svg('title', {}, text),
  );
}

function drawFault({ what, fromMs, untilMs = data.untilMs }: Data['faults'][number], y: number): SVGElement {
  const x = xOf(fromMs);
  const wide = Math.max(3, xOf(untilMs) - x);
  const title = svg('title', {}, `${what}\n${secondsOf(fromMs)} to ${secondsOf(untilMs)}`);
  const isLate = x > timeline.width * 0.7;
  const text = svg(
    'text',
    { x: isLate ? x - 4 : x + 4, y: y + 13, 'text-anchor': isLate ? 'end' : 'start', class: 'inside' },
    cut(what, 70),
  );
  return svg('g', {}, svg('rect', { x, y: y + 2, width: wide, height: 15, rx: 2, class: 'fault' }, title), text);
}

function drawFailure({ atMs, what }: { atMs: number; what: string }, y: number): SVGElement {
  const x = xOf(atMs);
  return svg(
    'path',
    { d: `M${x - 5} ${y + 4} l10 10 m0 -10 l-10 10`, class: 'failure' },
    svg('title', {}, `${secondsOf(atMs)}: ${what}`),
  );
}
