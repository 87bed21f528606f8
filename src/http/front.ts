/** The HTTP front of a ws instance: routes, authorizes and answers requests, and turns errors into answers. */
import { type Context, Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { getPath } from 'hono/utils/url';
import { reportBug } from '../cluster/role.ts';
import type { ExtendDeadline, HeaderReader, HttpHandler } from '../ports/http-server.ts';
import type { Ws } from '../roles/ws/ws.ts';
import { authorize, freshCookie } from './authorization.ts';
import type { Exchange, Identity, RouteDefinition } from './contract.ts';
import { noOrigins, type Origins, refuseForgedWrite, withCors } from './origins.ts';
import { answerEmpty, answerError, answerThrown } from './responses.ts';
import { type RoutesOptions, routesOf } from './routes.ts';

export interface FrontOptions extends RoutesOptions {
  /** Other origins whose pages may read, and write by cookie. */
  readonly origins?: Origins;
}

type Env = { Bindings: { ws: Ws; sender: string; header: HeaderReader; allowMs: ExtendDeadline | undefined } };

/** Creates the handler of all requests to one ws instance. */
export type Front = (ws: Ws) => HttpHandler;

/** The routes of all fronts of a process, which are made once. */
export function createFront({ origins = noOrigins, ...options }: FrontOptions): Front {
  const app = new Hono<Env>();
  const routes = routesOf(options);
  for (const route of routes)
    app.on(route.method, route.path, (c) => answerRoute({ route, origins }, c).catch(throwError));
  const answerOther = otherMethods(routes);
  app.notFound((c) => answerOther(c.req.raw));
  app.onError((error, c) => answerThrown(error, (bug) => reportBug(c.env.ws.scope, bug)));
  const methods = routedMethods(app);
  return (ws) => {
    const handler: HttpHandler = (request, sender, header, allowMs) =>
      methods.has(request.method) ? app.fetch(request, { ws, sender, header, allowMs }) : answerOther(request);
    return withCors(handler, origins);
  };
}

/**
 * The methods that have routes. Other methods must not reach the router: it looks them up in plain objects, so the method
 * `__proto__` would write into the prototype of all objects.
 */
function routedMethods({ routes }: Pick<Hono, 'routes'>): ReadonlySet<string> {
  const methods = new Set(routes.map(({ method }) => method));
  return methods.has('GET') ? methods.add('HEAD') : methods;
}

/** Answers requests without a route: OPTIONS, a wrong method, an unknown path. */
function otherMethods(routes: readonly RouteDefinition[]): (request: Request) => Response {
  const router = new TrieRouter<string>();
  for (const [path, methods] of methodsByPath(routes)) router.add(everyMethod, path, allowed(methods));
  return (request) => {
    const path = getPath(request);
    const [[found] = []] = router.match(everyMethod, path);
    if (found === undefined) return answerError(404, `no such path: ${path}`);
    const [allow] = found;
    if (request.method === 'OPTIONS') return answerEmpty({ allow });
    return answerError(405, `${request.method} is not a method of this path; expected one of ${allow}`, { allow });
  };
}

/** The router's name for all methods. */
const everyMethod = 'ALL';

async function answerRoute(
  { route, origins }: { readonly route: RouteDefinition; readonly origins: Origins },
  c: Context<Env>,
): Promise<Response> {
  const request = c.req.raw;
  const { ws, sender, header, allowMs } = c.env;
  const { access } = route;
  const refuseForged = () => refuseForgedWrite(request.method, header, origins);
  const identity = access === 'open' ? undefined : await authorize(ws, header, { access, sender, refuseForged });
  const response = await route.answer({
    ws,
    request,
    sender,
    params: c.req.param(),
    identity,
    header,
    refuseForged,
    allowMs,
  });
  if (identity?.by === 'cookie') renewCookie({ ws, request }, identity, response);
  return response;
}

/** The router accepts errors only; other thrown values are wrapped. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`);
}

/** A cookie expires with its session: it is renewed when less than half of its time is left. (chosen) */
function renewCookie(asked: Pick<Exchange, 'ws' | 'request'>, { session, id }: Identity, response: Response): void {
  if (response.headers.has('set-cookie') || !asked.ws.sessions.renewsCookie(session.key)) return;
  response.headers.set('set-cookie', freshCookie(asked, session.key, id));
}

function methodsByPath(routes: readonly RouteDefinition[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  for (const { path, method, refusesHead = false } of routes)
    if (method === 'GET' && !refusesHead) methods.get(path)?.push('HEAD');
  return methods;
}

function allowed(methods: readonly string[]): string {
  return [...methods, 'OPTIONS'].join(', ');
}
