/** A route of the control interface as data. The OpenAPI document and the checks of requests are made from it. */
import type { Hono } from 'hono';
import { z } from 'zod';
import type { QueryParam, RouteDefinition } from '../../src/http/contract.ts';
import { answerEmpty, answerJson } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import type { HostedWorld, Worlds } from '../embed/hosting/worlds.ts';
import type { OperatedCluster } from '../embed/recorded/operator.ts';
import type { RecordedCluster } from '../embed/recorded/recorded-cluster.ts';
import { mayBeLeftOut, readWritten } from './access.ts';

export interface ControlRequest<B = unknown> {
  /** The world of the path; without one, the main world. */
  readonly world: HostedWorld;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly url: string;
  readonly body: B;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

export interface ControlRoute<B extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the path of the control interface, in Hono's syntax. */
  readonly path: string;
  readonly does: string;
  /** Whether it is about no single world: it is not below the path of a world. */
  readonly isCommon?: boolean;
  readonly query?: readonly QueryParam[];
  readonly body?: B;
  /** Whether its body may be as large as a snapshot. */
  readonly isLarge?: boolean;
  /** Whether the handler gets the body as the client wrote it, before its defaults and transformations. */
  readonly takesWritten?: boolean;
  /** Whether its body names something that may not be there: 404. */
  readonly canMiss?: boolean;
  /** The answer; absent: none. */
  readonly gives?: z.ZodType;
  readonly answer: (request: ControlRequest<z.infer<B>>) => unknown;
}

/** Declares a route; its body has the type of its schema. */
export function route<B extends z.ZodType>(declared: ControlRoute<B>): ControlRoute {
  return declared as unknown as ControlRoute;
}

export function optional(name: string, does: string): QueryParam {
  return { name, schema: z.string(), does, source: 'chosen' };
}

/** The path of a world, below which its routes are. */
export const worldPath = '/worlds/:world';

/** Adds the routes below `base` to `app`: for the main world, and again below the path of each world. */
export function mount(app: Hono, base: string, routes: readonly ControlRoute[], worlds: Worlds): void {
  for (const { route, path } of mounted(routes)) {
    const { method, body: schema, isLarge = false, takesWritten = false, gives, answer } = route;
    app.on(method, `${base}${path}`, async (c) => {
      const params: Readonly<Record<string, string>> = c.req.param();
      const world = params['world'] === undefined ? worlds.main : worlds.get(params['world']);
      const read = schema === undefined ? undefined : await readWritten(c.req.raw, schema, { isLarge });
      const body = takesWritten ? read?.written : read?.value;
      const { url, raw } = c.req;
      const value = await answer({ world, params, query: new URL(url).searchParams, url, body, signal: raw.signal });
      if (value instanceof Response) return value;
      return gives === undefined ? answerEmpty() : answerJson(value);
    });
  }
}

/** The routes with their paths. */
function mounted(routes: readonly ControlRoute[]): { readonly route: ControlRoute; readonly path: string }[] {
  const ofWorlds = routes.filter(({ isCommon = false }) => !isCommon);
  return [
    ...routes.map((route) => ({ route, path: route.path })),
    ...ofWorlds.map((route) => ({ route, path: `${worldPath}${route.path}` })),
  ];
}

/** The routes as declarations for the OpenAPI document. */
export function declarations(base: string, routes: readonly ControlRoute[]): RouteDefinition[] {
  return mounted(routes).map(
    ({ route: { method, path: own, does, query = [], body, gives, canMiss = false }, path }) => ({
      method,
      path: `${base}${path}`,
      does,
      source: 'chosen',
      access: 'open',
      isTool: true,
      ...(own !== path && { sameAs: `${base}${own}` }),
      takes: { query, ...(body !== undefined && { body, isBodyOptional: mayBeLeftOut(method, body) }) },
      gives: gives === undefined ? { 204: 'nothing' } : { 200: gives },
      refuses: [
        ...(body === undefined ? [401, 403] : [400, 401, 403, 409]),
        ...(canMiss || path.includes(':') ? [404] : []),
      ],
      answer: () => {
        throw new Error('a declaration has no handler');
      },
    }),
  );
}

/** The cluster of a world in virtual time. Throws a `conflict` fault for a live one. */
export function virtualOf({ virtual, name }: HostedWorld): RecordedCluster {
  if (virtual !== undefined) return virtual;
  throw new FaultError(
    fault('conflict', `${name} runs in real time, and this needs virtual time: start it with --clock virtual`),
  );
}

/** Lets time of a world pass while some work runs. */
export function during<T>({ present }: HostedWorld, work: (cluster: OperatedCluster) => Promise<T>): Promise<T> {
  return present.world.during(work(present));
}

/** An error about a name or a value that the client sent is the fault of the client. */
export async function orRefuse<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FaultError) throw error;
    throw new FaultError(fault('invalid', error instanceof Error ? error.message : String(error)));
  }
}
