/** A store that waits for its disk, on one that is full or slow at any time: what was acknowledged is there, and nothing older replaces it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FaultyDisk } from '../../sim/faults/faulty-disk.ts';
import { SeededRandom } from '../../sim/ports/random.ts';
import { SimulatedStores } from '../../sim/ports/store.ts';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { PatientStore } from '../../src/storage/patient-store.ts';
import { holds, runs } from '../kit/property.ts';
import { idle } from '../kit/quiet.ts';
import { test } from '../kit/test.ts';

type Step =
  /** `isNow`: at once or not at all. */
  | { readonly does: 'put' | 'delete'; readonly keys: readonly string[]; readonly isNow: boolean }
  | { readonly does: 'fill' | 'empty' }
  | { readonly does: 'slow' | 'wait'; readonly ms: number };

const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
const change = fc.record({ does: fc.constantFrom('put' as const, 'delete' as const), keys, isNow: fc.boolean() });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: change },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('fill' as const, 'empty' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('slow' as const), ms: fc.constantFrom(0, 100, 700) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('wait' as const), ms: fc.constantFrom(1, 50, 400, 1_500) }) },
);

/** What each key has had, in order: its versions; a version of a delete has no value. */
class Written {
  readonly #versions = new Map<string, { readonly value: string | undefined; isTaken: boolean | undefined }[]>();
  #last = 0;

  add(each: readonly string[], does: 'put' | 'delete') {
    this.#last += 1;
    const value = does === 'put' ? String(this.#last) : undefined;
    const version = { value, isTaken: undefined as boolean | undefined };
    for (const key of each) this.#versions.set(key, [...(this.#versions.get(key) ?? []), version]);
    return version;
  }

  /** `isOver`: nothing is under way any more. */
  judge(disk: ReadonlyMap<string, string>, isOver: boolean): void {
    for (const [key, versions] of this.#versions) {
      const acknowledged = versions.findLastIndex(({ isTaken }) => isTaken === true);
      const allowed = versions.slice(Math.max(0, acknowledged)).filter(({ isTaken }) => isTaken !== false);
      const values = (isOver ? allowed.slice(-1) : allowed).map(({ value }) => value);
      if (acknowledged < 0 && (!isOver || allowed.length === 0)) values.push(undefined);
      assert(values.includes(disk.get(key)), `${key} is ${disk.get(key)}, expected ${values.join(' or ')}`);
    }
  }
}

async function play(steps: readonly Step[]): Promise<boolean> {
  const clock = new VirtualClock(0);
  const disk = { isFull: false, slowMs: 0 };
  const stores = new SimulatedStores({ clock, random: new SeededRandom(1).stream('faults') });
  const faulty = new FaultyDisk(clock, { slowMs: () => disk.slowMs, isFull: () => disk.isFull });
  const store = new PatientStore(faulty.of(stores.of('n1')), 'some', clock);
  const written = new Written();
  let [open, hasWaited] = [0, false];
  const onDisk = async () => {
    const found = new Map<string, string>();
    for await (const [key, value] of stores.onDisk().get('n1/some')?.entries({}) ?? []) found.set(key, value);
    return found;
  };
  const pass = async (ms: number) => {
    const untilMs = clock.now() + ms;
    for (await idle(); (clock.nextDeadlineMs() ?? Infinity) <= untilMs; await idle()) {
      clock.runNext();
      await idle();
      written.judge(await onDisk(), false);
    }
    clock.advanceTo(untilMs);
    await idle();
  };
  for (const each of steps) {
    if (each.does === 'fill' || each.does === 'empty') disk.isFull = each.does === 'fill';
    if (each.does === 'slow') disk.slowMs = each.ms;
    if (each.does === 'wait') await pass(each.ms);
    if ('keys' in each) {
      const version = written.add(each.keys, each.does);
      const changes = each.keys.map((key) =>
        version.value === undefined ? { delete: key } : { put: key, value: version.value },
      );
      open += 1;
      hasWaited ||= disk.isFull && !each.isNow;
      const done = each.isNow ? store.writeNow(changes) : store.write(changes);
      done.then((isTaken) => {
        version.isTaken = isTaken;
        open -= 1;
      }, assert.ifError);
    }
  }
  [disk.isFull, disk.slowMs] = [false, 0];
  await pass(20_000);
  assert.equal(open, 0, 'a write is never answered');
  written.judge(await onDisk(), true);
  return hasWaited;
}

/** A key changes again while what waited for it is being written. */
const overtaken: Step[] = [
  { does: 'fill' },
  { does: 'put', keys: ['a'], isNow: false },
  { does: 'wait', ms: 1 },
  { does: 'slow', ms: 700 },
  { does: 'empty' },
  { does: 'wait', ms: 1_500 },
  { does: 'put', keys: ['a'], isNow: false },
  { does: 'put', keys: ['a'], isNow: false },
];

test('what was acknowledged is on disk, and the last change of a key counts, whenever the disk is full or slow', async (t) => {
  let waited = 0;
  const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
    if (await play(steps)) waited += 1;
  });
  await holds(t, property, {
    numRuns: runs(60),
    examples: [[overtaken]],
    uncovered: () => (waited > 0 ? [] : ['a write that waits']),
  });
});
