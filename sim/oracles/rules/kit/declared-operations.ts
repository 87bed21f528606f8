/** The operations that the interface declares, by method and path. */
import type { RouteDefinition } from '../../../../src/http/contract.ts';
import { refusalsOf } from '../../../../src/http/openapi/document.ts';
import { routesOf } from '../../../../src/http/routes.ts';

export interface Declared {
  /** Method and path, such as `GET /rest/v1/uc/calls/:dialogid`. */
  readonly name: string;
  readonly form: RegExp;
  readonly route: RouteDefinition;
  readonly statuses: ReadonlySet<number>;
}

let byMethod: ReadonlyMap<string, readonly Declared[]> | undefined;

/** Of two forms that fit, that with fewer parameters. */
export function declaredOf(method: string, path: string): Declared | undefined {
  return declaredOperations()
    .get(method)
    ?.find(({ form }) => form.test(path));
}

export function declaredOperations(): ReadonlyMap<string, readonly Declared[]> {
  byMethod ??= readDeclared();
  return byMethod;
}

function readDeclared(): ReadonlyMap<string, readonly Declared[]> {
  const found = new Map<string, Declared[]>();
  for (const route of routesOf({ webApps: () => [] })) {
    const statuses = new Set([
      ...Object.keys(route.gives).map(Number),
      ...refusalsOf(route).map(({ status }) => status),
    ]);
    const form = new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/\*$/, '.*').replaceAll(/:\w+/g, '[^/]+')}$`);
    found.set(route.method, [
      ...(found.get(route.method) ?? []),
      { name: `${route.method} ${route.path}`, form, route, statuses },
    ]);
  }
  const params = ({ route }: Declared) => route.path.split(/[:*]/).length;
  for (const all of found.values()) all.sort((a, b) => params(a) - params(b));
  return found;
}
