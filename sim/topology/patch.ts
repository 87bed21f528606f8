/**
 * Patches a topology: parts are added, changed and removed. Objects are merged. Lists of named items are merged by
 * name: new items go to the end, and `remove: true` removes one. Other lists are replaced, and `null` removes a field.
 */
import type { InputError } from '../input/read-value.ts';

export type Data = Readonly<Record<string, unknown>>;
type Path = InputError['path'];

/** The naming field of list items. */
const keys: ReadonlyMap<string, string> = new Map([
  ['sites', 'name'],
  ['nodes', 'name'],
  ['instances', 'srvidx'],
  ['groups', 'group'],
  ['domains', 'name'],
  ['users', 'login'],
  ['sipusers', 'login'],
  ['providers', 'code'],
  ['features', 'prefix'],
  ['parkingfiles', 'name'],
  ['storagerules', 'id'],
]);

export interface Patched {
  readonly value: unknown;
  /** Removals in a patch whose item does not exist; paths within the patch. */
  readonly faults: readonly InputError[];
}

export function patched(base: unknown, patch: Data): Patched {
  const faults: InputError[] = [];
  return { value: mergeObjects(isData(base) ? base : {}, patch, { path: [], faults }), faults };
}

/** Maps a path in the patched topology to the patch line that it comes from; `isExact`: the whole path. */
export function placeInPatch(value: unknown, patch: Data, path: Path): { path: Path; isExact: boolean } {
  const found: (string | number)[] = [];
  let [at, within]: [unknown, unknown] = [value, patch];
  for (const [i, part] of path.entries()) {
    const key = keys.get(String(path[i - 1]));
    const next = childOf(at, part);
    const place = typeof part === 'number' && key !== undefined ? indexOf(within, key, next) : part;
    if (place === undefined || !hasChild(within, place)) return { path: found, isExact: false };
    found.push(place);
    [at, within] = [next, childOf(within, place)];
  }
  return { path: found, isExact: true };
}

/** A path as text, with list items by their names. */
export function namedPath(value: unknown, path: Path): string {
  let at: unknown = value;
  const words = path.map((part, i) => {
    const key = keys.get(String(path[i - 1]));
    at = childOf(at, part);
    const name = key !== undefined && isData(at) ? at[key] : undefined;
    return typeof part === 'string' || name === undefined ? String(part) : `"${name}"`;
  });
  return words.join(' ');
}

interface Place {
  readonly path: Path;
  readonly faults: InputError[];
}

function mergeObjects(base: Data, patch: Data, { path, faults }: Place): Data {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, part] of Object.entries(patch)) {
    if (part === null) delete merged[name];
    else merged[name] = mergeValues(base[name], part, { path: [...path, name], faults });
  }
  return merged;
}

function mergeValues(base: unknown, patch: unknown, place: Place): unknown {
  const key = keys.get(String(place.path.at(-1)));
  if (key !== undefined && Array.isArray(patch) && patch.every(isData)) {
    return mergeLists(Array.isArray(base) ? base : [], patch, { key, place });
  }
  if (isData(patch) && isData(base)) return mergeObjects(base, patch, place);
  return isData(patch) ? mergeObjects({}, patch, place) : patch;
}

function mergeLists(
  base: readonly unknown[],
  patch: readonly Data[],
  { key, place }: { key: string; place: Place },
): unknown[] {
  let merged = [...base];
  for (const [i, { remove, ...part }] of patch.entries()) {
    const at = merged.findIndex((item) => isData(item) && item[key] === part[key]);
    const path = [...place.path, i];
    if (remove !== undefined) {
      const known = merged.map((item) => String(isData(item) ? item[key] : item)).join(', ');
      const message = `expected the ${key} of an existing item (${known}) to remove, got "${part[key]}"`;
      if (at < 0) place.faults.push({ path: [...path, key], message });
      merged = merged.filter((_, index) => index !== at);
    } else if (at < 0) merged.push(mergeObjects({}, part, { ...place, path }));
    else merged[at] = mergeObjects(merged[at] as Data, part, { ...place, path });
  }
  return merged;
}

function indexOf(list: unknown, key: string, item: unknown): number | undefined {
  if (!Array.isArray(list) || !isData(item)) return undefined;
  const index = list.findIndex((each) => isData(each) && each[key] === item[key]);
  return index < 0 ? undefined : index;
}

function childOf(value: unknown, part: string | number): unknown {
  return (value as Record<string | number, unknown> | null | undefined)?.[part];
}

function hasChild(value: unknown, part: string | number): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, part);
}

function isData(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
