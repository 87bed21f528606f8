/** A removal removes what it names, and nothing else. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { setLast, together } from '../kit/shared.ts';
import { Undisturbed } from '../kit/undisturbed.ts';
import { idsIn, placeOf } from './removals-show.ts';

/** Collections whose items stay until a client removes them. */
const lasting = /\/attachments$|\/fs\/targets\/[^/]+$|\/(recordrules|chatcampaigns|roleapps)$/;
/** The last ones: each removal goes over them. */
const mostLists = 300;
/** With more, all lists are forgotten, and what was named with them. */
const mostNamed = 10_000;

interface Shown {
  readonly ids: ReadonlySet<string>;
  readonly atMs: number;
}

export const othersStay: OracleMaker = {
  name: 'others-stay',
  rule: 'A recording, a file or an item that a list has shown is in the next lists of every front until a client removes it by its name or with all around it; while nothing is broken.',
  exclusions: 'Recordings in domains with record rules that name a storage rule: they expire.',
  make: ({ map, check, fail }) => {
    const { noticedMs } = boundsOf(map);
    const undisturbed = new Undisturbed();
    const lists = new Map<string, Shown>();
    /** What removals have named; a list that was asked for before may still show it. */
    const named = new Set<string>();
    /** Domains with record rules whose recordings expire. */
    const expiring = new Set(
      [...map.domains.values()]
        .filter(({ items }) => JSON.stringify(items).includes('storageruleid'))
        .map(({ name }) => name),
    );
    /** A list that was asked for before it may show what nothing is known of. */
    let forgottenMs = Number.NEGATIVE_INFINITY;
    const read = (place: string, { calledMs }: ObservedRequest, { body, returnedMs }: ObservedAnswer) => {
      if (calledMs <= forgottenMs) return;
      const ids = idsIn(body);
      const before = lists.get(place);
      const isJudged = before !== undefined && before.atMs < calledMs && undisturbed.isSince(before.atMs, returnedMs);
      if (isJudged && undisturbed.forMs(returnedMs) > noticedMs) {
        check();
        const lost = [...before.ids].filter((id) => !ids.has(id) && !isNamed(place, id));
        if (lost.length > 0) fail(`${place} does not show ${lost.join(', ')} any more, which no client has removed`);
      }
      setLast(lists, place, { ids, atMs: returnedMs }, mostLists);
    };
    const isNamed = (place: string, id: string) => {
      if (place.endsWith('/attachments') && expiring.has(place.split(' ')[0] ?? '')) return true;
      if (named.has(`${place}/${id}`)) return true;
      for (let at = place.length; at > 0; at = place.lastIndexOf('/', at - 1))
        if (named.has(place.slice(0, at))) return true;
      return false;
    };
    const answered = (request: ObservedRequest, answer: ObservedAnswer) => {
      const { method, query } = request;
      const place = placeOf(request);
      if (place === undefined || method !== 'GET' || !lasting.test(place)) return;
      if (answer.status === 200 && query.size === 0 && answer.ageS === undefined) read(place, request, answer);
    };
    const requests = new ClientRequests((method, path) => method === 'GET' && lasting.test(path), answered);
    const removals: ObservationListeners = {
      'request.received': ({ method, target, client, sent, atMs }) => {
        const path = target.replace(/\?.*/, '');
        const domain = requests.domainOf(client);
        if (method === 'GET') return;
        if (path.includes('/recordrules') && sent?.includes('storageruleid') === true) expiring.add(domain ?? '');
        // Of an unknown domain, or of domains: of what it removes nothing is known here.
        const place = domain === undefined ? undefined : placeOf({ domain, path });
        if (method === 'DELETE' && place !== undefined && named.size < mostNamed) named.add(place);
        else if (method === 'DELETE' || /\/domains|\/archive|import/.test(path)) {
          lists.clear();
          named.clear();
          forgottenMs = atMs;
        }
      },
    };
    return { listeners: together(undisturbed.listeners, requests.listeners, removals) };
  },
};
