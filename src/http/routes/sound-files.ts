/** Routes of sound files: list, download, upload, deletion. */
import type { RoleScope } from '../../cluster/role.ts';
import type { Entity } from '../../model/entities/entity.ts';
import { parkingFile, type StoredFile, selectorFile } from '../../model/entities/stored-file.ts';
import { FaultError, fault, notFoundInCopy } from '../../model/fault.ts';
import { limits } from '../../model/limits.ts';
import type { EntityCollection } from '../../model/protocol/messages/data.ts';
import { type Expected, isExpected } from '../../model/protocol/messages/files.ts';
import type { Provenance } from '../../model/provenance.ts';
import { type FileEntry, type FilesSaved, fileEntrySchema, filesSavedSchema } from '../../model/shapes/file-shapes.ts';
import { timeOf } from '../../model/time.ts';
import { findFile, listFiles, readBytes, removeFile, saveFile } from '../../services/files/files.ts';
import { attachmentQuery, type Exchange, identityOf, listOf, listQuery, type RouteDefinition } from '../contract.ts';
import { answerFile, asksForAttachment, expectedBy, refusePart } from '../file-answers.ts';
import { answerPage, listParams } from '../lists.ts';
import { readCollectionQuery } from '../read-request.ts';
import { ageHeader, answerEmpty, answerJson, HttpError, refusalOf } from '../responses.ts';
import { atMost, bodyOf, type FilePart, filesIn, isForm, refuseTooLong } from '../uploads.ts';

/**
 * Characters that break lines, change the direction of writing or are unassigned: the displayed name would differ from the
 * real one.
 */
const hidden = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const nameBytes = 255;

/** The problem of a file name, or `undefined`. A name must not be a path and must be displayed as it is. (chosen) */
export function fileNameProblem(name: string): string | undefined {
  const got = `got ${JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}...` : name)}`;
  if (name === '' || name.length > limits.fileNameChars || Buffer.byteLength(name) > nameBytes) {
    return `name: expected 1 to ${limits.fileNameChars} characters, and at most ${nameBytes} bytes, ${got}`;
  }
  if (/[/\\]/.test(name) || name === '.' || name === '..') return `name: expected no path, ${got}`;
  if (hidden.test(name)) return `name: expected no control characters, ${got}`;
  return name.trim() === name ? undefined : `name: expected no blanks around it, ${got}`;
}

const sound = { media: ['*/*'], does: 'The file, by the media type of its extension' };
const toRead = { domain: 'any', to: 'read' } as const;
const toChange = { domain: 'any', to: 'change' } as const;

export const soundFileRoutes: readonly RouteDefinition[] = [
  ...routesOf(parkingFile, 'documented'),
  ...routesOf(selectorFile, 'chosen'),
];

/** The operations of the sound files of one category. */
function routesOf({ kind, noun, nouns, path: base, shape }: Entity, source: Provenance): RouteDefinition[] {
  return [
    {
      method: 'GET',
      path: base,
      does: `Lists the ${nouns} of the domain.`,
      source,
      access: toRead,
      takes: { query: listQuery(shape) },
      gives: { 200: listOf(fileEntrySchema, shape) },
      answer: async (exchange) => {
        const { url } = exchange.request;
        const isOrdered = readCollectionQuery(url, shape).order !== undefined;
        const how = { params: listParams(url), isOrdered };
        const { value, ageMs } = await listFiles(exchange.ws.scope, collectionOf(exchange, kind), how);
        return answerPage(exchange.ws.scope, value, ageHeader(ageMs));
      },
    },
    {
      method: 'POST',
      path: base,
      does: 'Saves the files of a `multipart/form-data` under their names; an existing file is not replaced, and its upload refused.',
      source,
      access: toChange,
      takes: { body: { media: ['multipart/form-data'], does: 'One or more files, each under its own name' } },
      gives: { 200: filesSavedSchema },
      refuses: [409],
      answer: async (exchange) => answerSaved(await saveAll(exchange, kind)),
    },
    {
      method: 'GET',
      path: `${base}/:name`,
      does: `Returns a ${noun} or a range of it; with \`attachment\`, the browser saves it.`,
      source,
      access: toRead,
      takes: { query: attachmentQuery },
      gives: { 200: sound, 206: sound, 304: 'nothing' },
      refuses: [412, 416],
      answer: async (exchange) => {
        const isAttachment = asksForAttachment(exchange.request);
        const collection = collectionOf(exchange, kind);
        const { scope } = exchange.ws;
        const { value: file, ageMs } = await findFile(scope, collection, nameIn(exchange));
        if (file === undefined) throw noSuchFile(exchange, ageMs);
        const { name, size, etag, content } = file;
        const read = (from: number, to: number) =>
          readBytes(scope, collection.domain, { content, offset: 0, from, to });
        const served = { name, size, etag, lastModifiedMs: timeOf(file.ext.lwt), read };
        // An uploaded file is shown in a sandbox: its scripts must not run with the origin of the platform.
        return answerFile(exchange.request, served, {
          isAttachment,
          headers: { 'content-security-policy': 'sandbox', ...ageHeader(ageMs) },
        });
      },
    },
    {
      method: 'PUT',
      path: `${base}/:name`,
      does: `Creates or replaces a ${noun}, from the first file of a \`multipart/form-data\` (its own name is ignored) or the raw body. A part of a file (\`Content-Range\`) is refused.`,
      source,
      access: toChange,
      takes: { body: { media: ['multipart/form-data', '*/*'], does: 'The file' } },
      gives: { 200: fileEntrySchema },
      refuses: [412],
      answer: async (exchange) => {
        const { request, ws } = exchange;
        const name = nameIn(exchange);
        refuseName(name);
        refusePart(request);
        const collection = collectionOf(exchange, kind);
        const expects = expectedBy(request);
        if (expects !== undefined) await refuseUnexpected(ws.scope, { collection, name, expects });
        exchange.extendDeadline?.(limits.uploadTimeMs);
        const file = await saveFile(ws.scope, collection, { name, chunks: onlyFile(request), expects });
        return answerJson(entryOf(file), { etag: `"${file.etag}"` });
      },
    },
    {
      method: 'DELETE',
      path: `${base}/:name`,
      does: `Removes a ${noun}.`,
      source: 'chosen',
      access: toChange,
      gives: { 204: 'nothing' },
      refuses: [412],
      answer: async (exchange) => {
        const expects = expectedBy(exchange.request);
        await removeFile(exchange.ws.scope, collectionOf(exchange, kind), { name: nameIn(exchange), expects });
        return answerEmpty();
      },
    },
  ];
}

function collectionOf(exchange: Exchange, kind: string): EntityCollection {
  return { kind, domain: identityOf(exchange).session.domain };
}

function nameIn({ params }: Exchange): string {
  return params['name'] ?? '';
}

function noSuchFile(exchange: Exchange, ageMs: number | undefined): FaultError {
  return new FaultError(notFoundInCopy(`no file named ${JSON.stringify(nameIn(exchange))}`, ageMs));
}

function refuseName(name: string): void {
  const problem = fileNameProblem(name);
  if (problem !== undefined) throw new FaultError(fault('invalid', problem));
}

/** Refuses before the body is read if the precondition does not hold. A copy may be behind: where it answers, the commit decides. */
async function refuseUnexpected(
  scope: RoleScope,
  { collection, name, expects }: { collection: EntityCollection; name: string; expects: Expected },
): Promise<void> {
  const { value: file, ageMs } = await findFile(scope, collection, name);
  if (ageMs !== undefined) return;
  if (!isExpected(file, expects)) throw new FaultError(fault('changed', `${JSON.stringify(name)} is not as expected`));
}

function entryOf({ name, size, last_modified }: StoredFile): FileEntry {
  return { name, size, last_modified };
}

/** The file in the body of a PUT. */
async function* onlyFile(request: Request): AsyncGenerator<Uint8Array> {
  if (!isForm(request)) {
    refuseTooLong(request, limits.fileBytes);
    return yield* atMost(bodyOf(request), limits.fileBytes);
  }
  for await (const { chunks } of filesIn(request)) return yield* atMost(chunks, limits.fileBytes);
  throw noFile();
}

function noFile(): HttpError {
  return new HttpError(400, 'body: expected a part with a file name');
}

/** The result for each file of a form, with the status of the first refusal. */
interface Outcome extends FilesSaved {
  readonly refusals: readonly { readonly status: number; readonly message: string }[];
}

async function saveAll(exchange: Exchange, kind: string): Promise<Outcome> {
  const { request } = exchange;
  if (!isForm(request)) {
    throw new HttpError(415, `content-type: expected multipart/form-data, got ${request.headers.get('content-type')}`);
  }
  refuseTooLong(request, limits.domainFileBytes);
  exchange.extendDeadline?.(limits.uploadTimeMs);
  const outcome = {
    saved: [] as FileEntry[],
    refused: [] as FilesSaved['refused'],
    refusals: [] as Outcome['refusals'][number][],
  };
  const refuse = (name: string, error: unknown) => {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    outcome.refusals.push(refusal);
    outcome.refused.push({ name, error_code: 1_000 + refusal.status, error_message: refusal.message });
  };
  try {
    for await (const part of filesIn(request)) {
      await saveOne(exchange, kind, part).then(
        (entry) => outcome.saved.push(entry),
        (error) => refuse(part.name, error),
      );
    }
  } catch (error) {
    // Files saved before the body ended early are kept.
    if (outcome.saved.length === 0) throw error;
    refuse('', error);
  }
  return outcome;
}

async function saveOne(exchange: Exchange, kind: string, { name, chunks }: FilePart): Promise<FileEntry> {
  refuseName(name);
  const { scope } = exchange.ws;
  const collection = collectionOf(exchange, kind);
  const taken = () => new FaultError(fault('conflict', `name: ${JSON.stringify(name)} is taken; PUT replaces it`));
  const { value: file, ageMs } = await findFile(scope, collection, name);
  // A copy may be behind: where it answers, the commit decides.
  if (file !== undefined && ageMs === undefined) throw taken();
  try {
    const limited = atMost(chunks, limits.fileBytes);
    return entryOf(await saveFile(scope, collection, { name, chunks: limited, expects: { isThere: false } }));
  } catch (error) {
    throw error instanceof FaultError && error.fault.code === 'changed' ? taken() : error;
  }
}

function answerSaved({ saved, refused, refusals }: Outcome): Response {
  if (saved.length > 0) return answerJson({ saved, refused } satisfies FilesSaved);
  const [first] = refusals;
  if (first === undefined) throw noFile();
  throw new HttpError(first.status, refused.map(({ name, error_message }) => `${name}: ${error_message}`).join('; '));
}
