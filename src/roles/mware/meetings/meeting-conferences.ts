/** Which conferences are selector meetings, by what the conf instances answer. */
import type { ReplyOf } from '../../../model/protocol/catalogue.ts';
import type { ConferenceRecord } from '../../../model/protocol/messages/conference.ts';

type ListReply = ReplyOf<'conference.list'>;

/**
 * The conferences that are meetings, and when others have ended, in times of the own clock: clocks of nodes differ.
 * `nowMs`: the time of the answer by the own clock.
 */
export function meetingsIn({ conferences, ended = {}, nowMs: thereMs }: ListReply, nowMs: number) {
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

/**
 * `record`: the conference that is the meeting: one that has called participants, before others. `doubles`: others of the meeting,
 * which began during a partition and have called no participant.
 */
export function conferencesOf(
  id: string,
  records: readonly ConferenceRecord[],
): { readonly record: ConferenceRecord | undefined; readonly doubles: readonly ConferenceRecord[] } {
  const all = records.filter(({ meeting }) => meeting?.id === id);
  const record = all.find(hasCalled) ?? all[0];
  return { record, doubles: all.filter((each) => each !== record && !hasCalled(each) && !each.meeting?.isEnding) };
}

function hasCalled({ meeting, participants }: ConferenceRecord): boolean {
  return participants.length > 0 || Object.keys(meeting?.called ?? {}).length > 0;
}
