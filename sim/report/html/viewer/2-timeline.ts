/**
 * The timeline on top: faults, steps, oracles that failed, and how much was said. A click looks at a moment, dragging looks
 * closer at a part.
 */

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
  timeline.width = Math.max(600, byId('page').clientWidth);
  const { width, left, row } = timeline;
  const label = (text: string, y: number) =>
    svg('text', { x: left - 8, y: y + 13, 'text-anchor': 'end', class: 'label' }, cut(text, 22));
  const rows: SVGElement[] = [...drawScale(), label('messages', 36), ...drawRate(24, 34)];
  let y = 64;
  rows.push(label('steps', y), ...drawSteps(y));
  y += row;
  const { rows: faultRows, left: notShown } = packed();
  if (faultRows.length > 0) rows.push(label('faults', y));
  for (const faults of faultRows) {
    // Texts last: one may reach over the bars after its own.
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
  const more = notShown > 0 ? `${notShown} more faults are not shown: drag over a part to look closer. ` : '';
  return el('div', {}, chart, drawHints(more));
}

function drawHints(more: string): HTMLElement {
  const isZoomed = view.fromMs > data.fromMs || view.untilMs < data.untilMs;
  const whole = button('whole run', () => {
    zoomTo(data.fromMs, data.untilMs);
    show();
  });
  const hint = `${more}Looking at ${secondsOf(view.atMs)}. Click to look at another moment, drag to look closer; ← and → go on.`;
  return el('div', { class: 'hint note' }, hint, isZoomed ? whole : undefined);
}

/** A press and release at one place looks there; over more it looks closer at what is between. */
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

/** Marks at round moments, some ten of them. */
function drawScale(): SVGElement[] {
  const rough = (view.untilMs - view.fromMs) / 10;
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

/** How many messages went, over time. */
function drawRate(y: number, height: number): SVGElement[] {
  const columns = 240;
  const span = Math.max(1, view.untilMs - view.fromMs);
  const counts = new Array<number>(columns).fill(0);
  for (let i = firstFrom(data.messages, view.fromMs); i < firstFrom(data.messages, view.untilMs); i += 1) {
    const column = Math.floor((((data.messages[i]?.[0] ?? 0) - view.fromMs) / span) * columns);
    counts[column] = (counts[column] ?? 0) + 1;
  }
  const most = Math.max(1, ...counts);
  const points = counts.map(
    (count, i) => `${xOf(view.fromMs + (i / columns) * span)},${y + height - Math.sqrt(count / most) * height}`,
  );
  const foot = `${xOf(view.untilMs)},${y + height}`;
  return [svg('polygon', { points: [`${xOf(view.fromMs)},${y + height}`, ...points, foot].join(' '), class: 'rate' })];
}
