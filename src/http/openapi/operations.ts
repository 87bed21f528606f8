/** The operations of an OpenAPI document in order, and the fields of a schema as rows of a table. */
import { sourceKey } from '../../model/provenance.ts';
import type { Document, Json, OpenApiOperation } from './document.ts';

export interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly does: string;
  /** The provenance of the field, or of the object that contains it. */
  readonly source: string;
}

const deepest = 5;

interface Within {
  readonly source: string;
  readonly path?: string;
  readonly depth?: number;
}

/** The fields of a JSON Schema as table rows. `source`: the provenance of the enclosing object. */
export function fieldsOf(schema: Json, { source: outer, path = '', depth = 0 }: Within): FieldRow[] {
  if (depth > deepest) return [];
  const source = String(schema[sourceKey] ?? outer);
  const inner = innerOf(schema);
  if (inner !== undefined) return fieldsOf(inner, { source, path, depth });
  if (schema['type'] === 'array')
    return fieldsOf((schema['items'] ?? {}) as Json, {
      source,
      path: path === '' ? '' : `${path}[]`,
      depth: depth + 1,
    });
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  return Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
    .filter(([, field]) => field['not'] === undefined)
    .flatMap(([name, field]) => {
      const full = path === '' ? name : `${path}.${name}`;
      const row = {
        name: full,
        type: `${typeText(field)}${defaultText(field)}`,
        isRequired: required.has(name),
        does: String(field['description'] ?? ''),
        source: String(field[sourceKey] ?? source),
      };
      return [row, ...fieldsOf(field, { source, path: full, depth: depth + 1 })];
    });
}

/** The default of a field, if it is one short value. */
function defaultText({ default: value }: Json): string {
  const isShown =
    typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '');
  return isShown ? `, default ${JSON.stringify(value)}` : '';
}

/** The most specific of several forms: an object before a list, a list before anything else. */
function innerOf(schema: Json): Json | undefined {
  const forms = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined;
  if (forms === undefined) return undefined;
  return forms.find((form) => form['type'] === 'array') ?? forms.find((form) => form['properties'] !== undefined) ?? {};
}

/** `string`, `integer, 0 to 3`, `"a" or "b"`, `array of string`. */
export function typeText(schema: Json): string {
  const { enum: values, const: value, items, pattern, minimum, maximum, maxLength, anyOf, oneOf, format } = schema;
  const forms = (anyOf ?? oneOf) as Json[] | undefined;
  if (forms !== undefined) return [...new Set(forms.map(typeText))].join(' or ');
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values) && values.includes('')) return 'true, false, 1, 0, or bare';
  if (Array.isArray(values)) return values.map((each) => JSON.stringify(each)).join(' or ');
  const type = String(schema['type'] ?? 'any');
  if (type === 'array') return `array of ${typeText((items ?? {}) as Json)}`;
  if (type === 'integer' || type === 'number') return `${type}${boundsText(minimum, maximum)}`;
  if (type !== 'string') return type;
  if (format !== undefined) return String(format);
  const most = typeof maxLength === 'number' ? `, at most ${maxLength} characters` : '';
  return `string${most}${pattern === undefined ? '' : patternText(String(pattern))}`;
}

const shortest = 32;

/** Short patterns are shown; longer ones are described. */
function patternText(pattern: string): string {
  if (pattern === '^\\d{1,9}$') return ' of digits';
  return pattern.length <= shortest ? `, as ${pattern}` : ', of a fixed form';
}

const widest = 2 ** 53 - 1;

function boundsText(minimum: unknown, maximum: unknown): string {
  const isBound = (value: unknown) => typeof value === 'number' && Math.abs(value) < widest;
  if (isBound(minimum) && isBound(maximum)) return `, ${minimum} to ${maximum}`;
  if (isBound(minimum)) return `, at least ${minimum}`;
  return isBound(maximum) ? `, at most ${maximum}` : '';
}

export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

/** The operations of an OpenAPI document, in order. */
export function operationsIn({ paths }: Document): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([key, value]) =>
      key === 'additionalOperations'
        ? Object.entries(value as Readonly<Record<string, OpenApiOperation>>).map(([method, operation]) => ({
            method,
            path,
            operation,
          }))
        : [{ method: key.toUpperCase(), path, operation: value as OpenApiOperation }],
    ),
  );
}
