/** Finds the schemas and fields of a value in the schema of the whole, for messages that say what was expected. */
import type { z } from 'zod';
import { hintText, nearest } from './nearest.ts';

export type SchemaPart = z.core.$ZodType;
type Path = readonly (string | number)[];

/**
 * The fields of the object at `path`. Of several alternatives, those of the one that knows most of the present fields.
 */
export function fieldsAt(schema: SchemaPart, path: Path, value: unknown): readonly string[] {
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const has = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  const forms = schemasAt(schema, path).flatMap(formsOf);
  // A form that is no object has none.
  const fields = forms.map((form) => Object.keys(shapeOf(form) ?? {})).filter(({ length }) => length > 0);
  const known = (of: readonly string[]) => has.filter((key) => of.includes(key)).length;
  return fields.toSorted((a, b) => known(b) - known(a))[0] ?? [];
}

/** The schemas at `path`; several if the values around it have alternatives. */
export function schemasAt(schema: SchemaPart, path: Path): readonly SchemaPart[] {
  let found = [schema];
  for (const part of path) found = found.flatMap(formsOf).flatMap((form) => childrenOf(form, part));
  return found;
}

/** The alternatives of a schema, without its wrappers. */
export function formsOf(schema: SchemaPart): SchemaPart[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return def.options.flatMap((option) => formsOf(option));
  const inner = innerOf(schema);
  return inner === undefined ? [schema] : formsOf(inner);
}

/** The inner schema of a default, an optional or a transform. */
export function innerOf(schema: SchemaPart): SchemaPart | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'lazy':
      return def.getter();
    case 'pipe':
      return def.in;
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return def.innerType;
    default:
      return undefined;
  }
}

export function typeOf(schema: SchemaPart): z.core.$ZodTypes['_zod']['def']['type'] {
  return (schema as z.core.$ZodTypes)._zod.def.type;
}

function childrenOf(schema: SchemaPart, part: string | number): SchemaPart[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'array' && typeof part === 'number') return [def.element];
  if (def.type === 'record') return [def.valueType];
  const field = shapeOf(schema)?.[part];
  return field === undefined ? [] : [field];
}

/** The fields of an object, or of a record with fixed keys. */
function shapeOf(schema: SchemaPart): Readonly<Record<string, SchemaPart>> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.shape;
  const keys = def.type === 'record' ? (def.keyType as z.core.$ZodTypes)._zod.def : undefined;
  if (def.type !== 'record' || keys?.type !== 'enum') return undefined;
  return Object.fromEntries(Object.values(keys.entries).map((key) => [key, def.valueType]));
}

/** Said of a field that an object does not have. */
export function noField(name: string, fields: readonly string[]): string {
  if (fields.length === 0) return 'no such field here, expected none';
  return `no such field here, expected one of ${fields.join(', ')}${hintText(nearest(name, fields))}`;
}
