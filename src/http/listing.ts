/** Lists that are made elsewhere: what of the query is handed on, and how their answers say whose part is missing. */
import type { Found, Listed } from '../services/mware.ts';
import { answerError, answerJson } from './answering.ts';
import { paramsOf } from './reading.ts';

const names = ['filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly'];

/** The parameters of a list, as texts. */
export function listParams(url: string): [string, string][] {
  return [...paramsOf(url)].filter(([name]) => names.includes(name));
}

/** A list. Sites that serve the domain and did not answer are named in `X-Missing-Sites`. (chosen) */
export function answerList({ answer, missing }: Listed): Response {
  return answerJson(answer, missingSites(missing));
}

/** The ids that a key leads to. (documented) */
export function answerFound({ ids, missing }: Found): Response {
  if (ids.length === 0) return answerError(404, 'Lookup failed', missingSites(missing));
  return answerJson(ids, missingSites(missing));
}

/** The header that says which sites did not answer. (chosen) */
export function missingSites(sites: readonly string[]): Record<string, string> {
  return sites.length === 0 ? {} : { 'x-missing-sites': sites.join(',') };
}

/** How many seconds old a copy may be, where the master is away. (chosen) */
export function ageHeader(ageMs: number | undefined): Record<string, string> {
  return ageMs === undefined ? {} : { 'x-data-age': String(Math.floor(ageMs / 1_000)) };
}
