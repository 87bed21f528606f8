/** The state of every machine at the selected moment: its last change up to then. */

type Change = Data['states'][number];

const mostStates = 500;

function drawStates(): HTMLElement {
  const sorted = statesAt(view.atMs).sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]);
  const rows = sorted.slice(0, mostStates).map((change) => {
    const [atMs, place, machine, key, state] = change;
    const id = machineId(change);
    const choose = () => {
      view.machine = id;
      show();
    };
    const isNew = view.atMs - atMs < 1_000;
    return el(
      'tr',
      { class: `choice${id === view.machine ? ' on' : ''}`, ...item(id, { isOn: id === view.machine, choose }) },
      el('td', {}, placeAt(place)),
      el('td', {}, nameAt(machine)),
      el('td', { class: 'key' }, nameAt(key)),
      el('td', { class: isNew ? 'new' : '' }, el('b', {}, nameAt(state)), drawStale(change)),
      el('td', { class: 'since' }, 'since ', momentLink(atMs, { isInItem: true })),
    );
  });
  const bar = el(
    'div',
    { class: 'bar' },
    button('◀ change', () => goToChange(-1)),
    `at ${secondsOf(view.atMs)}`,
    button('change ▶', () => goToChange(1)),
    drawSlider(),
    filterBox('states', 'filter: dialog b2b-214'),
    `${sorted.length} machines`,
  );
  const more = sorted.length > mostStates ? note(`The first ${mostStates} are shown: filter.`) : undefined;
  const nothing = sorted.length === 0 ? note('No machine that fits the filter exists at this moment.') : undefined;
  const list = choices('machines', { heads: ['where', 'machine', 'of', 'state', 'since'], rows });
  return el('section', {}, bar, el('div', { class: 'history' }, el('div', {}, list, more, nothing), drawHistory()));
}

/** After a change others may be missing: then the state is this one or a later one. */
function drawStale(change: Change): HTMLElement | undefined {
  const count = missingAfter.get(change);
  if (count === undefined) return undefined;
  return el('span', { class: 'stale', title: `${count} later changes are not kept` }, ' or later');
}

/** Details of each change, computed on demand. */
let machineIds: readonly string[] | undefined;

function statesAt(untilMs: number): Change[] {
  machineIds ??= data.states.map(machineId);
  const last = new Map<string, Change>();
  for (const [i, change] of data.states.entries()) {
    if (change[0] > untilMs) break;
    const id = machineIds[i] ?? '';
    if (change[4] < 0) last.delete(id);
    else last.set(id, change);
  }
  return [...last.values()].filter(isWanted);
}

function machineId([, place, machine, key]: Change): string {
  return `${place} ${machine} ${key}`;
}

function isWanted([, place, machine, key, state]: Change): boolean {
  return fits('states', placeAt(place), siteAt(place), nameAt(machine), nameAt(key), state < 0 ? '' : nameAt(state));
}

/** Selects the next or previous change of a machine that fits the filter. */
function goToChange(by: 1 | -1): void {
  const moments = data.states.filter(isWanted).map(([atMs]) => atMs);
  const next = by > 0 ? moments.find((atMs) => atMs > view.atMs) : moments.findLast((atMs) => atMs < view.atMs);
  if (next !== undefined) lookAt(next);
}

function drawSlider(): HTMLElement {
  const range = { min: view.fromMs, max: view.untilMs, step: 'any', value: view.atMs };
  const slider = el('input', { type: 'range', ...range, 'aria-label': 'moment' });
  slider.addEventListener('change', () => lookAt(Number((slider as HTMLInputElement).value)));
  return slider;
}

/** All states of the selected machine. */
function drawHistory(): HTMLElement {
  const changes = data.states.filter((change) => machineId(change) === view.machine);
  const [first] = changes;
  if (first === undefined) return note('Choose a machine to see all its states.');
  const [, place, machine, key] = first;
  const current = changes.findLast(([atMs]) => atMs <= view.atMs);
  const rows = changes.map((change) => {
    const [atMs, , , , state] = change;
    const name = state < 0 ? 'gone' : nameAt(state);
    const gone = missingAfter.get(change);
    const more =
      gone === undefined ? undefined : el('div', { class: 'stale' }, `${gone} changes after it are not kept`);
    return el(
      'tr',
      { class: change === current ? 'on' : '' },
      el('td', {}, momentLink(atMs)),
      el('td', {}, name, more),
    );
  });
  const title = `${nameAt(machine)} ${nameAt(key)} at ${placeAt(place)}`;
  return el('div', {}, el('h2', {}, title), table(['from', 'state'], rows));
}
