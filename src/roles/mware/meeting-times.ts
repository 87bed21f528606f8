/** What a conf instance tells of its meetings, in times of the own clock: the clocks of two nodes need not agree. */
import type { ReplyOf } from '../../model/protocol/catalogue.ts';
import type { ConferenceRecord } from '../../model/protocol/conference.ts';

type Listed = ReplyOf<'conference.list'>;

/** Those conferences that are meetings, and when others have ended; `nowMs`: when it came, by the own clock. */
export function meetingsIn({ conferences, ended = {}, nowMs: thereMs }: Listed, nowMs: number) {
  const byMs = nowMs - thereMs;
  const records = conferences.filter(({ meeting }) => meeting !== undefined).map((each) => shifted(each, byMs));
  return { records, ended: shiftedAll(ended, byMs) };
}

function shifted(record: ConferenceRecord, byMs: number): ConferenceRecord {
  const { startts, participants, meeting } = record;
  return {
    ...record,
    startts: startts + byMs,
    participants: participants.map((each) => ({ ...each, sincems: each.sincems + byMs })),
    meeting: meeting && { ...meeting, called: shiftedAll(meeting.called, byMs) },
  };
}

function shiftedAll(times: Readonly<Record<string, number>>, byMs: number): Record<string, number> {
  return Object.fromEntries(Object.entries(times).map(([id, atMs]) => [id, atMs + byMs]));
}
