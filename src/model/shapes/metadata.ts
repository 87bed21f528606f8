/**
 * What clients draw their pages for the configuration from: a navigation panel, and for each class of entities a list and
 * an edit window. The paths are documented, their content is not: it is chosen. Files may have more than is said here.
 */
import { z } from 'zod';
import { operationNames } from '../entities/entity.ts';

const label = z.string().describe('For people');
const className = z.string().describe('Word for one of the class, as in the paths of its metadata');
const path = z.string().describe('Path of the collection');
const name = z.string().describe('Dotted where it is in a group: opts.title');

/** What may be in a field, in brief. */
export const fieldTypes = ['string', 'integer', 'number', 'boolean', 'choice', 'array', 'any'] as const;
export type FieldType = (typeof fieldTypes)[number];

const type = z.enum(fieldTypes);
const source = z.enum(['documented', 'public', 'chosen']).describe('What to trust before going live');

export const navSchema = z.looseObject({
  groups: z.array(
    z.looseObject({
      name: z.string(),
      label,
      classes: z
        .array(
          z.looseObject({
            class: className,
            label,
            path,
            below: z.array(className).describe('Classes whose items belong to items of this one'),
          }),
        )
        .describe('In the order in which they are shown'),
    }),
  ),
});
export type Nav = z.infer<typeof navSchema>;

export const tabSchema = z.looseObject({
  class: className,
  label,
  path,
  columns: z.array(z.looseObject({ name, label, type, hint: z.string().optional() })),
  order: z.array(z.string()).describe('What the list is ordered by unless told otherwise'),
  limit: z.int().describe('Items of a page unless told otherwise'),
  lookup: z.array(z.string()).describe('Fields whose values LOOKUP finds; none: there is no LOOKUP'),
  operations: z.array(z.looseObject({ name: z.enum(operationNames), method: z.string(), path: z.string(), source })),
});
export type Tab = z.infer<typeof tabSchema>;

export const formFieldSchema = z.looseObject({
  name,
  label,
  type,
  mode: z.enum(['in', 'out', 'inout']).describe('in: only sent; out: only shown; inout: both'),
  required: z.boolean().describe('A create must give it'),
  fixed: z.boolean().describe('It may be given on create and never changes'),
  unique: z.boolean(),
  secret: z.boolean().describe('To be typed unseen'),
  default: z.json().optional().describe('What it is when a create gives nothing'),
  hint: z.string().optional(),
  schema: z.record(z.string(), z.json()).describe('What its value must be, as JSON Schema'),
});
export type FormField = z.infer<typeof formFieldSchema>;

export const formSchema = z.looseObject({ class: className, label, path, fields: z.array(formFieldSchema) });
export type Form = z.infer<typeof formSchema>;
