/** What is wrong with a value that a client sent, by its schema. */
import type { z } from 'zod';
import { fieldsAt, noField } from './schema-fields.ts';

interface Checked {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** The name of the whole. */
  readonly what: string;
}

/** The first problem of a value, with its place, what was expected and what was given: `opts.foo: no such field here, expected one of …`. */
export function complaint(issue: z.core.$ZodIssue | undefined, { schema, value, what }: Checked): string {
  if (issue === undefined) return `${what}: not valid`;
  if (issue.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const fields = fieldsAt(schema, issue.path as (string | number)[], value);
    return `${[...issue.path, clipped(name)].join('.')}: ${noField(name, fields)}`;
  }
  if (issue.code === 'invalid_key') {
    const key = issue.path.at(-1);
    const within = issue.path.slice(0, -1).join('.') || what;
    return `${within}: ${wantedBy(issue.issues[0]?.message ?? '')} as a name, got ${shown(key)}`;
  }
  const field = issue.path.length === 0 ? what : issue.path.join('.');
  const got = issue.path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  return `${field}: ${wantedBy(issue.message)}, ${got === undefined ? 'got nothing' : `got ${shown(got)}`}`;
}

/** What was expected, by the message of an issue. */
function wantedBy(message: string): string {
  const expected = message
    .replace(/^(Invalid (input|option|string)|Too (big|small)): /, '')
    .replace(/, received .*$/, '');
  return expected.startsWith('expected') ? expected : `expected ${expected}`;
}

function shown(value: unknown): string {
  return clipped(JSON.stringify(value) ?? String(value));
}

function clipped(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
