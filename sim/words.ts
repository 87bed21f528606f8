/** What a schema wants of a value, in the words of who writes the value: `a list, each item a whole number from 1`. */
import type { z } from 'zod';
import { innerOf, typeOf } from './yaml-fields.ts';

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];

/** Completes "expected …": the schema's own words where it has some, else its kind, its bounds, and what it is about. */
export function wordsOf(schema: Schema): string {
  const layers = layersOf(schema);
  for (const layer of layers) {
    const own = ownWords(layer);
    if (own !== undefined) return own;
  }
  const [about] = layers.flatMap((layer) => (layer as z.ZodType).description?.split(/;|\. /)[0] ?? []);
  const orNull = layers.some((layer) => typeOf(layer) === 'nullable') ? ', or null' : '';
  return `${kindWords(layers.at(-1) ?? schema)}${orNull}${about === undefined ? '' : ` (${about})`}`;
}

/** A schema, and what is in it layer by layer: without its default, without what it is made into. */
function layersOf(schema: Schema): Schema[] {
  const inner = innerOf(schema);
  return inner === undefined ? [schema] : [schema, ...layersOf(inner)];
}

/** What about its quotes is wrong with a value that would do otherwise: a number where a text is wanted, or the other way round. */
export function quotesHint(schema: Schema, value: unknown): string | undefined {
  const fits = (other: unknown) => (schema as z.ZodType).safeParse(other).success;
  if (typeof value === 'number') return fits(String(value)) ? 'put it in quotes' : undefined;
  const isPlain = typeof value === 'string' && /^(true|false|-?\d+(\.\d+)?)$/.test(value);
  return isPlain && fits(JSON.parse(value)) ? 'take its quotes away' : undefined;
}

/** The values that a schema lists, if it does. */
export function choicesOf(schema: Schema): readonly string[] {
  const { def } = (layersOf(schema).at(-1) as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return def.options.flatMap(choicesOf);
  if (def.type === 'enum') return Object.values(def.entries).map(String);
  return def.type === 'literal' ? def.values.map(String) : [];
}

function kindWords(schema: Schema): string {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const words = kinds[def.type] as ((def: Def) => string) | undefined;
  return words?.(def) ?? 'another value';
}

const kinds: { readonly [T in Def['type']]?: (def: Extract<Def, { type: T }>) => string } = {
  string: (def) => textWords(def as z.core.$ZodStringDef),
  number: numberWords,
  boolean: () => 'true or false',
  enum: ({ entries }) => `one of ${Object.values(entries).join(', ')}`,
  literal: ({ values }) => values.join(' or '),
  array: listWords,
  object: ({ shape }) => objectWords(Object.keys(shape)),
  record: ({ keyType, valueType }) => recordWords(keyType, valueType),
  union: ({ options }) => [...new Set(options.map(wordsOf))].join(', or '),
};

function textWords({ format, checks = [] }: z.core.$ZodStringDef & { readonly format?: string }): string {
  if (format === 'uuid') return 'a UUID';
  for (const { _zod } of checks) {
    const def = _zod.def as z.core.$ZodCheckRegexDef | z.core.$ZodCheckMinLengthDef | z.core.$ZodCheckMaxLengthDef;
    if (def.check === 'string_format' && def.pattern !== undefined) return `a text like ${def.pattern.source}`;
    if (def.check === 'min_length')
      return def.minimum > 1 ? `a text of at least ${def.minimum} letters` : 'a text that is not empty';
    if (def.check === 'max_length') return `a text of at most ${def.maximum} letters`;
  }
  return 'a text';
}

function numberWords({ checks = [], ...def }: z.core.$ZodNumberDef & { readonly format?: string }): string {
  const kind = def.format === 'safeint' ? 'a whole number' : 'a number';
  const bounds = checks.map(({ _zod }) => _zod.def as z.core.$ZodCheckGreaterThanDef | z.core.$ZodCheckLessThanDef);
  const least = bounds.find(({ check }) => check === 'greater_than')?.value;
  const most = bounds.find(({ check }) => check === 'less_than')?.value;
  return `${kind}${least === undefined ? '' : ` from ${least}`}${most === undefined ? '' : `${least === undefined ? ' up' : ''} to ${most}`}`;
}

function listWords({ element, checks = [] }: z.core.$ZodArrayDef): string {
  const bounds = checks.map(({ _zod }) => _zod.def as z.core.$ZodCheckMinLengthDef | z.core.$ZodCheckMaxLengthDef);
  const least = bounds.flatMap((def) => (def.check === 'min_length' ? [def.minimum] : []))[0];
  const most = bounds.flatMap((def) => (def.check === 'max_length' ? [def.maximum] : []))[0];
  return `a list${sizeText(least, most)}, each item ${wordsOf(element)}`;
}

function sizeText(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return ` of ${least} to ${most}`;
  if (least !== undefined) return ` of at least ${least}`;
  return most === undefined ? '' : ` of at most ${most}`;
}

function recordWords(keyType: Schema, valueType: Schema): string {
  const { def } = (keyType as z.core.$ZodTypes)._zod;
  if (def.type === 'enum') return objectWords(Object.values(def.entries).map(String));
  const isAnything = (valueType as z.core.$ZodTypes)._zod.def.type === 'unknown';
  return isAnything ? 'names, each with a value' : `names, each with ${wordsOf(valueType)}`;
}

function objectWords(fields: readonly string[]): string {
  return `{ ${fields.slice(0, mostFields).join(', ')}${fields.length > mostFields ? ' …' : ''} }`;
}

const mostFields = 8;

/** The case of a value of another kind. */
const wrongKind = { code: 'invalid_type', input: undefined };

/** What an author of the schema has said for the case that a value does not fit: of the schema, or of one of its rules. */
function ownWords(schema: Schema): string | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const rules = def.type === 'string' || def.type === 'number' ? (def.checks ?? []).map(({ _zod }) => _zod.def) : [];
  const sayings: readonly { readonly error?: z.core.$ZodErrorMap<never> | undefined }[] = [def, ...rules];
  for (const { error } of sayings) {
    const said = error?.(wrongKind as never);
    const message = typeof said === 'string' ? said : said?.message;
    if (message?.startsWith('expected ') === true) return message.slice('expected '.length);
  }
  return undefined;
}
