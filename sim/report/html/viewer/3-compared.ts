/** Expected and actual value side by side, with marked differences. */

type Side = NonNullable<Data['steps'][number]['compared']>['expected'];

/** `key`: identifies the comparison on the page. */
function drawCompared({ expected, actual }: { expected: Side; actual: Side }, key: string): HTMLElement {
  const sides = [drawSide('expected', expected, key), drawSide('actual', actual, key)];
  return el('div', { class: 'compared' }, ...sides);
}

function drawSide(title: string, lines: Side, key: string): HTMLElement {
  const shown = lines.map(([text, isMarked]) => (isMarked === 1 ? el('mark', {}, `${text}\n`) : `${text}\n`));
  const look = { tabindex: 0, role: 'group', 'aria-label': title, 'data-key': `${key} ${title}` };
  return el('div', {}, el('b', {}, title), el('pre', { ...look, 'data-scroll': `${key} ${title}` }, ...shown));
}

/** Scrolls to the first difference. */
function showMark(text: HTMLElement): void {
  const mark = text.querySelector('mark');
  if (mark !== null) text.scrollTop = mark.offsetTop - 60;
}

/** Description and round of a step. */
function stepTitle({ what, round }: Data['steps'][number]): string {
  return round === undefined ? what : `${what} (round ${round})`;
}
