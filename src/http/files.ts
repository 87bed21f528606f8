import mime from 'mime-types';
import { z } from 'zod';
import type { Expected } from '../model/protocol/files.ts';
import { httpDate, httpTimeOf } from '../model/time.ts';
import { readQuery } from './requests.ts';
import { answerError } from './responses.ts';

/** Conditional requests (RFC 9110, section 13): what a client knows of a file, held against what it is now. */

/** What a file is now. Times are milliseconds since the epoch. */
export interface Validators {
  /** Strong, and without its quotes. */
  readonly etag: string;
  readonly lastModifiedMs?: number | undefined;
}

/** The entity tags of a field, without quotes; `*` stands for any. Weak ones are left out where `isStrong`. */
export function tagsIn(field: string, isStrong: boolean): '*' | readonly string[] {
  if (field.trim() === '*') return '*';
  const tags = field.matchAll(/(W\/)?"([^"]*)"/g);
  return [...tags].flatMap(([, weak, tag]) => (isStrong && weak !== undefined ? [] : [tag ?? '']));
}

/**
 * What becomes of a GET or HEAD: `failed` is 412, `unchanged` 304. The steps are in the order of section 13.2.2; a tag
 * outweighs a time.
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

/** What a PUT or DELETE expects to be there (RFC 9110, section 13.1); nothing where it does not say. */
export function expectedBy({ headers }: Request): Expected | undefined {
  const match = headers.get('if-match');
  if (match !== null) {
    const tags = tagsIn(match, true);
    return tags === '*' ? { isThere: true } : { etags: [...tags] };
  }
  return headers.get('if-none-match')?.trim() === '*' ? { isThere: false } : undefined;
}

/** Whether the range that a request asks for is one of the file as it is now. */
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

/** Ranges of bytes, as a request asks for them (RFC 9110, section 14): one at a time; a request for several gets all of it. */

/** Bytes from `from` up to, and without, `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * What a `Range` field asks for of `size` bytes. `undefined`: all of it, for what can't be read, and any other unit than
 * bytes, is to be ignored. `unsatisfiable`: none of the bytes is there.
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

/**
 * Files as answers: whole or a range of their bytes, streamed as fast as the client takes them, with the conditions of the
 * request held against them. Not where files come from.
 */

export interface ServedFile extends Validators {
  /** Its extension says what it is, and it is saved under it. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** The bytes from `from` up to, and without, `to`, in pieces of any size. */
  read(from: number, to: number): AsyncIterable<Uint8Array>;
}

export interface Serving {
  /** To be saved under its name and not shown. (documented) */
  readonly isAttachment?: boolean;
  /** Further header fields. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The query of a file; a bare name is true. (documented; its default is not for every file) */
export const attachmentQuery = z.object({
  attachment: z
    .enum(['true', 'false', '1', '0', ''], 'expected true, false, 1 or 0')
    .transform((text) => text !== 'false' && text !== '0')
    .optional(),
});

/** Whether a request asks for a file as an attachment; by default it does not. */
export function asksForAttachment({ url }: Request): boolean {
  return url.includes('?') && readQuery(url, attachmentQuery).attachment === true;
}

const anyType = 'application/octet-stream';

/** Answers a GET or HEAD with a file. A fault of the first bytes is thrown, so that it becomes a status. */
export async function answerFile(request: Request, file: ServedFile, serving: Serving = {}): Promise<Response> {
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

/** `attachment` as documented: the browser saves the file, and keeps no copy of the answer. */
export function dispositionOf(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}

interface FileFields {
  readonly always: Record<string, string>;
  /** Of answers that have the file, or a part of it, in them. */
  readonly content: Record<string, string>;
}

function fieldsOf(
  { name, etag, lastModifiedMs }: ServedFile,
  { isAttachment = false, headers = {} }: Serving,
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

/** With its dot; nothing where there is none. */
function extensionOf(name: string): string {
  return /\.[^./]*$/.exec(name)?.[0] ?? '';
}

/** A stream of pieces, of which each is read when the client has taken the one before. The first one is there already. */
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
