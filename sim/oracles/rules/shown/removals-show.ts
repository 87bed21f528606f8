/** What a client has removed is gone. */
import { boundsOf } from '../../bounds.ts';
import type { ObservationListeners, OracleMaker } from '../../oracle.ts';
import { ClientRequests, type ObservedAnswer, type ObservedRequest } from '../kit/client-requests.ts';
import { byType, setLast, together, usualPath } from '../kit/shared.ts';
import { Undisturbed, UndisturbedAround } from '../kit/undisturbed.ts';

interface Removal {
  readonly collection: string;
  readonly id: string;
  readonly returnedMs: number;
}

/** Names of the fields by which the rows of lists are addressed. */
const idNames = ['id', 'name', 'confid', 'participantid', 'dialogid', 'ip'];
/** DELETE means something else here, or the item is made again by the platform itself. */
const others = /\/iam\/|\/calls(_by_participation)?\/[^/]+$|\/nodes|\/topology$|\/sipuser_states|\/ws\/bannedaddrs/;

/** Only the device of a participant can end it: one that is silent keeps it, and its conference, until the BYE is given up. */
const heldByDevices = /\/conferences/;
/** The last removals are looked at: each read goes over them. */
const mostRemovals = 1_000;

/** Collections that can be removed as a whole: they are empty then. */
const emptied = /\/(bannedaddrs|attachments)$/;

export const removalsShow: OracleMaker = {
  name: 'removals-show',
  rule: 'What a front has acknowledged as removed (an item, a file, a recording, a ban, a participant, a conference) is gone two seconds later for every client, from its address and from its lists, unless it is made again; while nothing is broken.',
  exclusions:
    'Removals at some sites or instances only; conferences whose phones may be silent; calls: calls-agree judges when they are over.',
  make: ({ map, now, check, fail }) => {
    const { quickMs } = boundsOf(map);
    const inside = new Undisturbed();
    const around = new UndisturbedAround(map);
    /** By collection and id. */
    const removed = new Map<string, Removal>();
    /** When participants and conferences began: a message that was lost since then may keep their devices. */
    const bornMs = new Map<string, number>();
    /** The ids of each collection, as its lists have shown them. */
    const listed = new Map<string, Set<string>>();

    const note = (collection: string, id: string, returnedMs: number) => {
      setLast(removed, `${collection} ${id}`, { collection, id, returnedMs }, mostRemovals);
    };
    /** A change that has happened, or may have: what it names may exist again. */
    const made = (place: string, sentText: string | undefined) => {
      for (const [key, removal] of removed) if (isNamed(removal, place, sentText)) removed.delete(key);
    };
    /** Whether a change that is under way names it. */
    const isBeingMade = (removal: Removal) => {
      for (const { method, domain, path, sentText } of requests.open) {
        const place = method === 'GET' ? undefined : placeOf({ domain, path });
        if (place !== undefined && isNamed(removal, place, sentText)) return true;
      }
      return false;
    };
    const read = (place: string, { calledMs, query }: ObservedRequest, { status, body }: ObservedAnswer) => {
      if (status !== 200) return;
      const shown = idsIn(body);
      if (query.size === 0) listed.set(place, shown);
      const isHeld = heldByDevices.test(place);
      const isUndisturbed = ({ id, returnedMs }: Removal) => {
        const sinceMs = isHeld ? Math.min(bornMs.get(id) ?? returnedMs, returnedMs) : returnedMs;
        return (isHeld ? around : inside).forMs(now()) > now() - sinceMs + quickMs;
      };
      const isGone = (removal: Removal) => calledMs > removal.returnedMs + quickMs && isUndisturbed(removal);
      for (const removal of removed.values()) {
        const { collection, id } = removal;
        if ((place !== collection && place !== `${collection}/${id}`) || !isGone(removal) || isBeingMade(removal))
          continue;
        check();
        if (place !== collection || shown.has(id)) fail(`${place} shows ${id}, which was removed before`);
      }
    };
    const answered = (request: ObservedRequest, answer: ObservedAnswer) => {
      const { method, query, sentText } = request;
      const place = placeOf(request);
      if (place === undefined) return;
      if (method === 'GET') return answer.ageS === undefined ? read(place, request, answer) : undefined;
      if (method !== 'DELETE') return made(place, sentText);
      if (answer.status >= 300 || query.size > 0) return;
      if (emptied.test(place)) {
        for (const id of listed.get(place) ?? []) note(place, id, answer.returnedMs);
        return undefined;
      }
      const at = place.lastIndexOf('/');
      note(place.slice(0, at), place.slice(at + 1), answer.returnedMs);
    };
    const requests = new ClientRequests(
      (_, path) => !others.test(path),
      answered,
      (request) => {
        const place = placeOf(request);
        if (place !== undefined && request.method !== 'GET') made(place, request.sentText);
      },
    );
    const births: ObservationListeners = {
      'entity.state': byType(['conference', 'participant'], ({ key, before, atMs }) => {
        if (before === undefined) setLast(bornMs, key, atMs, mostRemovals);
      }),
    };
    const listeners = together(inside.listeners, around.listeners, requests.listeners, births);
    return { listeners, tick: (nowMs) => around.look(nowMs) };
  },
};

/** Whether a change at a place is one of an item that was removed. */
function isNamed({ collection, id }: Removal, place: string, sentText: string | undefined): boolean {
  return place === `${collection}/${id}` || (place === collection && sentText?.includes(id) === true);
}

/** The resource by one of its spellings, in the domain of the session; `undefined` if that is not certain. */
export function placeOf({ domain, path }: Pick<ObservedRequest, 'domain' | 'path'>): string | undefined {
  if (domain === undefined || others.test(path)) return undefined;
  return `${domain} ${decoded(usualPath(path).replace('_by_participation', ''))}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // The front refuses it.
    return path;
  }
}

/**
 * All ids in an answer, also of what rows contain: the files of a site, the bans of an instance. The name of an item that has
 * an id is not one: a client may change it.
 */
export function idsIn(body: unknown, found = new Set<string>()): Set<string> {
  if (typeof body !== 'object' || body === null) return found;
  for (const [name, value] of Object.entries(body)) {
    const isId = idNames.includes(name) && (name !== 'name' || !('id' in body));
    if (typeof value === 'string' && isId) found.add(value);
    else idsIn(value, found);
  }
  return found;
}
