/**
 * Uploads: streams the bytes of a request body, raw or as the files of a `multipart/form-data`. Nothing is buffered:
 * backpressure reaches the client.
 */

import { on } from 'node:events';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { limits } from '../model/limits.ts';
import { readPart } from './read-request.ts';
import { HttpError } from './responses.ts';

export interface FilePart {
  /** As in the part's `Content-Disposition`, with a path if there is one. */
  readonly name: string;
  /** Must be read once, before the next part; unread bytes are skipped. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Whether the declared body is a form. */
export function isForm({ headers }: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** The raw body of a request. */
export async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let part = await readPart(reader); part !== undefined; part = await readPart(reader)) yield part;
}

/** Passes bytes through up to a limit; then throws 413. */
export async function* atMost(
  chunks: AsyncIterable<Uint8Array>,
  most: number,
  what = 'file',
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > most) throw new HttpError(413, `${what}: expected at most ${most} bytes`);
    yield chunk;
  }
}

/** Refuses a body whose declared length is over a limit, without reading it. */
export function refuseTooLong({ headers }: Request, most: number): void {
  if (Number(headers.get('content-length') ?? 0) > most) {
    throw new HttpError(413, `body: expected at most ${most} bytes`);
  }
}

/** The files of a form: the parts with a file name. */
export async function* filesIn(request: Request): AsyncGenerator<FilePart> {
  const parser = parserOf(request);
  const feed = new Feed(parser);
  const found = on(parser, 'file', { close: ['close'] });
  feed.run(atMost(bodyOf(request), limits.domainFileBytes, 'body'));
  try {
    for await (const [, stream, { filename }] of found as AsyncIterable<Found>) {
      if (filename !== undefined) yield { name: filename, chunks: chunksOf(stream) };
      stream.resume();
    }
  } catch (error) {
    throw formError(error);
  } finally {
    feed.stop();
  }
}

type Found = readonly [field: string, stream: Readable, info: { readonly filename: string | undefined }];

async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    // The rest of an unwanted part must be drained.
    yield* stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw formError(error);
  }
}

function parserOf({ headers }: Request): busboy.Busboy {
  const limit = new HttpError(413, `body: expected at most ${limits.fileParts} parts`);
  try {
    const parser = busboy({
      headers: { 'content-type': headers.get('content-type') ?? '' },
      preservePath: true,
      defParamCharset: 'utf8',
      limits: {
        files: limits.fileParts,
        fields: limits.fileParts,
        parts: 2 * limits.fileParts,
        fieldSize: limits.bodyBytes,
      },
    });
    parser.on('error', ignore);
    // The part may fail before it is read.
    parser.on('file', (_field, stream) => stream.on('error', ignore));
    parser.on('filesLimit', () => parser.destroy(limit));
    parser.on('fieldsLimit', () => parser.destroy(limit));
    // Parts without a name count as neither files nor fields.
    parser.on('partsLimit', () => parser.destroy(limit));
    return parser;
  } catch (error) {
    throw formError(error);
  }
}

/** Feeds a parser chunk by chunk, each after the previous one is processed. */
class Feed {
  readonly #parser: busboy.Busboy;
  #release = () => {};

  constructor(parser: busboy.Busboy) {
    this.#parser = parser;
    // A destroyed parser does not report the chunk that it was processing.
    parser.once('close', () => this.#release());
  }

  run(chunks: AsyncIterable<Uint8Array>): void {
    this.#feed(chunks).catch((error: Error) => this.#parser.destroy(error));
  }

  stop(): void {
    this.#parser.destroy();
  }

  async #feed(chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      if (this.#parser.destroyed) return;
      await new Promise<void>((resolve) => {
        this.#release = resolve;
        this.#parser.write(chunk, () => resolve());
      });
    }
    if (!this.#parser.destroyed) this.#parser.end();
  }
}

function formError(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'HttpError' || error.name === 'FaultError') return error;
  return new HttpError(400, `body: malformed multipart/form-data: ${error.message}`);
}

/** The reader of the form gets the error, of the form or of a part; without a listener it would end the process. */
function ignore(): void {}
