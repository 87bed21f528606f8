/** Lists that are made elsewhere: what of the query is handed on, and how their answers say whose part is missing. */

import type { RoleScope } from '../cluster/role.ts';
import { applyCollection, type ItemCount } from '../model/collection/collection.ts';
import type { CollectionQuery } from '../model/collection/query.ts';
import type { CollectionShape } from '../model/collection/shape.ts';
import { type Sliced, Steps } from '../model/collection/slices.ts';
import { FaultError } from '../model/fault.ts';
import type { ListAnswer, LookupAnswer } from '../services/mware.ts';
import { Pace } from '../storage/pace.ts';
import { paramsOf } from './requests.ts';
import { answerError, answerJson, answerPieces } from './responses.ts';

const names = ['filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly'];

/** The parameters of a list, as texts. */
export function listParams(url: string): [string, string][] {
  return [...paramsOf(url)].filter(([name]) => names.includes(name));
}

/** A list. Sites that serve the domain and did not answer are named in `X-Missing-Sites`. (chosen) */
export function answerList(scope: RoleScope, { answer, missing }: ListAnswer): Promise<Response> {
  return answerPage(scope, answer, missingSites(missing));
}

/** A list of items that are all here, as a query has it. */
export async function answerItems<T extends object>(
  scope: RoleScope,
  items: readonly T[],
  { query, shape }: { readonly query: CollectionQuery; readonly shape: CollectionShape<T> },
): Promise<Response> {
  const { clock, map } = scope;
  const pace = new Pace(clock, clock.now() + map.topology.timings.requestDeadlineMs);
  const page = await pace.inTime(applyCollection(items, query, shape), `${items.length} items`);
  if (!page.ok) throw new FaultError(page.fault);
  return answerPage(scope, page.value);
}

/** A page of a list, or the number of its items. A long one is written in slices, so that others have their turn. */
export async function answerPage(
  { clock }: RoleScope,
  page: readonly object[] | ItemCount,
  headers: Record<string, string> = {},
): Promise<Response> {
  if ('count' in page) return answerJson(page, headers);
  const pieces = await new Pace(clock).inTime(jsonOf(page), 'JSON');
  if (!pieces.ok) throw new FaultError(pieces.fault);
  return answerPieces(pieces.value, headers);
}

const encoder = new TextEncoder();
/** Letters of a piece, about. */
const pieceLetters = 64 * 1024;

function* jsonOf(items: readonly object[]): Sliced<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const steps = new Steps();
  let text = '[';
  for (const [index, item] of items.entries()) {
    const json = JSON.stringify(item);
    text += index === 0 ? json : `,${json}`;
    steps.add(json.length);
    if (text.length >= pieceLetters) {
      pieces.push(encoder.encode(text));
      text = '';
    }
    if (steps.areMany) yield steps.take();
  }
  pieces.push(encoder.encode(`${text}]`));
  return pieces;
}

/** The ids that a key leads to. (documented) */
export function answerFound({ ids, missing }: LookupAnswer): Response {
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
