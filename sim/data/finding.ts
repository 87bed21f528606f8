/** What a check of a data folder finds. */
import { jsonFault } from '../../src/model/json-fault.ts';

export interface Finding {
  /** `damage`: something that was kept is lost or wrong. `note`: worth knowing, and harmless. */
  readonly level: 'damage' | 'note';
  /** The store, by its folder below the data folder: `hq/data-133`. */
  readonly store: string;
  /** The file or the record. Absent: all of the store. */
  readonly at?: string;
  readonly problem: string;
  /** What a repair does about it, and what is lost by that. */
  readonly repair?: string;
}

/** A finding in a line. */
export function findingText({ level, store, at, problem, repair }: Finding, isRepaired: boolean): string {
  const place = at === undefined ? store : `${store}, ${at}`;
  const mended = repair === undefined ? '' : isRepaired ? ` (repaired: ${repair})` : ` (a repair: ${repair})`;
  return `${level}: ${place}: ${problem}${level === 'damage' ? mended : ''}`;
}

/** JSON of a record, or why it is none. */
export function parsedJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { problem: `is not JSON: ${jsonFault(text)}` };
  }
}
