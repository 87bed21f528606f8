/** The address of the page: it holds the present view, and opening it restores the view. */

/** The view in the address. */
function currentView(): ViewAddress {
  const { tab, message, call, machine, atMs } = view;
  const chosen: Readonly<Record<string, string | undefined>> = {
    messages: message === undefined ? undefined : String(indexOf(message)),
    calls: call < 0 ? undefined : String(call),
    states: machine === '' ? undefined : machine.replaceAll(' ', '-'),
  };
  return { tab, item: chosen[tab], atMs };
}

/** The address of the present view. */
let writtenHash = '';
let writeTimer = 0;

/** Writes the view into the address; a change of tab adds a history entry. Browsers limit the rate. */
function writeAddress(): void {
  const hash = hashOf(currentView());
  clearTimeout(writeTimer);
  if (hash === writtenHash) return;
  const last = writtenHash;
  writtenHash = hash;
  if (viewIn(last)?.tab === view.tab) {
    writeTimer = setTimeout(() => history.replaceState(null, '', hash), 200);
    return;
  }
  history.replaceState(null, '', last);
  history.pushState(null, '', hash);
}

/** Restores the view of the address; parts that it lacks stay as they are. */
function goToAddress(): void {
  const wanted = viewIn(location.hash);
  if (wanted === undefined || !(wanted.tab in tabs)) return;
  const { tab, item: chosen, atMs = view.atMs } = wanted;
  view.tab = tab;
  view.atMs = atMs;
  view.message = tab === 'messages' && chosen !== undefined ? data.messages[Number(chosen)] : undefined;
  if (view.message !== undefined) view.filters.delete('messages');
  if (tab === 'calls' && chosen !== undefined) view.call = Number(chosen);
  if (tab === 'states' && chosen !== undefined) view.machine = chosen.replaceAll('-', ' ');
  writtenHash = hashOf(currentView());
  lookAt(atMs);
  if (view.message === undefined) return;
  view.anchor = 'message';
  show();
}
