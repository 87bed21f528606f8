/** Lists from mware and the directories: the query parameters that are passed on, and the headers that name missing sites. */

import { deadlineOf } from '../cluster/messaging/deadline.ts';
import type { RoleScope } from '../cluster/role.ts';
import { applyCollection, type ItemCount } from '../model/collection/collection.ts';
import type { CollectionQuery } from '../model/collection/query.ts';
import type { CollectionShape } from '../model/collection/shape.ts';
import { type Sliced, Steps } from '../model/collection/slices.ts';
import { FaultError, type Outcome } from '../model/fault.ts';
import { Pace } from '../ports/pace.ts';
import type { ListAnswer, LookupAnswer } from '../services/mware-requests.ts';
import { paramsOf } from './read-request.ts';
import { answerError, answerJson, answerJsonText, answerPieces } from './responses.ts';

const names = ['filter', 'mask', 'offset', 'limit', 'order', 'flat', 'countonly'];

/** The list parameters of a URL, as texts. */
export function listParams(url: string): [string, string][] {
  return [...paramsOf(url)].filter(([name]) => names.includes(name));
}

/** A list. `X-Missing-Sites` names the sites of the domain that did not answer. (chosen) */
export function answerList(scope: RoleScope, { answer, missing }: ListAnswer): Response | Promise<Response> {
  return answerPage(scope, answer, missingSites(missing));
}

/** A list of local items, as the query selects them. */
export function answerItems<T extends object>(
  scope: RoleScope,
  items: readonly T[],
  { query, shape }: { readonly query: CollectionQuery; readonly shape: CollectionShape<T> },
): Response | Promise<Response> {
  const pace = new Pace(scope.clock, deadlineOf(scope));
  const answer = (page: readonly object[] | ItemCount) => answerPage(scope, page);
  return onceDone(pace.inTime(applyCollection(items, query, shape), `${items.length} items`), answer);
}

/** A page of a list, or a count. Long pages are serialized in slices, so that other requests are not delayed. */
export function answerPage(
  { clock }: RoleScope,
  page: readonly object[] | ItemCount,
  headers: Record<string, string> = {},
): Response | Promise<Response> {
  if ('count' in page) return answerJson(page, headers);
  const answer = (json: string | Uint8Array[]) =>
    typeof json === 'string' ? answerJsonText(json, headers) : answerPieces(json, headers);
  return onceDone(new Pace(clock).inTime(jsonOf(page), 'JSON'), answer);
}

/** The answer of work: at once where it needed no pause. */
function onceDone<T>(
  work: Outcome<T> | Promise<Outcome<T>>,
  answer: (value: T) => Response | Promise<Response>,
): Response | Promise<Response> {
  if (work instanceof Promise) return work.then((outcome) => onceDone(outcome, answer));
  if (!work.ok) throw new FaultError(work.fault);
  return answer(work.value);
}

const encoder = new TextEncoder();
/** Approximate size of a piece in characters. */
const pieceChars = 64 * 1024;

/** A short text is not in pieces: it is sent in one write with the head of the answer. */
function* jsonOf(items: readonly object[]): Sliced<string | Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  const steps = new Steps();
  let text = '[';
  for (const [index, item] of items.entries()) {
    const json = JSON.stringify(item);
    text += index === 0 ? json : `,${json}`;
    steps.add(json.length);
    if (text.length >= pieceChars) {
      pieces.push(encoder.encode(text));
      text = '';
    }
    if (steps.areMany) yield steps.take();
  }
  if (pieces.length === 0) return `${text}]`;
  pieces.push(encoder.encode(`${text}]`));
  return pieces;
}

/** The ids that match a key. (documented) */
export function answerFound({ ids, missing }: LookupAnswer): Response {
  if (ids.length === 0) return answerError(404, 'Lookup failed', missingSites(missing));
  return answerJson(ids, missingSites(missing));
}

/** The header that names the sites that did not answer. (chosen) */
export function missingSites(sites: readonly string[]): Record<string, string> {
  return sites.length === 0 ? {} : { 'x-missing-sites': sites.join(',') };
}
