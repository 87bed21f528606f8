/** The page: its head, the failures, the timeline, and the open tab. */

const tabs: Readonly<Record<string, { title: string; draw: () => HTMLElement }>> = {
  summary: { title: 'Steps and oracles', draw: drawSummary },
  messages: { title: 'Messages', draw: drawMessages },
  calls: { title: `Calls (${data.calls.length})`, draw: drawCalls },
  states: { title: 'States', draw: drawStates },
};

function drawTitle(): HTMLElement {
  const { scenario, why, mode, seed, verdict, maker, again, untilMs, messages, said, leftOut } = data;
  const isWhole = messages.length === said;
  const about = `${mode}, seed ${seed}, ${secondsOf(untilMs)}, ${grouped(said)} messages, strowger ${maker}`;
  const badge = el('span', { class: `badge ${verdict}` }, verdict);
  const left = isWhole ? undefined : el('p', { class: 'missing' }, ...leftOut.slice(0, 1));
  return el(
    'header',
    { 'data-region': 'title' },
    el('h1', {}, scenario, ' ', badge),
    el('p', {}, why),
    note(about),
    again === undefined ? undefined : el('p', { class: 'note' }, 'again: ', el('code', {}, again)),
    left,
  );
}

/** The failures, each with links to its moment; for an unknown verdict what was not exercised. */
function drawFailures(): HTMLElement | undefined {
  const { failures, unproved } = data;
  if (failures.length === 0 && unproved.length === 0) return undefined;
  const shown = shownFailures();
  const left = failures.length - shown.reduce((sum, { length }) => sum + length, 0);
  const more = left > 0 ? [note(`${left} more failed after these.`)] : [];
  const open = unproved.map((text) => el('div', { class: 'unproved' }, text));
  const kind = failures.length > 0 ? 'verdict fail' : 'verdict unknown';
  return el('div', { class: kind }, ...shown.map(drawFailed), ...more, ...open);
}

type Failed = Data['failures'][number];

/** The first failures; those of one step together. */
function shownFailures(): Failed[][] {
  const groups: Failed[][] = [];
  for (const failure of data.failures) {
    const last = groups.at(-1);
    if (failure.step !== undefined && last?.[0]?.step === failure.step) last.push(failure);
    else groups.push([failure]);
  }
  return groups.slice(0, 5);
}

function drawFailed(failed: readonly Failed[]): HTMLElement {
  const { kind = 'step', name = '', atMs = 0, step = -1 } = failed[0] ?? {};
  const texts = failed.map(({ text }) => text);
  const call = callNamed(`${name} ${texts.join(' ')}`);
  const compared = data.steps[step]?.compared;
  return el(
    'div',
    { class: 'failed', 'data-region': `failure ${name}` },
    el('b', {}, kind === 'step' ? stepName(step, name) : `${kind} ${name}`),
    ' at ',
    momentLink(atMs),
    ...texts.map((text) => el('pre', {}, text)),
    compared === undefined ? undefined : drawCompared(compared, `failure ${step}`),
    button('messages then', () => openAt('messages', atMs)),
    button('states then', () => openAt('states', atMs)),
    call < 0 ? undefined : button('its call', () => openCall(call)),
  );
}

function stepName(index: number, name: string): string {
  const step = data.steps[index];
  return step === undefined ? name : `step ${step.place}: ${stepTitle(step)}`;
}

/** Redraws everything; scroll positions and the text cursor stay. */
function show(): void {
  const refocus = focused();
  const scrolled = new Map(scrollers().map((each) => [nameOf(each), [each.scrollLeft, each.scrollTop] as const]));
  const panel = el(
    'div',
    { role: 'tabpanel', id: 'panel', tabindex: -1, 'aria-labelledby': `tab-${view.tab}`, 'data-region': 'panel' },
    tabs[view.tab]?.draw(),
  );
  const parts = [drawTitle(), drawFailures(), drawTimeline(), drawTabs(), panel];
  byId('page').replaceChildren(...parts.filter((part) => part !== undefined));
  for (const each of scrollers()) {
    const [left, top] = scrolled.get(nameOf(each)) ?? [0, 0];
    const { rows, columns: wide } = each.dataset;
    const [width, height] = [each.clientWidth, each.clientHeight];
    each.scrollTo(
      wide === undefined ? left : placed(wide, { at: left, size: width, head: ladder.times }),
      rows === undefined ? top : placed(rows, { at: top, size: height, head: heads.height }),
    );
  }
  for (const each of document.querySelectorAll<HTMLElement>('.compared pre'))
    if (!scrolled.has(nameOf(each))) showMark(each);
  for (const grid of document.querySelectorAll<HTMLElement>('.ladder')) placeTexts(grid);
  document.querySelector<HTMLElement>('.list tr.on')?.scrollIntoView({ block: 'nearest' });
  reachable();
  refocus();
  writeAddress();
}

/** ← and → switch tabs. */
function drawTabs(): HTMLElement {
  const names = Object.keys(tabs);
  const bar = Object.entries(tabs).map(([name, { title }]) => {
    const isOn = name === view.tab;
    const roles = { role: 'tab', id: `tab-${name}`, 'aria-selected': String(isOn), 'aria-controls': 'panel' };
    const own = { class: isOn ? 'on' : '', tabindex: isOn ? 0 : -1, click: () => openTab(name) };
    return el('button', { ...roles, ...own }, title);
  });
  const list = el('nav', { role: 'tablist', 'aria-label': 'views', 'data-region': 'tabs' }, ...bar);
  list.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[(event as KeyboardEvent).key];
    const next = names[(names.indexOf(view.tab) + (by ?? 0) + names.length) % names.length];
    if (by === undefined || next === undefined) return;
    event.preventDefault();
    openTab(next);
    byId(`tab-${next}`).focus({ preventScroll: true });
  });
  return list;
}

function scrollers(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-scroll]')];
}

function nameOf(element: HTMLElement): string {
  return element.dataset['scroll'] ?? '';
}

/** Scroll position of a diagram: kept while the selection (`from until`) stays in view, else centred on it. */
function placed(span: string, { at, size, head }: { at: number; size: number; head: number }): number {
  const [from = 0, until = 0] = span.split(' ').map(Number);
  const isInSight = from >= at && until <= at + size - head;
  return isInSight ? at : (from + until - (size - head)) / 2;
}

function openTab(name: string): void {
  view.tab = name;
  view.message = undefined;
  show();
}

function openAt(tab: string, atMs: number): void {
  const isOther = tab !== view.tab;
  openTab(tab);
  lookAt(atMs);
  if (isOther) document.querySelector('nav')?.scrollIntoView();
}

/** The longest time span around the moment with a readable number of messages. */
function readableMs(): number {
  const said = (ms: number) =>
    firstFrom(data.messages, view.atMs + ms / 2) - firstFrom(data.messages, view.atMs - ms / 2);
  return windowsMs.findLast((ms) => said(ms) <= 100) ?? 200;
}

/** The first failure; without one, the first fault or step. */
function firstMoment(): number {
  return data.failures[0]?.atMs ?? data.faults[0]?.fromMs ?? data.steps[0]?.atMs ?? data.fromMs;
}

/** The call that the failure mentions, else one that is live then, else the first. */
function firstCall(): number {
  const named = callNamed(data.failures.map(({ text }) => text).join(' '));
  if (named >= 0) return named;
  const live = data.calls.findIndex(({ fromMs, untilMs }) => fromMs <= view.atMs && untilMs >= view.atMs);
  return live >= 0 ? live : data.calls.length - 1;
}

/** Keys of the page, for elements without a use of their own for them. */
const keys: Readonly<Record<string, () => void>> = {
  ArrowLeft: () => lookAt(view.atMs - Math.min(view.windowMs, view.untilMs - view.fromMs) / 2),
  ArrowRight: () => lookAt(view.atMs + Math.min(view.windowMs, view.untilMs - view.fromMs) / 2),
  p: () => goToEvent(-1),
  n: () => goToEvent(1),
  '+': () => zoomBy(0.5),
  '-': () => zoomBy(2),
  Escape: () => {
    if (view.message === undefined) return;
    view.message = undefined;
    show();
  },
};

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target instanceof HTMLInputElement) return;
  const own = keys[event.key];
  if (!keyInList(event)) own?.();
  else event.preventDefault();
}

view.atMs = firstMoment();
view.call = firstCall();
document.addEventListener('keydown', onKey);
window.addEventListener('resize', show);
window.addEventListener('hashchange', () => {
  if (location.hash !== writtenHash) goToAddress();
});
const first = viewIn(location.hash);
if (first?.atMs !== undefined) view.atMs = first.atMs;
view.windowMs = readableMs();
writtenHash = hashOf(currentView());
if (first === undefined) show();
else goToAddress();
