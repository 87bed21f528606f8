/** Values that a scenario saves from answers and uses later, as `$name`. */

const reference = /\$([A-Za-z][A-Za-z0-9_]*)/g;

export class Values {
  readonly #values = new Map<string, unknown>();

  /** Saves, for each name, what is at its path in `body` (`dialogid`, `0.legs.1.callid`). Says which paths lead nowhere. */
  save(wanted: Readonly<Record<string, string>>, body: unknown): string[] {
    return Object.entries(wanted).flatMap(([name, path]) => {
      const value = at(body, path);
      if (value === undefined) return [`save ${name}: nothing at ${path}`];
      this.#values.set(name, value);
      return [];
    });
  }

  /** `part` with every reference replaced: a text that is nothing but one by the value itself. */
  fill<T>(part: T): T {
    return this.#fill(part) as T;
  }

  #fill(part: unknown): unknown {
    if (typeof part === 'string') return this.#fillText(part);
    if (Array.isArray(part)) return part.map((each) => this.#fill(each));
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [this.#fillText(key), this.#fill(value)]));
  }

  #fillText(text: string): unknown {
    const [only] = referencesIn(text);
    if (only !== undefined && text === `$${only}`) return this.#values.get(only);
    return text.replace(reference, (_, name: string) => String(this.#values.get(name)));
  }
}

/** The names that a part of a scenario refers to. */
export function referencesIn(part: unknown): string[] {
  if (typeof part === 'string') return [...part.matchAll(reference)].map(([, name = '']) => name);
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) => [...referencesIn(key), ...referencesIn(value)]);
}

function at(body: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((found, key) => (found as Record<string, unknown> | null | undefined)?.[key], body);
}
