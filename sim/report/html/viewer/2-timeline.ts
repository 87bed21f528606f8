/** The timeline: faults, steps, failed oracles, and the message rate. A click selects a moment, a drag zooms in. */

const timeline = { width: 1_200, left: 150, right: 14, row: 20, mostRows: 15 };

function xOf(atMs: number): number {
  const { width, left, right } = timeline;
  const span = Math.max(1, view.untilMs - view.fromMs);
  return left + ((atMs - view.fromMs) / span) * (width - left - right);
}

function momentAt(x: number): number {
  const { width, left, right } = timeline;
  return view.fromMs + ((x - left) / (width - left - right)) * (view.untilMs - view.fromMs);
}

function isShown(fromMs: number, untilMs = fromMs): boolean {
  return untilMs >= view.fromMs && fromMs <= view.untilMs;
}

function drawTimeline(): HTMLElement {
  timeline.width = Math.max(280, byId('page').clientWidth);
  timeline.left = timeline.width < 700 ? 80 : 150;
  const { width, left, row } = timeline;
  const label = (text: string, y: number) =>
    svg(
      'text',
      { x: left - 8, y: y + 13, 'text-anchor': 'end', class: 'label' },
      cut(text, Math.floor(timeline.left / 6.8)),
    );
  const rows: SVGElement[] = [hatching(), ...drawScale(), label('messages', 36), ...drawRate(24, 34)];
  let y = 64;
  rows.push(label('steps', y), ...drawSteps(y));
  y += row;
  const healing = data.steps.filter(({ converges, fromMs, atMs }) => converges && isShown(fromMs ?? atMs, atMs));
  if (healing.length > 0) {
    rows.push(label('healed', y), ...healing.flatMap((step) => drawHealing(step, y)));
    y += row;
  }
  const { rows: faultRows, left: notShown } = packed();
  if (faultRows.length > 0) rows.push(label('faults', y));
  for (const faults of faultRows) {
    // Texts last: one may reach over later bars.
    rows.push(...faults.map((fault) => drawFault(fault, y)), ...faults.flatMap((fault) => drawFaultText(fault, y)));
    y += row;
  }
  for (const oracle of data.oracles.filter(({ failures }) => failures.length > 0)) {
    const failures = oracle.failures.filter(({ atMs }) => isShown(atMs));
    rows.push(label(oracle.name, y), ...failures.map((failure) => drawFailure(failure, y)));
    y += row;
  }
  if (isShown(view.atMs)) {
    const x = xOf(view.atMs);
    rows.push(svg('line', { x1: x, x2: x, y1: 18, y2: y + 4, class: 'cursor' }));
  }
  const size = { width, height: y + 8, viewBox: `0 0 ${width} ${y + 8}` };
  const chart = svg('svg', { ...size, class: 'timeline', role: 'img', 'aria-label': 'timeline' }, ...rows);
  listen(chart, y);
  const more = notShown > 0 ? `${notShown} more faults are not shown: drag over a part to zoom in. ` : '';
  return el('div', {}, chart, drawHints(more));
}

function drawHints(more: string): HTMLElement {
  const isZoomed = view.fromMs > data.fromMs || view.untilMs < data.untilMs;
  const whole = button('whole run', () => {
    zoomTo(data.fromMs, data.untilMs);
    show();
  });
  const hint = `${more}The page shows ${secondsOf(view.atMs)}, and so does a link to its address. Click for another moment, drag to zoom in. Keys: ← → move, p and n go to the previous and next step or fault, + and − zoom.`;
  return el('div', { class: 'hint note' }, el('span', {}, hint), isZoomed ? whole : undefined);
}

/** Selects the step, fault or failure before or after the moment. */
function goToEvent(by: 1 | -1): void {
  const { steps, faults, failures } = data;
  const moments = [
    ...[...steps, ...failures].map(({ atMs }) => atMs),
    ...faults.flatMap(({ fromMs, untilMs }) => (untilMs === undefined ? [fromMs] : [fromMs, untilMs])),
  ].sort((one, other) => one - other);
  const next = by > 0 ? moments.find((atMs) => atMs > view.atMs) : moments.findLast((atMs) => atMs < view.atMs);
  if (next !== undefined) lookAt(next);
}

/** Zooms by a factor around the selected moment. */
function zoomBy(factor: number): void {
  const { fromMs, untilMs, atMs } = view;
  const middle = isShown(atMs) ? atMs : (fromMs + untilMs) / 2;
  zoomTo(middle - (middle - fromMs) * factor, middle + (untilMs - middle) * factor);
  show();
}

/** Press and release at one place select the moment; a drag selects a time span. */
function listen(chart: SVGElement, bottom: number): void {
  const x = (event: Event) => (event as MouseEvent).clientX - chart.getBoundingClientRect().left;
  let from: number | undefined;
  const box = svg('rect', { y: 18, height: bottom - 18, class: 'drag' });
  chart.addEventListener('pointerdown', (event) => {
    from = x(event);
    chart.setPointerCapture((event as PointerEvent).pointerId);
  });
  chart.addEventListener('pointermove', (event) => {
    if (from === undefined || Math.abs(x(event) - from) < 6) return;
    box.setAttribute('x', String(Math.min(from, x(event))));
    box.setAttribute('width', String(Math.abs(x(event) - from)));
    chart.append(box);
  });
  chart.addEventListener('pointerup', (event) => {
    if (from === undefined) return;
    const [start, end] = [Math.min(from, x(event)), Math.max(from, x(event))];
    from = undefined;
    if (end - start < 6) return lookAt(momentAt(end));
    zoomTo(momentAt(Math.max(timeline.left, start)), momentAt(end));
    show();
  });
}

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

/** Ticks at round times, as many as fit, at most about ten. */
function drawScale(): SVGElement[] {
  const rough = (view.untilMs - view.fromMs) / Math.min(10, Math.floor((timeline.width - timeline.left) / 70));
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const stepMs = [1, 2, 5, 10].map((n) => n * power).find((each) => each >= rough) ?? power;
  const marks: SVGElement[] = [];
  for (let atMs = Math.ceil(view.fromMs / stepMs) * stepMs; atMs <= view.untilMs; atMs += stepMs) {
    const x = xOf(atMs);
    marks.push(svg('line', { x1: x, x2: x, y1: 16, y2: 22, class: 'tick' }));
    const digits = stepMs < 10 ? 3 : stepMs < 100 ? 2 : stepMs < 1_000 ? 1 : 0;
    marks.push(
      svg('text', { x, y: 12, 'text-anchor': 'middle', class: 'tick' }, `${(atMs / 1_000).toFixed(digits)} s`),
    );
  }
  return marks;
}

interface RateColumn {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly kept: number;
  readonly missing: number;
}

/** The message rate over time: kept messages, and above them the dropped ones, hatched. */
function drawRate(y: number, height: number): SVGElement[] {
  const columns = rateColumns();
  const most = Math.max(1, ...columns.map(({ kept, missing: gone }) => kept + gone));
  const tall = (count: number) => (Math.sqrt(count / most) * height).toFixed(1);
  const area = (kind: string, count: (column: RateColumn) => number) => {
    const points = columns.map((column) => `${xOf(column.fromMs)},${y + height - Number(tall(count(column)))}`);
    const [start, end] = [`${xOf(view.fromMs)},${y + height}`, `${xOf(view.untilMs)},${y + height}`];
    return svg('polygon', { points: [start, ...points, end].join(' '), class: kind });
  };
  const all = gapSpans.length > 0 ? [area('rate gone', ({ kept, missing: gone }) => kept + gone)] : [];
  return [...drawGone(columns, { y, height }), ...all, area('rate', ({ kept }) => kept)];
}

function rateColumns(): RateColumn[] {
  const many = 240;
  const span = Math.max(1, view.untilMs - view.fromMs);
  return Array.from({ length: many }, (_, i) => {
    const [fromMs, untilMs] = [view.fromMs + (i / many) * span, view.fromMs + ((i + 1) / many) * span];
    const kept = firstFrom(data.messages, untilMs) - firstFrom(data.messages, fromMs);
    return { fromMs, untilMs, kept, missing: gapSpans.length > 0 ? missingIn(fromMs, untilMs) : 0 };
  });
}

/** Time spans with more than a tenth missing are hatched and say how much. */
function drawGone(columns: readonly RateColumn[], { y, height }: { y: number; height: number }): SVGElement[] {
  const runs: RateColumn[] = [];
  let last: RateColumn | undefined;
  for (const column of columns) {
    const isGone = column.missing > 0.5 && column.missing > (column.kept + column.missing) / 10;
    if (!isGone) last = undefined;
    else if (last === undefined) {
      last = column;
      runs.push(column);
    } else {
      const { fromMs, kept, missing: gone } = last;
      last = { fromMs, untilMs: column.untilMs, kept: kept + column.kept, missing: gone + column.missing };
      runs[runs.length - 1] = last;
    }
  }
  return runs.flatMap(({ fromMs, untilMs, kept, missing: gone }) => {
    const [x, end] = [xOf(fromMs), xOf(untilMs)];
    const [count, all] = [Math.round(gone), Math.round(kept + gone)];
    const text = `${grouped(count)} of ${grouped(all)} messages not kept`;
    const title = svg('title', {}, `${secondsOf(fromMs)} to ${secondsOf(untilMs)}: ${text}`);
    const box = svg('rect', { x, y: y - 4, width: end - x, height: height + 4, class: 'hatched' }, title);
    const label = svg('text', { x: (x + end) / 2, y: y + 8, 'text-anchor': 'middle', class: 'inside over' }, text);
    return end - x > text.length * 6.4 ? [box, label] : [box];
  });
}

function hatching(): SVGElement {
  const line = svg('path', { d: 'M0 0 V6', class: 'hatch' });
  const size = { width: 6, height: 6, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' };
  return svg('defs', {}, svg('pattern', { id: 'hatch', ...size }, line));
}
