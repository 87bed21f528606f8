/** Conditional requests (RFC 9110, section 13): what a client knows of a file, held against what it is now. */
import type { Expected } from '../model/protocol/files.ts';
import { httpTimeOf } from '../model/time.ts';

/** What a file is now. Times are milliseconds since the epoch. */
export interface Validators {
  /** Strong, and without its quotes. */
  readonly etag: string;
  readonly lastModifiedMs?: number | undefined;
}

/** The entity tags of a field, without quotes; `*` stands for any. Weak ones are left out where `isStrong`. */
export function tagsIn(field: string, isStrong: boolean): '*' | readonly string[] {
  if (field.trim() === '*') return '*';
  const tags = field.matchAll(/(W\/)?"([^"]*)"/g);
  return [...tags].flatMap(([, weak, tag]) => (isStrong && weak !== undefined ? [] : [tag ?? '']));
}

/**
 * What becomes of a GET or HEAD: `failed` is 412, `unchanged` 304. The steps are in the order of section 13.2.2; a tag
 * outweighs a time.
 */
export function conditionOf(
  { headers }: Request,
  { etag, lastModifiedMs }: Validators,
): 'failed' | 'unchanged' | 'met' {
  const matches = (field: string, isStrong: boolean) => {
    const tags = tagsIn(field, isStrong);
    return tags === '*' || tags.includes(etag);
  };
  const seconds = lastModifiedMs === undefined ? undefined : Math.floor(lastModifiedMs / 1_000);
  const [match, since] = [headers.get('if-match'), secondsIn(headers.get('if-unmodified-since'))];
  if (match !== null) {
    if (!matches(match, true)) return 'failed';
  } else if (since !== undefined && seconds !== undefined && seconds > since) return 'failed';
  const [noneMatch, known] = [headers.get('if-none-match'), secondsIn(headers.get('if-modified-since'))];
  if (noneMatch !== null) return matches(noneMatch, false) ? 'unchanged' : 'met';
  return known !== undefined && seconds !== undefined && seconds <= known ? 'unchanged' : 'met';
}

/** What a PUT or DELETE expects to be there (RFC 9110, section 13.1); nothing where it does not say. */
export function expectedBy({ headers }: Request): Expected | undefined {
  const match = headers.get('if-match');
  if (match !== null) {
    const tags = tagsIn(match, true);
    return tags === '*' ? { isThere: true } : { etags: [...tags] };
  }
  return headers.get('if-none-match')?.trim() === '*' ? { isThere: false } : undefined;
}

/** Whether the range that a request asks for is one of the file as it is now. */
export function isRangeCurrent({ headers }: Request, { etag, lastModifiedMs }: Validators): boolean {
  const field = headers.get('if-range');
  if (field === null) return true;
  if (field.includes('"')) return tagsIn(field, true).includes(etag);
  const since = secondsIn(field);
  return since !== undefined && lastModifiedMs !== undefined && Math.floor(lastModifiedMs / 1_000) === since;
}

function secondsIn(field: string | null): number | undefined {
  const ms = field === null ? undefined : httpTimeOf(field);
  return ms === undefined ? undefined : ms / 1_000;
}
