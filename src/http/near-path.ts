/** Suggests the path that a request with an unknown one probably means. */
import { nearest } from '../model/shapes/nearest.ts';

/**
 * The path with one misspelt part put right, or without a slash at its end; `undefined` if none is like it. `known`: paths with their
 * parameters, as `:id`.
 */
export function nearPath(path: string, known: Iterable<string>): string | undefined {
  const parts = path.replace(/\/$/, '').split('/');
  const right: [at: number, name: string][] = [];
  for (const each of known) {
    const wanted = each.split('/');
    if (wanted.length !== parts.length) continue;
    const [at, ...more] = wanted.flatMap((part, i) => (part.startsWith(':') || part === parts[i] ? [] : [i]));
    if (at === undefined) return parts.join('/');
    if (more.length === 0) right.push([at, wanted[at] ?? '']);
  }
  for (const at of new Set(right.map(([each]) => each))) {
    const names = right.flatMap(([each, name]) => (each === at ? [name] : []));
    const near = nearest(parts[at] ?? '', names);
    if (near !== undefined) return parts.with(at, near).join('/');
  }
  return undefined;
}
