import type { Provenance } from '../../model/position.ts';
import type { Access, RouteDefinition } from '../contract.ts';
import { HttpError } from '../responses.ts';

/**
 * What the platform has and this product does not: the source of the routes that refuse it and of the documents that list
 * it.
 */

export interface Unbuilt {
  readonly what: string;
  readonly answer: string;
  readonly why: string;
}

/** A path whose methods are all refused. */
export interface UnbuiltPath {
  readonly path: string;
  readonly methods: readonly { readonly method: string; readonly source: Provenance }[];
  readonly status: 404 | 501;
  readonly access: Access;
  readonly why: string;
}

/** Verbs of calls; each answers 501. */
export const unbuiltVerbs = [
  { method: 'SETUP_ASR', below: '/:dialogid', needs: 'it needs speech, and media is not simulated' },
] as const;

export const unbuiltPaths: readonly UnbuiltPath[] = [
  {
    path: '/rest/v1/master/nodes/:name',
    methods: [{ method: 'PATCH', source: 'public' }],
    status: 501,
    access: { domain: 'master', to: 'change' },
    why: 'the changeable fields of a node are not public',
  },
];

export const unbuilt: readonly Unbuilt[] = [
  ...unbuiltVerbs.map(({ method, needs }) => ({ what: `${method} of calls`, answer: '501', why: needs })),
  ...unbuiltPaths.map(({ path, methods, status, why }) => ({
    what: `${methods.map(({ method }) => method).join(', ')} \`${path.replaceAll(/:(\w+)/g, '{$1}')}\``,
    answer: String(status),
    why,
  })),
  {
    what: 'Events of the class ccsevents',
    answer: 'never sent',
    why: 'chats are not simulated',
  },
  {
    what: 'Events of the class ivrevents',
    answer: 'never sent',
    why: 'their names and fields are not public; the journal of scripts shows the steps of a run',
  },
  {
    what: 'groups in the numbers of selector meetings (`group#CODE`)',
    answer: 'no number is called',
    why: 'contact groups are stored only',
  },
  {
    what: 'Media',
    answer: 'none',
    why: 'only the routing of audio between participants is simulated; recordings are tones of the right length',
  },
];

/** Paths of the platform that this product does not implement: the answer says so instead of a plain 404. */

export const unbuiltRoutes: readonly RouteDefinition[] = unbuiltPaths.flatMap(
  ({ path, methods, status, access, why }) =>
    methods.map(
      ({ method, source }): RouteDefinition => ({
        method,
        path,
        does: `Not built: ${status}; ${why}.`,
        source,
        access,
        gives: {},
        refuses: [status],
        answer: () => {
          throw new HttpError(status, `${method} ${path} is not built: ${why}`);
        },
      }),
    ),
);
