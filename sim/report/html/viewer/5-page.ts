/** The page: its head, what failed, the timeline, and the tab that is open. */

const tabs: Readonly<Record<string, { title: string; draw: () => HTMLElement }>> = {
  summary: { title: 'Steps and oracles', draw: drawSummary },
  messages: { title: 'Messages', draw: drawMessages },
  calls: { title: `Calls (${data.calls.length})`, draw: drawCalls },
  states: { title: 'States', draw: drawStates },
};

function drawTitle(): HTMLElement {
  const { scenario, why, mode, seed, verdict, maker, fromMs, untilMs } = data;
  const about = `${mode}, seed ${seed}, ${secondsOf(untilMs - fromMs)}, ${data.messages.length} messages, strowger ${maker}`;
  const badge = el('span', { class: `badge ${verdict}` }, verdict);
  return el('header', {}, el('h1', {}, scenario, ' ', badge), el('p', {}, why), note(about));
}

/** What did not hold, each with ways to what happened then; of an unknown verdict what was not put to the test. */
function drawFailures(): HTMLElement | undefined {
  const { failures, unproved } = data;
  if (failures.length === 0 && unproved.length === 0) return undefined;
  const shown = failures.slice(0, 5).map(({ kind, name, atMs, text }) => {
    const call = callNamed(text);
    return el(
      'div',
      { class: 'failed' },
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
  const scrolled = new Map(scrollers().map((each) => [nameOf(each), [each.scrollLeft, each.scrollTop] as const]));
  const typedIn = document.activeElement?.getAttribute('aria-label');
  const bar = Object.entries(tabs).map(([name, { title }]) => button(title, () => openTab(name), name === view.tab));
  const parts = [drawTitle(), drawFailures(), drawTimeline(), el('nav', {}, ...bar), tabs[view.tab]?.draw()];
  byId('page').replaceChildren(...parts.filter((part) => part !== undefined));
  for (const each of scrollers()) {
    const [left, top] = scrolled.get(nameOf(each)) ?? [0, 0];
    const { moment, middle } = each.dataset;
    const isLadder = moment !== undefined && middle !== undefined;
    each.scrollTo(
      isLadder ? placed(Number(middle), { at: left, size: each.clientWidth, head: ladder.times }) : left,
      isLadder ? placed(Number(moment), { at: top, size: each.clientHeight, head: ladder.head }) : top,
    );
  }
  document.querySelector<HTMLElement>('.list tr.on')?.scrollIntoView({ block: 'nearest' });
  const box = typedIn ? document.querySelector<HTMLInputElement>(`input[aria-label="${CSS.escape(typedIn)}"]`) : null;
  box?.focus({ preventScroll: true });
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
  history.replaceState(null, '', `#${name}`);
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

view.atMs = firstMoment();
view.call = firstCall();
view.windowMs = readableMs();
if (location.hash.slice(1) in tabs) view.tab = location.hash.slice(1);
document.addEventListener('keydown', (event) => {
  if (event.target instanceof HTMLInputElement || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = Math.min(view.windowMs, view.untilMs - view.fromMs) / 2;
  if (event.key === 'ArrowLeft') lookAt(view.atMs - step);
  if (event.key === 'ArrowRight') lookAt(view.atMs + step);
});
window.addEventListener('resize', show);
show();
