/**
 * JSON that comes from outside: read with a bound on how deep its arrays and objects nest. Beyond it a recursive function
 * (a schema, `JSON.stringify`) could overflow the stack, so the depth is counted before anything is parsed.
 */
import { done, failed, fault, type Outcome } from './fault.ts';
import { jsonFault } from './json-fault.ts';

const quote = 0x22;
const backslash = 0x5c;

/** The value of a JSON text, or an `invalid` fault that says what was expected. */
export function parseJson(text: string, maxDepth: number): Outcome<unknown> {
  if (isDeeper(text, maxDepth)) {
    return failed(fault('invalid', `expected JSON nested at most ${maxDepth} deep, got deeper`));
  }
  try {
    return done(JSON.parse(text));
  } catch {
    return failed(fault('invalid', `expected JSON: ${jsonFault(text)}`));
  }
}

/** Whether a JSON text nests deeper than that; of a text that is not JSON, whether it begins to. One pass, no recursion. */
export function isDeeper(text: string, maxDepth: number): boolean {
  // Each level takes a bracket of its own at both ends.
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Whether a JSON value has more than `most` values in it, itself and all its members counted. */
export function hasMoreValues(value: unknown, most: number): boolean {
  const open = [value];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (typeof next !== 'object' || next === null) continue;
    const members = Array.isArray(next) ? next : Object.values(next);
    if (count + open.length + members.length > most) return true;
    for (const member of members) open.push(member);
  }
  return false;
}

/** Where the text that begins at `start` ends: at its closing quote, or behind all. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) return at;
  }
  return at;
}
