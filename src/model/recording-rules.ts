/**
 * Record rules: which calls of a domain are recorded. The lowest priority number that matches decides, of equal ones the
 * first; a call that no rule matches is not recorded (public; what matches is chosen).
 */
import { z } from 'zod';
import { parseGlob } from './collection/like.ts';
import { limits } from './limits.ts';

/** `incoming`: from a provider or from another domain, `outgoing`: to one of them, as the domain of the rule sees it. */
export const directions = ['incoming', 'inner', 'outgoing'] as const;
export type Direction = (typeof directions)[number];

const wantedTime = 'expected a time of day such as "09:00"';
const timeOfDay = z.string(wantedTime).regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, wantedTime);
const wantedDays = 'expected days of the week, 1 (Monday) to 7 (Sunday)';

/** Hours of some days of the week, UTC. Over midnight where `from` is later than `to`: it is the first day that counts. */
export const periodSchema = z
  .strictObject({
    days: z
      .array(z.int(wantedDays).min(1, wantedDays).max(7, wantedDays), wantedDays)
      .min(1, wantedDays)
      .max(7, wantedDays)
      .describe('Days of the week: 1 is Monday, 7 is Sunday'),
    from: timeOfDay.describe('Start, `hh:mm` UTC'),
    to: timeOfDay.describe('End, `hh:mm` UTC; earlier than `from`: on the next day'),
  })
  .refine(({ from, to }) => from !== to, 'expected from and to to differ');
export type Period = z.infer<typeof periodSchema>;
export const periodsSchema = z
  .array(periodSchema)
  .max(limits.listItems, `expected at most ${limits.listItems} periods`);

/** When somebody works who has not said so. (chosen) */
export const workingHours: readonly Period[] = [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '18:00' }];

/** A rule as b2b applies it. */
export const ruleRecordSchema = z.strictObject({
  priority: z.int(),
  dir: z.enum(['', ...directions]),
  fromnumber: z.string(),
  tonumber: z.string(),
  crossdomain: z.string(),
  rec: z.union([z.literal(0), z.literal(1)]),
  schedule: z.enum(['all', 'work']),
  periods: z.array(periodSchema),
});
export type RuleRecord = z.infer<typeof ruleRecordSchema>;

/** A call that connects, as one of its domains sees it. */
export interface Connection {
  readonly dir: Direction;
  readonly from: string;
  readonly to: string;
  /** The other domain of the call; empty where it has only one. */
  readonly crossdomain: string;
  /** When it connects (ms since the epoch). */
  readonly atMs: number;
}

/** Whether the rules, as `inForce` gives them, say that a call is recorded. */
export function isRecorded(rules: readonly RuleRecord[], connection: Connection): boolean {
  return rules.find((rule) => matches(rule, connection))?.rec === 1;
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

function matches(rule: RuleRecord, { dir, from, to, crossdomain, atMs }: Connection): boolean {
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
