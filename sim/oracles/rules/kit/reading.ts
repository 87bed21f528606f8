/** Reading of JSON texts and values that several oracles look at one after the other. */
import type { z } from 'zod';
import { jsonOr } from '../../../../src/model/json.ts';
import { type QuickCheck, quickCheckOf } from '../../../../src/model/protocol/quick-look.ts';

/** The last text: the oracles that observe a message ask for it in turn. */
let last: { readonly text: string; readonly value: unknown } | undefined;

/** The value of a JSON text, which must not be changed: it is shared. `undefined`: no text, or no JSON. */
export function jsonIn(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  if (last?.text !== text) last = { text, value: jsonOr(text, undefined) };
  return last.value;
}

const looks = new WeakMap<z.ZodType, QuickCheck>();

/** The first problem that a schema has with a value, as `path: message`. */
export function problemWith(schema: z.ZodType, value: unknown): string | undefined {
  const look = looks.get(schema) ?? quickCheckOf(schema);
  looks.set(schema, look);
  if (look(value)) return undefined;
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && `${issue.path.join('.')}: ${issue.message}`;
}
