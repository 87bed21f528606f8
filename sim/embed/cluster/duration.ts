/** Durations in the library: `'250ms'`, `'3s'`, `'1.5m'`, `'1h'`, or a number of milliseconds. */
import { duration } from '../../scenario/language/faults.ts';

export type Duration = string | number;

/** In milliseconds. Throws a `TypeError` that says what was expected. */
export function durationMs(given: Duration): number {
  if (typeof given === 'number' && given >= 0 && Number.isFinite(given)) return given;
  const read = duration.safeParse(given);
  if (read.success) return read.data;
  throw new TypeError(`expected a duration such as '3s', or milliseconds from 0, got ${JSON.stringify(given)}`);
}
