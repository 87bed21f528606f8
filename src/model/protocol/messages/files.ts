/**
 * Messages about files. The fields of a file are a row of the domain data and replicated with it; its content is
 * transferred in pieces. A piece is durable before it is acknowledged; it is invisible until a row refers to it.
 */
import { z } from 'zod';
import { timeOf } from '../../time.ts';
import { ask } from '../message.ts';
import { age, collection, itemSchema } from './data.ts';

const deadlineMs = 5_000;
const readers = ['mdc', 'sdc'] as const;
const master = ['mdc'] as const;

const named = { ...collection, name: z.string() };

/** The preconditions of a change, all of which must hold. Absent: none. */
export const expectsSchema = z.strictObject({
  isThere: z.boolean().optional(),
  etags: z.array(z.string()).optional(),
  otherEtags: z.array(z.string()).optional(),
  unchangedSinceMs: z.int().optional(),
});
export type Expected = z.infer<typeof expectsSchema>;

/** Whether a file is what a change expects; `undefined`: there is none. Times of HTTP are whole seconds. */
export function isExpected(
  file: { readonly etag: string; readonly ext: { readonly lwt: string } } | undefined,
  { isThere, etags, otherEtags, unchangedSinceMs = Number.POSITIVE_INFINITY }: Expected,
): boolean {
  if (isThere !== undefined && isThere !== (file !== undefined)) return false;
  if (file === undefined) return etags === undefined;
  if (etags?.includes(file.etag) === false || otherEtags?.includes(file.etag) === true) return false;
  return Math.floor(timeOf(file.ext.lwt) / 1_000) * 1_000 <= unchangedSinceMs;
}

export const fileMessages = {
  'file.write': ask({
    does: 'Writes a piece of a content (base64); all but the last one are of the same size. The same piece twice is one.',
    to: master,
    body: z.strictObject({
      domain: z.string(),
      content: z.string(),
      index: z.int().nonnegative(),
      piece: z.string(),
      /** With the first piece: the total size, if known. */
      bytes: z.int().nonnegative().optional(),
    }),
    reply: z.strictObject({}),
    deadlineMs,
  }),
  'file.commit': ask({
    does: 'Makes a file of a content that was written, or replaces the one of that name.',
    to: master,
    body: z.strictObject({
      ...collection,
      /** The id of the row, if it is new. */
      id: z.string(),
      /** The fields of the row. */
      file: z.looseObject({ name: z.string(), size: z.int(), content: z.string(), bytes: z.int() }),
      expects: expectsSchema.optional(),
    }),
    reply: z.strictObject({ item: itemSchema }),
    deadlineMs,
  }),
  'file.remove': ask({
    does: 'Removes a file.',
    to: master,
    body: z.strictObject({ ...named, expects: expectsSchema.optional() }),
    reply: z.strictObject({}),
    deadlineMs,
  }),
  'file.find': ask({
    does: 'Returns the fields of a file, without its content.',
    to: readers,
    body: z.strictObject(named),
    reply: z.strictObject({ item: itemSchema.optional(), ...age }),
    deadlineMs,
  }),
  'file.find_in_app': ask({
    does: 'Returns the access roles of the role application of a folder, and where the file of a path is within a content.',
    to: readers,
    body: z.strictObject({ domain: z.string(), folder: z.string(), path: z.string() }),
    reply: z.strictObject({
      app: z.strictObject({ roles: z.array(z.string()) }).optional(),
      file: z
        .strictObject({ content: z.string(), offset: z.int(), size: z.int(), etag: z.string(), modifiedMs: z.number() })
        .optional(),
      /** The path is a folder with a page. */
      isFolder: z.boolean(),
      ...age,
    }),
    deadlineMs,
  }),
  'file.apps': ask({
    does: 'Lists the role applications of a domain that have a page, with what their metadata files say of them.',
    to: readers,
    body: z.strictObject({ domain: z.string() }),
    reply: z.strictObject({
      apps: z.array(
        z.strictObject({ folder: z.string(), title: z.string(), roles: z.array(z.string()), about: itemSchema }),
      ),
    }),
  }),
  'file.read': ask({
    does: 'Returns bytes of a content (base64), from an offset to the end of its piece.',
    to: readers,
    body: z.strictObject({ domain: z.string(), content: z.string(), from: z.int().nonnegative() }),
    reply: z.strictObject({ piece: z.string() }),
    deadlineMs,
  }),
};
