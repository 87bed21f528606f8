/** The word of an arbiter, and what a node makes of it. */
import test from 'ava';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/clock.ts';
import { Arbiter } from '../../src/runtime/quorum.ts';

const leaseMs = 3_000;

function arbiter() {
  const clock = new VirtualClock(1_000);
  return { clock, arbiter: new Arbiter(clock, leaseMs) };
}

test('the half that asks first gets the word, and is told how long it holds', (t) => {
  const { arbiter: chosen } = arbiter();
  t.deepEqual(chosen.claim({ site: 'north', side: ['n1'] }), { granted: true, untilMs: 4_000 });
  t.deepEqual(chosen.claim({ site: 'north', side: ['n2'] }), { granted: false, untilMs: 4_000 });
});

test('a half keeps the word as long as it goes on asking', (t) => {
  const { clock, arbiter: chosen } = arbiter();
  for (let ask = 0; ask < 20; ask += 1) {
    t.true(chosen.claim({ site: 'north', side: ['n1'] }).granted);
    clock.advanceTo(clock.now() + leaseMs - 1);
    t.false(chosen.claim({ site: 'north', side: ['n2'] }).granted);
  }
});

test('a half that stops asking loses the word when its time is over, not a millisecond sooner', (t) => {
  const { clock, arbiter: chosen } = arbiter();
  chosen.claim({ site: 'north', side: ['n1'] });
  clock.advanceTo(1_000 + leaseMs - 1);
  t.false(chosen.claim({ site: 'north', side: ['n2'] }).granted);
  clock.advanceTo(1_000 + leaseMs);
  t.true(chosen.claim({ site: 'north', side: ['n2'] }).granted);
  t.false(chosen.claim({ site: 'north', side: ['n1'] }).granted);
});

test('the sites have a word each', (t) => {
  const { arbiter: chosen } = arbiter();
  t.true(chosen.claim({ site: 'north', side: ['n1'] }).granted);
  t.true(chosen.claim({ site: 'south', side: ['s2'] }).granted);
});

test('every node of the half that has the word gets it too', (t) => {
  const { arbiter: chosen } = arbiter();
  t.true(chosen.claim({ site: 'wide', side: ['w1', 'w2'] }).granted);
  t.true(chosen.claim({ site: 'wide', side: ['w2', 'w1'] }).granted);
  t.false(chosen.claim({ site: 'wide', side: ['w3', 'w4'] }).granted);
});

test('whoever asks when, two halves never have the word of one site at the same time', (t) => {
  const ask = fc.record({ side: fc.constantFrom('n1', 'n2'), passMs: fc.nat(4_000) });
  fc.assert(
    fc.property(fc.array(ask, { maxLength: 60 }), (asks) => {
      const { clock, arbiter: chosen } = arbiter();
      const heldUntilMs = new Map<string, number>();
      for (const { side, passMs } of asks) {
        clock.advanceTo(clock.now() + passMs);
        const { granted, untilMs } = chosen.claim({ site: 'north', side: [side] });
        if (granted) heldUntilMs.set(side, untilMs);
        const holders = [...heldUntilMs.values()].filter((heldMs) => heldMs > clock.now());
        t.true(holders.length <= 1);
        t.true(granted || holders.length === 1, 'refused only while the other half has it');
      }
    }),
  );
});
