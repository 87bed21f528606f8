/** The HTTP front of a ws instance: match, authorize, answer; and the one place where what was thrown becomes an answer. */
import { type Context, Hono } from 'hono';
import type { DoorHandler, HeaderReader, Patience } from '../ports/door.ts';
import type { Ws } from '../roles/ws/ws.ts';
import { reportBug } from '../runtime/report-bug.ts';
import { answerEmpty, answerError, answerThrown } from './answering.ts';
import { authorize } from './authorizing.ts';
import { freshCookie } from './cookie.ts';
import type { Identity, Route } from './route.ts';
import { type RoutesOptions, routesOf } from './routes.ts';

type Env = { Bindings: { sender: string; header: HeaderReader; allowMs: Patience | undefined } };

/** Makes the handler of all requests to one ws instance. */
export function createFront(ws: Ws, options: RoutesOptions): DoorHandler {
  const app = new Hono<Env>();
  const routes = routesOf(options);
  for (const route of routes) app.on(route.method, route.path, (c) => answerRoute(ws, route, c).catch(throwError));
  const others = otherMethods(routes);
  app.notFound((c) => others.fetch(c.req.raw));
  app.onError((error) => answerThrown(error, (bug) => reportBug(ws.scope, bug)));
  return (request, sender, header, allowMs) => app.fetch(request, { sender, header, allowMs });
}

/** What is left when no route takes a request: OPTIONS, methods that a path does not have, paths that do not exist. */
function otherMethods(routes: readonly Route[]): Hono {
  const app = new Hono();
  for (const [path, methods] of methodsByPath(routes)) {
    const allow = allowed(methods);
    app.all(path, (c) =>
      c.req.method === 'OPTIONS'
        ? answerEmpty({ allow })
        : answerError(405, `${c.req.method} is not a method of this path; there are ${allow}`, { allow }),
    );
  }
  app.notFound((c) => answerError(404, `no such path: ${c.req.path}`));
  return app;
}

async function answerRoute(ws: Ws, route: Route, c: Context<Env>): Promise<Response> {
  const request = c.req.raw;
  const { sender, header, allowMs } = c.env;
  const { access } = route;
  const identity = access === 'open' ? undefined : await authorize(ws, header, { access, sender });
  const response = await route.answer({ ws, request, sender, params: c.req.param(), identity, allowMs });
  if (identity?.by === 'cookie') renewCookie(ws, identity, response);
  return response;
}

/** The router hands on errors only; whatever else was thrown becomes one. */
function throwError(thrown: unknown): never {
  throw thrown instanceof Error ? thrown : new Error(`thrown: ${String(thrown)}`);
}

/** A cookie lives as long as its session: it is set anew when less than half of its time is left. (chosen) */
function renewCookie(ws: Ws, { session, id }: Identity, response: Response): void {
  if (response.headers.has('set-cookie') || !ws.sessions.renewsCookie(session.key)) return;
  response.headers.set('set-cookie', freshCookie(ws, session.key, id));
}

function methodsByPath(routes: readonly Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

function allowed(methods: readonly string[]): string {
  const all = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return [...all, 'OPTIONS'].join(', ');
}
