/** Reads data against a schema. Each fault says where it is, what was expected, and what was found. */
import type { z } from 'zod';
import { hintText, nearest } from '../../src/model/shapes/nearest.ts';
import {
  fieldsAt,
  innerOf,
  noField,
  type SchemaPart,
  schemasAt,
  typeOf,
} from '../../src/model/shapes/schema-fields.ts';

type Def = z.core.$ZodTypes['_zod']['def'];

/**
 * What a schema accepts, to complete "expected …": `a list, each item a whole number from 1`. It is the schema's own message
 * if it has one, else its kind, bounds and description.
 */
export function wordsOf(schema: SchemaPart): string {
  const layers = layersOf(schema);
  for (const layer of layers) {
    const own = ownMessageOf(layer);
    if (own !== undefined) return own;
  }
  const [about] = layers.flatMap((layer) => (layer as z.ZodType).description?.split(/;|\. /)[0] ?? []);
  const orNull = layers.some((layer) => typeOf(layer) === 'nullable') ? ', or null' : '';
  return `${kindWords(layers.at(-1) ?? schema)}${orNull}${about === undefined ? '' : ` (${about})`}`;
}

/** A schema and its inner schemas, layer by layer. */
function layersOf(schema: SchemaPart): SchemaPart[] {
  const inner = innerOf(schema);
  return inner === undefined ? [schema] : [schema, ...layersOf(inner)];
}

/** A hint for a value whose quotes are wrong: a number for a string, or a string for a number. */
export function quotesHint(schema: SchemaPart, value: unknown): string | undefined {
  const fits = (other: unknown) => (schema as z.ZodType).safeParse(other).success;
  if (typeof value === 'number') return fits(String(value)) ? 'put it in quotes' : undefined;
  const isPlain = typeof value === 'string' && /^(true|false|-?\d+(\.\d+)?)$/.test(value);
  return isPlain && fits(JSON.parse(value)) ? 'take its quotes away' : undefined;
}

/** The values that a schema enumerates. */
export function choicesOf(schema: SchemaPart): readonly string[] {
  const { def } = (layersOf(schema).at(-1) as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return def.options.flatMap(choicesOf);
  if (def.type === 'enum') return Object.values(def.entries).map(String);
  return def.type === 'literal' ? def.values.map(String) : [];
}

function kindWords(schema: SchemaPart): string {
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
      return def.minimum > 1 ? `a text of at least ${def.minimum} characters` : 'a text that is not empty';
    if (def.check === 'max_length') return `a text of at most ${def.maximum} characters`;
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

function recordWords(keyType: SchemaPart, valueType: SchemaPart): string {
  const { def } = (keyType as z.core.$ZodTypes)._zod;
  if (def.type === 'enum') return objectWords(Object.values(def.entries).map(String));
  const isAnything = (valueType as z.core.$ZodTypes)._zod.def.type === 'unknown';
  return isAnything ? 'names, each with a value' : `names, each with ${wordsOf(valueType)}`;
}

function objectWords(fields: readonly string[]): string {
  return `{ ${fields.slice(0, mostFields).join(', ')}${fields.length > mostFields ? ' …' : ''} }`;
}

const mostFields = 8;

/** An issue for a value of the wrong type. */
const wrongKind = { code: 'invalid_type', input: undefined };

/** The message that a schema, or one of its rules, declares for a value that does not fit. */
function ownMessageOf(schema: SchemaPart): string | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const rules = def.type === 'string' || def.type === 'number' ? (def.checks ?? []).map(({ _zod }) => _zod.def) : [];
  const messages: readonly { readonly error?: z.core.$ZodErrorMap<never> | undefined }[] = [def, ...rules];
  for (const { error } of messages) {
    const own = error?.(wrongKind as never);
    const message = typeof own === 'string' ? own : own?.message;
    if (message?.startsWith('expected ') === true) return message.slice('expected '.length);
  }
  return undefined;
}

/** A fault and the path of its value. */
export interface InputError {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The parsed value, or all its faults. */
export function readValue<S extends z.ZodType>(
  schema: S,
  value: unknown,
): { isValid: true; value: z.infer<S> } | { isValid: false; faults: InputError[] } {
  const read = schema.safeParse(value);
  if (read.success) return { isValid: true, value: read.data };
  const faults = withoutConsequences(read.error.issues.flatMap(issueFaults));
  return { isValid: false, faults: faults.map((fault) => inWords(fault, schema, value)) };
}

/** `sites[0].name`. */
export function pathText(path: InputError['path']): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('');
}

/** A fault in one line; `whole` names the value with the empty path. */
export function faultText({ path, message }: InputError, whole?: string): string {
  const place = path.length === 0 ? whole : pathText(path);
  return place === undefined ? message : `${place}: ${message}`;
}

/** A fault as the schema reports it. */
interface IssueFault {
  readonly path: InputError['path'];
  /** `field`: an unknown field; `key`: an invalid key of a record; `rule`: a rule about a whole object. */
  readonly of: 'value' | 'field' | 'key' | 'rule';
  /** The message that the schema declares. */
  readonly message?: string | undefined;
}

function issueFaults(issue: z.core.$ZodIssue): IssueFault[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const meant = issue.code === 'invalid_union' ? closestForm(issue) : undefined;
  if (meant !== undefined)
    return meant.flatMap(issueFaults).map((each) => ({ ...each, path: [...path, ...each.path] }));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], of: 'field' }));
  if (issue.code === 'invalid_key')
    return issue.issues.slice(0, 1).map((each) => ({ path, of: 'key', message: ownMessage(each) }));
  return [{ path, of: issue.code === 'custom' ? 'rule' : 'value', message: ownMessage(issue) }];
}

/** Messages of this product start with "expected"; the parser's own do not. */
function ownMessage({ message }: z.core.$ZodIssue): string | undefined {
  return message.startsWith('expected ') ? message : undefined;
}

/** Drops faults about a whole object that follow from a misspelt field in it. */
function withoutConsequences(faults: readonly IssueFault[]): IssueFault[] {
  const misspelt = faults.flatMap(({ path, of }) => (of === 'field' ? [pathText(path.slice(0, -1))] : []));
  return faults.filter(({ path, of }) => of !== 'rule' || !misspelt.includes(pathText(path)));
}

/** Of several alternatives, the one that the value comes closest to; `undefined` if none is closest. */
function closestForm({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const forms = errors.filter((form) =>
    form.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'),
  );
  const wrongs = forms.map((form) => form.reduce((sum, issue) => sum + wrongsIn(issue), 0));
  const least = Math.min(...wrongs);
  const [only, ...more] = forms.filter((_, i) => wrongs[i] === least);
  return more.length === 0 ? only : undefined;
}

function wrongsIn(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

function inWords({ path, of, message }: IssueFault, schema: z.ZodType, value: unknown): InputError {
  const name = String(path.at(-1));
  if (of === 'field') return { path, message: noField(name, fieldsAt(schema, path.slice(0, -1), value)) };
  if (of === 'key') return { path, message: `${message ?? 'expected another name'}, got "${name}"` };
  const got = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const wanted = schemasAt(schema, path);
  const words = message ?? `expected ${[...new Set(wanted.map(wordsOf))].join(', or ')}`;
  // A message about a whole object already says what it contains.
  if (message !== undefined && typeof got === 'object' && got !== null) return { path, message: words };
  const [quotes] = wanted.flatMap((each) => quotesHint(each, got) ?? []);
  const hint = quotes === undefined ? suggestionText(got, wanted) : `; ${quotes}`;
  return { path, message: `${words}, got ${shown(got)}${hint}` };
}

function suggestionText(got: unknown, wanted: readonly z.core.$ZodType[]): string {
  return typeof got === 'string' ? hintText(nearest(got, wanted.flatMap(choicesOf))) : '';
}

/** The value, or its kind if it is long. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

const longest = 200;
