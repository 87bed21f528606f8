/**
 * Keyboard focus: it stays at its element across redraws; in a list ↑ and ↓ move, Enter opens. A list is one tab stop.
 */

const focusable = 'button, input, [tabindex]';

/** Identifies the focused element, to find it after a redraw. */
function focused(): () => void {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement || active instanceof SVGElement) || active === document.body) return () => {};
  const key = keyOf(active);
  const nth = alike(key).indexOf(active);
  return () => {
    const all = alike(key);
    const instead = () =>
      document.querySelector<SVGElement>('[data-item][tabindex="0"]') ??
      document.querySelector<HTMLElement>('[role=tabpanel]');
    const found = all[nth] ?? all[0] ?? instead();
    if (found === null) return;
    if (active instanceof HTMLInputElement && found instanceof HTMLInputElement && active.type === 'search') {
      found.value = active.value;
      found.setSelectionRange(active.selectionStart, active.selectionEnd);
    }
    focusOn(found);
  };
}

function alike(key: string): (HTMLElement | SVGElement)[] {
  const all = document.querySelectorAll<HTMLElement | SVGElement>(focusable);
  return [...all].filter((element) => keyOf(element) === key);
}

/** By its position and its key or text. */
function keyOf(element: HTMLElement | SVGElement): string {
  const region = element.closest<HTMLElement>('[data-region]')?.dataset['region'] ?? '';
  return `${region} ${element.dataset['key'] ?? element.getAttribute('aria-label') ?? element.textContent}`;
}

/** In a list only the focused item is a tab stop. */
function focusOn(element: HTMLElement | SVGElement): void {
  if (element.dataset['item'] !== undefined) {
    for (const other of itemsAround(element)) other.setAttribute('tabindex', '-1');
    element.setAttribute('tabindex', '0');
  }
  element.focus({ preventScroll: true });
}

function itemsAround(element: Element): (HTMLElement | SVGElement)[] {
  return [...(element.closest('[data-list]')?.querySelectorAll<HTMLElement | SVGElement>('[data-item]') ?? [])];
}

/** Makes an element a list item: its key, whether it is selected, and its action. */
function item(key: string | number, { isOn, choose }: { isOn: boolean; choose: () => void }) {
  const look = { tabindex: isOn ? 0 : -1, 'aria-selected': String(isOn) };
  return { 'data-item': '', 'data-key': `item ${key}`, click: choose, ...look };
}

/** A list without a selection is entered at its first item. */
function reachable(): void {
  for (const list of document.querySelectorAll('[data-list]'))
    if (list.querySelector('[data-item][tabindex="0"]') === null)
      list.querySelector('[data-item]')?.setAttribute('tabindex', '0');
}

const moves: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowUp: (at) => at - 1,
  ArrowDown: (at) => at + 1,
  PageUp: (at) => Math.max(0, at - 10),
  PageDown: (at, last) => Math.min(last, at + 10),
  Home: () => 0,
  End: (_, last) => last,
};

/** Whether the list has handled the key. */
function keyInList(event: KeyboardEvent): boolean {
  const own = event.target;
  if (!(own instanceof HTMLElement || own instanceof SVGElement) || own.dataset['item'] === undefined) return false;
  if (event.key === 'Enter' || event.key === ' ') return press(own);
  const items = itemsAround(own);
  const at = items.indexOf(own);
  const next = items[moves[event.key]?.(at, items.length - 1) ?? -1];
  if (next === undefined) return event.key in moves;
  focusOn(next);
  next.scrollIntoView({ block: 'nearest' });
  // In lists with details beside them, moving selects.
  return own.closest('[data-list]')?.hasAttribute('data-follow') === true ? press(next) : true;
}

function press(element: Element): boolean {
  return element.dispatchEvent(new MouseEvent('click', { bubbles: true })) || true;
}
