/** The page: its head, the timeline, and the tab that is open. */

const tabs: Readonly<Record<string, { title: string; draw: () => HTMLElement }>> = {
  summary: { title: 'Steps and oracles', draw: drawSummary },
  messages: { title: 'Messages', draw: drawMessages },
  calls: { title: `Calls (${data.calls.length})`, draw: drawCalls },
  states: { title: 'States', draw: drawStates },
};

function drawHead(): HTMLElement {
  const { scenario, why, mode, seed, verdict, maker, fromMs, untilMs } = data;
  return el(
    'header',
    {},
    el('h1', {}, scenario, ' ', el('span', { class: `badge ${verdict}` }, verdict)),
    el('p', {}, why),
    el(
      'p',
      { class: 'note' },
      `${mode}, seed ${seed}, ${secondsOf(untilMs - fromMs)}, ${data.messages.length} messages, ${maker}`,
    ),
  );
}

function show(): void {
  const open = tabs[view.tab];
  const bar = Object.entries(tabs).map(([name, { title }]) =>
    el('button', { class: name === view.tab ? 'on' : '', click: () => openTab(name) }, title),
  );
  byId('page').replaceChildren(drawHead(), drawTimeline(), el('nav', {}, ...bar), open?.draw() ?? '');
}

function openTab(name: string): void {
  view.tab = name;
  history.replaceState(null, '', `#${name}`);
  show();
}

/** The first thing that went wrong; where nothing did, the first that was broken or done. */
function firstMoment(): number {
  const failed =
    data.steps.find(({ failures }) => failures.length > 0) ?? data.oracles.flatMap(({ failures }) => failures)[0];
  return failed?.atMs ?? data.faults[0]?.fromMs ?? data.steps[0]?.atMs ?? data.fromMs;
}

view.atMs = firstMoment();
if (data.calls.length > 0) view.call = 0;
if (location.hash.slice(1) in tabs) view.tab = location.hash.slice(1);
document.addEventListener('keydown', (event) => {
  if (event.target instanceof HTMLInputElement) return;
  if (event.key === 'ArrowLeft') lookAt(view.atMs - view.windowMs / 2);
  if (event.key === 'ArrowRight') lookAt(view.atMs + view.windowMs / 2);
});
show();
