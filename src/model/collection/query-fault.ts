/** Problems of query parameters as data. */
import { isDeeper } from '../json.ts';
import { limits } from '../limits.ts';

/** A problem of a query parameter, as data: nothing in this folder throws. The front answers it with 400. */
export interface QueryFault {
  /** The parameter: `limit`. */
  readonly field: string;
  /** What is wrong and where: `limit: expected an integer from 0 to 10000, got "ten"`. */
  readonly message: string;
}

/** The result of reading a text: a value, or a fault. */
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

/** A fault about an unexpected value. */
export function unexpected(field: string, path: string, { wanted, got }: { wanted: string; got: unknown }): QueryFault {
  return faultAt(field, path, `expected ${wanted}, got ${shown(got)}`);
}

const shownChars = 60;

/** A value for an error message: scalars as JSON, shortened; composites by their kind only, because they may be deep. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'an array' : 'an object';
  const text = JSON.stringify(value);
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text;
}

/** The value of a parameter's JSON text; `undefined`, which no JSON text means, if it is malformed. */
export function readJson(field: string, text: string): Parsed<unknown> {
  if (isDeeper(text, limits.jsonDepth)) return bad(faultAt(field, '', `nested deeper than ${limits.jsonDepth}`));
  try {
    return good(JSON.parse(text));
  } catch {
    return good(undefined);
  }
}
