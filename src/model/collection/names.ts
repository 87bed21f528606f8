/** The names that items of a list can have, read from their schema: so a name that no item can have is refused, not null. */
import type { z } from 'zod';

/** What of a schema's definition leads to the schemas within it. */
interface Definition {
  readonly type: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly innerType?: z.ZodType;
  readonly out?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly catchall?: z.ZodType;
}

/** Wrappers that do not change which names there are. */
const wrappers = new Set(['optional', 'nullable', 'default', 'prefault', 'readonly', 'catch', 'nonoptional']);

/** Whether an item of the schema can have something under a dotted name. What a record, or an unknown value, holds is open. */
export function canHave(schema: z.ZodType, name: string): boolean {
  return reaches(schema, name.split('.'));
}

/** The names of the outermost level, for messages. */
export function namesOf(schema: z.ZodType): string[] {
  const { shape, innerType, out } = definitionOf(schema);
  const inner = innerType ?? out;
  return inner === undefined ? Object.keys(shape ?? {}) : namesOf(inner);
}

function reaches(schema: z.ZodType, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true;
  const { type, shape = {}, innerType, out, options = [], catchall } = definitionOf(schema);
  if (wrappers.has(type) && innerType !== undefined) return reaches(innerType, [step, ...rest]);
  if (type === 'pipe' && out !== undefined) return reaches(out, [step, ...rest]);
  if (type === 'union') return options.some((option) => reaches(option, [step, ...rest]));
  if (type === 'object') {
    const property = Object.hasOwn(shape, step) ? shape[step] : undefined;
    if (property !== undefined) return reaches(property, rest);
    return catchall !== undefined && definitionOf(catchall).type !== 'never';
  }
  return type === 'record' || type === 'any' || type === 'unknown';
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}
