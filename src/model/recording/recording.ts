/** Recordings of calls, and the rules that say which calls are recorded. */
import { z } from 'zod';
import { parseGlob } from '../collection/slices.ts';
import { limits } from '../limits.ts';

/** A recording of a call: its times and the audible sides. `recording-wav.ts` generates the sound file from it on request. */
export const recordingSchema = z.strictObject({
  /** The call, and which one of its recordings it is, counted from 1. */
  dialogid: z.string(),
  n: z.int(),
  /** Begin and end (ms since the epoch); without an end, the recording continues or its end is not known yet. */
  startts: z.int(),
  endts: z.int().optional(),
  /** Who is heard, from when on (ms after the start): side a, side b. The first is at 0, the others follow in order. */
  heard: z.array(z.tuple([z.int(), z.boolean(), z.boolean()])),
  /** For how long after its end there is a file (ms), by the storage rule; absent: until it is deleted. */
  keepMs: z.int().optional(),
  /** A tombstone: only its existence is kept, so that an older copy does not restore it. */
  isDeleted: z.literal(true).optional(),
});
export type CallRecording = z.infer<typeof recordingSchema>;

export type RecordingList = readonly CallRecording[];

/** The name of its file. (chosen) */
export function fileNameOf({ dialogid, n }: Pick<CallRecording, 'dialogid' | 'n'>): string {
  return `${dialogid}-${n}.wav`;
}

/** Its length in milliseconds, when it is over. */
export function lengthMsOf({ startts, endts = startts }: CallRecording): number {
  return Math.max(0, endts - startts);
}

/** Those of which there is a file: over, not deleted, and not expired by their storage rule. */
export function filesOf(recordings: RecordingList | undefined, nowMs: number): CallRecording[] {
  return (recordings ?? []).filter(({ endts, isDeleted, keepMs = Number.POSITIVE_INFINITY }) => {
    return endts !== undefined && isDeleted !== true && nowMs < endts + keepMs;
  });
}

/** Ends those of a call that go on. The same list where none does. */
export function withEnds(recordings: RecordingList, dialogid: string, endts: number): RecordingList {
  const goesOn = (each: CallRecording) => each.dialogid === dialogid && each.endts === undefined;
  if (!recordings.some(goesOn)) return recordings;
  return recordings.map((each) => (goesOn(each) ? { ...each, endts: Math.max(each.startts, endts) } : each));
}

/** What is left of a recording that is deleted. */
export function deletedOf({ dialogid, n, startts, endts = startts }: CallRecording): CallRecording {
  return { dialogid, n, startts, endts, heard: [], isDeleted: true };
}

/**
 * Merges two copies of the recordings of a call; commutative. A deleted recording stays deleted. The copy with more changes
 * of the audible sides is more complete. Of two ends the earlier was observed, the later was assumed.
 */
export function mergeRecordings(one: RecordingList, other: RecordingList): RecordingList {
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
export function recordingsMark(recordings: RecordingList): string {
  return recordings
    .map(({ endts, heard, isDeleted }) => (isDeleted ? 'x' : `${endts ?? ''}/${heard.length}`))
    .join(',');
}

function merged(one: CallRecording, other: CallRecording): CallRecording {
  if (one.isDeleted || other.isDeleted) return deletedOf(earliestEnd(one, other));
  const { heard } = knowsMore(other, one) ? other : one;
  return { ...earliestEnd(one, other), heard };
}

function earliestEnd(one: CallRecording, other: CallRecording): CallRecording {
  const isOther = other.endts !== undefined && (one.endts === undefined || other.endts < one.endts);
  return isOther ? other : one;
}

function knowsMore({ heard: one }: CallRecording, { heard: other }: CallRecording): boolean {
  if (one.length !== other.length) return one.length > other.length;
  return JSON.stringify(one) > JSON.stringify(other);
}

function byTime(one: CallRecording, other: CallRecording): number {
  if (one.startts !== other.startts) return one.startts - other.startts;
  if (one.dialogid !== other.dialogid) return one.dialogid < other.dialogid ? -1 : 1;
  return one.n - other.n;
}

/** `incoming`: from a provider or from another domain, `outgoing`: to one of them, as the domain of the rule sees it. */
export const directions = ['incoming', 'inner', 'outgoing'] as const;
export type Direction = (typeof directions)[number];

const wantedTime = 'expected a time of day such as "09:00"';
const timeOfDay = z.string(wantedTime).regex(/^([01]\d|2[0-3]):[0-5]\d$/, wantedTime);
const endOfDay = z.literal('24:00');
const wantedDays = 'expected days of the week, 1 (Monday) to 7 (Sunday)';

/** Hours of some days of the week, in the time zone of the rule's domain or SIP user. Over midnight where `from` is later than `to`: it is the first day that counts. */
export const periodSchema = z
  .strictObject({
    days: z
      .array(z.int(wantedDays).min(1, wantedDays).max(7, wantedDays), wantedDays)
      .min(1, wantedDays)
      .max(7, wantedDays)
      .describe('Days of the week: 1 is Monday, 7 is Sunday'),
    from: timeOfDay.describe('Start, `hh:mm`'),
    to: z
      .union([timeOfDay, endOfDay], wantedTime)
      .describe('End, `hh:mm` up to `24:00`; earlier than `from`: on the next day'),
  })
  .refine(({ from, to }) => from !== to, 'expected from and to to differ');
export type Period = z.infer<typeof periodSchema>;
export const periodsSchema = z
  .array(periodSchema)
  .max(limits.listItems, `expected at most ${limits.listItems} periods`);

/** Working hours of users without their own. (chosen) */
export const workingHours: readonly Period[] = [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' }];

/**
 * A record rule as b2b applies it: which calls of a domain are recorded. The lowest priority number that matches decides, of
 * equal ones the first; a call that no rule matches is not recorded (public; what matches is chosen).
 */
export const ruleRecordSchema = z.strictObject({
  priority: z.int(),
  dir: z.enum(['', ...directions]),
  fromnumber: z.string(),
  tonumber: z.string(),
  crossdomain: z.string(),
  rec: z.union([z.literal(0), z.literal(1)]),
  schedule: z.enum(['all', 'work']),
  periods: z.array(periodSchema),
  /** For how long its recordings are kept (ms), by its storage rule; absent: until they are deleted. */
  keepMs: z.int().optional(),
});
export type RuleRecord = z.infer<typeof ruleRecordSchema>;

/** A call that connects, as one of its domains sees it. */
export interface RecordableCall {
  readonly dir: Direction;
  readonly from: string;
  readonly to: string;
  /** The other domain of the call; empty where it has only one. */
  readonly crossdomain: string;
  /** When it connects (ms since the epoch), shifted to the time zone of the rules. */
  readonly atMs: number;
}

/** The rule by which a call is recorded, from the result of `inForce`. `undefined`: it is not recorded. */
export function recordingRule(rules: readonly RuleRecord[], connection: RecordableCall): RuleRecord | undefined {
  const first = rules.find((rule) => matches(rule, connection));
  return first?.rec === 1 ? first : undefined;
}

/** The rules that can make a difference, as many as may count, the first one in front. None: nothing is recorded. */
export function inForce(rules: readonly RuleRecord[]): RuleRecord[] {
  const sorted = rules.toSorted((one, other) => one.priority - other.priority);
  const certain = sorted.findIndex(isForAll);
  const decisive = sorted.slice(0, Math.min(limits.recordRules, certain < 0 ? Infinity : certain + 1));
  return decisive.slice(0, decisive.findLastIndex(({ rec }) => rec === 1) + 1);
}

function isForAll({ dir, fromnumber, tonumber, crossdomain, schedule }: RuleRecord): boolean {
  return dir === '' && fromnumber === '' && tonumber === '' && crossdomain === '*' && schedule === 'all';
}

function matches(rule: RuleRecord, { dir, from, to, crossdomain, atMs }: RecordableCall): boolean {
  return (
    (rule.dir === '' || rule.dir === dir) &&
    (rule.fromnumber === '' || fits(from, rule.fromnumber)) &&
    (rule.tonumber === '' || fits(to, rule.tonumber)) &&
    fits(crossdomain, rule.crossdomain) &&
    (rule.schedule === 'all' || isWithin(rule.periods.length === 0 ? workingHours : rule.periods, atMs))
  );
}

/** Whether a text fits a pattern, in which `*` stands for any run of letters. */
function fits(text: string, pattern: string): boolean {
  if (pattern === '*' || pattern === text) return true;
  // A pattern that is too long fits nothing; no field takes one.
  return pattern.includes('*') && parseGlob(pattern)?.matches(text) === true;
}

const dayMs = 86_400_000;

/** Whether a time is within one of the periods. */
export function isWithin(periods: readonly Period[], atMs: number): boolean {
  const minute = Math.floor((atMs % dayMs) / 60_000);
  // The epoch began on a Thursday.
  const day = ((Math.floor(atMs / dayMs) + 3) % 7) + 1;
  const before = day === 1 ? 7 : day - 1;
  return periods.some(({ days, from, to }) => {
    const [begin, end] = [minuteOf(from), minuteOf(to)];
    if (begin < end) return days.includes(day) && minute >= begin && minute < end;
    return (days.includes(day) && minute >= begin) || (days.includes(before) && minute < end);
  });
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
