/** Examples of operations as text of a module. */

export interface Example {
  readonly request?: unknown;
  readonly status?: number;
  readonly answer?: unknown;
}

/** Of lists, so many items are shown. */
const mostItems = 2;
const longestText = 300;

/** The entries of a map of titles and examples. */
export function exampleLines(examples: readonly (readonly [title: string, example: Example])[]): string {
  return examples.map(([title, example]) => `  [${quoted(title)}, ${quoted(JSON.stringify(example))}],`).join('\n');
}

/** A value with the first items of its lists, and without the ends of long texts. */
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  if (Array.isArray(value)) return value.slice(0, mostItems).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}

/** A string literal as the formatter writes it. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return text.includes("'") ? JSON.stringify(text) : `'${escaped}'`;
}
