/** The steps to a property of an item: `ext.ct` is `['ext', 'ct']`. */
export type PropertyPath = readonly string[];

/** An object with named members: neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The property at `path`, or `undefined` where there is none.
 *
 * Only own properties of objects are read: never what is inherited (`constructor`, `__proto__`), and nothing
 * inside arrays and strings (`roles.0`, `name.length`), which are values as a whole. (chosen)
 */
export function readProperty(item: object, path: PropertyPath): unknown {
  let value: unknown = item;
  for (const name of path) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}
