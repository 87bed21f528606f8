/** Record rules: what matches, and which rule decides. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { limits } from '../../../src/model/limits.ts';
import {
  inForce,
  isWithin,
  type Period,
  periodSchema,
  type RecordableCall,
  type RuleRecord,
  recordingRule,
} from '../../../src/model/recording/recording.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

/** A Monday, noon. */
const monday = Date.UTC(2026, 10, 23, 12);
const hourMs = 3_600_000;
const call: RecordableCall = { dir: 'inner', from: '1001', to: '1002', crossdomain: '', atMs: monday };

function rule(more: Partial<RuleRecord> = {}): RuleRecord {
  const any = { dir: '', fromnumber: '', tonumber: '', crossdomain: '' } as const;
  return { priority: 0, ...any, rec: 1, schedule: 'all', periods: [], ...more };
}

const nights: Period[] = [{ days: [7], from: '22:00', to: '06:00' }];

const isRecorded = (rules: readonly RuleRecord[], seen: RecordableCall) => recordingRule(rules, seen) !== undefined;

const table: readonly [rule: Partial<RuleRecord>, call: Partial<RecordableCall>, isRecorded: boolean][] = [
  [{}, {}, true],
  [{ rec: 0 }, {}, false],
  [{ dir: 'inner' }, {}, true],
  [{ dir: 'incoming' }, {}, false],
  [{ dir: 'incoming' }, { dir: 'incoming' }, true],
  [{ dir: 'outgoing' }, { dir: 'incoming' }, false],
  [{ fromnumber: '1001' }, {}, true],
  [{ fromnumber: '1002' }, {}, false],
  [{ tonumber: '10*' }, {}, true],
  [{ tonumber: '*2' }, {}, true],
  [{ tonumber: '1*0*2' }, {}, true],
  [{ tonumber: '*3' }, {}, false],
  [{ tonumber: '*' }, { to: '' }, true],
  [{ tonumber: '7*486' }, { to: '7*486' }, true],
  [{ tonumber: '_00_' }, {}, false],
  [{ tonumber: '%*' }, {}, false],
  [{ fromnumber: '1001', tonumber: '9' }, {}, false],
  [{ crossdomain: '' }, { crossdomain: 'globex.test' }, false],
  [{ crossdomain: '*' }, { crossdomain: 'globex.test' }, true],
  [{ crossdomain: '*' }, {}, true],
  [{ crossdomain: 'globex.test' }, { crossdomain: 'globex.test' }, true],
  [{ crossdomain: '*.test' }, { crossdomain: 'globex.test' }, true],
  [{ crossdomain: 'globex.test' }, {}, false],
  [{ schedule: 'work' }, {}, true],
  [{ schedule: 'work' }, { atMs: monday - 24 * hourMs }, false],
  [{ schedule: 'work' }, { atMs: monday + 6 * hourMs }, false],
  [{ schedule: 'work', periods: [{ days: [1], from: '12:00', to: '12:01' }] }, {}, true],
  [{ schedule: 'work', periods: [{ days: [1], from: '12:01', to: '24:00' }] }, {}, false],
  [{ schedule: 'all', periods: [{ days: [2], from: '00:00', to: '24:00' }] }, {}, true],
  [{ schedule: 'work', periods: nights }, { atMs: monday - 14 * hourMs }, true],
  [{ schedule: 'work', periods: nights }, { atMs: monday - 7 * hourMs }, true],
  [{ schedule: 'work', periods: nights }, { atMs: monday - 6 * hourMs }, false],
  [{ schedule: 'work', periods: nights }, { atMs: monday + 10 * hourMs }, false],
];

test('a rule covers the calls that its fields say', (t) => {
  for (const [more, seen, expected] of table) {
    t.is(isRecorded(inForce([rule(more)]), { ...call, ...seen }), expected, JSON.stringify([more, seen]));
  }
});

test('nothing is recorded that no rule covers', (t) => {
  t.false(isRecorded([], call));
  t.deepEqual(inForce([rule({ rec: 0 })]), []);
});

test('rules after a rule for all calls, and refusing rules without a later permission, are left out', (t) => {
  const all = rule({ crossdomain: '*', priority: 5 });
  const before = rule({ rec: 0, fromnumber: '1', priority: 1 });
  t.deepEqual(inForce([rule({ priority: 6 }), all, before]), [before, all]);
  t.deepEqual(inForce([{ ...all, rec: 0 }, rule({ priority: 6 }), before]), []);
});

test('of more rules than may count those with the lowest priorities do', (t) => {
  const many = Array.from({ length: limits.recordRules + 1 }, (_, index) => rule({ priority: -index, tonumber: '9' }));
  const all = inForce([...many, rule({ priority: 1 })]);
  t.is(all.length, limits.recordRules);
  t.deepEqual([all[0]?.priority, all.at(-1)?.priority], [-limits.recordRules, -1]);
});

const anyRule = fc.record({
  priority: fc.integer({ min: 0, max: 3 }),
  dir: fc.constantFrom('', 'incoming', 'inner', 'outgoing'),
  fromnumber: fc.constantFrom('', '1*', '1001', '9'),
  tonumber: fc.constantFrom('', '*2', '9'),
  crossdomain: fc.constantFrom('', '*', 'globex.test'),
  rec: fc.constantFrom(0, 1),
  schedule: fc.constantFrom('all', 'work'),
  periods: fc.constant([]),
}) as fc.Arbitrary<RuleRecord>;
const anyCall = fc.record({
  dir: fc.constantFrom('incoming', 'inner', 'outgoing'),
  from: fc.constantFrom('1001', '2001'),
  to: fc.constantFrom('1002', '9'),
  crossdomain: fc.constantFrom('', 'globex.test'),
  atMs: fc.constantFrom(monday, monday - 24 * hourMs),
}) as fc.Arbitrary<RecordableCall>;

test('the lowest priority that matches decides, in whichever order the rules come', (t) =>
  holds(
    t,
    fc.property(fc.array(anyRule, { maxLength: 8 }), anyCall, (rules, seen) => {
      // One alone says whether it matches, once it records.
      const matching = rules.filter((each) => isRecorded([{ ...each, rec: 1 }], seen));
      const lowest = Math.min(...matching.map(({ priority }) => priority));
      const first = matching.find(({ priority }) => priority === lowest);
      assert.equal(isRecorded(inForce(rules), seen), first?.rec === 1);
      const distinct = rules.map((each, index) => ({ ...each, priority: each.priority * 10 + index }));
      assert.equal(isRecorded(inForce(distinct), seen), isRecorded(inForce(distinct.toReversed()), seen));
    }),
    { numRuns: sized(125, 500) },
  ));

test('a period holds on its days from its first minute until before its last one', (t) =>
  holds(
    t,
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.nat(1439),
      fc.nat(1439),
      fc.nat(7 * 1440 - 1),
      (day, from, to, at) => {
        fc.pre(from !== to);
        const text = (minute: number) =>
          `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const period = periodSchema.parse({ days: [day], from: text(from), to: text(to) });
        const start = (day - 1) * 1440 + from;
        const length = to > from ? to - from : to + 1440 - from;
        const since = (at - start + 7 * 1440) % (7 * 1440);
        assert.equal(isWithin([period], Date.UTC(2026, 10, 23) + at * 60_000 + 59_999), since < length);
      },
    ),
    { numRuns: sized(125, 500) },
  ));

test('malformed periods are refused', (t) => {
  const good = { days: [1], from: '09:00', to: '18:00' };
  t.true(periodSchema.safeParse(good).success);
  const bad = [
    { days: [] },
    { days: [0] },
    { days: [8] },
    { from: '9:00' },
    { from: '24:01' },
    { from: '24:00' },
    { to: '09:00' },
    { at: 1 },
  ];
  for (const more of bad) t.false(periodSchema.safeParse({ ...good, ...more }).success, JSON.stringify(more));
});
