/** Named goals of a long campaign: rare situations without which it shows little about races and recovery. */
import type { CoverageKind } from './universe.ts';

export interface CoverageGoal {
  readonly kind: CoverageKind;
  /** What a run reaches that meets it. */
  readonly reached: string;
}

export const coverageGoals: Readonly<Record<string, CoverageGoal>> = {
  'an answer crosses a CANCEL': { kind: 'transitions', reached: 'leg: cancelling > clearing' },
  'an answered call is ended before its ACK': { kind: 'transitions', reached: 'leg: answering > hanging' },
  'both ends of a leg offer media at once': { kind: 'transitions', reached: 'leg: offering > glare' },
  'a call ends during a transfer': { kind: 'transitions', reached: 'transfer: passing > over' },
  'a call ends while it is recorded': { kind: 'transitions', reached: 'recording: on > over' },
  'a held participant leaves': { kind: 'transitions', reached: 'participant: held > gone' },
  'an expired device registers again': { kind: 'transitions', reached: 'binding: expired > registered' },
  'a unique value is refused': { kind: 'answers', reached: 'POST /rest/v1/uc/sipusers 409' },
  'a list of calls comes in pieces': { kind: 'messages', reached: 'callstore.rest' },
  'recordings are removed': { kind: 'messages', reached: 'callstore.recordings.deleted' },
  'an answer comes after its deadline': { kind: 'events', reached: 'dead_letter.answer_too_late' },
  'an instance crashes': { kind: 'events', reached: 'instance.crashed' },
};
