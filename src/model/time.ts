/** Times as texts, and time zones. A Date is made only here and in the log adapter, and only of a time that is given. */

/** ISO 8601, UTC, with fractional seconds and Z. (documented form of timestamps) */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The form of HTTP headers and cookies: `Sat, 21 Nov 2026 10:00:00 GMT`. */
export function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** The milliseconds of an ISO 8601 text with a time zone; NaN of any other text. */
export function timeOf(text: string): number {
  return new Date(text).getTime();
}

/** The milliseconds of an HTTP date; `undefined` if the text is not one. The form of asctime does not name its zone, which is UTC too. */
export function httpTimeOf(text: string): number | undefined {
  const named = text.endsWith('GMT') ? text : `${text} GMT`;
  const ms = /^[A-Za-z]{3,9},? /.test(text) ? new Date(named).getTime() : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** As lists of files have it: `2026-11-21 10:00:00`, UTC. (documented form; UTC chosen) */
export function plainTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Time zones are offsets from UTC in hours, or `default`. (documented; the bounds are public) */
export const zoneHours = 12;
/** An offset as a text, the way SIP users have it. */
export const zonePattern = /^(|default|[+-]?(12(\.0+)?|(\d|1[01])(\.\d+)?))$/;
export const zoneWanted = `expected "default" or an offset from -${zoneHours} to ${zoneHours} hours as a text, such as "3" or "-5.5"`;

/** The offset that a value names, in hours. `undefined`: it names none, so that the next one decides. */
export function offsetHoursOf(zone: unknown): number | undefined {
  if (typeof zone === 'number') return zone;
  if (typeof zone !== 'string' || zone === 'default' || zone === '' || !zonePattern.test(zone)) return undefined;
  return Number(zone);
}
