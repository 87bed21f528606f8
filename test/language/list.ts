/** `npm run words -- [AREA…]`: lists the banned words, and exits 1 where an area has more than it may; `--record` keeps the counts, which may only fall. */
import { writeFileSync } from 'node:fs';
import { type Area, areas, hitsIn, readWords, wordsFile } from './hits.ts';

const wanted = process.argv.slice(2);
const words = readWords();
const counts = new Map<Area, string[]>();
for (const area of areas) counts.set(area, await hitsIn(area, words));
for (const [area, hits] of counts) {
  if (wanted.includes(area)) console.log(hits.join('\n'));
}
for (const [area, hits] of counts) console.log(`${area}: ${hits.length}, at most ${words.most[area]}`);
if (areas.some((area) => (counts.get(area)?.length ?? 0) > words.most[area])) process.exitCode = 1;
if (wanted.includes('--record')) {
  const most = areas.map((area) => [area, Math.min(counts.get(area)?.length ?? 0, words.most[area] ?? Infinity)]);
  writeFileSync(wordsFile, `${JSON.stringify({ ...words, most: Object.fromEntries(most) }, null, 2)}\n`);
}
