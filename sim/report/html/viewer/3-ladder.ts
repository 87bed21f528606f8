/** A message diagram: a line for each place, an arrow for each message. Heads and times stay in view. */

const ladder = { column: 128, times: 84, row: 22, most: 400 };

interface LadderOptions {
  /** Key of the saved scroll position. */
  readonly name: string;
  /** Grouped by site, or in the order of the first message. */
  readonly order: 'site' | 'first';
  /** Whether the messages missing between two rows belong to this diagram: yes, perhaps, or no. */
  readonly missing: 'these' | 'perhaps' | 'none';
}

function drawLadder(rows: readonly Row[], { name, order, missing: kind }: LadderOptions): HTMLElement {
  const shown = aroundMoment(rows);
  const lanes = lanesOf(shown, order);
  const room = byId('page').clientWidth - ladder.times - 24 - (order === 'first' ? callsWidth() : 0);
  ladder.column = Math.min(columns.most, Math.max(columns.least, Math.floor(room / Math.max(1, lanes.length))));
  const x = (place: number) => (lanes.indexOf(place) + 0.5) * ladder.column;
  const pauses = shown.map((row, i) => pauseBefore(row, { last: shown[i - 1], kind }));
  const ys = layout(pauses);
  const [width, height] = [lanes.length * ladder.column, (ys.at(-1) ?? 0) + ladder.row];
  const size = (w: number, h: number) => ({ width: w, height: h, viewBox: `0 0 ${w} ${h}` });
  const next = firstFrom(shown, view.atMs);
  const moment = next < ys.length ? (ys[next] ?? 0) - ladder.row + 6 : height - ladder.row + 6;
  const chart = [
    ...lanes.map((lane) => {
      const kind = data.places[lane]?.kind ?? '';
      return svg('line', { x1: x(lane), x2: x(lane), y1: 0, y2: height, class: `lane ${kind}` });
    }),
    ...shown.flatMap((_, i) => drawPause(pauses[i], { width, y: (ys[i] ?? 0) - ladder.row })),
    svg('line', { x1: 0, x2: width, y1: moment, y2: moment, class: 'cursor' }),
    ...shown.map((row, i) => drawArrow(row, { x, y: ys[i] ?? 0 })),
  ];
  const times = shown.map(([atMs], i) =>
    svg('text', { x: 4, y: (ys[i] ?? 0) + 4, class: 'time', click: () => lookAt(atMs) }, secondsOf(atMs)),
  );
  const chosen = view.message === undefined ? -1 : shown.indexOf(view.message);
  const isAtChosen = chosen >= 0 && view.anchor === 'message';
  const [, from = 0, to = 0] = shown[isAtChosen ? chosen : Math.min(shown.length - 1, next)] ?? [];
  const look = isAtChosen ? (ys[chosen] ?? 0) : moment;
  const grid = el(
    'div',
    {
      ...{ class: 'ladder', role: 'listbox', 'aria-label': `messages of ${name}`, 'data-list': '', 'data-follow': '' },
      'data-scroll': name,
      'data-rows': `${look - ladder.row} ${look + ladder.row}`,
      'data-columns': `${Math.min(x(from), x(to)) - ladder.column / 2} ${Math.max(x(from), x(to)) + ladder.column / 2}`,
    },
    el('div', { class: 'corner' }),
    el('div', { class: 'heads' }, svg('svg', size(width, heads.height), ...drawHeads(lanes, x))),
    el('div', { class: 'times' }, svg('svg', size(ladder.times, height), ...times)),
    svg('svg', size(width, height), ...chart),
  );
  if (chosen < 0) grid.querySelectorAll('[data-item]')[next]?.setAttribute('tabindex', '0');
  grid.addEventListener('scroll', () => requestAnimationFrame(() => placeTexts(grid)));
  const more = rows.length - shown.length;
  const text = `${more} of ${rows.length} messages before and after these are not shown: choose a shorter time, or filter.`;
  return el('div', {}, grid, more > 0 ? note(text) : undefined, drawMessage());
}

/** As many as the limit allows, with the selected moment among them. */
function aroundMoment(rows: readonly Row[]): readonly Row[] {
  const middle = firstFrom(rows, view.atMs);
  const from = Math.max(0, Math.min(middle - ladder.most / 2, rows.length - ladder.most));
  return rows.slice(from, from + ladder.most);
}

/** The gap between a message and the one before: missing messages, or a second of silence. */
interface Pause {
  readonly hasGap: boolean;
  readonly text: string;
}

function pauseBefore(
  row: Row,
  { last, kind }: { last: Row | undefined; kind: LadderOptions['missing'] },
): Pause | undefined {
  if (last === undefined) return undefined;
  const gone = kind === 'none' ? 0 : missingBetween(last, row);
  const ms = row[0] - last[0];
  if (gone === 0) return ms > 1_000 ? { hasGap: false, text: `${secondsOf(ms)} of silence` } : undefined;
  const what = kind === 'these' ? `${grouped(gone)} messages are not kept` : 'some may be missing here';
  return { hasGap: true, text: `${what}, ${secondsOf(ms)}` };
}

/** The vertical positions of the rows, with room for the gaps. */
function layout(pauses: readonly (Pause | undefined)[]): number[] {
  let y = 0;
  return pauses.map((pause) => {
    y += pause === undefined ? ladder.row : ladder.row * 2;
    return y;
  });
}

function drawPause(pause: Pause | undefined, { width, y }: { width: number; y: number }): SVGElement[] {
  if (pause === undefined) return [];
  const { hasGap, text } = pause;
  return [
    svg('rect', { x: 0, y: y - 8, width, height: ladder.row - 4, class: hasGap ? 'hatched' : 'silence' }),
    svg('text', { y: y + 5, class: 'pause', ...spanned(0, width) }, text),
  ];
}
