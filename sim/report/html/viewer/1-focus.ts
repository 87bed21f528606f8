/**
 * What the keyboard is for: the focus stays where it was when the page is drawn anew, and in a list ↑ and ↓ go from one to the
 * next, Enter opens it. A list takes one stop of the Tab key.
 */

const focusable = 'button, input, [tabindex]';

/** What has the focus, so that it can be found again among what is drawn anew. */
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

/** By where it is, and what it is or says. */
function keyOf(element: HTMLElement | SVGElement): string {
  const region = element.closest<HTMLElement>('[data-region]')?.dataset['region'] ?? '';
  return `${region} ${element.dataset['key'] ?? element.getAttribute('aria-label') ?? element.textContent}`;
}

/** Of a list only what has the focus is a stop of the Tab key. */
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

/** What makes an element one of a list: its key, whether it is the chosen one, and what choosing it does. */
function item(key: string | number, { isOn, choose }: { isOn: boolean; choose: () => void }) {
  const look = { tabindex: isOn ? 0 : -1, 'aria-selected': String(isOn) };
  return { 'data-item': '', 'data-key': `item ${key}`, click: choose, ...look };
}

/** A list of which nothing is chosen is reached at its first. */
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

/** Whether a key was one for a list. */
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
  // Where what is chosen is shown beside the list, going on chooses.
  return own.closest('[data-list]')?.hasAttribute('data-follow') === true ? press(next) : true;
}

function press(element: Element): boolean {
  return element.dispatchEvent(new MouseEvent('click', { bubbles: true })) || true;
}
