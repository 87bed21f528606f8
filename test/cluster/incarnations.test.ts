/** Incarnations: the numbers that distinguish the lives of a node and of its instances. */

import { VirtualClock } from '../../sim/ports/clock.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
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

/** The epochs of three instances of each life, one life after the other. */
async function epochsOf(shown: readonly number[], isKept: boolean): Promise<number[][]> {
  const clock = new VirtualClock(0);
  const random = new SeededRandom(1).stream('faults');
  const storesOf = () => new SimulatedStores({ clock, random });
  const kept = storesOf();
  const driver = new TimeDriver(clock, new PendingWork());
  const found: number[][] = [];
  for (const nowMs of shown) {
    const node: Clock = { now: () => nowMs, setTimer: (delayMs, fire) => clock.setTimer(delayMs, fire) };
    let lives: Incarnations | undefined;
    Incarnations.begin({ stores: isKept ? kept : storesOf(), clock: node, log: silentLog }).then((begun) => {
      lives = begun;
    });
    await driver.run(clock.now() + 1_000, () => lives !== undefined);
    if (lives !== undefined) found.push([lives.nextEpoch(), lives.nextEpoch(), lives.nextEpoch()]);
  }
  return found;
}

for (const [what, shown] of rows) {
  test(`later lives have higher epochs: ${what}`, async (t) => {
    const epochs = (await epochsOf(shown, true)).flat();
    t.is(epochs.length, 3 * shown.length);
    t.deepEqual(
      epochs,
      [...new Set(epochs)].toSorted((a, b) => a - b),
    );
  });
}

test('without what was stored epochs grow with the time of day', async (t) => {
  const shown = [startMs, startMs + 60_000];
  const epochs = await epochsOf(shown, false);
  t.deepEqual(
    epochs.map(([first]) => first),
    shown,
  );
});
