/** Answers with JSON bodies; maps faults to statuses. */
import { type Fault, type FaultCode, FaultError } from '../model/fault.ts';

const jsonType = 'application/json; charset=utf-8';

/** HTTP status of each fault code. (chosen) */
const statuses: Readonly<Record<FaultCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  changed: 412,
  too_large: 413,
  banned: 429,
  crashed: 504,
  broken: 500,
  overloaded: 503,
  standby: 503,
  timeout: 504,
  unreachable: 503,
};

export function answerJson(body: unknown, headers: Record<string, string> = {}): Response {
  return answerText(200, JSON.stringify(body), headers);
}

/** A JSON text that is already serialized. */
export function answerJsonText(text: string, headers: Record<string, string> = {}): Response {
  return answerText(200, text, headers);
}

/** A serialized JSON text in pieces. */
export function answerPieces(pieces: readonly Uint8Array[], headers: Record<string, string> = {}): Response {
  const length = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  const body = ReadableStream.from(pieces);
  return new Response(body, { headers: { 'content-type': jsonType, 'content-length': String(length), ...headers } });
}

export function answerEmpty(headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 204, headers });
}

/** The error body of the interface (documented); the code is 1000 + the status (chosen, like the documented 1404). */
export function errorBody(status: number, message: string): string {
  return JSON.stringify({ error_code: 1_000 + status, error_message: message });
}

export function answerError(status: number, message: string, headers: Record<string, string> = {}): Response {
  return answerText(status, errorBody(status, message), headers);
}

/** With a content length, so that the answer to HEAD has the same fields as GET. */
function answerText(status: number, text: string, headers: Record<string, string>): Response {
  const length = String(Buffer.byteLength(text));
  return new Response(text, { status, headers: { 'content-type': jsonType, 'content-length': length, ...headers } });
}

/** Status and message of a thrown refusal; undefined for other errors. */
export function refusalOf(thrown: unknown): { readonly status: number; readonly message: string } | undefined {
  if (thrown instanceof HttpError) return { status: thrown.status, message: thrown.message };
  if (!(thrown instanceof FaultError)) return undefined;
  const { code, message } = thrown.fault;
  return { status: statuses[code], message };
}

/** The answer for an error thrown by a handler. A bug is reported by a reference to the log only. */
export function answerThrown(thrown: unknown, report: (error: unknown) => string): Response {
  if (thrown instanceof HttpError) return answerError(thrown.status, thrown.message, thrown.headers);
  if (thrown instanceof FaultError) return answerFault(thrown.fault, thrown.retryAfterSeconds);
  return answerError(500, `a bug of the simulator; see reference ${report(thrown)} in its log`);
}

/** A refusal about HTTP itself: a content type, a size. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.headers = headers;
  }
}

/** The maximum age of a copy in seconds, when the master is unreachable. (chosen) */
export function ageHeader(ageMs: number | undefined): Record<string, string> {
  return ageMs === undefined ? {} : { 'x-data-age': String(Math.floor(ageMs / 1_000)) };
}

function answerFault({ code, message, ageMs }: Fault, retryAfterSeconds: number | undefined): Response {
  const status = statuses[code];
  const headers = ageHeader(ageMs);
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  const retry = retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  if (retry !== undefined) headers['retry-after'] = String(retry);
  return answerError(status, message, headers);
}

/** An HTML page. */
export function answerMarkup(text: string): Response {
  const length = String(Buffer.byteLength(text));
  return new Response(text, { headers: { 'content-type': 'text/html; charset=utf-8', 'content-length': length } });
}
