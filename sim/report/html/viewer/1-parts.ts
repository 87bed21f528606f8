/**
 * The page of a run, part by part. These files are scripts of one page, read in the order of their names: what one declares
 * the later ones use.
 */

type Data = import('../data.ts').ReportData;

const data = JSON.parse(byId('data').textContent ?? '') as Data;

/** What the page shows now. */
const view = {
  /** The moment that is looked at. */
  atMs: data.fromMs,
  /** How much around it the diagram of messages shows. */
  windowMs: 2_000,
  tab: 'summary',
  call: -1,
  /** Texts of the filters, by tab. */
  filters: new Map<string, string>(),
};

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`no element ${id}`);
  return found;
}

type Child = Node | string | undefined;

/** An element with attributes and children. Texts are texts: nothing in the data becomes markup. */
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

/** Index of the first row of a list by time that is not before `atMs`. */
function firstFrom(rows: readonly (readonly [number, ...unknown[]])[], atMs: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.[0] ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A box whose text filters what is shown. */
function filterBox(tab: string, hint: string): HTMLElement {
  const box = el('input', {
    type: 'search',
    placeholder: hint,
    'aria-label': hint,
    value: view.filters.get(tab) ?? '',
  });
  box.addEventListener('change', () => {
    view.filters.set(tab, (box as HTMLInputElement).value.trim().toLowerCase());
    show();
  });
  return box;
}

function fits(tab: string, ...texts: string[]): boolean {
  const wanted = (view.filters.get(tab) ?? '').split(/\s+/).filter((word) => word !== '');
  const text = texts.join(' ').toLowerCase();
  return wanted.every((word) => text.includes(word));
}

/** Looks at another moment. */
function lookAt(atMs: number): void {
  view.atMs = Math.min(data.untilMs, Math.max(data.fromMs, atMs));
  show();
}

function momentLink(atMs: number): HTMLElement {
  return el('button', { class: 'moment', title: 'Look at this moment', click: () => lookAt(atMs) }, secondsOf(atMs));
}
