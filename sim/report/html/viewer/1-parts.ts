/**
 * Shared parts of the report page. The files are scripts of one page, in the order of their names; later ones use the
 * declarations of earlier ones.
 */

type Data = import('../page-data.ts').ReportData;

const data = JSON.parse(byId('data').textContent ?? '') as Data;

type Row = Data['messages'][number];

/** The present view. */
const view = {
  /** The selected moment. */
  atMs: data.fromMs,
  /** The part of the run that the timeline shows. */
  fromMs: data.fromMs,
  untilMs: data.untilMs,
  /** The time span of the message diagram around the moment. */
  windowMs: 2_000,
  tab: 'summary',
  call: -1,
  /** Whether only calls that are live at the moment are listed. */
  isLive: false,
  /** The machine whose history is shown: its place, name and key. */
  machine: '',
  /** The message that is shown in full. */
  message: undefined as Row | undefined,
  /** The anchor that a message diagram keeps in view. */
  anchor: 'moment' as 'moment' | 'message',
  /** Repeated steps that show all their rounds. */
  openSteps: new Set<string>(),
  /** Filter texts, by tab. */
  filters: new Map<string, string>(),
};

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

type Child = Node | string | undefined;

/** Creates an element with attributes and children. Data never becomes markup. */
function el(
  name: string,
  attributes: Record<string, string | number | EventListener>,
  ...children: Child[]
): HTMLElement {
  return filled(document.createElement(name), attributes, children) as HTMLElement;
}

function svg(
  name: string,
  attributes: Record<string, string | number | EventListener>,
  ...children: Child[]
): SVGElement {
  return filled(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children) as SVGElement;
}

function filled(
  element: Element,
  attributes: Record<string, string | number | EventListener>,
  children: Child[],
): Element {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

function nameAt(index: number): string {
  return data.names[index] ?? '';
}

function placeAt(index: number): string {
  return data.places[index]?.name ?? '?';
}

/** `12.345 s`. */
function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}

/** Index of the first row at or after `atMs`, in a list sorted by time. */
function firstFrom(rows: readonly (readonly [number, ...unknown[]])[], atMs: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.[0] ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A filter box. */
function filterBox(tab: string, hint: string): HTMLElement {
  const box = el('input', {
    type: 'search',
    placeholder: hint,
    'aria-label': hint,
    value: view.filters.get(tab) ?? '',
  });
  let waiting = 0;
  const filter = () => {
    view.filters.set(tab, (box as HTMLInputElement).value);
    show();
  };
  box.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(filter, 250);
  });
  return box;
}

function fits(tab: string, ...texts: string[]): boolean {
  const wanted = (view.filters.get(tab) ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (wanted.length === 0) return true;
  const text = texts.join(' ').toLowerCase();
  return wanted.every((word) => text.includes(word));
}

/** Selects another moment; the timeline scrolls to it. */
function lookAt(atMs: number): void {
  view.atMs = Math.min(data.untilMs, Math.max(data.fromMs, atMs));
  view.anchor = 'moment';
  const span = view.untilMs - view.fromMs;
  if (view.atMs < view.fromMs || view.atMs > view.untilMs) zoomTo(view.atMs - span / 2, view.atMs + span / 2);
  show();
}

/** Shows a part of the run in the timeline. */
function zoomTo(fromMs: number, untilMs: number): void {
  const span = Math.min(data.untilMs - data.fromMs, Math.max(1, untilMs - fromMs));
  view.fromMs = Math.min(Math.max(data.fromMs, fromMs), data.untilMs - span);
  view.untilMs = view.fromMs + span;
}

/** Within a list item it is no tab stop of its own. */
function momentLink(atMs: number, { isInItem = false } = {}): HTMLElement {
  const look = (event: Event) => {
    event.stopPropagation();
    lookAt(atMs);
  };
  const stop = isInItem ? { tabindex: -1 } : {};
  return el('button', { class: 'moment', title: 'Look at this moment', click: look, ...stop }, secondsOf(atMs));
}

function button(text: string, click: () => void): HTMLElement {
  return el('button', { click }, text);
}

/** A toggle button; `key` identifies it when its text changes. */
function toggle(text: string, click: () => void, { isOn, key = text }: { isOn: boolean; key?: string }): HTMLElement {
  return el('button', { class: isOn ? 'on' : '', click, 'aria-pressed': String(isOn), 'data-key': key }, text);
}

/** The messages of a call. */
function messagesOf(call: Data['calls'][number]): Row[] {
  const callids = new Set(call.callids);
  return data.messages.filter(([, , , , , callid]) => callid >= 0 && callids.has(callid));
}

/** The call that a text or a message mentions, by Call-Id; -1: none. */
function callNamed(text: string): number {
  const words = new Set(text.split(/[^\w-]+/));
  return data.calls.findIndex(({ callids, dialogids }) =>
    [...callids.map(nameAt), ...dialogids].some((id) => words.has(id)),
  );
}

/** A table with one selectable row. */
function choices(
  label: string,
  { heads, rows }: { heads: readonly string[]; rows: readonly HTMLElement[] },
): HTMLElement {
  const list = table(heads, rows);
  for (const [name, value] of Object.entries({ role: 'grid', 'aria-label': label, 'data-list': '' }))
    list.setAttribute(name, value);
  return list;
}

/** Each cell has the text of its head, for narrow pages without heads. */
function table(heads: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  for (const row of rows)
    for (const [i, cell] of [...row.children].entries()) cell.setAttribute('data-head', heads[i] ?? '');
  const head = el('tr', {}, ...heads.map((text) => el('th', {}, text)));
  return el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows));
}

function note(text: string): HTMLElement {
  return el('p', { class: 'note' }, text);
}
