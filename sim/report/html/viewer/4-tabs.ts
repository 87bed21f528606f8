/** The tabs of the summary and of the calls. */

function drawSummary(): HTMLElement {
  const steps = data.stepGroups.flatMap(drawStepGroup);
  return el(
    'section',
    { class: 'summary' },
    el(
      'div',
      {},
      el('h2', {}, data.stepsText),
      table(['step', 'over at', 'result', 'what'], steps),
      ...data.leftOut.map(note),
    ),
    el('div', {}, ...drawHolds(), ...drawOracles()),
  );
}

/** Rounds of a repeated step share one row, which expands; failed rounds always have their own. */
function drawStepGroup(group: readonly number[]): HTMLElement[] {
  const rounds = group.flatMap((i) => data.steps[i] ?? []);
  const [first] = rounds;
  const last = rounds.at(-1);
  if (first === undefined || last === undefined || rounds.length === 1) return rounds.map(drawStep);
  const isOpen = view.openSteps.has(first.place);
  const failed = rounds.filter(({ failures }) => failures.length > 0);
  const open = () => {
    if (isOpen) view.openSteps.delete(first.place);
    else view.openSteps.add(first.place);
    show();
  };
  const title = `${isOpen ? '▾' : '▸'} ${rounds.length} times`;
  const opener = el(
    'button',
    { class: 'rounds', click: open, 'aria-expanded': String(isOpen), 'data-key': `rounds ${first.place}` },
    title,
  );
  const row = el(
    'tr',
    { class: failed.length > 0 ? 'fail' : '' },
    el('td', { class: 'number' }, first.place),
    el('td', {}, momentLink(first.atMs), ' to ', momentLink(last.atMs)),
    el('td', {}, failed.length > 0 ? 'FAIL' : first.isExpectation ? 'ok' : ''),
    el('td', {}, first.what, ' ', opener),
  );
  return [row, ...(isOpen ? rounds : failed).map(drawStep)];
}

function drawStep(step: Data['steps'][number]): HTMLElement {
  const { place, atMs, isExpectation, failures, compared } = step;
  const index = data.steps.indexOf(step);
  const isAbove = shownFailures().some(([first]) => first?.step === index);
  return el(
    'tr',
    { class: failures.length > 0 ? 'fail' : '' },
    el('td', { class: 'number' }, place),
    el('td', {}, momentLink(atMs)),
    el('td', {}, failures.length > 0 ? 'FAIL' : isExpectation ? 'ok' : ''),
    el(
      'td',
      {},
      stepTitle(step),
      ...failures.map((failure) => el('pre', {}, failure)),
      compared === undefined || isAbove ? undefined : drawCompared(compared, `step ${index}`),
    ),
  );
}

const promiseWords = { kept: 'kept', broken: 'BROKEN', open: 'the run ended before' } as const;

/** Promises, goals, and the counts of the workload. */
function drawHolds(): HTMLElement[] {
  const parts: HTMLElement[] = [];
  const promises = data.promises.map(({ name, fault, promisedMs, measuredMs, verdict }) => {
    const measured = measuredMs === undefined ? 'never' : secondsOf(measuredMs);
    const cells = [`${name}, after ${fault}`, measured, secondsOf(promisedMs), promiseWords[verdict]];
    return el(
      'tr',
      { class: { kept: '', broken: 'fail', open: 'unknown' }[verdict] },
      ...cells.map((text) => el('td', {}, text)),
    );
  });
  const seen = data.seen.map(({ kind, name, count, atMs }) =>
    el(
      'tr',
      { class: count > 0 ? '' : kind === 'eventually' ? 'fail' : 'unknown' },
      el('td', {}, `${kind}: ${name}`),
      el('td', {}, count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`),
      el('td', {}, atMs === undefined ? '' : momentLink(atMs)),
    ),
  );
  const workload = data.workload.map(({ name, started, acknowledged, failed, open, why }) => {
    const figures = [started, acknowledged, failed, open].map((n) => el('td', { class: 'number' }, String(n)));
    return el('tr', {}, el('td', {}, name), ...figures, el('td', {}, why));
  });
  const add = (title: string, heads: string[], rows: HTMLElement[]) =>
    rows.length > 0 ? parts.push(el('h2', {}, title), el('div', { class: title }, table(heads, rows))) : 0;
  add('Promises', ['promise', 'measured', 'promised', 'result'], promises);
  add('Expected to be seen', ['what', 'times', 'first at'], seen);
  add('Workload', ['what', 'begun', 'acknowledged', 'failed', 'open', 'why failed'], workload);
  return parts;
}

/** Failed oracles first, unexercised ones last. */
function drawOracles(): HTMLElement[] {
  const rank = { fail: 0, pass: 1, unknown: 2 };
  const sorted = [...data.oracles].sort((a, b) => rank[a.verdict] - rank[b.verdict]);
  const rows = sorted.map(({ name, rule, verdict, checks, failures }) =>
    el(
      'tr',
      { class: verdict },
      el('td', { class: 'name' }, name),
      el('td', {}, verdict === 'unknown' ? 'not exercised' : verdict),
      el('td', { class: 'number' }, String(checks)),
      el('td', {}, rule, ...failures.slice(0, 20).map(({ atMs, what }) => el('div', {}, momentLink(atMs), ` ${what}`))),
    ),
  );
  const tried = data.oracles.filter(({ checks }) => checks > 0).length;
  const title = el('h2', {}, `Oracles: ${tried} of ${rows.length} exercised`);
  return rows.length === 0 ? [] : [title, table(['oracle', 'result', 'checks', 'rule'], rows)];
}

const mostCalls = 300;

/** Share of the page for the list of calls. */
function callsWidth(): number {
  return (document.querySelector('.list')?.clientWidth ?? 520) + 24;
}

function drawCalls(): HTMLElement {
  const calls = data.calls.flatMap((call, index) => {
    const isThere = !view.isLive || (call.fromMs <= view.atMs && call.untilMs >= view.atMs);
    return isThere && fits('calls', call.name, ...call.callids.map(nameAt), ...call.dialogids, answerText(call.status))
      ? [{ call, index }]
      : [];
  });
  const rows = calls.slice(0, mostCalls).map(({ call, index }) =>
    el(
      'tr',
      {
        class: index === view.call ? 'on choice' : 'choice',
        ...item(index, { isOn: index === view.call, choose: () => openCall(index) }),
      },
      el('td', {}, momentLink(call.fromMs, { isInItem: true })),
      el('td', { class: 'number' }, secondsOf(call.untilMs - call.fromMs)),
      el('td', {}, call.name, drawKept(call)),
      el('td', { class: 'number' }, answerText(call.status)),
    ),
  );
  const live = () => {
    view.isLive = !view.isLive;
    show();
  };
  const list = el(
    'div',
    { class: 'list', 'data-scroll': 'calls', 'data-region': 'calls' },
    el(
      'div',
      { class: 'bar' },
      filterBox('calls', 'filter: 1001 globex 486'),
      toggle(`live at ${secondsOf(view.atMs)}`, live, { isOn: view.isLive, key: 'live' }),
      `${calls.length} calls`,
    ),
    choices('calls', { heads: ['at', 'for', 'call', 'answer'], rows }),
    calls.length > mostCalls ? note(`The first ${mostCalls} are shown: filter.`) : undefined,
  );
  return el('section', { class: 'split' }, list, drawCall());
}

function answerText(status: number): string {
  return status === 0 ? 'none' : String(status);
}

function openCall(index: number): void {
  view.call = index;
  const { fromMs = view.atMs, untilMs = view.atMs } = data.calls[index] ?? {};
  openAt('calls', view.atMs < fromMs || view.atMs > untilMs ? fromMs : view.atMs);
}

function drawCall(): HTMLElement {
  const call = data.calls[view.call];
  if (call === undefined) return note('Choose a call to see its messages.');
  const rows = messagesOf(call);
  const gone = rows.length < call.messages;
  const text = `${grouped(call.messages - rows.length)} of its ${grouped(call.messages)} messages are not kept: the page has ${keptText()}.`;
  return el(
    'div',
    {},
    el('h2', {}, call.name),
    call.dialogids.length > 0 ? note(`dialogid ${call.dialogids.join(', ')}`) : undefined,
    gone ? el('p', { class: 'missing' }, text) : undefined,
    rows.length === 0
      ? undefined
      : drawLadder(rows, { name: `call ${view.call}`, order: 'first', missing: gone ? 'perhaps' : 'none' }),
  );
}

let keptByCallid: Map<number, number> | undefined;

/** How many messages of a call are kept, if not all. */
function drawKept(call: Data['calls'][number]): HTMLElement | undefined {
  keptByCallid ??= countsByCallid();
  const kept = call.callids.reduce((sum, callid) => sum + (keptByCallid?.get(callid) ?? 0), 0);
  if (kept >= call.messages) return undefined;
  return el('div', { class: 'stale' }, `${grouped(kept)} of ${grouped(call.messages)} messages kept`);
}

function countsByCallid(): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [, , , , , callid] of data.messages) counts.set(callid, (counts.get(callid) ?? 0) + 1);
  return counts;
}
