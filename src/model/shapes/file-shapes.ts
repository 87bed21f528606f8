/** Files and user-interface metadata as the interface shows them. */
import { z } from 'zod';
import { operationNames } from '../entities/entity.ts';

/** An entry of the list of parking files. (documented) */
export const fileEntrySchema = z.object({
  name: z.string().describe('Name of the file'),
  size: z.int().describe('Size in bytes'),
  last_modified: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    .describe('When the file was last written, as `YYYY-MM-DD hh:mm:ss`, UTC'),
});
export type FileEntry = z.infer<typeof fileEntrySchema>;

/** The result of a request with files: the saved files, and the refusal of each other one. (chosen) */
export const filesSavedSchema = z.object({
  saved: z.array(fileEntrySchema).describe('Files that were saved'),
  refused: z
    .array(
      z.object({
        name: z.string().describe('Name of the file'),
        error_code: z.int().describe('1000 + the status that a request for this file alone would get'),
        error_message: z.string().describe('Why the file was not saved'),
      }),
    )
    .describe('Files that were not saved; the files of that name stay as they are'),
});
export type FilesSaved = z.infer<typeof filesSavedSchema>;

/** What was kept of an archive. (chosen) */
export const archiveSavedSchema = z.object({
  size: z.int().describe('Size of the archive in bytes'),
  files: z.int().describe('Number of files in the archive'),
  last_modified: z.string().describe('When the archive was uploaded, as `YYYY-MM-DD hh:mm:ss`, UTC'),
});

const label = z.string().describe('Label to show');
const className = z.string().describe('Name of the class, as in the paths of its metadata');
const path = z.string().describe('Path of the collection');
const name = z.string().describe('Name of the field; dotted within a group, such as `opts.title`');

/** What may be in a field, in brief. */
export const fieldTypes = ['string', 'integer', 'number', 'boolean', 'choice', 'array', 'any'] as const;
export type FieldType = (typeof fieldTypes)[number];

const type = z.enum(fieldTypes).describe('Type of the value, for the choice of a control');
const hint = z.string().optional().describe('What the field means');
const source = z
  .enum(['documented', 'public', 'chosen'])
  .describe('`documented`: the platform documents it; `public`: public facts name it; `chosen`: this product chose it');

/**
 * The navigation panel that clients draw. Paths of metadata are documented; their content, here and below, is chosen, and
 * files may have more.
 */
export const navSchema = z.looseObject({
  groups: z
    .array(
      z.looseObject({
        name: z.string().describe('Name of the group: the second segment of its paths'),
        label,
        classes: z
          .array(
            z.looseObject({
              class: className,
              label,
              path,
              below: z.array(className).describe('Classes whose items belong to items of this class'),
            }),
          )
          .describe('Classes of the group, in display order'),
      }),
    )
    .describe('Groups of entity classes, in display order'),
});
export type Nav = z.infer<typeof navSchema>;

export const tabSchema = z.looseObject({
  class: className,
  label,
  path,
  columns: z.array(z.looseObject({ name, label, type, hint })).describe('Columns of the list, in display order'),
  order: z.array(z.string()).describe('Names by which the list is ordered by default'),
  limit: z.int().describe('Default number of items of a page'),
  lookup: z.array(z.string()).describe('Fields by which LOOKUP finds items; empty: the class has no LOOKUP'),
  operations: z
    .array(
      z.looseObject({
        name: z.enum(operationNames).describe('Operation'),
        method: z.string().describe('HTTP method'),
        path: z.string().describe('Path, with `<name>` for a parameter'),
        source,
      }),
    )
    .describe('Operations that the class has'),
});
export type Tab = z.infer<typeof tabSchema>;

export const formFieldSchema = z.looseObject({
  name,
  label,
  type,
  mode: z
    .enum(['in', 'out', 'inout'])
    .describe('`in`: sent by the client, never shown; `out`: set by the platform; `inout`: both'),
  required: z.boolean().describe('Whether POST must give it'),
  fixed: z.boolean().describe('Whether it can be given to POST only and never changes'),
  unique: z.boolean().describe('Whether no two items of a domain may have the same value'),
  secret: z.boolean().describe('Whether to hide what is typed'),
  default: z.json().optional().describe('Value when POST does not give one'),
  hint,
  schema: z.record(z.string(), z.json()).describe('JSON Schema of the value'),
});
export type FormField = z.infer<typeof formFieldSchema>;

export const formSchema = z.looseObject({
  class: className,
  label,
  path,
  fields: z.array(formFieldSchema).describe('Fields, in display order'),
});
export type Form = z.infer<typeof formSchema>;

/** Media types of the static files of web applications, by extension: texts only. (chosen) */
export const staticTypes: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
]);
