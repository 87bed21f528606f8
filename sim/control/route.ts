/** A route of the control interface as data. The OpenAPI document and the checks of requests are made from it. */
import type { Hono } from 'hono';
import { z } from 'zod';
import type { QueryParam, RouteDefinition } from '../../src/http/contract.ts';
import { answerEmpty, answerJson } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { readWritten } from './access.ts';

export interface ControlRequest<B = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly url: string;
  readonly body: B;
}

export interface ControlRoute<B extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the path of the control interface, in Hono's syntax. */
  readonly path: string;
  readonly does: string;
  readonly query?: readonly QueryParam[];
  readonly body?: B;
  /** Whether the handler gets the body as the client wrote it, before its defaults and transformations. */
  readonly takesWritten?: boolean;
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

/** Adds the routes below `base` to `app`. */
export function mount(app: Hono, base: string, routes: readonly ControlRoute[]): void {
  for (const { method, path, body: schema, takesWritten = false, gives, answer } of routes) {
    app.on(method, `${base}${path}`, async (c) => {
      const read = schema === undefined ? undefined : await readWritten(c.req.raw, schema);
      const body = takesWritten ? read?.written : read?.value;
      const value = await answer({
        params: c.req.param(),
        query: new URL(c.req.url).searchParams,
        url: c.req.url,
        body,
      });
      if (value instanceof Response) return value;
      return gives === undefined ? answerEmpty() : answerJson(value);
    });
  }
}

/** The routes as declarations for the OpenAPI document. */
export function declarations(base: string, routes: readonly ControlRoute[]): RouteDefinition[] {
  return routes.map(({ method, path, does, query = [], body, gives }) => ({
    method,
    path: `${base}${path}`,
    does,
    source: 'chosen',
    access: 'open',
    isTool: true,
    takes: { query, ...(body !== undefined && { body }) },
    gives: gives === undefined ? { 204: 'nothing' } : { 200: gives },
    refuses: body === undefined ? [401, 403] : [400, 401, 403, 409],
    answer: () => {
      throw new Error('a declaration has no handler');
    },
  }));
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
