/** How large a test draws: small in `npm test`, large in `npm run test:long`. */
export const isLong = process.env['STROWGER_LONG'] !== undefined;

export function sized(small: number, large: number): number {
  return isLong ? large : small;
}
