/** Time zones of the platform: offsets from UTC in hours, or `default`. (documented; the bounds are public) */

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
