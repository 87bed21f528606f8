/**
 * A fast pre-check of a value: whether a schema certainly accepts it unchanged. It copies nothing and reports nothing, so
 * it costs a fraction of a parse, and nearly all messages pass it. If it is not certain, the schema decides.
 */
import type { z } from 'zod';
import type { $ZodTypes } from 'zod/v4/core';

/** True: the schema accepts the value and returns it unchanged. False: unknown. */
export type QuickCheck = (value: unknown) => boolean;

export interface ReadResult<T> {
  readonly success: boolean;
  /** The parsed value; only on success. */
  readonly data?: T;
}

/** A validator for data received over a link: equivalent to `schema.safeParse`. */
export function readerOf<S extends z.ZodType>(schema: S): (value: unknown) => ReadResult<z.output<S>> {
  let look: QuickCheck | undefined;
  return (value) => {
    // Created on first use, because most processes receive few of the types.
    look ??= quickCheckOf(schema);
    return look(value) ? { success: true, data: value as z.output<S> } : schema.safeParse(value);
  };
}

const unsure: QuickCheck = () => false;

/** Certain only for the types named here (not for transforms, refinements, most formats, plain unions). */
export function quickCheckOf(schema: z.ZodType): QuickCheck {
  const { def } = (schema as unknown as $ZodTypes)._zod;
  const inner = (each: unknown) => quickCheckOf(each as z.ZodType);
  switch (def.type) {
    case 'unknown':
      return () => true;
    case 'null':
      return (value) => value === null;
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'string':
      return stringCheck(def);
    case 'number':
      return numberCheck(def);
    case 'literal':
      return among(def.values);
    case 'enum':
      return among(Object.values(def.entries));
    case 'optional':
      return or(undefined, inner(def.innerType));
    case 'nullable':
      return or(null, inner(def.innerType));
    case 'default':
      return and((value) => value !== undefined, inner(def.innerType));
    case 'array':
      return hasMore(def) ? unsure : arrayCheck(inner(def.element));
    case 'tuple':
      return hasMore(def) || def.rest !== null ? unsure : tupleCheck(def.items.map(inner));
    case 'record':
      return hasMore(def) ? unsure : recordCheck(inner(def.keyType), inner(def.valueType));
    case 'object':
      return hasMore(def) ? unsure : objectCheck(def.shape as Shape, def.catchall?._zod.def.type === 'unknown');
    case 'union':
      return 'discriminator' in def ? choiceCheck(String(def.discriminator), def.options as Option[]) : unsure;
    default:
      return unsure;
  }
}

type Shape = Readonly<Record<string, z.ZodType>>;
type Option = z.ZodObject;

/** Checks beyond the type, such as of length or format. */
function hasMore(def: { checks?: readonly unknown[] | undefined; format?: unknown }): boolean {
  return (def.checks ?? []).length > 0 || def.format !== undefined;
}

function or(constant: undefined | null, look: QuickCheck): QuickCheck {
  return (value) => value === constant || look(value);
}

function and(one: QuickCheck, other: QuickCheck): QuickCheck {
  return (value) => one(value) && other(value);
}

function among(values: readonly unknown[]): QuickCheck {
  const all = new Set(values);
  return (value) => all.has(value);
}

interface StringDef {
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly checks?: readonly unknown[] | undefined;
}

/** Formats that a pattern decides alone. */
const patterned: ReadonlySet<string> = new Set(['uuid', 'datetime']);

function stringCheck(def: object): QuickCheck {
  const { format, pattern, checks = [] } = def as StringDef;
  if (checks.length > 0) return unsure;
  if (format === undefined) return (value) => typeof value === 'string';
  if (!patterned.has(format) || pattern === undefined || pattern.global) return unsure;
  return (value) => typeof value === 'string' && pattern.test(value);
}

interface NumberDef {
  readonly format?: string;
  readonly checks?: readonly { readonly _zod: { readonly def: object } }[] | undefined;
}

/** Numbers and safe integers, with or without bounds. */
function numberCheck(def: object): QuickCheck {
  const { format, checks = [] } = def as NumberDef;
  if (format !== undefined && format !== 'safeint') return unsure;
  const isOfType = format === undefined ? Number.isFinite : Number.isSafeInteger;
  return checks.map(({ _zod }) => boundCheck(_zod.def)).reduce(and, isOfType as QuickCheck);
}

function boundCheck(def: object): QuickCheck {
  const { check, value: bound, inclusive } = def as { check?: string; value?: number; inclusive?: boolean };
  if (typeof bound !== 'number' || inclusive !== true) return unsure;
  if (check === 'greater_than') return (value) => (value as number) >= bound;
  return check === 'less_than' ? (value) => (value as number) <= bound : unsure;
}

function arrayCheck(element: QuickCheck): QuickCheck {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const each of value) if (!element(each)) return false;
    return true;
  };
}

function tupleCheck(items: readonly QuickCheck[]): QuickCheck {
  return (value) =>
    Array.isArray(value) && value.length === items.length && items.every((look, index) => look(value[index]));
}

function recordCheck(keys: QuickCheck, values: QuickCheck): QuickCheck {
  return (value) => {
    if (!isPlain(value)) return false;
    for (const key in value) if (key === '__proto__' || !keys(key) || !values(value[key])) return false;
    return true;
  };
}

/** Iterates over the present keys: a message has few of its optional ones. */
function objectCheck(shape: Shape, isLoose: boolean): QuickCheck {
  const looks = new Map(Object.entries(shape).map(([key, schema]) => [key, quickCheckOf(schema)]));
  const required = Object.values(shape).filter(({ type }) => type !== 'optional').length;
  const optional = new Set(Object.keys(shape).filter((key) => shape[key]?.type === 'optional'));
  return (value) => {
    if (!isPlain(value)) return false;
    let found = 0;
    for (const key in value) {
      const look = looks.get(key);
      if (look === undefined ? !isLoose || key === '__proto__' : !look(value[key])) return false;
      if (look !== undefined && !optional.has(key)) found += 1;
    }
    return found === required;
  };
}

/** A union discriminated by a key. */
function choiceCheck(key: string, options: readonly Option[]): QuickCheck {
  const looks = new Map<unknown, QuickCheck>();
  for (const option of options) {
    const { def } = (option as unknown as $ZodTypes)._zod;
    const choice = def.type === 'object' ? (def.shape as Shape)[key]?._zod.def : undefined;
    if (choice?.type !== 'literal') return unsure;
    for (const value of (choice as unknown as { values: unknown[] }).values) looks.set(value, quickCheckOf(option));
  }
  return (value) => isPlain(value) && (looks.get(value[key]) ?? unsure)(value);
}

/** Whether a value is an object as created by JSON.parse: all keys are its own. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
