/** A diagram of messages: a line for each place, an arrow for each message. Names and times stay in sight. */

const ladder = { column: 128, times: 84, head: 42, row: 22, most: 400 };
/** How wide the column of a place may be: as all fit into the page, within these. */
const columns = { least: 72, most: 150 };

interface LadderOptions {
  /** Under which the place to which it was scrolled is kept. */
  readonly name: string;
  /** By site, or by who speaks first. */
  readonly order: 'site' | 'first';
}

function drawLadder(rows: readonly Row[], { name, order }: LadderOptions): HTMLElement {
  const shown = aroundMoment(rows);
  const lanes = lanesOf(shown, order);
  const room = byId('page').clientWidth - ladder.times - 24 - (order === 'first' ? callsWidth() : 0);
  ladder.column = Math.min(columns.most, Math.max(columns.least, Math.floor(room / Math.max(1, lanes.length))));
  const x = (place: number) => (lanes.indexOf(place) + 0.5) * ladder.column;
  const [width, height] = [lanes.length * ladder.column, (shown.length + 1) * ladder.row];
  const size = (w: number, h: number) => ({ width: w, height: h, viewBox: `0 0 ${w} ${h}` });
  const moment = firstFrom(shown, view.atMs) * ladder.row + 6;
  const line = svg('line', { x1: 0, x2: width, y1: moment, y2: moment, class: 'cursor' });
  const chart = [
    ...lanes.map((lane) => {
      const kind = data.places[lane]?.kind ?? '';
      return svg('line', { x1: x(lane), x2: x(lane), y1: 0, y2: height, class: `lane ${kind}` });
    }),
    line,
    ...shown.flatMap((row, i) => drawPause(shown[i - 1], row, { width, y: (i + 0.5) * ladder.row - 2 })),
    ...shown.map((row, i) => drawArrow(row, { x, y: (i + 1) * ladder.row })),
  ];
  const times = shown.map(([atMs], i) =>
    svg('text', { x: 4, y: (i + 1) * ladder.row + 4, class: 'time', click: () => lookAt(atMs) }, secondsOf(atMs)),
  );
  const [, from = 0, to = 0] = shown[Math.min(shown.length - 1, firstFrom(shown, view.atMs))] ?? [];
  const middle = ladder.times + (x(from) + x(to)) / 2;
  const grid = el(
    'div',
    { class: 'ladder', 'data-scroll': name, 'data-moment': moment + ladder.head, 'data-middle': middle },
    el('div', { class: 'corner' }),
    el('div', { class: 'heads' }, svg('svg', size(width, ladder.head), ...lanes.flatMap((lane) => drawHead(lane, x)))),
    el('div', { class: 'times' }, svg('svg', size(ladder.times, height), ...times)),
    svg('svg', size(width, height), ...chart),
  );
  const more = rows.length - shown.length;
  const text = `${more} of ${rows.length} messages are not shown, before and after these: look at a shorter time, or filter.`;
  return el('div', {}, grid, more > 0 ? note(text) : undefined, drawMessage());
}

/** As many as are shown, with the moment that is looked at among them. */
function aroundMoment(rows: readonly Row[]): readonly Row[] {
  const middle = firstFrom(rows, view.atMs);
  const from = Math.max(0, Math.min(middle - ladder.most / 2, rows.length - ladder.most));
  return rows.slice(from, from + ladder.most);
}

/** The places of messages, from left to right: those outside first, then by site; or in the order in which they speak. */
function lanesOf(rows: readonly Row[], order: LadderOptions['order']): number[] {
  const used = [...new Set(rows.flatMap(([, from, to]) => [from, to]))];
  if (order === 'first') return used;
  const rank = (place: number) => {
    const { kind = 'node', site = '', name = '' } = data.places[place] ?? {};
    return kind === 'outside' ? '' : `${site} ${name}`;
  };
  return used.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) < rank(b) ? -1 : 1));
}

function drawHead(lane: number, x: (place: number) => number): SVGElement[] {
  const { name = '?', site = '', kind } = data.places[lane] ?? {};
  const title = svg('title', {}, `${name}\n${site}`);
  // A phone is its number, at its domain.
  const [domain = '', number] = kind === 'outside' ? name.split('/') : [];
  const [first, second] = number === undefined ? [name, site] : [number, domain];
  const letters = Math.floor(ladder.column / 6.5);
  return [
    svg('text', { x: x(lane), y: 16, 'text-anchor': 'middle', class: 'lane' }, cut(first, letters), title),
    svg('text', { x: x(lane), y: 32, 'text-anchor': 'middle', class: 'site' }, cut(second, letters)),
  ];
}

/** A line between two messages where nothing was said for more than a second. */
function drawPause(last: Row | undefined, [atMs]: Row, { width, y }: { width: number; y: number }): SVGElement[] {
  const isLong = last !== undefined && atMs - last[0] > 1_000;
  return isLong ? [svg('line', { x1: 0, x2: width, y1: y, y2: y, class: 'pause' })] : [];
}

function drawArrow(row: Row, { x, y }: { x: (place: number) => number; y: number }): SVGElement {
  const [, from, to, what] = row;
  const [start, end] = [x(from), x(to)];
  const title = svg('title', {}, messageText(row));
  const sign = end >= start ? 1 : -1;
  const head = -6 * sign;
  const line =
    start === end ? `M${start} ${y - 4} h24 v8 h-24` : `M${start} ${y} H${end} m${head} -4 L${end} ${y} l${head} 4`;
  // A long arrow has its text where it begins, for its middle may be out of sight.
  const far = Math.abs(end - start) > ladder.column * 3;
  const letters = Math.min(24, Math.floor(Math.max(ladder.column, Math.abs(end - start)) / 6));
  const middle = start === end ? start + 30 : far ? start + sign * ladder.column : (start + end) / 2;
  const choose = () => {
    view.message = row;
    show();
  };
  return svg(
    'g',
    { class: row === view.message ? 'arrow on' : 'arrow', click: choose },
    svg('rect', { x: Math.min(start, end), y: y - 14, width: Math.abs(end - start) + 40, height: 20, class: 'reach' }),
    svg('path', { d: line }),
    svg('text', { x: middle, y: y - 4, 'text-anchor': start === end ? 'start' : 'middle' }, cut(nameAt(what), letters)),
    title,
  );
}

function messageText([atMs, from, to, what, more]: Row): string {
  return `${secondsOf(atMs)}  ${placeAt(from)} → ${placeAt(to)}\n${nameAt(what)}\n${nameAt(more)}`;
}
