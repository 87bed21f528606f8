/**
 * The view as the part of the page's address after `#`: `messages/12@25.863` is a tab, the selected item in it (a
 * message or a call by its number, a machine by those of its place, name and key), and a moment in seconds.
 */

interface ViewAddress {
  readonly tab: string;
  readonly item: string | undefined;
  readonly atMs: number | undefined;
}

function hashOf({ tab, item, atMs }: ViewAddress): string {
  const moment = atMs === undefined ? '' : `@${(atMs / 1_000).toFixed(3)}`;
  return `#${tab}${item === undefined ? '' : `/${item}`}${moment}`;
}

/** `undefined` for an invalid address. */
function viewIn(hash: string): ViewAddress | undefined {
  const [, tab, item, seconds] = /^#([a-z]+)(?:\/(\d+(?:-\d+)*))?(?:@(-?\d+(?:\.\d+)?))?$/.exec(hash) ?? [];
  if (tab === undefined) return undefined;
  return { tab, item, atMs: seconds === undefined ? undefined : Math.round(Number(seconds) * 1e6) / 1e3 };
}
