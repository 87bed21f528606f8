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
