/** Messages about domain data: entities are changed at mdc and read there and at sdc, which follows it. */
import { z } from 'zod';
import { isKind } from '../../entities/entities.ts';
import { ask, tell } from '../message.ts';

const kindSchema = z.string().refine(isKind);
export const itemSchema = z.record(z.string(), z.unknown());

/** A collection: the items of a kind in a domain and, for items that belong to an item of another kind, the id of that item. */
export const collection = { kind: kindSchema, domain: z.string(), parent: z.string().optional() };
const collectionSchema = z.strictObject(collection);
export type EntityCollection = z.infer<typeof collectionSchema>;

/** `ageMs`: the data of a copy are at most this old (ms). Absent: mdc has answered. */
export const age = { ageMs: z.number().optional() };

/** A stored item; secrets that are never shown are separate. */
export const rowSchema = z.strictObject({
  kind: kindSchema,
  domain: z.string(),
  parent: z.string().optional(),
  item: z.looseObject({ id: z.string(), ext: z.strictObject({ ct: z.string(), lwt: z.string() }) }),
  secret: z.string().optional(),
});
export type DataRow = z.infer<typeof rowSchema>;

/** A new or changed row, or a removed one. */
export const rowChangeSchema = z.union([
  z.strictObject({ put: rowSchema }),
  z.strictObject({ gone: z.strictObject({ kind: kindSchema, domain: z.string(), id: z.string() }) }),
]);
export type DataRowChange = z.infer<typeof rowChangeSchema>;

/** More pages: the name of the rest, for `data.rest`, and the address of the instance that keeps it. */
export const restSchema = z.strictObject({ name: z.string(), at: z.string() }).optional();

const changesPieceSchema = z.strictObject({
  changes: z.array(rowChangeSchema),
  /** The name of the remaining changes, for `data.changes.rest`. */
  rest: z.string().optional(),
});

const deadlineMs = 5_000;
const readers = ['mdc', 'sdc'] as const;
const master = ['mdc'] as const;

export const dataMessages = {
  'data.create': ask({
    does: 'Makes an item of what a client gave, which the front has checked.',
    to: master,
    /** The front chooses the id, so that a duplicate of the message creates no second item. */
    body: z.strictObject({ ...collection, id: z.string(), given: itemSchema }),
    reply: z.strictObject({ item: itemSchema }),
    deadlineMs,
  }),
  'data.patch': ask({
    does: 'Changes an item: objects are merged, arrays replaced.',
    to: master,
    body: z.strictObject({ ...collection, id: z.string(), patch: itemSchema }),
    reply: z.strictObject({ item: itemSchema }),
    deadlineMs,
  }),
  'data.delete': ask({
    does: 'Removes an item, with all that belongs to it.',
    to: master,
    body: z.strictObject({ ...collection, id: z.string() }),
    reply: z.strictObject({}),
    deadlineMs,
  }),
  'data.get': ask({
    does: 'Returns one item.',
    to: readers,
    body: z.strictObject({ ...collection, id: z.string(), isAdmin: z.boolean() }),
    reply: z.strictObject({ item: itemSchema, ...age }),
    deadlineMs,
  }),
  'data.list': ask({
    does: 'Lists items, as the query parameters of a list say.',
    to: readers,
    body: z.strictObject({ ...collection, params: z.array(z.tuple([z.string(), z.string()])), isAdmin: z.boolean() }),
    reply: z.strictObject({ items: z.array(itemSchema), count: z.int().optional(), rest: restSchema, ...age }),
    deadlineMs,
  }),
  'data.rest': ask({
    does: 'Returns the next page of a list.',
    to: readers,
    body: z.strictObject({ name: z.string() }),
    reply: z.strictObject({ items: z.array(itemSchema), rest: restSchema }),
  }),
  'data.lookup': ask({
    does: 'Returns the ids of the items that have a key.',
    to: readers,
    body: z.strictObject({ ...collection, key: z.string() }),
    reply: z.strictObject({ ids: z.array(z.string()), ...age }),
    deadlineMs,
  }),
  'data.changes': ask({
    does: 'Returns what has changed in the data of some domains since a moment; all of it, where that was too long ago.',
    to: master,
    body: z.strictObject({
      /** Subtrees of the domain tree. */
      domains: z.array(z.string()),
      since: z.strictObject({ database: z.string(), sequence: z.int() }).optional(),
    }),
    reply: z.strictObject({
      database: z.string(),
      /** The last change included. */
      sequence: z.int(),
      /** `changes` are all rows: rows that are not included are removed. */
      isWhole: z.boolean(),
      /** When that was, by the clock of the master. */
      atMs: z.number(),
      ...changesPieceSchema.shape,
    }),
    deadlineMs,
  }),
  'data.changes.rest': ask({
    does: 'Returns the next piece of changes.',
    to: master,
    body: z.strictObject({ name: z.string() }),
    reply: changesPieceSchema,
  }),
  'data.changed': tell({
    does: 'Sends a follower the changes in the domains that it serves.',
    to: ['sdc'],
    body: z.strictObject({
      database: z.string(),
      sequence: z.int(),
      changes: z.array(rowChangeSchema),
      /** When it was published, by the clock of the master. */
      atMs: z.number(),
    }),
  }),
  'data.followed': tell({
    does: 'Reports up to which change the sender has followed.',
    to: master,
    body: z.strictObject({ database: z.string(), sequence: z.int() }),
  }),
};
