/** Incarnations: the numbers that distinguish the lives of a node and of its instances. */

import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { PendingWork } from '../../sim/world/virtual/pending-work.ts';
import { TimeDriver } from '../../sim/world/virtual/time-driver.ts';
import { Incarnations } from '../../src/cluster/membership/incarnations.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { silentLog } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

const startMs = 1_700_000_000_000;

/** What the clock shows at each start of a node. */
const rows: readonly [what: string, shown: readonly number[]][] = [
  ['a clock that goes on', [startMs, startMs + 5_000, startMs + 90_000]],
  ['a clock that is set back by ten minutes', [startMs, startMs + 600_000, startMs + 30_000, startMs + 40_000]],
  ['a clock that was years ahead once', [startMs, 2 * startMs, startMs]],
];

interface Life {
  readonly incarnation: number;
  /** Of three instances. */
  readonly epochs: readonly number[];
}

/** One life after the other. */
async function livesOf(shown: readonly number[], isKept: boolean): Promise<Life[]> {
  const clock = new VirtualClock(0);
  const random = new SeededRandom(1).stream('faults');
  const storesOf = () => new SimulatedStores({ clock, random });
  const kept = storesOf();
  const driver = new TimeDriver(clock, new PendingWork());
  const found: Life[] = [];
  for (const nowMs of shown) {
    const node: Clock = { now: () => nowMs, setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire) };
    let lives: Incarnations | undefined;
    Incarnations.begin({ stores: isKept ? kept : storesOf(), clock: node, log: silentLog }).then((begun) => {
      lives = begun;
    });
    await driver.run(clock.now() + 1_000, () => lives !== undefined);
    if (lives === undefined) continue;
    const epochs = [lives.nextEpoch(), lives.nextEpoch(), lives.nextEpoch()];
    found.push({ incarnation: lives.incarnation, epochs });
  }
  return found;
}

/** The numbers, each once, in ascending order. */
const ascending = (numbers: readonly number[]) => [...new Set(numbers)].toSorted((a, b) => a - b);

for (const [what, shown] of rows) {
  test(`later lives have higher numbers: ${what}`, async (t) => {
    const lives = await livesOf(shown, true);
    t.is(lives.length, shown.length);
    for (const numbers of [lives.flatMap(({ epochs }) => epochs), lives.map(({ incarnation }) => incarnation)]) {
      t.deepEqual(numbers, ascending(numbers));
    }
  });
}

test('without what was stored the numbers grow with the time of day', async (t) => {
  const shown = [startMs, startMs + 60_000];
  const lives = await livesOf(shown, false);
  t.deepEqual(
    lives.map(({ epochs }) => epochs[0]),
    shown,
  );
  t.deepEqual(
    lives.map(({ incarnation }) => incarnation),
    shown,
  );
});

test('a node that starts again every minute has the time of day as its number: without its store it is not behind', async (t) => {
  const shown = Array.from({ length: 20 }, (_, start) => startMs + 60_000 * start);
  const lives = await livesOf(shown, true);
  t.deepEqual(
    lives.map(({ incarnation }) => incarnation),
    shown,
  );
});
