/** The tabs: the summary, the calls with the ladder of each, and the state of every machine at a moment. */

function drawSummary(): HTMLElement {
  const steps = data.steps.map(({ number, what, atMs, isExpectation, failures }) =>
    el(
      'tr',
      { class: failures.length > 0 ? 'fail' : '' },
      el('td', {}, String(number)),
      el('td', {}, momentLink(atMs)),
      el('td', {}, failures.length > 0 ? 'FAIL' : isExpectation ? 'ok' : ''),
      el('td', {}, what, ...failures.map((failure) => el('pre', {}, failure))),
    ),
  );
  const oracles = data.oracles.map(({ name, rule, verdict, checks, failures }) =>
    el(
      'tr',
      { class: verdict },
      el('td', {}, name),
      el('td', {}, verdict),
      el('td', { class: 'number' }, String(checks)),
      el('td', {}, rule, ...failures.slice(0, 20).map(({ atMs, what }) => el('div', {}, momentLink(atMs), ` ${what}`))),
    ),
  );
  return el(
    'section',
    {},
    el('h2', {}, 'Steps'),
    table(['', 'at', '', 'step'], steps),
    ...(oracles.length === 0 ? [] : [el('h2', {}, 'Oracles'), table(['oracle', 'verdict', 'checks', 'rule'], oracles)]),
    ...data.leftOut.map((text) => el('p', { class: 'note' }, text)),
  );
}

function table(heads: readonly string[], rows: readonly HTMLElement[]): HTMLElement {
  const head = el('tr', {}, ...heads.map((text) => el('th', {}, text)));
  return el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows));
}

const mostCalls = 300;

function drawCalls(): HTMLElement {
  const calls = data.calls.flatMap((call, index) =>
    fits('calls', call.name, ...call.callids.map(nameAt)) ? [{ call, index }] : [],
  );
  const rows = calls
    .slice(0, mostCalls)
    .map(({ call, index }) =>
      el(
        'tr',
        { class: index === view.call ? 'on' : 'choice', click: () => openCall(index) },
        el('td', {}, momentLink(call.fromMs)),
        el('td', { class: 'number' }, secondsOf(call.untilMs - call.fromMs)),
        el('td', {}, call.name),
        el('td', { class: 'number' }, String(call.messages)),
      ),
    );
  const list = el(
    'div',
    { class: 'list' },
    el('div', { class: 'bar' }, filterBox('calls', 'filter: 1001 globex'), `${calls.length} calls`),
    table(['at', 'for', 'call', 'messages'], rows),
    calls.length > mostCalls ? el('p', { class: 'note' }, `The first ${mostCalls} are shown: filter.`) : undefined,
  );
  return el('section', { class: 'split' }, list, drawCall());
}

function openCall(index: number): void {
  view.call = index;
  show();
}

function drawCall(): HTMLElement {
  const call = data.calls[view.call];
  if (call === undefined) return el('p', { class: 'note' }, 'Choose a call to see who said what to whom.');
  const callids = new Set(call.callids);
  const rows = data.messages.filter(([, , , , , callid]) => callid >= 0 && callids.has(callid));
  return el('div', {}, el('h2', {}, call.name), drawLadder(rows));
}

/** The state of every machine at the moment that is looked at: the last that each has told until then. */
function drawStates(): HTMLElement {
  const last = new Map<string, Data['states'][number]>();
  for (const change of data.states) {
    const [atMs, place, machine, key, state] = change;
    if (atMs > view.atMs) break;
    const id = `${place} ${machine} ${key}`;
    if (state < 0) last.delete(id);
    else last.set(id, change);
  }
  const picked = [...last.values()].filter(([, place, machine, key, state]) =>
    fits('states', placeAt(place), nameAt(machine), nameAt(key), nameAt(state)),
  );
  const sorted = picked.sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]);
  const rows = sorted
    .slice(0, mostStates)
    .map(([atMs, place, machine, key, state]) =>
      el(
        'tr',
        {},
        el('td', {}, placeAt(place)),
        el('td', {}, nameAt(machine)),
        el('td', {}, nameAt(key)),
        el('td', {}, el('b', {}, nameAt(state))),
        el('td', {}, 'since ', momentLink(atMs)),
      ),
    );
  const slider = el('input', {
    type: 'range',
    min: data.fromMs,
    max: data.untilMs,
    value: view.atMs,
    'aria-label': 'moment',
  });
  slider.addEventListener('change', () => lookAt(Number((slider as HTMLInputElement).value)));
  const bar = el(
    'div',
    { class: 'bar' },
    `at ${secondsOf(view.atMs)}`,
    slider,
    filterBox('states', 'filter: dialog b2b-214'),
    `${sorted.length} machines`,
  );
  const more =
    sorted.length > mostStates ? el('p', { class: 'note' }, `The first ${mostStates} are shown: filter.`) : undefined;
  return el('section', {}, bar, table(['where', 'machine', 'of', 'state', ''], rows), more);
}

const mostStates = 500;
