/** Scenarios and topologies as plain data, and places in them. */

export type Data = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** A scenario and its topology. */
export interface Candidate {
  readonly scenario: Data;
  readonly topology: Data;
}

export function at(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((found, key) => (found as Record<string | number, unknown> | undefined)?.[key], data);
}

/** The same with another value at a place; without it where that is `undefined`. */
export function put(data: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(data)) return data.with(Number(key), put(data[Number(key)], rest, value));
  const child = put((data as Data)[key], rest, value);
  if (child !== undefined) return { ...(data as Data), [key]: child };
  return Object.fromEntries(Object.entries(data as Data).filter(([name]) => name !== key));
}

/** Every object in `data`, with its place, from outside to inside. */
export function* objectsIn(data: unknown, path: Path = []): Generator<{ path: Path; object: Data }> {
  if (typeof data !== 'object' || data === null) return;
  if (!Array.isArray(data)) yield { path, object: data as Data };
  for (const [key, value] of Object.entries(data)) {
    yield* objectsIn(value, [...path, Array.isArray(data) ? Number(key) : key]);
  }
}
