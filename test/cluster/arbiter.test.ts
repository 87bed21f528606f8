/** The leases of an arbiter. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { VirtualClock } from '../../sim/ports/virtual-clock.ts';
import { Arbiter } from '../../src/cluster/membership/arbiter.ts';
import { RunningActors } from '../kit/cluster/actors.ts';
import { defaultMap } from '../kit/maps.ts';
import { holds } from '../kit/property.ts';
import { test } from '../kit/test.ts';

const leaseMs = 3_000;

/**
 * Arbiter h2 of the default cluster, the second of north and the first of south, with what is true of its surroundings. `ageMs`: since its
 * start.
 */
function arbiter({ ageMs = leaseMs } = {}) {
  const clock = new VirtualClock(1_000 - ageMs);
  const around = { isQuorate: true, hears: false };
  const view = {
    self: defaultMap.node('h2'),
    isReportedReachable: ({ name }: { name: string }) => name === 'h1' && around.hears,
  };
  const actors = new RunningActors(clock);
  const asked = new Arbiter({ map: defaultMap, view, find: actors.find, isQuorate: () => around.isQuorate });
  for (const site of [...asked.sites, 'wide']) actors.run(Arbiter.id(site), asked.logic, { leaseMs });
  clock.advanceTo(1_000);
  const claim = (site: string, ...side: string[]) => {
    const outcome = asked.claim({ site, side });
    return outcome.ok ? outcome.value : { granted: undefined, code: outcome.fault.code };
  };
  return { clock, around, claim };
}

test('the half that claims first is granted the lease', (t) => {
  const { claim } = arbiter();
  t.deepEqual(claim('north', 'n1'), { granted: true });
  t.deepEqual(claim('north', 'n2'), { granted: false });
});

test('an arbiter that has just started grants nothing as long as a lease of its earlier life may hold', (t) => {
  const { clock, claim } = arbiter({ ageMs: 0 });
  t.deepEqual(claim('north', 'n1'), { granted: false });
  clock.advanceTo(1_000 + leaseMs - 1);
  t.deepEqual(claim('north', 'n2'), { granted: false });
  clock.advanceTo(1_000 + leaseMs);
  t.deepEqual(claim('north', 'n2'), { granted: true });
});

test('a half keeps the word as long as it goes on asking', (t) => {
  const { clock, claim } = arbiter();
  for (let ask = 0; ask < 20; ask += 1) {
    t.true(claim('north', 'n1').granted);
    clock.advanceTo(clock.now() + leaseMs - 1);
    t.false(claim('north', 'n2').granted);
  }
});

test('a half that stops asking loses the word when its time is over, not a millisecond sooner', (t) => {
  const { clock, claim } = arbiter();
  claim('north', 'n1');
  clock.advanceTo(1_000 + leaseMs - 1);
  t.false(claim('north', 'n2').granted);
  clock.advanceTo(1_000 + leaseMs);
  t.true(claim('north', 'n2').granted);
  t.false(claim('north', 'n1').granted);
});

test('the sites have a word each', (t) => {
  const { claim } = arbiter();
  t.true(claim('north', 'n1').granted);
  t.true(claim('south', 's2').granted);
});

test('every node of the half that has the word gets it too', (t) => {
  const { claim } = arbiter();
  t.true(claim('wide', 'w1', 'w2').granted);
  t.true(claim('wide', 'w2', 'w1').granted);
  t.false(claim('wide', 'w3', 'w4').granted);
});

test('whatever the order of requests, two halves never hold the lease of one site at the same time', async (t) => {
  const ask = fc.record({ side: fc.constantFrom('n1', 'n2'), passMs: fc.nat(4_000) });
  await holds(
    t,
    fc.property(fc.array(ask, { maxLength: 60 }), (asks) => {
      const { clock, claim } = arbiter();
      const heldUntilMs = new Map<string, number>();
      for (const { side, passMs } of asks) {
        clock.advanceTo(clock.now() + passMs);
        const { granted } = claim('north', side);
        if (granted) heldUntilMs.set(side, clock.now() + leaseMs);
        const holders = [...heldUntilMs.values()].filter((heldMs) => heldMs > clock.now());
        assert.ok(holders.length <= 1);
        assert.ok(granted || holders.length === 1, 'refused only while the other half has it');
      }
    }),
  );
});

test('an arbiter that is cut off from most of its site gives no word, and says so', (t) => {
  const { around, claim } = arbiter();
  around.isQuorate = false;
  t.like(claim('north', 'n1'), { granted: undefined, code: 'standby' });
  around.isQuorate = true;
  t.true(claim('north', 'n1').granted);
});

test('a later arbiter says no while an earlier one is heard of, and as long as the word of that one may hold', (t) => {
  const { clock, around, claim } = arbiter();
  around.hears = true;
  t.false(claim('north', 'n1').granted);
  t.true(claim('south', 's1').granted, 'of south it is the first');
  around.hears = false;
  clock.advanceTo(1_000 + leaseMs - 1);
  t.false(claim('north', 'n1').granted);
  clock.advanceTo(1_000 + leaseMs);
  t.true(claim('north', 'n2').granted);
  t.false(claim('north', 'n1').granted);
});

test('a later arbiter that has given the word takes it back when an earlier one is there again', (t) => {
  const { around, claim } = arbiter();
  t.true(claim('north', 'n1').granted);
  around.hears = true;
  t.false(claim('north', 'n1').granted);
});

test('a node that is no arbiter of a site refuses its claim', (t) => {
  const { claim } = arbiter();
  t.like(claim('elsewhere', 'n1'), { granted: undefined, code: 'invalid' });
});
