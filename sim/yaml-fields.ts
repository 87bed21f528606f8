/** What a schema knows at a place: the fields of the object there, to tell those who wrote another one. */
import type { z } from 'zod';

type Schema = z.core.$ZodType;
type Path = readonly (string | number)[];

/** The fields of the object at `path`. Of several forms that it may have: those of the one that knows most of what it has. */
export function fieldsAt(schema: Schema, path: Path, value: unknown): readonly string[] {
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
  const has = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  let forms = formsOf(schema);
  for (const part of path) forms = forms.flatMap((form) => childrenOf(form, part));
  const fields = forms.map((form) => Object.keys(shapeOf(form) ?? {}));
  const known = (of: readonly string[]) => has.filter((key) => of.includes(key)).length;
  return fields.toSorted((a, b) => known(b) - known(a))[0] ?? [];
}

/** A schema without what is around it: each form that a value may have. */
function formsOf(schema: Schema): Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'union':
      return def.options.flatMap((option) => formsOf(option));
    case 'lazy':
      return formsOf(def.getter());
    case 'pipe':
      return formsOf(def.in);
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return formsOf(def.innerType);
    default:
      return [schema];
  }
}

function childrenOf(schema: Schema, part: string | number): Schema[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'array' && typeof part === 'number') return formsOf(def.element);
  if (def.type === 'record') return formsOf(def.valueType);
  const field = shapeOf(schema)?.[part];
  return field === undefined ? [] : formsOf(field);
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'object' ? def.shape : undefined;
}
