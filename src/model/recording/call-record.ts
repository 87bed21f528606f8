/**
 * The record of a call, merged from the knowledge of several instances. Merging is commutative and associative, so group
 * members with different parts of a call get the same record.
 */
import type { Cdr } from '../protocol/messages/callstore.ts';
import { mergeRecordings, type RecordingList, recordingsMark } from './recording.ts';

/** The facts of a record; times and durations are derived. */
export type CallRecordInput = Omit<Cdr, 'durationms' | 'talkms' | 'recordings'> & {
  readonly recordings?: RecordingList | undefined;
};

export function recordOf(events: CallRecordInput): Cdr {
  const { inviteid, dialogid, acallid, site, from, to, startts, answerts, endts } = events;
  const { type, status, reason, participations, domains, recordings = [] } = events;
  return {
    inviteid,
    dialogid,
    acallid,
    site,
    from,
    to,
    startts,
    answerts,
    endts,
    durationms: Math.max(0, endts - startts),
    talkms: answerts === null ? 0 : Math.max(0, endts - answerts),
    type,
    status,
    reason,
    participations,
    domains,
    ...(recordings.length > 0 && { recordings: [...recordings] }),
  };
}

/** Names come from the part that began first; the end from the part that saw it, or that ended last. */
export function mergeRecords(one: Cdr, other: Cdr): Cdr {
  const { endts, type, status, reason } = endOutweighs(one, other) ? one : other;
  const name = (field: 'dialogid' | 'acallid' | 'site' | 'from' | 'to') => nameOf(field, one, other);
  return recordOf({
    inviteid: one.inviteid,
    dialogid: name('dialogid'),
    acallid: name('acallid'),
    site: name('site'),
    from: name('from'),
    to: name('to'),
    startts: Math.min(one.startts, other.startts),
    answerts: earliest(one.answerts, other.answerts),
    endts,
    type,
    status,
    reason,
    participations: union(one.participations, other.participations),
    domains: union(one.domains, other.domains),
    recordings: mergeRecordings(one.recordings ?? [], other.recordings ?? []),
  });
}

/** A short text that differs when two records of a call differ. */
export function markOf({ startts, answerts, endts, type, participations, domains, recordings }: Cdr): string {
  const mark = [startts, answerts ?? '-', endts, type, participations.length, domains.length];
  return (recordings === undefined ? mark : [...mark, recordingsMark(recordings)]).join('.');
}

function nameOf(field: 'dialogid' | 'acallid' | 'site' | 'from' | 'to', one: Cdr, other: Cdr): string {
  const [first, second] = one.startts <= other.startts ? [one[field], other[field]] : [other[field], one[field]];
  if (one.startts === other.startts) return first > second ? first : second;
  return first || second;
}

/** An observed end outweighs `dead`, which is used when no end was observed; else the later one counts. */
function endOutweighs(one: Cdr, other: Cdr): boolean {
  const isDead = one.type === 'dead';
  if (isDead !== (other.type === 'dead')) return !isDead;
  if (one.endts !== other.endts) return one.endts > other.endts;
  return JSON.stringify([one.type, one.status, one.reason]) >= JSON.stringify([other.type, other.status, other.reason]);
}

function earliest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/** The elements of both, in an order that does not depend on the arguments; of participations, side a first. */
function union<T>(first: readonly T[], second: readonly T[]): T[] {
  const all = new Map([...first, ...second].map((each) => [JSON.stringify(each), each]));
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
