/** Times of meetings that come from a node whose clock differs. */

import type { ConferenceRecord } from '../../../src/model/protocol/messages/conference.ts';
import { meetingsIn } from '../../../src/roles/mware/meetings.ts';
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
