/** Fields of an entity: who sets them, allowed values, and defaults. */
import { z } from 'zod';
import { limits } from '../limits.ts';
import { nilUuid } from '../uuid.ts';

/** `in`: set by the client and never shown. `out`: set by the platform only. (public) */
export type Mode = 'in' | 'out' | 'inout';

export interface Field<T = unknown> {
  readonly schema: z.ZodType<T>;
  readonly mode: Mode;
  /** The default for a create; absent: the field is required. */
  readonly initial?: T | ((id: string) => T);
  /** The meaning: unit, special values, effect. Allowed values are in the schema. */
  readonly does: string;
  /** Why the platform stores the field without acting on it; absent: it acts on it. */
  readonly storedOnly?: string;
}

/** Fields under one name, such as `opts`. */
export interface FieldGroup<F extends Fields = Fields> {
  readonly fields: F;
  readonly does: string;
}

export interface Fields {
  readonly [name: string]: Field | FieldGroup<Fields>;
}

/** The values of fields. */
export type ValuesOf<F extends Fields> = {
  readonly [N in keyof F]: F[N] extends FieldGroup<infer G> ? ValuesOf<G> : F[N] extends Field<infer T> ? T : never;
};

export interface FieldRules<T> {
  /** The default for a create; absent: the field is required. */
  readonly initial?: T;
  readonly does: string;
}

export function isGroup(field: Field | FieldGroup): field is FieldGroup {
  return 'fields' in field;
}

export function group<F extends Fields>(does: string, fields: F): FieldGroup<F> {
  return { fields, does };
}

/** A field on which the platform does not act, and why. */
export function stored<T>(reason: string, given: Field<T>): Field<T> {
  return { ...given, does: `${given.does}. Stored only: ${reason}`, storedOnly: reason };
}

/** Why titles, comments and display names have no other effect. */
export const forPeople = 'for people';

/** A text of `least` (default 0) to `most` (default 1000) characters. */
export function text(
  rules: FieldRules<string> & { least?: number; most?: number; like?: RegExp; wanted?: string },
): Field<string> {
  const { least = 0, most = limits.textChars, like } = rules;
  const wanted = rules.wanted ?? `expected a text of ${least} to ${most} characters`;
  const bounded = z.string(wanted).min(least, wanted).max(most, wanted);
  return field(like === undefined ? bounded : bounded.regex(like, wanted), rules);
}

export function integer(rules: FieldRules<number> & { least: number; most: number }): Field<number> {
  const { least, most } = rules;
  const wanted = `expected an integer from ${least} to ${most}`;
  return field(z.int(wanted).min(least, wanted).max(most, wanted), rules);
}

/** An integer used as a boolean. (public) */
export function intbool(rules: FieldRules<0 | 1>): Field<0 | 1> {
  return field(z.union([z.literal(0), z.literal(1)], 'expected 0 or 1'), rules);
}

export function flag(rules: FieldRules<boolean>): Field<boolean> {
  return field(z.boolean('expected true or false'), rules);
}

/** A uuid, stored in lower case. */
export const uuidSchema = z.uuid('expected a uuid').toLowerCase();

/** The id of an item: all zeros means none where an item is named. */
export const itemIdSchema = uuidSchema.refine((id) => id !== nilUuid, 'expected a uuid that is not all zeros');

export function uuid(rules: FieldRules<string>): Field<string> {
  return field(uuidSchema, rules);
}

export function oneOf<const T extends string>(values: readonly T[], rules: FieldRules<T>): Field<T> {
  return field(z.enum(values, `expected one of ${values.map((value) => JSON.stringify(value)).join(', ')}`), rules);
}

/** A list of texts. */
export function texts(rules: FieldRules<string[]>): Field<string[]> {
  const { listItems: items, nameChars: letters } = limits;
  const wanted = `expected a list of at most ${items} texts of 1 to ${letters} characters`;
  return field(z.array(z.string(wanted).min(1, wanted).max(letters, wanted), wanted).max(items, wanted), rules);
}

/** A list of numbers that can be called. */
export function numbers(rules: FieldRules<string[]>): Field<string[]> {
  const { listItems: items, numberChars: letters } = limits;
  const wanted = `expected a list of at most ${items} numbers of 1 to ${letters} characters, without blanks`;
  const number = z
    .string(wanted)
    .max(letters, wanted)
    .regex(/^[^\s<>"]+$/, wanted);
  return field(z.array(number, wanted).max(items, wanted), rules);
}

/** A list of any JSON: the interface does not define its items. */
export function list(rules: FieldRules<unknown[]>): Field<unknown[]> {
  const { listItems, listChars } = limits;
  const wanted = `expected a list of at most ${listItems} values and ${listChars} characters of JSON`;
  const isSmall = (values: unknown[]) => JSON.stringify(values).length <= listChars;
  return field(z.array(z.json(), wanted).max(listItems, wanted).refine(isSmall, wanted), rules);
}

/** A field with a schema of its own. */
export function field<T>(schema: z.ZodType<T>, { initial, does }: FieldRules<T>): Field<T> {
  return { schema, mode: 'inout', does, ...(initial !== undefined && { initial }) };
}

/** A field set by the platform only; `initial` may depend on the id of the entity. */
export function out<T>({ schema, does }: Field<T>, initial: T | ((id: string) => T)): Field<T> {
  return { schema, mode: 'out', initial, does };
}

/** `opts` of most entities (documented), with the fields of `more`. */
export function opts<F extends Fields = Record<never, Field>>(more?: F) {
  return group('Options', {
    title: stored(forPeople, text({ initial: '', does: 'Title' })),
    comment: stored(forPeople, text({ initial: '', most: limits.commentChars, does: 'Comment' })),
    ...(more ?? ({} as F)),
  });
}
