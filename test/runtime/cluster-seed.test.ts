/** The same seed is the same run; another seed is another. */
import assert from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { holds } from '../kit/property.ts';
import { makeWorld } from '../kit/virtual.ts';

/** A run with a bit of everything. Answers the journal's hash, and its lines where they are kept. */
async function run(seed: number, keepJournal = false): Promise<{ hash: string; lines: readonly string[] }> {
  const world = makeWorld(seed, { keepJournal });
  await world.start();
  world.faults.lose({ from: '*', to: '*' }, 0.05);
  world.faults.duplicate({ from: 'north' }, 0.2);
  world.faults.crashNode('n1');
  await world.wait(6_000);
  world.faults.pauseNode('h2');
  void world.faults.restartNode('n1');
  world.faults.crashInstance('mware-115');
  await world.wait(4_321);
  world.faults.resumeNode('h2');
  world.faults.mend();
  await world.wait(3_000);
  await world.stop();
  return { hash: world.journal.hash(), lines: world.journal.lines };
}

test('the same seed writes the same journal, line by line', async (t) => {
  const [one, other] = [await run(42, true), await run(42, true)];
  const difference = one.lines.findIndex((line, index) => line !== other.lines[index]);
  t.is(difference, -1, `first at line ${difference}: ${one.lines[difference]} but ${other.lines[difference]}`);
  t.is(one.hash, other.hash);
});

test('a seed gives one hash, whatever ran before and beside it, and different seeds give different ones', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.nat(), fc.nat(), async (seed, other) => {
      fc.pre(seed !== other);
      const hashes = await Promise.all([seed, other, seed].map((each) => run(each)));
      assert.equal(hashes[0]?.hash, hashes[2]?.hash);
      assert.notEqual(hashes[0]?.hash, hashes[1]?.hash);
    }),
    { numRuns: 1 },
  );
});
