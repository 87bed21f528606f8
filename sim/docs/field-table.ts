/** Tables of the fields of a schema, for people: path, type and meaning. */
import type { z } from 'zod';
import { sourceKey } from '../../src/model/provenance.ts';

type Schema = z.core.$ZodType;

export interface TableOptions {
  /** Schemas that have a section of their own, with its title. */
  readonly shapes?: ReadonlyMap<Schema, string>;
  /** The meaning of a field whose schema does not say it. */
  readonly meaningOf?: (name: string) => string | undefined;
}

interface FieldRow {
  readonly path: string;
  readonly type: string;
  readonly meaning: string;
}

/** A table of the fields, or `none`. A field that may be absent is marked; so is one that is chosen. */
export function fieldTable(schema: Schema, options: TableOptions = {}): string {
  const rows = fieldRows(schema, options).map(({ path, type, meaning }) => `| \`${path}\` | ${type} | ${meaning} |`);
  return rows.length === 0 ? 'none\n' : `| field | type | meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** The fields without a meaning, by their paths. */
export function fieldsWithoutMeaning(schema: Schema, options: TableOptions = {}): string[] {
  return fieldRows(schema, options).flatMap(({ path, meaning }) => (meaning.trim() === '' ? [path] : []));
}

/** The fields, those of objects within them included. */
export function fieldRows(schema: Schema, options: TableOptions, prefix = ''): FieldRow[] {
  const { inner } = unwrapped(schema);
  const { def } = inner._zod;
  if (def.type === 'array') return fieldRows(def.element, options, prefix);
  if (def.type === 'record') return fieldRows(def.valueType, options, prefix);
  if (def.type === 'union') return def.options.flatMap((each) => variantRows(each, options, prefix));
  return def.type === 'object' ? objectRows(def.shape, options, prefix) : [];
}

function objectRows(shape: Readonly<Record<string, Schema>>, options: TableOptions, prefix: string): FieldRow[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const row = { path, type: typeText(field, options), meaning: meaningOf(name, field, options) };
    const isNamed = options.shapes?.has(leafOf(field)) === true;
    return [row, ...(isNamed ? [] : fieldRows(field, options, `${path}${pathMark(field)}`))];
  });
}

/** Rows of one of several objects: its first literal says which one. */
function variantRows(schema: Schema, options: TableOptions, prefix: string): FieldRow[] {
  const { def } = unwrapped(schema).inner._zod;
  if (def.type !== 'object' || options.shapes?.has(schema) === true) return [];
  const literal = Object.entries(def.shape).find(([, field]) => unwrapped(field).inner._zod.def.type === 'literal');
  const mark = literal === undefined ? '' : ` (${plain(typeText(literal[1], {}))})`;
  const rows = objectRows(def.shape, options, prefix).map((row) => ({ ...row, path: `${row.path}${mark}` }));
  return rows.length === 1 ? rows : rows.filter(({ path }) => path !== `${prefix}${literal?.[0]}${mark}`);
}

function pathMark(field: Schema): string {
  const { type } = unwrapped(field).inner._zod.def;
  if (type === 'array') return '[].';
  return type === 'record' ? '{}.' : '.';
}

function meaningOf(name: string, field: Schema, { meaningOf: byName }: TableOptions): string {
  const { description, isChosen } = unwrapped(field);
  const meaning = description ?? byName?.(name) ?? '';
  return `${meaning.replaceAll('|', '\\|')}${isChosen ? ' *(chosen)*' : ''}`;
}

interface Unwrapped {
  readonly inner: z.core.$ZodTypes;
  readonly description: string | undefined;
  readonly isChosen: boolean;
  readonly isOptional: boolean;
  readonly isNullable: boolean;
}

/** What is in the layers of a schema: may be absent, may be null, has a default. */
function unwrapped(schema: Schema): Unwrapped {
  const inner = schema as z.core.$ZodTypes;
  const { description } = schema as z.ZodType;
  const isChosen = (schema as z.ZodType).meta()?.[sourceKey] === 'chosen';
  const { def } = inner._zod;
  if (def.type === 'pipe') return unwrapped(def.in);
  if (def.type !== 'optional' && def.type !== 'nullable' && def.type !== 'default' && def.type !== 'readonly') {
    return { inner, description, isChosen, isOptional: false, isNullable: false };
  }
  const within = unwrapped(def.innerType);
  return {
    inner: within.inner,
    description: description ?? within.description,
    isChosen: isChosen || within.isChosen,
    isOptional: def.type === 'optional' || within.isOptional,
    isNullable: def.type === 'nullable' || within.isNullable,
  };
}

/** The schema of the items of a list or a map, or the schema itself. */
function leafOf(schema: Schema): Schema {
  const { inner } = unwrapped(schema);
  const { def } = inner._zod;
  if (def.type === 'array') return leafOf(def.element);
  return def.type === 'record' ? leafOf(def.valueType) : inner;
}

/** The type of a field in words. */
export function typeText(schema: Schema, options: TableOptions): string {
  const { inner, isOptional, isNullable } = unwrapped(schema);
  const text = innerText(inner, options);
  return `${text}${isNullable ? ' or null' : ''}${isOptional ? ', optional' : ''}`;
}

function innerText(inner: z.core.$ZodTypes, options: TableOptions): string {
  const title = options.shapes?.get(inner);
  if (title !== undefined) return `[${title}](protocol-objects.md#${title.replaceAll(' ', '-')})`;
  const { def } = inner._zod;
  if (def.type === 'array') return `list of ${typeText(def.element, options)}`;
  if (def.type === 'record') return `map of ${typeText(def.valueType, options)}`;
  if (def.type === 'tuple') return `[${def.items.map((each) => typeText(each, options)).join(', ')}]`;
  if (def.type === 'enum') return Object.values(def.entries).map(code).join(', ');
  if (def.type === 'literal') return def.values.map(code).join(', ');
  if (def.type === 'union') return unionText(def.options, options);
  return simpleText(def);
}

function unionText(members: readonly Schema[], options: TableOptions): string {
  return [...new Set(members.map((each) => typeText(each, options)))].join(' or ');
}

function simpleText(def: z.core.$ZodTypes['_zod']['def']): string {
  const { format } = def as { readonly format?: string };
  if (format === 'uuid') return 'uuid';
  if (format === 'datetime') return 'time, ISO 8601 UTC';
  if (format === 'safeint') return 'integer';
  return def.type === 'unknown' ? 'any JSON' : def.type;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

function plain(text: string): string {
  return text.replaceAll('`', '');
}
