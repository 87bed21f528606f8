/** What an operation may refuse: what any of its kind may, and what it says of itself; with what to trust of that. */
import type { Source } from '../../model/source.ts';
import type { Route } from '../route.ts';

export interface Refusal {
  readonly status: number;
  readonly does: string;
  /** Of the status: the interface shows few of them. */
  readonly source: Source;
}

const words: Readonly<Record<number, string>> = {
  400: 'Not as expected',
  401: 'No session, or wrong credentials',
  403: 'A session without the right',
  404: 'Not there',
  409: 'Does not fit the state, or a value is taken',
  412: 'Not as the condition wants it',
  413: 'Too large',
  415: 'Another content type is expected',
  416: 'No such range',
  426: 'A web socket is expected',
  429: 'The address is banned',
  501: 'Not built',
  503: 'Who must serve is not reachable: it surely did not happen',
  504: 'No answer in time: it may have happened',
};

/** The refusals that the interface shows: each is 404 with these words. (documented) */
const shown: readonly { readonly of: (route: Route) => boolean; readonly message: string }[] = [
  { of: ({ method }) => method === 'LOOKUP', message: 'Lookup failed' },
  { of: ({ path }) => path.endsWith('/attachments/:name'), message: 'Call record not found' },
  {
    of: ({ method, path }) => method === 'DELETE' && /\/calls\/:dialogid$|\/participants\/:participantid$/.test(path),
    message: 'Call/Participant not found',
  },
  { of: ({ path }) => path.endsWith('/iam/external'), message: 'No script of external authentication' },
];

export function refusalsOf(route: Route): Refusal[] {
  const statuses = [...statusesOf(route)].sort((a, b) => a - b);
  return statuses.map((status) => refusal(status, route));
}

function refusal(status: number, route: Route): Refusal {
  const documented = status === 404 && route.source !== 'chosen' ? shown.find(({ of }) => of(route)) : undefined;
  if (documented === undefined) return { status, does: words[status] ?? 'Refused', source: 'chosen' };
  return { status, does: documented.message, source: 'documented' };
}

function statusesOf({ access, path, takes, refuses = [], isTool = false }: Route): Set<number> {
  const statuses = new Set(refuses);
  if (isTool) return statuses;
  statuses.add(400).add(429).add(503).add(504);
  if (access !== 'open') statuses.add(401);
  if (typeof access === 'object') statuses.add(403);
  if (path.includes(':')) statuses.add(404);
  if (takes?.body !== undefined) statuses.add(413).add(415);
  return statuses;
}
