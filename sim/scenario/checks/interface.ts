/** Checks that the HTTP interface has the path and method of a request. */
import type { RouteDefinition } from '../../../src/http/contract.ts';
import { routesOf } from '../../../src/http/routes.ts';
import { expectedText, hintText, nearest } from '../../../src/model/shapes/nearest.ts';
import { referencesIn } from '../language/values.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parts: readonly string[];
  readonly route: RouteDefinition;
}

let made: readonly Operation[] | undefined;

function operations(): readonly Operation[] {
  made ??= routesOf({ webApps: () => [] }).map((route) => {
    const { method, path } = route;
    return { method, path, parts: partsOf(path), route };
  });
  return made;
}

/** Which field of a request is wrong, and why; `undefined` if the interface has the operation. */
export function unknownOperation(
  method: string,
  path: string,
): { readonly field: 'method' | 'path'; readonly message: string } | undefined {
  const parts = partsOf(withoutQuery(path));
  const matching = operations().filter((operation) => fits(operation.parts, parts));
  if (matching.length === 0) return { field: 'path', message: noPath(path) };
  const own = [...new Set(matching.map((operation) => operation.method))];
  const methods = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
  if (methods.includes(method)) return undefined;
  return { field: 'method', message: expectedText(`a method of ${withoutQuery(path)}`, method, methods) };
}

/** The routes that may answer a request: several if its path has references. */
export function routesFor(method: string, path: string): RouteDefinition[] {
  const parts = partsOf(withoutQuery(path));
  const matching = operations().filter((operation) => operation.method === method && fits(operation.parts, parts));
  const exact = matching.filter((operation) => operation.parts.join('/') === parts.join('/'));
  return (exact.length > 0 ? exact : matching).map(({ route }) => route);
}

/** Why no path of the interface begins with this prefix; `undefined` if one does. */
export function unknownPrefix(path: string): string | undefined {
  const parts = partsOf(withoutQuery(path));
  const last = parts.at(-1) ?? '';
  const isBegun = (operation: Operation) => {
    const begun = operation.parts.slice(0, parts.length);
    if (begun.length < parts.length) return fits(operation.parts, parts);
    const end = begun.at(-1) ?? '';
    return fits(begun.slice(0, -1), parts.slice(0, -1)) && (isOpen(end) || end.startsWith(last));
  };
  return operations().some(isBegun) ? undefined : noPath(path);
}

export function unknownMethod(method: string): string | undefined {
  const methods = [...new Set([...operations().map((operation) => operation.method), 'HEAD', 'OPTIONS'])];
  return methods.includes(method) ? undefined : expectedText('a method', method, methods);
}

function noPath(path: string): string {
  const paths = [...new Set(operations().map((operation) => operation.path))];
  const near = nearest(withoutQuery(path), paths);
  const hint = hintText(near?.replaceAll(/:(\w+)/g, '<$1>'));
  return `expected a path of docs/reference/interface.md, got "${path}"${hint}`;
}

/** A `$name` reference may match several path segments. */
function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  const [wanted, ...rest] = pattern;
  const [part, ...more] = parts;
  if (wanted === undefined || part === undefined) return wanted === undefined && part === undefined;
  if (wanted === '*') return true;
  if (referencesIn(part).length > 0) return fits(rest, more) || (rest.length > 0 && fits(rest, parts));
  return (isOpen(wanted) || wanted === part) && fits(rest, more);
}

function isOpen(part: string): boolean {
  return part.startsWith(':') || part === '*';
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function withoutQuery(path: string): string {
  return path.split('?')[0] ?? path;
}
