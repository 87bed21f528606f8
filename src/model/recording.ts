/**
 * Recordings of calls: what was recorded, when, and which sides were heard. The sound file is made of that whenever somebody
 * wants it (`recording-wav.ts`), so that this is all that is kept.
 */
import { z } from 'zod';

export const recordingSchema = z.strictObject({
  /** The call, and which one of its recordings it is, counted from 1. */
  dialogid: z.string(),
  n: z.int(),
  /** When it begins and ends (ms since the epoch); without an end it goes on, or nobody has told of its end yet. */
  startts: z.int(),
  endts: z.int().optional(),
  /** Who is heard, from when on (ms after the start): side a, side b. The first is at 0, the others follow in order. */
  heard: z.array(z.tuple([z.int(), z.boolean(), z.boolean()])),
  /** Nothing of it is kept but that it was there, so that nobody who missed that brings it back. */
  isDeleted: z.literal(true).optional(),
});
export type Recording = z.infer<typeof recordingSchema>;

export type Recordings = readonly Recording[];

/** The name of its file. (chosen) */
export function fileNameOf({ dialogid, n }: Pick<Recording, 'dialogid' | 'n'>): string {
  return `${dialogid}-${n}.wav`;
}

/** Its length in milliseconds, when it is over. */
export function lengthMsOf({ startts, endts = startts }: Recording): number {
  return Math.max(0, endts - startts);
}

/** Those of which there is a file: over, and not deleted. */
export function filesOf(recordings: Recordings | undefined): Recording[] {
  return (recordings ?? []).filter(({ endts, isDeleted }) => endts !== undefined && isDeleted !== true);
}

/** Ends those of a call that go on. The same list where none does. */
export function withEnds(recordings: Recordings, dialogid: string, endts: number): Recordings {
  const goesOn = (each: Recording) => each.dialogid === dialogid && each.endts === undefined;
  if (!recordings.some(goesOn)) return recordings;
  return recordings.map((each) => (goesOn(each) ? { ...each, endts: Math.max(each.startts, endts) } : each));
}

/** What is left of a recording that is deleted. */
export function deletedOf({ dialogid, n, startts, endts = startts }: Recording): Recording {
  return { dialogid, n, startts, endts, heard: [], isDeleted: true };
}

/**
 * What two know of the recordings of a call, put together; the same whoever does it, in whichever order. A deleted one stays
 * deleted. Who heard more changes heard it longer. Of two ends the earlier is the one that was heard, the other was assumed.
 */
export function mergeRecordings(one: Recordings, other: Recordings): Recordings {
  if (one === other || other.length === 0) return one;
  if (one.length === 0) return other;
  const all = new Map(one.map((each) => [fileNameOf(each), each]));
  for (const each of other) {
    const name = fileNameOf(each);
    const known = all.get(name);
    all.set(name, known === undefined ? each : merged(known, each));
  }
  return [...all.values()].sort(byTime);
}

/** A short text that differs where what is known of the recordings differs. */
export function recordingsMark(recordings: Recordings): string {
  return recordings
    .map(({ endts, heard, isDeleted }) => (isDeleted ? 'x' : `${endts ?? ''}/${heard.length}`))
    .join(',');
}

function merged(one: Recording, other: Recording): Recording {
  if (one.isDeleted || other.isDeleted) return deletedOf(earliestEnd(one, other));
  const { heard } = knowsMore(other, one) ? other : one;
  return { ...earliestEnd(one, other), heard };
}

function earliestEnd(one: Recording, other: Recording): Recording {
  const isOther = other.endts !== undefined && (one.endts === undefined || other.endts < one.endts);
  return isOther ? other : one;
}

function knowsMore({ heard: one }: Recording, { heard: other }: Recording): boolean {
  if (one.length !== other.length) return one.length > other.length;
  return JSON.stringify(one) > JSON.stringify(other);
}

function byTime(one: Recording, other: Recording): number {
  if (one.startts !== other.startts) return one.startts - other.startts;
  if (one.dialogid !== other.dialogid) return one.dialogid < other.dialogid ? -1 : 1;
  return one.n - other.n;
}
