/** Header fields of a request as node got them: without the cost of making all of its `headers`. */
import type { IncomingMessage } from 'node:http';

/** A field as `Headers.get` gives it: given twice, both in one. */
export function fieldOf({ rawHeaders }: IncomingMessage, name: string): string | null {
  let found: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = rawHeaders[i] as string;
    if (field.length !== name.length || field.toLowerCase() !== name) continue;
    const value = rawHeaders[i + 1] as string;
    found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return found;
}
