/** What the stores of a data folder hold, and what a check finds in them. */
import { jsonFault } from '../../src/model/json.ts';

/** A finding of a check of a data folder. */
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

/**
 * What a store holds: the domain data or a copy of them, with contents of files beside; call records; starts of a node; logouts and
 * switches of sessions; runs of scripts; banned addresses.
 */
export type StoreKind = 'rows' | 'contents' | 'calls' | 'starts' | 'sessions' | 'runs' | 'bans';

export interface StoreLocation {
  /** `hq/data-133`. */
  readonly store: string;
  readonly owner: string;
  readonly name: string;
  readonly path: string;
  readonly kind: StoreKind;
  /** What is lost of it comes again from the master. */
  readonly isCopy: boolean;
}

/** What a store holds, by its name; `undefined`: this version does not know it. */
export function kindOf(name: string): StoreKind | undefined {
  return kinds.find(([pattern]) => pattern.test(name))?.[1];
}

const kinds: readonly [pattern: RegExp, kind: StoreKind][] = [
  [/^(data-\d+|sdc-\d+-\d+)$/, 'rows'],
  [/^(data-\d+|sdc-\d+-\d+)-files$/, 'contents'],
  [/^callstore-\d+$/, 'calls'],
  [/^node$/, 'starts'],
  [/^ws-\d+$/, 'sessions'],
  [/^scripts-\d+$/, 'runs'],
  [/^bans-\d+$/, 'bans'],
];
