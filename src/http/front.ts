/** The HTTP front of a ws instance: routes, authorizes and answers requests, and turns errors into answers. */
import { TrieRouter } from 'hono/router/trie-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import { reportBug } from '../cluster/role.ts';
import { hintText } from '../model/shapes/nearest.ts';
import type { HttpHandler } from '../ports/http-server.ts';
import type { Ws, WsParts } from '../roles/ws/ws.ts';
import { authorize, freshCookie } from './authorization.ts';
import type { Exchange, Identity, RouteDefinition } from './contract.ts';
import { nearPath } from './near-path.ts';
import { noOrigins, type Origins, refuseForgedWrite, withCors } from './origins.ts';
import { answerEmpty, answerError, answerThrown } from './responses.ts';
import { type RoutesOptions, routesOf } from './routes.ts';

export interface FrontOptions extends RoutesOptions {
  /** Other origins whose pages may read, and write by cookie. */
  readonly origins?: Origins;
}

/** Creates the handler of all requests to one ws instance. */
export type Front = (ws: Ws) => HttpHandler;

/** The routes of all fronts of a process, which are made once. */
export function createFront({ origins = noOrigins, ...options }: FrontOptions): Front {
  const paths = pathsOf(routesOf(options));
  return (ws) => {
    const handler: HttpHandler = (request, sender, header, extendDeadline) => {
      const { method } = request;
      const found = find(paths, request);
      if (!('route' in found)) return method === 'HEAD' ? headOf(found) : found;
      const refuseForged = () => refuseForgedWrite(method, header, origins);
      const answer = answerRoute(found, { ws, request, sender, header, refuseForged, extendDeadline });
      return method === 'HEAD' ? answer.then(headOf) : answer;
    };
    return withCors(handler, origins);
  };
}

/** The routes of a path, by method. A `Map`, because clients choose the method: an object has `__proto__`. */
interface PathRoutes {
  readonly byMethod: ReadonlyMap<string, RouteDefinition>;
  /** The value of `Allow`. */
  readonly allow: string;
}

interface Paths {
  /** Paths without parameters. */
  readonly fixed: ReadonlyMap<string, PathRoutes>;
  /** Paths with parameters. */
  readonly patterns: TrieRouter<PathRoutes>;
  readonly all: ReadonlySet<string>;
}

/** The router's name for all methods. */
const everyMethod = 'ALL';

function pathsOf(routes: readonly RouteDefinition[]): Paths {
  const fixed = new Map<string, PathRoutes>();
  const patterns = new TrieRouter<PathRoutes>();
  const all = new Set(routes.map((route) => route.path));
  for (const path of all) {
    const those = routesAt(routes.filter((route) => route.path === path));
    if (/[:*]/.test(path)) patterns.add(everyMethod, path, those);
    else fixed.set(path, those);
  }
  return { fixed, patterns, all };
}

function routesAt(routes: readonly RouteDefinition[]): PathRoutes {
  const byMethod = new Map(routes.map((route) => [route.method, route]));
  const methods = [...byMethod.keys()];
  const get = byMethod.get('GET');
  if (get !== undefined) byMethod.set('HEAD', get);
  if (get !== undefined && get.refusesHead !== true) methods.push('HEAD');
  return { byMethod, allow: [...methods, 'OPTIONS'].join(', ') };
}

interface Found {
  readonly route: RouteDefinition;
  readonly params: Exchange['params'];
}

/** The route of a request, or the answer where it has none: to OPTIONS, a wrong method, an unknown path. */
function find({ fixed, patterns, all }: Paths, request: Request): Found | Response {
  const { method } = request;
  const path = getPath(request);
  const exact = fixed.get(path);
  const route = exact?.byMethod.get(method);
  if (route !== undefined) return { route, params: noParams };
  const [matching] = patterns.match(everyMethod, path);
  for (const [{ byMethod }, params] of matching) {
    const route = byMethod.get(method);
    if (route !== undefined) return { route, params: decoded(params) };
  }
  const allow = (exact ?? matching[0]?.[0])?.allow;
  if (allow === undefined)
    return answerError(404, `no such path: ${path}${path === '/' ? '; see /docs' : hintText(nearPath(path, all))}`);
  if (method === 'OPTIONS') return answerEmpty({ allow });
  return answerError(405, `${method} is not a method of this path; expected one of ${allow}`, { allow });
}

const noParams: Exchange['params'] = {};

function decoded(params: Readonly<Record<string, string | number>>): Exchange['params'] {
  const all: Record<string, string> = {};
  for (const name of Object.keys(params)) all[name] = tryDecodeURIComponent(String(params[name]));
  return all;
}

/** The answer to HEAD: that to GET without its body. */
function headOf(response: Response): Response {
  return new Response(null, response);
}

async function answerRoute(
  { route, params }: Found,
  { ws, request, sender, header, refuseForged, extendDeadline }: Omit<Exchange, 'identity' | 'params'>,
): Promise<Response> {
  const { access } = route;
  try {
    const authorized = access === 'open' ? undefined : authorize(ws, header, { access, sender, refuseForged });
    const asked = authorized instanceof Promise ? await withIdentity(ws, authorized) : { ws, identity: authorized };
    const { identity } = asked;
    const response = await route.answer({
      ws: asked.ws,
      request,
      sender,
      params,
      identity,
      header,
      refuseForged,
      extendDeadline,
    });
    if (identity?.by === 'cookie') renewCookie({ ws, request }, identity, response);
    return response;
  } catch (error) {
    return answerThrown(error, (bug) => reportBug(ws.scope, bug));
  }
}

/** The session of a request that was asked for elsewhere, and the instance: the request has less time now. */
async function withIdentity(ws: WsParts, asked: Promise<Identity>): Promise<Pick<Exchange, 'ws' | 'identity'>> {
  const { scope } = ws;
  const sinceMs = scope.clock.now();
  const identity = await asked;
  return { identity, ws: { ...ws, scope: { ...scope, spentMs: scope.clock.now() - sinceMs } } };
}

/** A cookie expires with its session: it is renewed when less than half of its time is left. (chosen) */
function renewCookie(asked: Pick<Exchange, 'ws' | 'request'>, { session, id }: Identity, response: Response): void {
  if (response.headers.has('set-cookie') || !asked.ws.sessions.renewsCookie(session.key)) return;
  response.headers.set('set-cookie', freshCookie(asked, session.key, id));
}
