/** Checks the form of values that users hand to the kit. All faults are reported at once, each with its place. */
import { inspect } from 'node:util';
import { z } from 'zod';
import { hintText, nearest } from '../../../src/model/shapes/nearest.ts';

/** A value, or the result of a function of the user, does not have the expected form. */
export class BadCheck extends Error {
  override readonly name = 'BadCheck';
}

/** The error for problems, a line each; `what`: the receiver of the values, `checkMachine of turnstile`. */
export function badForm(what: string, problems: readonly string[]): BadCheck {
  const lines = problems.map((line) => `\n  ${line}`).join('');
  return new BadCheck(
    `${what}: its arguments do not have the expected form (see docs/reference/check.md of strowger)${lines}`,
  );
}

/** The problems of a value, a line each; empty for a valid one. */
export function problemsOf(schema: z.ZodType, given: unknown): string[] {
  const { error } = schema.safeParse(given);
  return (error?.issues ?? []).flatMap((issue) => {
    const { path, message } = issue;
    const keys = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path];
    return keys.map((place) => `${place.length === 0 ? '' : `${placeOf(place)}: `}${message}`);
  });
}

/** `finally.states[0]`, `rules["it is open"]`. */
export function placeOf(path: readonly PropertyKey[]): string {
  const parts = path.map((part, index) => {
    if (typeof part === 'number') return `[${part}]`;
    if (!/^[A-Za-z_$][\w$]*$/.test(String(part))) return `[${JSON.stringify(String(part))}]`;
    return index === 0 ? String(part) : `.${String(part)}`;
  });
  return parts.join('');
}

/** A value in short, as its author would write it. */
export function inspected(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (isMachine(value)) return 'a machine itself';
  const text = inspect(value, { depth: 1, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 5 });
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

const longest = 72;

/** A value that passes a test; `expected` completes "expected …". */
export function matching(isSo: (value: unknown) => boolean, expected: string): z.ZodType {
  return z.custom(isSo, { error: ({ input }) => `expected ${expected}, got ${inspected(input)}` });
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) => typeof value === 'function';
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isMs = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const text = (what: string) => matching(isText, what);
export const func = (example: string) => matching(isFunction, `a function, ${example}`);
export const milliseconds = matching(isMs, 'milliseconds, such as 5000');
export const count = matching(isCount, 'a whole number from 0');
export const positive = matching((value) => isCount(value) && value !== 0, 'a whole number from 1');
export const event = matching(
  (value) => isObject(value) && isText(value['type']),
  "an event, such as { type: 'coin' }",
);

/** A list; `example` is a valid one. */
export function listOf(item: z.ZodType, example: string): z.ZodType {
  return z.array(item, { error: ({ input }) => `expected a list, such as ${example}, got ${inspected(input)}` });
}

/** An object with any keys; `example` is a valid one. */
export function namesOf(value: z.ZodType, example: string): z.ZodType {
  return z.record(z.string(), value, {
    error: ({ input }) => `expected an object, such as ${example}, got ${inspected(input)}`,
  });
}

/** An object with exactly these fields; `example` is a valid one. */
export function fields(shape: z.ZodRawShape, example: string): z.ZodType {
  const object = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? unknownText(issue.keys, Object.keys(shape))
        : `expected ${example}, got ${inspected(issue.input)}`,
  });
  // Checked first: `strictObject` would list every field of a machine.
  return matching((value) => !isMachine(value), example).pipe(object);
}

/** The known names, for a message about unknown ones. */
function unknownText([name = '', ...others]: readonly string[], known: readonly string[]): string {
  return `not known here (${known.join(', ')})${others.length === 0 ? hintText(nearest(name, known)) : ''}`;
}

/** An XState 5 machine, from any copy of the package. */
export const machine = z.custom(isMachine, {
  error: ({ input }) => `expected a machine of XState 5, ${machineHint(input)}`,
});

function isMachine(value: unknown): boolean {
  if (!isObject(value)) return false;
  return isObject(value['root']) && [value['transition'], value['getInitialSnapshot']].every(isFunction);
}

function machineHint(value: unknown): string {
  if (!isObject(value)) return `got ${inspected(value)}`;
  if (isFunction(value['createMachine'])) return 'got what setup() gives: call its createMachine({ … })';
  if (isFunction(value['send'])) return 'got an actor: hand over the machine that it was made of';
  if (isFunction(value['withContext'])) return 'got one of XState 4';
  return `got ${inspected(value)}: an object of states becomes one by createMachine({ … })`;
}
