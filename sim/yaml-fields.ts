/** What a schema knows at a place: the fields of the object there, to tell those who wrote another one. */
import type { z } from 'zod';

type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];

/** The fields of the object at `path`. Of several forms that it may have: those of the one that knows most of what it has. */
export function fieldsAt(schema: Schema, path: Path, value: unknown): readonly string[] {
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const has = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  const forms = schemasAt(schema, path).flatMap(formsOf);
  const fields = forms.map((form) => Object.keys(shapeOf(form) ?? {}));
  const known = (of: readonly string[]) => has.filter((key) => of.includes(key)).length;
  return fields.toSorted((a, b) => known(b) - known(a))[0] ?? [];
}

/** What a schema wants at `path`; several where what is around it may have several forms. */
export function schemasAt(schema: Schema, path: Path): readonly Schema[] {
  let found = [schema];
  for (const part of path) found = found.flatMap(formsOf).flatMap((form) => childrenOf(form, part));
  return found;
}

/** A schema without what is around it: each form that a value may have. */
function formsOf(schema: Schema): Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'union') return def.options.flatMap((option) => formsOf(option));
  const inner = innerOf(schema);
  return inner === undefined ? [schema] : formsOf(inner);
}

/** What of a schema a value must be at first: without its default, without what it is made into. */
export function innerOf(schema: Schema): Schema | undefined {
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

export function typeOf(schema: Schema): z.core.$ZodTypes['_zod']['def']['type'] {
  return (schema as z.core.$ZodTypes)._zod.def.type;
}

function childrenOf(schema: Schema, part: string | number): Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'array' && typeof part === 'number') return [def.element];
  if (def.type === 'record') return [def.valueType];
  const field = shapeOf(schema)?.[part];
  return field === undefined ? [] : [field];
}

/** The fields of an object, or of a record that has no others. */
function shapeOf(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') return def.shape;
  const keys = def.type === 'record' ? (def.keyType as z.core.$ZodTypes)._zod.def : undefined;
  if (def.type !== 'record' || keys?.type !== 'enum') return undefined;
  return Object.fromEntries(Object.values(keys.entries).map((key) => [key, def.valueType]));
}
