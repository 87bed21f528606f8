/** The page: its head, what failed, the timeline, and the tab that is open. */

const tabs: Readonly<Record<string, { title: string; draw: () => HTMLElement }>> = {
  summary: { title: 'Steps and oracles', draw: drawSummary },
  messages: { title: 'Messages', draw: drawMessages },
  calls: { title: `Calls (${data.calls.length})`, draw: drawCalls },
  states: { title: 'States', draw: drawStates },
};

function drawTitle(): HTMLElement {
  const { scenario, why, mode, seed, verdict, maker, again, fromMs, untilMs, messages, said, leftOut } = data;
  const isWhole = messages.length === said;
  const about = `${mode}, seed ${seed}, ${secondsOf(untilMs - fromMs)}, ${grouped(said)} messages, strowger ${maker}`;
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

/** What did not hold, each with ways to what happened then; of an unknown verdict what was not put to the test. */
function drawFailures(): HTMLElement | undefined {
  const { failures, unproved } = data;
  if (failures.length === 0 && unproved.length === 0) return undefined;
  const shown = failures.slice(0, 5).map(({ kind, name, atMs, text }) => {
    const call = callNamed(text);
    return el(
      'div',
      { class: 'failed', 'data-region': `failure ${name}` },
      el('b', {}, `${kind === 'step' ? '' : `${kind} `}${name}`),
      ' at ',
      momentLink(atMs),
      el('pre', {}, text),
      button('messages then', () => openAt('messages', atMs)),
      button('states then', () => openAt('states', atMs)),
      call < 0 ? undefined : button('its call', () => openCall(call)),
    );
  });
  const more =
    failures.length > shown.length ? [note(`${failures.length - shown.length} more failed after these.`)] : [];
  const open = unproved.map((text) => el('div', { class: 'unproved' }, text));
  return el('div', { class: failures.length > 0 ? 'verdict fail' : 'verdict unknown' }, ...shown, ...more, ...open);
}

/** Draws all anew, but what was scrolled and where one types stay as they are. */
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
    const { moment, middle } = each.dataset;
    const isLadder = moment !== undefined && middle !== undefined;
    each.scrollTo(
      isLadder ? placed(Number(middle), { at: left, size: each.clientWidth, head: ladder.times }) : left,
      isLadder ? placed(Number(moment), { at: top, size: each.clientHeight, head: heads.height }) : top,
    );
  }
  for (const grid of document.querySelectorAll<HTMLElement>('.ladder')) placeTexts(grid);
  document.querySelector<HTMLElement>('.list tr.on')?.scrollIntoView({ block: 'nearest' });
  reachable();
  refocus();
  tellAddress();
}

/** ← and → go from tab to tab. */
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

/** How far a diagram is scrolled: as it was while the moment stays in sight, else so that it is in the middle. */
function placed(wanted: number, { at, size, head }: { at: number; size: number; head: number }): number {
  const isInSight = wanted > at + head && wanted < at + size;
  return isInSight ? at : wanted - (size + head) / 2;
}

function openTab(name: string): void {
  view.tab = name;
  view.message = undefined;
  show();
}

/** What is looked at, as the address says it. */
function sight(): Sight {
  const { tab, message, call, machine, atMs } = view;
  const chosen: Readonly<Record<string, string | undefined>> = {
    messages: message === undefined ? undefined : String(indexOf(message)),
    calls: call < 0 ? undefined : String(call),
    states: machine === '' ? undefined : machine.replaceAll(' ', '-'),
  };
  return { tab, item: chosen[tab], atMs };
}

/** What it says, or would. */
let told = '';
let telling = 0;

/** Writes into the address where one looks; a tab is a place to come back to. Browsers allow that only so often. */
function tellAddress(): void {
  const hash = hashOf(sight());
  clearTimeout(telling);
  if (hash === told) return;
  const last = told;
  told = hash;
  if (sightOf(last)?.tab === view.tab) {
    telling = setTimeout(() => history.replaceState(null, '', hash), 200);
    return;
  }
  history.replaceState(null, '', last);
  history.pushState(null, '', hash);
}

/** Looks at what the address says; what it does not say stays as it is. */
function goToAddress(): void {
  const wanted = sightOf(location.hash);
  if (wanted === undefined || !(wanted.tab in tabs)) return;
  const { tab, item: chosen, atMs = view.atMs } = wanted;
  view.tab = tab;
  view.atMs = atMs;
  view.message = tab === 'messages' && chosen !== undefined ? data.messages[Number(chosen)] : undefined;
  if (tab === 'calls' && chosen !== undefined) view.call = Number(chosen);
  if (tab === 'states' && chosen !== undefined) view.machine = chosen.replaceAll('-', ' ');
  told = hashOf(sight());
  lookAt(atMs);
  if (view.message === undefined) return;
  view.anchor = 'message';
  show();
}

function openAt(tab: string, atMs: number): void {
  const isOther = tab !== view.tab;
  openTab(tab);
  lookAt(atMs);
  if (isOther) document.querySelector('nav')?.scrollIntoView();
}

/** The longest time around the moment in which no more is said than one can read. */
function readableMs(): number {
  const said = (ms: number) =>
    firstFrom(data.messages, view.atMs + ms / 2) - firstFrom(data.messages, view.atMs - ms / 2);
  return windowsMs.findLast((ms) => said(ms) <= 100) ?? 200;
}

/** The first thing that went wrong; where nothing did, the first that was broken or done. */
function firstMoment(): number {
  return data.failures[0]?.atMs ?? data.faults[0]?.fromMs ?? data.steps[0]?.atMs ?? data.fromMs;
}

/** The call of which the failure speaks, else one that is live then, else the first. */
function firstCall(): number {
  const named = callNamed(data.failures.map(({ text }) => text).join(' '));
  if (named >= 0) return named;
  const live = data.calls.findIndex(({ fromMs, untilMs }) => fromMs <= view.atMs && untilMs >= view.atMs);
  return live >= 0 ? live : data.calls.length - 1;
}

/** Keys of the page, where no element has a use of its own for them. */
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
  if (location.hash !== told) goToAddress();
});
const first = sightOf(location.hash);
if (first?.atMs !== undefined) view.atMs = first.atMs;
view.windowMs = readableMs();
told = hashOf(sight());
if (first === undefined) show();
else goToAddress();
