/** The data of a domain without its files, as one document, for export and import. (chosen) */
import { z } from 'zod';
import type { DataRow } from '../protocol/messages/data.ts';
import { documentKinds, isFileKind, isKind } from './entities.ts';
import type { Entity, EntityItem } from './entity.ts';
import { type Fields, isGroup } from './field.ts';
import { createdItem, maskedSecretOf, newSecret, problemOfParent } from './item.ts';

const format = 'strowger-domain-1';

/** An item: its fields, the id of its parent, and its hashed secret, or a new secret instead. */
const entrySchema = z.looseObject({
  id: z.uuid('expected a uuid').toLowerCase(),
  ext: z.strictObject({ ct: z.iso.datetime(), lwt: z.iso.datetime() }).optional(),
  parent: z.string().optional(),
  secret: z.string().optional(),
});
type Entry = z.infer<typeof entrySchema>;

export const domainDocumentSchema = z.strictObject({
  format: z.literal(format, `expected "${format}"`),
  domain: z.string(),
  /** By kind. */
  items: z.record(z.string().refine(isKind, 'expected the kind of an entity'), z.array(entrySchema)),
});
export type DomainDocument = z.infer<typeof domainDocumentSchema>;

/** The rows of a domain, as a document. */
export function documentOf(domain: string, rows: Iterable<DataRow>): DomainDocument {
  const items: Record<string, Entry[]> = {};
  for (const { kind, domain: home, parent, item, secret } of rows) {
    if (home !== domain || isFileKind(kind)) continue;
    const entry = { ...item, ...(parent !== undefined && { parent }), ...(secret !== undefined && { secret }) };
    items[kind] ??= [];
    items[kind].push(entry);
  }
  return { format, domain, items };
}

/** A row of a document, with a secret that is not hashed yet. */
export interface ReadRow {
  readonly row: DataRow;
  readonly newSecret?: string;
}

/** The rows of a document, or its first problem. */
export function rowsOf({ domain, items }: DomainDocument, nowMs: number): { rows: ReadRow[] } | { problem: string } {
  const rows: ReadRow[] = [];
  for (const entity of documentKinds) {
    for (const [index, entry] of (items[entity.kind] ?? []).entries()) {
      const read = readEntry(entity, domain, { entry, nowMs });
      if ('problem' in read) return { problem: `items.${entity.kind}.${index}.${read.problem}` };
      rows.push(read);
    }
  }
  return { rows };
}

function readEntry(
  entity: Entity,
  domain: string,
  { entry, nowMs }: { entry: Entry; nowMs: number },
): ReadRow | { problem: string } {
  const { id, ext, parent, secret, ...values } = entry;
  const { kind } = entity;
  const name = maskedSecretOf(entity);
  const given = name === undefined ? undefined : newSecret(values, name);
  // A shown secret has no value: any other value replaces it while the fields are checked.
  const standIn = name === undefined || given !== undefined ? {} : { [name]: 'secret' };
  const read = entity.create.safeParse({ ...inputs(entity.fields, values), ...standIn });
  const [issue] = read.error?.issues ?? [];
  if (!read.success) return { problem: `${issue?.path.join('.')}: ${issue?.message}` };
  if (name !== undefined && given === undefined && secret === undefined)
    return { problem: `secret: expected one, or ${name}` };
  const wrongParent = problemOfParent(entity, parent);
  if (wrongParent !== undefined) return { problem: wrongParent };
  const item: EntityItem = { ...createdItem(entity, id, { given: read.data, atMs: nowMs }), ...(ext && { ext }) };
  const problem = entity.rule(item);
  if (problem !== undefined) return { problem };
  const row: DataRow = {
    kind,
    domain,
    item,
    ...(parent !== undefined && { parent }),
    ...(secret !== undefined && { secret }),
  };
  return given === undefined ? { row } : { row, newSecret: given };
}

/** The fields that a client could set. */
function inputs(fields: Fields, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const own: Record<string, unknown> = { ...values };
  for (const [name, field] of Object.entries(fields)) if (!isGroup(field) && field.mode === 'out') delete own[name];
  return own;
}
