/** Answers with files: preconditions, ranges and validators (RFC 9110). */
import { hash } from 'node:crypto';
import mime from 'mime-types';
import { z } from 'zod';
import { FaultError, fault } from '../model/fault.ts';
import type { Expected } from '../model/protocol/messages/files.ts';
import { httpDate, httpTimeOf } from '../model/time.ts';
import { readQuery } from './read-request.ts';
import { answerError } from './responses.ts';

/** The current validators of a file. Times are milliseconds since the epoch. */
export interface Validators {
  /** Strong, without quotes. */
  readonly etag: string;
  readonly lastModifiedMs?: number | undefined;
}

/** The entity tags of a field, without quotes, or `*`. With `isStrong`, weak tags are left out. */
export function tagsIn(field: string, isStrong: boolean): '*' | readonly string[] {
  if (field.trim() === '*') return '*';
  const tags = field.matchAll(/(W\/)?"([^"]*)"/g);
  return [...tags].flatMap(([, weak, tag]) => (isStrong && weak !== undefined ? [] : [tag ?? '']));
}

/**
 * Evaluates the conditions of a GET or HEAD: `failed` means 412, `unchanged` 304. The order is that of RFC 9110, section
 * 13.2.2; a tag takes precedence over a date.
 */
export function conditionOf(
  { headers }: Request,
  { etag, lastModifiedMs }: Validators,
): 'failed' | 'unchanged' | 'met' {
  const matches = (field: string, isStrong: boolean) => {
    const tags = tagsIn(field, isStrong);
    return tags === '*' || tags.includes(etag);
  };
  const seconds = lastModifiedMs === undefined ? undefined : Math.floor(lastModifiedMs / 1_000);
  const [match, since] = [headers.get('if-match'), secondsIn(headers.get('if-unmodified-since'))];
  if (match !== null) {
    if (!matches(match, true)) return 'failed';
  } else if (since !== undefined && seconds !== undefined && seconds > since) return 'failed';
  const [noneMatch, known] = [headers.get('if-none-match'), secondsIn(headers.get('if-modified-since'))];
  if (noneMatch !== null) return matches(noneMatch, false) ? 'unchanged' : 'met';
  return known !== undefined && seconds !== undefined && seconds <= known ? 'unchanged' : 'met';
}

/** The preconditions of a PUT or DELETE (RFC 9110, section 13.1); undefined if it has none. A tag takes precedence over a date. */
export function expectedBy({ headers }: Request): Expected | undefined {
  const [match, noneMatch] = [headers.get('if-match'), headers.get('if-none-match')];
  const tags = match === null ? undefined : tagsIn(match, true);
  const others = noneMatch === null ? undefined : tagsIn(noneMatch, false);
  const since = match === null ? secondsIn(headers.get('if-unmodified-since')) : undefined;
  if (tags === undefined && others === undefined && since === undefined) return undefined;
  // No file can be there and not be there.
  if (tags === '*' && others === '*') return { etags: [] };
  return {
    ...(tags !== undefined && (tags === '*' ? { isThere: true } : { etags: [...tags] })),
    ...(others !== undefined && (others === '*' ? { isThere: false } : { otherEtags: [...others] })),
    ...(since !== undefined && { unchangedSinceMs: since * 1_000 }),
  };
}

/** Refuses a part of a file: it would replace the whole one (RFC 9110, section 14.5). */
export function refusePart({ headers }: Request): void {
  const range = headers.get('content-range');
  if (range !== null)
    throw new FaultError(fault('invalid', `content-range: expected the whole file, got ${JSON.stringify(range)}`));
}

/** Whether the `If-Range` of a request matches the current file. */
export function isRangeCurrent({ headers }: Request, { etag, lastModifiedMs }: Validators): boolean {
  const field = headers.get('if-range');
  if (field === null) return true;
  if (field.includes('"')) return tagsIn(field, true).includes(etag);
  const since = secondsIn(field);
  return since !== undefined && lastModifiedMs !== undefined && Math.floor(lastModifiedMs / 1_000) === since;
}

function secondsIn(field: string | null): number | undefined {
  const ms = field === null ? undefined : httpTimeOf(field);
  return ms === undefined ? undefined : ms / 1_000;
}

/** Bytes from `from` (inclusive) to `to` (exclusive). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The range that a `Range` field requests of `size` bytes (RFC 9110, section 14). `undefined`: the whole file, also for
 * malformed fields, other units and several ranges. `unsatisfiable`: no byte in range.
 */
export function rangeIn(field: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(field ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return suffix(Number(last), size);
  const from = Number(first);
  if (last !== '' && Number(last) < from) return undefined;
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}

function suffix(bytes: number, size: number): ByteRange | 'unsatisfiable' {
  return bytes === 0 || size === 0 ? 'unsatisfiable' : { from: Math.max(0, size - bytes), to: size };
}

export interface ServedFile extends Validators {
  /** File name; its extension determines the media type. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** The bytes from `from` (inclusive) to `to` (exclusive), in pieces of any size. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

export interface FileServing {
  /** The browser saves the file instead of showing it. (documented) */
  readonly isAttachment?: boolean;
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The query parameter of files; a bare name means true. (documented; the default for some files) */
export const attachmentQuery = z.object({
  attachment: z
    .enum(['true', 'false', '1', '0', ''], 'expected true, false, 1 or 0')
    .transform((text) => text !== 'false' && text !== '0')
    .optional(),
});

/** Whether a request asks for a file as an attachment; default: no. */
export function asksForAttachment({ url }: Request): boolean {
  return url.includes('?') && readQuery(url, attachmentQuery).attachment === true;
}

const anyType = 'application/octet-stream';

/**
 * Answers a GET or HEAD with a file or a range of it, streamed at the speed of the client, after evaluating the conditions
 * of the request. An error in reading the first piece is thrown, so that it becomes a status.
 */
export async function answerFile(request: Request, file: ServedFile, serving: FileServing = {}): Promise<Response> {
  const fields = fieldsOf(file, serving);
  const condition = conditionOf(request, file);
  if (condition === 'failed') return answerError(412, 'the file is not what the condition expects', fields.always);
  if (condition === 'unchanged') return new Response(null, { status: 304, headers: fields.always });
  const isHead = request.method === 'HEAD';
  const range = isHead || !isRangeCurrent(request, file) ? undefined : rangeIn(request.headers.get('range'), file.size);
  if (range === 'unsatisfiable') {
    const message = `range: expected bytes within the ${file.size} of the file`;
    return answerError(416, message, { ...fields.always, 'content-range': `bytes */${file.size}` });
  }
  const { from, to } = range ?? { from: 0, to: file.size };
  const body = isHead || from === to ? null : await streamOf(file.read(from, to));
  const headers = {
    ...fields.always,
    ...fields.content,
    'content-length': String(to - from),
    ...rangeField(range, file),
  };
  return new Response(body, { status: range === undefined ? 200 : 206, headers });
}

/** A text that is constant while the server runs: with an ETag, and 304 for clients that have it. */
export function answerVersioned(request: Request, type: string, text: string): Response {
  const etag = hash('sha256', text).slice(0, 32);
  const headers = { etag: `"${etag}"`, 'cache-control': 'no-cache' };
  if (conditionOf(request, { etag }) === 'unchanged') return new Response(null, { status: 304, headers });
  const length = String(Buffer.byteLength(text));
  return new Response(text, { headers: { ...headers, 'content-type': type, 'content-length': length } });
}

/** `Content-Disposition` for saving. (documented) */
export function dispositionOf(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}

interface FileFields {
  readonly always: Record<string, string>;
  /** Only in answers with content. */
  readonly content: Record<string, string>;
}

function fieldsOf(
  { name, etag, lastModifiedMs }: ServedFile,
  { isAttachment = false, headers = {} }: FileServing,
): FileFields {
  return {
    always: {
      etag: `"${etag}"`,
      ...(lastModifiedMs !== undefined && { 'last-modified': httpDate(lastModifiedMs) }),
      'cache-control': isAttachment ? 'private, no-store, no-cache, must-revalidate' : 'private, no-cache',
      ...(isAttachment && { pragma: 'no-cache', expires: '0' }),
      ...headers,
    },
    content: {
      'accept-ranges': 'bytes',
      'content-type': isAttachment ? anyType : mime.contentType(extensionOf(name)) || anyType,
      ...(isAttachment && { 'content-disposition': dispositionOf(name) }),
      'x-content-type-options': 'nosniff',
    },
  };
}

function rangeField(range: ByteRange | undefined, { size }: ServedFile): Record<string, string> {
  return range === undefined ? {} : { 'content-range': `bytes ${range.from}-${range.to - 1}/${size}` };
}

/** The extension with its dot, or an empty string. */
function extensionOf(name: string): string {
  return /\.[^./]*$/.exec(name)?.[0] ?? '';
}

/** A stream that reads each piece when the client has taken the previous one. The first piece is read at once. */
async function streamOf(pieces: AsyncIterable<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const source = pieces[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Uint8Array>> | undefined = Promise.resolve(await source.next());
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await (next ?? source.next());
        next = undefined;
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await source.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
