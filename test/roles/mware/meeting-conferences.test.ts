/** Times of meetings that come from a node whose clock differs; which conference of a meeting is led. */

import type { ConferenceRecord } from '../../../src/model/protocol/messages/conference.ts';
import { conferencesOf, latestEnds, meetingsIn } from '../../../src/roles/mware/meetings/meeting-runner.ts';
import { test } from '../../kit/test.ts';

const hereMs = 1_700_000_000_000;

const record = (nowMs: number) =>
  ({
    confid: '125-1',
    startts: nowMs - 30_000,
    participants: [{ id: 'p1', sincems: nowMs - 20_000 }],
    meeting: { id: 'm1', called: { '1001': nowMs - 5_000 } },
  }) as unknown as ConferenceRecord;

for (const [what, aheadMs] of [
  ['the same', 0],
  ['a minute ahead', 60_000],
  ['a minute behind', -60_000],
] as const) {
  test(`what happened so long ago there happened so long ago here: the clock there is ${what}`, (t) => {
    const thereMs = hereMs + aheadMs;
    const room = { ...record(thereMs), meeting: undefined };
    const { records, ended } = meetingsIn(
      { conferences: [record(thereMs), room], ended: { m0: thereMs - 90_000 }, nowMs: thereMs },
      hereMs,
    );
    t.deepEqual(records, [record(hereMs)]);
    t.deepEqual(ended, { m0: hereMs - 90_000 });
  });
}

interface Had {
  readonly called?: boolean;
  readonly ending?: boolean;
  readonly meeting?: string;
}

const had = (confid: string, { called = false, ending = false, meeting = 'm1' }: Had = {}) =>
  ({
    confid,
    participants: [],
    meeting: { id: meeting, isEnding: ending, called: called ? { '1001': hereMs } : {} },
  }) as unknown as ConferenceRecord;

// Seed 34929 of the campaign: when the first one ended, its double called all participants again.
for (const [what, records, record, doubles] of [
  ['none', [], undefined, []],
  ['one that has called none', [had('1-1')], '1-1', []],
  ['a new one beside one with participants', [had('1-1'), had('2-1', { called: true })], '2-1', ['1-1']],
  ['two that have called none', [had('1-1'), had('2-1')], '1-1', ['2-1']],
  ['two with participants', [had('1-1', { called: true }), had('2-1', { called: true })], '1-1', []],
  ['a new one beside one that ends', [had('1-1', { called: true, ending: true }), had('2-1')], '1-1', ['2-1']],
  ['a double that ends', [had('1-1', { called: true }), had('2-1', { ending: true })], '1-1', []],
  ['one of another meeting', [had('1-1'), had('2-1', { meeting: 'm2' })], '1-1', []],
] as const) {
  test(`of the conferences of a meeting one is led, and doubles without participants are ended: ${what}`, (t) => {
    const found = conferencesOf('m1', records);
    t.is(found.record?.confid, record);
    t.deepEqual(
      found.doubles.map(({ confid }) => confid),
      [...doubles],
    );
  });
}

test('a meeting that has ended at two conf instances has ended when the later one says', (t) => {
  const [one, other] = [
    { m1: hereMs, m2: hereMs - 1_000 },
    { m1: hereMs - 60_000, m3: hereMs },
  ];
  const ends = { m1: hereMs, m2: hereMs - 1_000, m3: hereMs };
  t.deepEqual(Object.fromEntries(latestEnds([one, other])), ends);
  t.deepEqual(Object.fromEntries(latestEnds([other, one])), ends);
});
