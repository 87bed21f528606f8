/** The registration of a device, as one sr instance has it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type BindingEvent, bindingMachine } from '../../../src/machines/registration/binding.ts';
import { type Binding, bindingOf, copyOf, isNewer } from '../../../src/model/binding.ts';
import { machineTable } from '../../kit/machine-table.ts';
import { walk } from '../../kit/machine-walk.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const longestMs = 10_000;
const binding = (changedMs: number, expiresMs: number, more: Partial<Binding> = {}): Binding => ({
  domain: 'acme.root.test',
  login: '1001',
  userid: 'u',
  device: 'd1',
  contact: 'sip:1001@10.100.0.1:5060',
  path: 'north/n1/sg-213',
  callid: 'c',
  cseq: 1,
  userAgent: 'phone',
  ha1: '',
  expiresMs,
  changedMs,
  isRemoved: false,
  ...more,
});
const removal = (changedMs: number): Binding => binding(changedMs, changedMs, { isRemoved: true });
const copied = (copy: Binding, atMs = 0): BindingEvent => ({ type: 'copy.received', binding: copy, atMs });

const held = binding(100, 5_000);
const older = copied(binding(99, 9_000), 200);
const newer = copied(binding(101, 6_000), 200);
const newerButOver = copied(binding(101, 150), 200);
const registered = { type: 'report.registered' } as const;
const refreshed = { type: 'report.refreshed' } as const;
const removed = { type: 'report.removed' } as const;
const expired = { type: 'report.expired' } as const;
const kept = { after: { binding: newer.binding, atMs: 200 } };
const unchanged = { after: { binding: held, atMs: 100 } };

machineTable(test, 'a binding', {
  machine: bindingMachine,
  events: { 'copy.received': true },
  context: { binding: held, atMs: 100, longestMs },
  rows: [
    ['registered', newer, 'registered', [refreshed], kept],
    ['registered', older, 'registered', [], unchanged],
    ['registered', copied(held, 200), 'registered', [], unchanged],
    ['registered', copied(removal(99), 200), 'registered', [], unchanged],
    ['registered', copied(removal(100), 200), 'removed', [removed]],
    ['registered', newerButOver, 'expired', [expired]],

    ['expired', newer, 'registered', [registered], kept],
    ['expired', older, 'expired', [], unchanged],
    ['expired', copied(removal(101), 200), 'removed', []],
    ['expired', newerButOver, 'expired', [], { after: { atMs: 200 } }],

    ['removed', newer, 'registered', [registered], kept],
    ['removed', older, 'removed', [], unchanged],
    ['removed', copied(removal(101), 200), 'removed', [], { after: { atMs: 200 } }],
    ['removed', newerButOver, 'expired', []],
  ],
  input: { binding: binding(0, 4_000), atMs: 0, longestMs },
  deadlines: [
    [[], 'registered', 4_000, 'expired', [expired]],
    [[4_000], 'expired', 6_000, 'gone', []],
    [[1_000, copied(binding(1_000, 3_000), 1_000)], 'registered', 2_000, 'expired', [expired]],
    [[1_000, copied(removal(1_000), 1_000)], 'removed', 10_000, 'gone', []],
    [[3_000, copied(removal(1_000), 3_000)], 'removed', 8_000, 'gone', []],
    [[3_000, copied({ ...removal(1_000), keptMs: 50_000 }, 3_000)], 'removed', 48_000, 'gone', []],
    [[3_000, copied(removal(1_000), 3_000), 500, copied(removal(500), 3_500)], 'removed', 7_500, 'gone', []],
  ],
});

test('a copy that comes too late is a tombstone from the start, and emits no command', (t) => {
  for (const late of [removal(0), binding(0, 50)]) {
    const walked = walk(bindingMachine, { input: { binding: late, atMs: 100, longestMs } });
    t.is(walked.state, late.isRemoved ? 'removed' : 'expired');
    t.deepEqual(walked.commands, []);
    walked.pass(longestMs - 100);
    t.is(walked.state, 'gone');
  }
});

const copies = fc
  .record({
    changedMs: fc.integer({ min: 0, max: 5 }),
    isRemoved: fc.boolean(),
    cseq: fc.integer({ min: 0, max: 2 }),
    callid: fc.constantFrom('a', 'b'),
    path: fc.constantFrom('p', 'q'),
  })
  // Copies of one binding end at one time, but for the time on the way, which is none here.
  .map((rest) => binding(rest.changedMs, rest.changedMs + 2 * rest.cseq, rest));

test('of any two copies that differ exactly one is newer, and of any three the newest is newest in any order', async (t) => {
  await holds(
    t,
    fc.property(copies, copies, copies, (a, b, c) => {
      const isSame = JSON.stringify(a) === JSON.stringify(b);
      assert.equal(Number(isNewer(a, b)) + Number(isNewer(b, a)), isSame ? 0 : 1);
      if (isNewer(a, b) && isNewer(b, c)) assert.ok(isNewer(a, c));
    }),
    { numRuns: sized(125, 500) },
  );
});

const times = fc.integer({ min: -100_000, max: 100_000 });

test('a binding is the same after it is copied and read back at one time', async (t) => {
  const same = (one: Binding, nowMs: number) => assert.deepEqual(bindingOf(copyOf(one, nowMs), nowMs), one);
  await holds(t, fc.property(copies, times, same), { numRuns: sized(75, 300) });
});

test('it ends everywhere within the times on the way, whatever the clocks show, and no copy of it replaces another', async (t) => {
  const ways = fc.array(fc.record({ aheadMs: times, tookMs: fc.integer({ min: 0, max: 50 }) }), { maxLength: 5 });
  await holds(
    t,
    fc.property(copies, ways, (first, hops) => {
      let [atMs, aheadMs, held] = [0, 0, first];
      for (const hop of hops) {
        const copy = copyOf(held, atMs + aheadMs);
        atMs += hop.tookMs;
        aheadMs = hop.aheadMs;
        held = bindingOf(copy, atMs + aheadMs);
        assert.equal(held.expiresMs - aheadMs, first.expiresMs + atMs);
        assert.ok(!isNewer(held, first) && !isNewer(first, held));
      }
    }),
    { numRuns: sized(75, 300) },
  );
});

test('any copies, in any order and doubled, leave the same binding in the same state', async (t) => {
  const resultOf = (sequence: readonly Binding[]) => {
    const [first, ...rest] = sequence;
    const walked = walk(bindingMachine, { input: { binding: first as Binding, atMs: 3, longestMs } });
    for (const copy of rest) walked.send(copied(copy, 3));
    const result = [walked.state, walked.context.binding];
    walked.stop();
    return result;
  };
  const sequences = fc
    .array(copies, { minLength: 1, maxLength: 6 })
    .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 })));
  await holds(
    t,
    fc.property(sequences, ([plain, shuffled]) => assert.deepEqual(resultOf(shuffled), resultOf(plain))),
    { numRuns: sized(75, 300) },
  );
});
