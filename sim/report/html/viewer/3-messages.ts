/** The messages around a moment, and the details of the selected one. */

const windowsMs = [200, 2_000, 20_000, 120_000];

/** The messages around the selected moment. */
function drawMessages(): HTMLElement {
  const fromMs = view.atMs - view.windowMs / 2;
  const untilMs = view.atMs + view.windowMs / 2;
  const rows = data.messages
    .slice(firstFrom(data.messages, fromMs), firstFrom(data.messages, untilMs))
    .filter(([, from, to, what, more]) =>
      fits('messages', ...[from, to].flatMap((place) => [placeAt(place), siteAt(place)]), nameAt(what), nameAt(more)),
    );
  const widths = windowsMs.map((ms) => {
    return toggle(`${ms / 1_000} s`, () => setWindow(ms), { isOn: ms === view.windowMs });
  });
  const bar = el(
    'div',
    { class: 'bar' },
    button('◀', () => lookAt(view.atMs - view.windowMs)),
    el('span', {}, `${secondsOf(fromMs)} to ${secondsOf(untilMs)}, ${rows.length} messages`),
    button('▶', () => lookAt(view.atMs + view.windowMs)),
    ...widths,
    filterBox('messages', 'filter: INVITE north/n1'),
  );
  const isFiltered = (view.filters.get('messages') ?? '').trim() !== '';
  const gone = drawMissing(fromMs, untilMs);
  const why =
    gone === undefined
      ? 'There are no messages at this time. '
      : isFiltered
        ? 'No kept message of this time fits the filter. '
        : 'No messages of this time are kept. ';
  const nothing = note(`${why}Click the timeline, choose a longer time, or clear the filter.`);
  const diagram = () =>
    drawLadder(rows, { name: 'messages', order: 'site', missing: isFiltered ? 'perhaps' : 'these' });
  return el('section', {}, bar, gone, rows.length === 0 ? nothing : diagram());
}

/** Shows a message among the others of its time. */
function openMessage(message: Row): void {
  view.filters.delete('messages');
  openAt('messages', message[0]);
  view.message = message;
  view.anchor = 'message';
  show();
}

function siteAt(place: number): string {
  return data.places[place]?.site ?? '';
}

function setWindow(ms: number): void {
  view.windowMs = ms;
  show();
}

/** The selected message in full. */
function drawMessage(): HTMLElement | undefined {
  const { message } = view;
  if (message === undefined) return undefined;
  const [atMs, , , , , callid] = message;
  const call = callid < 0 ? -1 : data.calls.findIndex(({ callids }) => callids.includes(callid));
  const close = () => {
    view.message = undefined;
    show();
    const arrow = document.querySelector<SVGElement>(`.ladder [data-key="item ${indexOf(message)}"]`);
    if (arrow !== null) focusOn(arrow);
  };
  return el(
    'aside',
    { 'data-region': 'message', 'aria-label': 'the message' },
    el(
      'div',
      { class: 'bar' },
      momentLink(atMs),
      button('messages then', () => openMessage(message)),
      button('states then', () => openAt('states', atMs)),
      call < 0 ? undefined : button('its call', () => openCall(call)),
      button('close', close),
    ),
    el('pre', {}, messageText(message)),
  );
}
