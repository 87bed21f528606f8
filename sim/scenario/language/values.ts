/** Values that a scenario saves from answers and uses later, as `$name`. */
import { literally, parseLike } from '../../../src/model/collection/slices.ts';
import { firstMatch } from '../../../src/model/expression/expression.ts';
import type { Saved } from './request-schema.ts';

type Path = readonly (string | number)[];

const reference = /\$([A-Za-z][A-Za-z0-9_]*)/g;

/** Thrown when a saved value cannot serve as a name. */
export class InvalidName extends Error {
  readonly path: Path;

  constructor(message: string, path: Path) {
    super(message);
    this.path = path;
  }
}

export class Values {
  readonly #values = new Map<string, unknown>();

  /**
   * Saves, for each name, the value at its path in `body` (`dialogid`, `0.legs.1.callid`). Returns a message for each
   * value that is missing.
   */
  save(wanted: Readonly<Record<string, Saved>>, body: unknown): string[] {
    return Object.entries(wanted).flatMap(([name, each]) => {
      const { from, match } = typeof each === 'string' ? { from: each } : each;
      const found = at(body, from);
      if (found === undefined) return [`save ${name}: nothing at ${from}`];
      const value = match === undefined ? found : partOf(found, match);
      if (value === undefined)
        return [`save ${name}: expected a text with ${match} in it at ${from}, got ${shown(found)}`];
      this.#values.set(name, value);
      return [];
    });
  }

  /** Replaces all references in `part`. A string that is one reference becomes the value itself. */
  fill<T>(part: T): T {
    return this.#mapTexts(part, (text) => this.#fillText(text)) as T;
  }

  /** Replaces all references in `part` by strings. Throws a `NoName` for a value that is neither string nor number. */
  fillNames<T>(part: T): T {
    return this.#mapTexts(part, (text, path) =>
      text.replace(reference, (_, name: string) => this.#name(name, path)),
    ) as T;
  }

  /** `$b2b is 214`, for each name that `part` refers to. */
  text(part: unknown): string {
    const names = [...new Set(referencesIn(part))];
    return names.map((name) => `$${name} is ${this.#values.get(name)}`).join(', ');
  }

  #mapTexts(part: unknown, map: (text: string, path: Path) => unknown, path: Path = []): unknown {
    if (typeof part === 'string') return map(part, path);
    if (Array.isArray(part)) return part.map((each, i) => this.#mapTexts(each, map, [...path, i]));
    if (typeof part !== 'object' || part === null) return part;
    const entries = Object.entries(part).map(([key, value]) => [
      map(key, path),
      this.#mapTexts(value, map, [...path, key]),
    ]);
    return Object.fromEntries(entries);
  }

  #fillText(text: string): unknown {
    const [only] = referencesIn(text);
    if (only !== undefined && text === `$${only}`) return this.#values.get(only);
    return text.replace(reference, (_, name: string) => String(this.#values.get(name)));
  }

  #name(name: string, path: Path): string {
    const value = this.#values.get(name);
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    const got = value === undefined ? 'nothing: no step so far has saved it' : shown(value);
    throw new InvalidName(`expected a name or a number as $${name}, got ${got}`, path);
  }
}

/** A reference to a saved value: its name, and the path of the string that contains it. */
export interface Reference {
  readonly name: string;
  readonly path: Path;
}

/** The names that a part of a scenario refers to. */
export function referencesIn(part: unknown): string[] {
  return referencesAt(part).map(({ name }) => name);
}

export function referencesAt(part: unknown, path: Path = []): Reference[] {
  if (typeof part === 'string') {
    if (!part.includes('$')) return [];
    return [...part.matchAll(reference)].map(([, name = '']) => ({ name, path }));
  }
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((each, i) => referencesAt(each, [...path, i]));
  return Object.entries(part).flatMap(([key, value]) => [
    ...referencesAt(key, path),
    ...referencesAt(value, [...path, key]),
  ]);
}

/** The names that a string with references may become. */
export function likeText(text: string, names: Iterable<string>): string[] {
  const parts = text.split(/\$[A-Za-z][A-Za-z0-9_]*/).map(literally);
  const pattern = parseLike(parts.join('_%'));
  return [...names].filter((name) => pattern?.matches(name));
}

function at(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((found, key) => (found as Record<string, unknown> | null | undefined)?.[key], body);
}

/** The part of a string that matches a pattern: its first group, or the whole match. */
function partOf(value: unknown, pattern: string): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return firstMatch(pattern, String(value));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

const longest = 60;
