/** A diagram of messages: a line for each place, an arrow for each message. The messages of a moment, and of one call. */

type Row = Data['messages'][number];

const ladder = { column: 128, top: 46, row: 22, most: 400 };

function drawLadder(rows: readonly Row[]): HTMLElement {
  const shown = rows.slice(0, ladder.most);
  const used = new Set(shown.flatMap(([, from, to]) => [from, to]));
  const lanes = [...used].sort((a, b) => orderOf(a, shown) - orderOf(b, shown));
  const x = (place: number) => 90 + lanes.indexOf(place) * ladder.column + ladder.column / 2;
  const width = 90 + lanes.length * ladder.column;
  const height = ladder.top + shown.length * ladder.row + 10;
  const parts = lanes.flatMap((lane) => drawLane(lane, x(lane), height));
  const arrows = shown.map((row, i) => drawArrow(row, { x, y: ladder.top + (i + 1) * ladder.row - 8 }));
  const chart = svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, class: 'ladder' }, ...parts, ...arrows);
  const more = rows.length - shown.length;
  return el(
    'div',
    { class: 'wide' },
    chart,
    more > 0
      ? el('p', { class: 'note' }, `${more} more messages are not shown: look at a shorter time, or filter.`)
      : undefined,
  );
}

/** Places from outside in: who speaks first stands left. */
function orderOf(place: number, rows: readonly Row[]): number {
  return rows.findIndex(([, from, to]) => from === place || to === place);
}

function drawLane(lane: number, x: number, height: number): SVGElement[] {
  const place = data.places[lane];
  return [
    svg('text', { x, y: 16, 'text-anchor': 'middle', class: 'lane' }, cut(placeAt(lane), 20)),
    svg('text', { x, y: 32, 'text-anchor': 'middle', class: 'site' }, place?.site ?? ''),
    svg('line', { x1: x, x2: x, y1: 38, y2: height, class: `lane ${place?.kind ?? ''}` }),
  ];
}

function drawArrow(
  [atMs, from, to, what, more]: Row,
  { x, y }: { x: (place: number) => number; y: number },
): SVGElement {
  const [start, end] = [x(from), x(to)];
  const title = svg(
    'title',
    {},
    `${secondsOf(atMs)}  ${placeAt(from)} → ${placeAt(to)}\n${nameAt(what)}\n${nameAt(more)}`,
  );
  const head = end >= start ? -6 : 6;
  const line =
    start === end ? `M${start} ${y - 4} h24 v8 h-24` : `M${start} ${y} H${end} m${head} -4 L${end} ${y} l${head} 4`;
  const middle = start === end ? start + 30 : (start + end) / 2;
  return svg(
    'g',
    { class: 'arrow' },
    svg('text', { x: 4, y: y + 4, class: 'time' }, secondsOf(atMs)),
    svg('path', { d: line }, title),
    svg('text', { x: middle, y: y - 4, 'text-anchor': start === end ? 'start' : 'middle' }, cut(nameAt(what), 24)),
  );
}

/** The messages around the moment that is looked at. */
function drawMessages(): HTMLElement {
  const fromMs = view.atMs - view.windowMs / 2;
  const untilMs = view.atMs + view.windowMs / 2;
  const rows = data.messages
    .slice(firstFrom(data.messages, fromMs), firstFrom(data.messages, untilMs))
    .filter(([, from, to, what, more]) => fits('messages', placeAt(from), placeAt(to), nameAt(what), nameAt(more)));
  const widths = [200, 2_000, 20_000].map((ms) =>
    el('button', { class: ms === view.windowMs ? 'on' : '', click: () => setWindow(ms) }, `${ms / 1_000} s`),
  );
  const step = (by: number) => () => lookAt(view.atMs + by * view.windowMs);
  const bar = el(
    'div',
    { class: 'bar' },
    el('button', { click: step(-1) }, '◀'),
    el('span', {}, `${secondsOf(fromMs)} to ${secondsOf(untilMs)}, ${rows.length} messages`),
    el('button', { click: step(1) }, '▶'),
    ...widths,
    filterBox('messages', 'filter: sip INVITE north/n1'),
  );
  const nothing = el('p', { class: 'note' }, 'Nothing was said then. Click the timeline, or choose a longer time.');
  return el('section', {}, bar, rows.length === 0 ? nothing : drawLadder(rows));
}

function setWindow(ms: number): void {
  view.windowMs = ms;
  show();
}
