import { isDeeper } from '../json.ts';
import { limits } from '../limits.ts';

/** What is wrong with a query parameter, as data: nothing in this folder throws. The HTTP front answers it with 400. */
export interface QueryFault {
  /** The parameter: `limit`. */
  readonly field: string;
  /** What was wrong and where, for people: `limit: expected an integer from 0 to 10000, got "ten"`. */
  readonly message: string;
}

/** What reading a text gives: a value, or the fault that prevents it. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: QueryFault };

export function good<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function bad(fault: QueryFault): { readonly ok: false; readonly fault: QueryFault } {
  return { ok: false, fault };
}

/** A fault of `field`; `path` leads to the place inside it: `[1][2]`. */
export function faultAt(field: string, path: string, problem: string): QueryFault {
  return { field, message: `${field}${path}: ${problem}` };
}

/** A fault about a value that is not what it must be. */
export function unexpected(field: string, path: string, { wanted, got }: { wanted: string; got: unknown }): QueryFault {
  return faultAt(field, path, `expected ${wanted}, got ${shown(got)}`);
}

const shownLetters = 60;

/** A value as a message names it: scalars as JSON and cut when long, composites by their kind only (they may be deep). */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = JSON.stringify(value);
  return text.length > shownLetters ? `${text.slice(0, shownLetters)}…` : text;
}

/** The value of the JSON text of a parameter: `undefined` (which no JSON text means) where it is malformed. */
export function readJson(field: string, text: string): Parsed<unknown> {
  if (isDeeper(text, limits.jsonDepth)) return bad(faultAt(field, '', `nested deeper than ${limits.jsonDepth}`));
  try {
    return good(JSON.parse(text));
  } catch {
    return good(undefined);
  }
}
