/** Records of one call, put together: in whichever order and however often, one record comes of them. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Cdr } from '../../../src/model/protocol/messages/callstore.ts';
import { markOf, mergeRecords, recordOf } from '../../../src/model/recording/call-record.ts';
import { holds, sized } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const parties = ['1001', '1002', '1003'].map((name) => ({
  side: 'a',
  kind: 'sipuser',
  domain: 'd',
  name,
  number: name,
}));

const record: fc.Arbitrary<Cdr> = fc
  .record({
    inviteid: fc.constant('i'),
    dialogid: fc.constantFrom('', '1', '2'),
    acallid: fc.constantFrom('', 'x', 'y'),
    site: fc.constantFrom('hq', 'north'),
    from: fc.constantFrom('', '<sip:1@d>'),
    to: fc.constantFrom('', '<sip:2@d>', '<sip:3@d>'),
    startts: fc.integer({ min: 0, max: 4 }),
    answerts: fc.option(fc.integer({ min: 2, max: 6 })),
    endts: fc.integer({ min: 4, max: 9 }),
    type: fc.constantFrom('dead', 'bye', 'cancel'),
    status: fc.constantFrom(null, 200, 487),
    reason: fc.constantFrom('', 'OK'),
    participations: fc.subarray(parties),
    domains: fc.subarray(['a', 'b']),
  })
  .map(recordOf);

test('what several know of a call makes the same record in whichever order it is put together', (t) =>
  holds(
    t,
    fc.property(record, record, record, (one, two, three) => {
      assert.deepEqual(mergeRecords(one, two), mergeRecords(two, one));
      const left = mergeRecords(mergeRecords(one, two), three);
      const right = mergeRecords(one, mergeRecords(two, three));
      // Which name fills the place of one that is not known may depend on the order; what counts does not.
      assert.equal(markOf(left), markOf(right));
      assert.deepEqual(mergeRecords(left, left), left);
      assert.deepEqual(mergeRecords(mergeRecords(one, two), two), mergeRecords(one, two));
    }),
    { numRuns: sized(125, 500) },
  ));

const heard = recordOf({
  inviteid: 'i',
  dialogid: '1',
  acallid: 'a',
  site: 'north',
  from: '<sip:1@d>',
  to: '<sip:2@d>',
  startts: 1_000,
  answerts: 3_000,
  endts: 9_000,
  type: 'bye',
  status: 200,
  reason: 'OK',
  participations: [],
  domains: ['d'],
});

test('an end that was heard outweighs dead, even a later one', (t) => {
  const dead = recordOf({ ...heard, answerts: null, endts: 12_000, type: 'dead', status: null, reason: '' });
  t.deepEqual(mergeRecords(dead, heard), heard);
});

test('durations follow from the times', (t) => {
  t.is(heard.durationms, 8_000);
  t.is(heard.talkms, 6_000);
  t.is(recordOf({ ...heard, answerts: null }).talkms, 0);
});

test('of two dialogs of a call the first gives the names and the last the end', (t) => {
  const second = { ...heard, dialogid: '2', startts: 5_000, answerts: 6_000, endts: 20_000, type: 'cancel' };
  const merged = mergeRecords(recordOf(second), heard);
  t.is(merged.dialogid, '1');
  t.deepEqual([merged.startts, merged.answerts, merged.endts, merged.type], [1_000, 3_000, 20_000, 'cancel']);
});
