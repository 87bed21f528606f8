/** What the coordinator of a sweep and its workers write into the queue: JSON, compressed. A worker trusts no other form. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { countsSchema } from '../../ledger/coverage-ledger.ts';
import { outcomeSchema } from '../outcome.ts';

const name = z.string().regex(/^[\w-]{1,64}$/);

/** Seeds of one scenario, which one worker runs. */
const batchSchema = z.strictObject({
  kind: z.literal('batch'),
  sweep: name,
  id: name,
  build: z.string(),
  /** Digest of the scenario and its topology. */
  source: z.string(),
  /** The object that holds the scenario; absent: a run of the campaign. */
  scenario: z.string().optional(),
  seeds: z.array(z.int()).min(1),
});
export type BatchTask = z.infer<typeof batchSchema>;

const shrinkSchema = z.strictObject({
  kind: z.literal('shrink'),
  sweep: name,
  id: name,
  build: z.string(),
  /** The object that holds the artefact. */
  artefact: z.string(),
  seconds: z.int(),
});
export type ShrinkTask = z.infer<typeof shrinkSchema>;

export const taskSchema = z.discriminatedUnion('kind', [batchSchema, shrinkSchema]);
export type QueuedTask = z.infer<typeof taskSchema>;

/** An artefact in the object store: of the first failure of a group that a worker saw. */
export const artefactSchema = z.strictObject({ object: z.string(), file: z.string(), group: z.string() });
export type KeptArtefact = z.infer<typeof artefactSchema>;

const batchDoneSchema = z.strictObject({
  kind: z.literal('batch'),
  build: z.string(),
  outcomes: z.array(outcomeSchema),
  /** Runs that could not be carried out. */
  errors: z.array(z.string()),
  coverage: countsSchema,
  artefacts: z.array(artefactSchema),
});

const shrinkDoneSchema = z.strictObject({
  kind: z.literal('shrink'),
  build: z.string(),
  /** What `strowger shrink` prints. */
  text: z.string(),
  /** Contents of the files that it writes, by name. */
  files: z.record(z.string().regex(/^[\w.-]+$/), z.string()),
});

export const resultSchema = z.discriminatedUnion('kind', [batchDoneSchema, shrinkDoneSchema]);
export type QueuedResult = z.infer<typeof resultSchema>;
export type BatchDone = z.infer<typeof batchDoneSchema>;

/** A message must not unpack to more. */
const mostBytes = 64 * 1024 * 1024;

export function packed(value: unknown): Uint8Array {
  return gzipSync(JSON.stringify(value));
}

/** Throws if the bytes are not a packed value of this form. */
export function unpacked<S extends z.ZodType>(bytes: Uint8Array, schema: S): z.infer<S> {
  return schema.parse(JSON.parse(gunzipSync(bytes, { maxOutputLength: mostBytes }).toString()));
}
