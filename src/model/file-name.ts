/** Names of files: what a client may call one. A name is no path, and shows as what it is. (chosen) */
import { limits } from './limits.ts';

/** Letters that end a line, turn the direction of writing, or are none: who reads the name would see another one. */
const hidden = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const nameBytes = 255;

/** What is wrong with a name, if anything is. */
export function fileNameProblem(name: string): string | undefined {
  const got = `got ${JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}...` : name)}`;
  if (name === '' || name.length > limits.fileNameLetters || Buffer.byteLength(name) > nameBytes) {
    return `name: expected 1 to ${limits.fileNameLetters} letters, and at most ${nameBytes} bytes, ${got}`;
  }
  if (/[/\\]/.test(name) || name === '.' || name === '..') return `name: expected no path, ${got}`;
  if (hidden.test(name)) return `name: expected no control letters, ${got}`;
  return name.trim() === name ? undefined : `name: expected no blanks around it, ${got}`;
}
