/** The arrows of a message diagram. Each shows its text and direction in any scroll position. */

/** Approximate width of a letter. */
const letter = 6.1;

function spanned(from: number, until: number): Record<string, number> {
  return { 'data-from': from, 'data-until': until };
}

function drawArrow(row: Row, { x, y }: { x: (place: number) => number; y: number }): SVGElement {
  const [, from, to, what] = row;
  const [start, end] = [x(from), x(to)];
  const sign = end >= start ? 1 : -1;
  const line =
    start === end
      ? `M${start} ${y - 4} h24 v8 h-24`
      : `M${start} ${y} H${end} m${-6 * sign} -4 L${end} ${y} l${-6 * sign} 4`;
  const isOn = row === view.message;
  const text = messageText(row);
  const choose = () => {
    view.message = row;
    view.anchor = 'message';
    show();
  };
  return svg(
    'g',
    {
      ...item(indexOf(row), { isOn, choose }),
      class: isOn ? 'arrow on' : 'arrow',
      role: 'option',
      'data-y': y,
    },
    svg('rect', { x: 0, y: y - 14, width: '100%', height: 20, class: 'reach' }),
    svg('path', { d: line }),
    svg('path', { class: 'edge' }),
    svg('text', { y: y - 4, 'data-what': nameAt(what), 'data-way': wayOf(row), ...spanned(start, end) }),
    svg('title', {}, text),
  );
}

/** `sg-213 → b2b-214`. */
function wayOf([, from, to]: Row): string {
  return `${placeAt(from)} → ${placeAt(to)}`;
}

function messageText(row: Row): string {
  const [atMs, , , what, more] = row;
  return `${secondsOf(atMs)}  ${nameAt(what)}, ${wayOf(row)}\n${nameAt(more)}`;
}

/** Moves the texts of a diagram into view, and marks arrows that continue beyond it. */
function placeTexts(grid: HTMLElement): void {
  const left = grid.scrollLeft;
  const right = left + grid.clientWidth - ladder.times;
  for (const text of grid.querySelectorAll<SVGElement>('text[data-from]')) placeText(text, { left, right });
}

function placeText(text: SVGElement, { left, right }: { left: number; right: number }): void {
  const [start, end] = [Number(text.dataset['from']), Number(text.dataset['until'])];
  const [low, high] = [Math.min(start, end), Math.max(start, end)];
  const { what, way = '' } = text.dataset;
  const isWhole = low >= left && high <= right;
  if (what !== undefined) text.textContent = isWhole ? what : `${what}, ${way}`;
  const half = ((text.textContent ?? '').length * letter) / 2 + 4;
  const middle = start === end ? start + 26 + half : (Math.max(low, left) + Math.min(high, right)) / 2;
  const x = Math.min(Math.max(middle, left + half), Math.max(right - half, left + half));
  text.setAttribute('x', x.toFixed(1));
  text.setAttribute('text-anchor', 'middle');
  text.classList.toggle('away', high < left || low > right);
  const edge = text.parentElement?.querySelector('.edge');
  if (edge === null || edge === undefined) return;
  // An arrow head where the arrow leaves the view.
  const y = Number(text.getAttribute('y')) + 4;
  const sign = end >= start ? 6 : -6;
  const head = (at: number) => `M${at - sign} ${y - 4} L${at} ${y} L${at - sign} ${y + 4}`;
  const edges = [low < left ? left + 8 : undefined, high > right ? right - 8 : undefined];
  edge.setAttribute('d', edges.flatMap((at) => (at === undefined ? [] : [head(at)])).join(' '));
}
