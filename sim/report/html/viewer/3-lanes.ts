/** The columns of a message diagram: its places, their order, and their heads. */

/** Height of the heads, and the bounds of the column width, which adapts to the page. */
const heads = { band: 18, height: 52 };
const columns = { least: 56, most: 150 };

/** All places with a message in the run, so that the order is the same at every moment. */
let allLanes: readonly number[] | undefined;
/** The site of a column. */
const bandOf = new Map<number, string>();

/**
 * The places of messages from left to right: sites together, frequent partners side by side; or in the order of their
 * first message.
 */
function lanesOf(rows: readonly Row[], order: 'site' | 'first'): number[] {
  const used = new Set(rows.flatMap(([, from, to]) => [from, to]));
  // Also for the other order: it fills `bandOf`.
  allLanes ??= orderOfAll();
  if (order === 'first') return [...used];
  return allLanes.filter((place) => used.has(place));
}

function orderOfAll(): number[] {
  const counts = new Map<number, number>();
  const places = data.places.length;
  for (const [, from, to] of data.messages) {
    const pair = Math.min(from, to) * places + Math.max(from, to);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  // Frequent messages must not outweigh rare ones.
  const talks = [...counts].map(([pair, count]): Talk => {
    return [Math.floor(pair / places), pair % places, 1 + Math.log2(count)];
  });
  const bySite = new Map<string, number[]>();
  for (const place of new Set(data.messages.flatMap(([, from, to]) => [from, to]))) {
    const site = siteOf(place) || siteNear(place, talks);
    bandOf.set(place, site);
    bySite.set(site, [...(bySite.get(site) ?? []), place]);
  }
  return ordered([...bySite.values()], talks);
}

/** The most frequent partner of a place outside. */
function siteNear(place: number, talks: readonly Talk[]): string {
  const own = talks.filter(([one, other]) => one === place || other === place);
  const [best] = own.sort((a, b) => b[2] - a[2]);
  return best === undefined ? '' : siteOf(best[0] === place ? best[1] : best[0]);
}

function siteOf(place: number): string {
  const { kind, site = '' } = data.places[place] ?? {};
  return kind === 'outside' ? '' : (site.split('/')[0] ?? '');
}

function drawHeads(lanes: readonly number[], x: (place: number) => number): SVGElement[] {
  const bands: { name: string; from: number; until: number }[] = [];
  for (const lane of lanes) {
    const name = bandOf.get(lane) || 'outside';
    const last = bands.at(-1);
    const edge = { from: x(lane) - ladder.column / 2, until: x(lane) + ladder.column / 2 };
    if (last?.name === name) last.until = edge.until;
    else bands.push({ name, ...edge });
  }
  return [...bands.flatMap(drawBand), ...lanes.flatMap((lane) => drawHead(lane, x(lane)))];
}

/** Its text stays in view, like those of arrows. */
function drawBand({ name, from, until }: { name: string; from: number; until: number }): SVGElement[] {
  const text = cut(name, Math.floor((until - from) / 6.5));
  return [
    svg('rect', { x: from + 1, y: 1, width: until - from - 2, height: heads.band - 2, class: 'band' }),
    svg('text', { y: 13, class: 'site', ...spanned(from, until) }, text),
  ];
}

/** `callstore` over `212 · n1`; a phone is its number, at its domain. */
function drawHead(lane: number, x: number): SVGElement[] {
  const { name = '?', site = '', kind } = data.places[lane] ?? {};
  const [, role = name, index = ''] = (kind === 'instance' ? /^(.+)-(\d+)$/.exec(name) : null) ?? [];
  const [domain, number] = kind === 'outside' ? name.split('/') : [];
  const node = site.split('/')[1] ?? '';
  const texts =
    number !== undefined ? [number, domain ?? ''] : [role, [index, node].filter((text) => text).join(' · ')];
  const letters = Math.floor(ladder.column / 6);
  const title = svg('title', {}, `${name}\n${site}`);
  const lines = texts.map((text, i) => {
    const place = { x, y: heads.band + 14 + i * 14, 'text-anchor': 'middle', class: i === 0 ? 'lane' : 'site' };
    return svg('text', place, cut(text, letters));
  });
  return [svg('g', {}, title, ...lines)];
}
