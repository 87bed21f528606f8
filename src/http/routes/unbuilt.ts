/** Paths of the platform that this product does not have: it says so, where a 404 of no such path would puzzle. */
import { HttpError } from '../answering.ts';
import type { Route } from '../route.ts';
import { unbuiltPaths } from '../unbuilt.ts';

export const unbuiltRoutes: readonly Route[] = unbuiltPaths.flatMap(({ path, methods, status, access, why }) =>
  methods.map(
    ({ method, source }): Route => ({
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
