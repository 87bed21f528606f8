/** Reads a part of a value against the schema of the whole: fields may be missing; given fields must exist and fit. */
import type { z } from 'zod';
import { formsOf, noField, schemasAt, typeOf } from '../../src/model/shapes/schema-fields.ts';
import { type InputError, readValue, wordsOf } from './read-value.ts';

type Schema = z.core.$ZodType;
type Fields = Readonly<Record<string, unknown>>;

interface PartReader {
  /** The schema of a whole item in place of that of an item whose fields may be left out. */
  readonly wholeOf: (schema: Schema) => Schema;
  /** Values that are not known yet, such as references: they fit everywhere. */
  readonly isOpen: (value: unknown) => boolean;
}

/** The faults of `part`, by the schema that it comes closest to. */
export function faultsOfPart(schemas: readonly Schema[], part: unknown, reader: PartReader): InputError[] {
  if (reader.isOpen(part)) return [];
  const found = schemas.map((schema) => faultsIn(reader.wholeOf(schema), part, reader));
  return found.toSorted((a, b) => badness(a) - badness(b))[0] ?? [];
}

/** A fault of the whole value is worse than any number of faults within it. */
function badness(faults: readonly InputError[]): number {
  return faults.some(({ path }) => path.length === 0) ? Number.POSITIVE_INFINITY : faults.length;
}

function faultsIn(schema: Schema, part: unknown, reader: PartReader): InputError[] {
  if (part === null || typeof part !== 'object') return plainFaults(schema, part);
  const forms = formsOf(schema).map((form) => reader.wholeOf(form));
  const fitting = forms.filter((form) => isOfKind(form, part) && (forms.length === 1 || isMeant(form, part)));
  if (fitting.length === 0) return plainFaults(schema, part);
  const found = fitting.map((form) => {
    if (Array.isArray(part)) return part.flatMap((each, i) => below(form, i, each, reader));
    return Object.entries(part).flatMap(([name, each]) => fieldFaults(form, name, each, reader));
  });
  return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function plainFaults(schema: Schema, part: unknown): InputError[] {
  const read = readValue(schema as z.ZodType, part);
  if (read.isValid) return [];
  const [first] = read.faults;
  return first?.path.length === 0 ? [first] : [{ path: [], message: `expected ${wordsOf(schema)}` }];
}

function isOfKind(form: Schema, part: object): boolean {
  const type = typeOf(form);
  if (type === 'unknown' || type === 'any') return true;
  return Array.isArray(part) ? type === 'array' : type === 'object' || type === 'record';
}

/** Of several forms, an object is meant to be one with which it shares a field. */
function isMeant(form: Schema, part: object): boolean {
  const keys = Object.keys(part);
  return Array.isArray(part) || keys.length === 0 || isLoose(form) || keys.some((key) => key in shapeOf(form));
}

function below(form: Schema, key: string | number, each: unknown, reader: PartReader): InputError[] {
  if (typeOf(form) === 'unknown' || typeOf(form) === 'any') return [];
  const faults = faultsOfPart(schemasAt(form, [key]), each, reader);
  return faults.map(({ path, message }) => ({ path: [key, ...path], message }));
}

/** A name with dots is that of a nested field, as `flat` answers it. */
function fieldFaults(form: Schema, name: string, each: unknown, reader: PartReader): InputError[] {
  if (schemasAt(form, [name]).length > 0) return below(form, name, each, reader);
  const dotted = name.split('.');
  const nested = dotted.length > 1 ? schemasAt(form, dotted) : [];
  if (nested.length > 0) {
    const faults = faultsOfPart(nested, each, reader);
    return faults.map(({ path, message }) => ({ path: [name, ...path], message }));
  }
  if (isLoose(form)) return [];
  return [{ path: [name], message: noField(name, Object.keys(shapeOf(form))) }];
}

function shapeOf(form: Schema): Fields {
  const { def } = (form as z.core.$ZodTypes)._zod;
  return def.type === 'object' ? def.shape : {};
}

/** Whether fields that are not declared may be there. */
function isLoose(form: Schema): boolean {
  const { def } = (form as z.core.$ZodTypes)._zod;
  if (def.type !== 'object') return true;
  return def.catchall !== undefined && typeOf(def.catchall) !== 'never';
}
