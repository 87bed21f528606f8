/**
 * The key layout of a callstore's call records. `w` holds the records in the order in which they were written; the others
 * lead to them: `r` by inviteid, `t` and `d` (of one domain) by the end of the call. `p` notes, for another member of the
 * group, how far records were compared with it.
 */
import type { StoreRange } from '../../ports/store.ts';

const sequenceDigits = 12;
const timeDigits = 15;

export const keys = {
  /** An id of the store itself, which tells it from one that was lost and made anew. */
  identity: 'identity',
  written: (sequence: number) => `w/${padded(sequence, sequenceDigits)}`,
  record: (inviteid: string) => `r/${inviteid}`,
  ended: (endts: number, inviteid: string) => `t/${padded(endts, timeDigits)}/${inviteid}`,
  endedIn: (domain: string, endts: number, inviteid: string) => `d/${domain}/${padded(endts, timeDigits)}/${inviteid}`,
  progress: (member: string) => `p/${member}`,
};

/** All keys below a prefix that ends with `/`, which is followed by `0`. */
export function under(prefix: string, range: StoreRange = {}): StoreRange {
  return { from: prefix, to: `${prefix.slice(0, -1)}0`, ...range };
}

export function sequenceIn(writtenKey: string): number {
  return Number(writtenKey.slice(2));
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}
