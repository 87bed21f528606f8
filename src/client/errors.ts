/** The errors of the client as values: what is known about the request, and whether to repeat it. */

/**
 * - `refused`: the platform refused the request; it was not carried out.
 * - `unavailable`: the part of the platform that must serve was not reachable (503), or the address is banned (429); the
 *   request was not carried out.
 * - `unanswered`: no answer in time, or a lost connection, or a bug (500); the request may have been carried out.
 */
export type ApiErrorKind = 'refused' | 'unavailable' | 'unanswered';

interface Failure {
  readonly operation: string;
  readonly message: string;
  /** Absent: no answer. */
  readonly status?: number | undefined;
  readonly code?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** `POST /rest/v1/uc/calls`. */
  readonly operation: string;
  /** HTTP status; absent if there was no answer. */
  readonly status: number | undefined;
  /** `error_code` of the answer. */
  readonly code: number | undefined;
  readonly kind: ApiErrorKind;
  /** How long to wait before a repetition. */
  readonly retryAfterMs: number | undefined;

  constructor({ operation, message, status, code, retryAfterMs, cause }: Failure) {
    super(`${operation}: ${status === undefined ? '' : `${status} `}${message}`, { cause });
    this.operation = operation;
    this.status = status;
    this.code = code;
    this.kind = kindOf(status);
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the request was certainly not carried out. */
  get isDefinite(): boolean {
    return this.kind !== 'unanswered';
  }

  /**
   * Whether a repetition is safe and may succeed: the platform was not available, or the request only reads. Otherwise look
   * at the state before a repetition.
   */
  get isRetriable(): boolean {
    const method = this.operation.split(' ')[0] ?? '';
    return this.kind === 'unavailable' || (this.kind === 'unanswered' && readers.has(method));
  }
}

const readers: ReadonlySet<string> = new Set(['GET', 'HEAD', 'LOOKUP']);

/** An answer or an error. `missingSites`: sites that did not answer, so that their items are missing in a list. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly status: number; readonly missingSites: readonly string[] }
  | { readonly ok: false; readonly error: ApiError };

function kindOf(status: number | undefined): ApiErrorKind {
  if (status === undefined || status === 500 || status === 504) return 'unanswered';
  return status === 503 || status === 429 || status === 408 ? 'unavailable' : 'refused';
}

/** The error of an answer with a status from 400. */
export async function errorOf(operation: string, response: Response): Promise<ApiError> {
  const text = await response.text();
  const { error_code: code, error_message: message = text } = errorIn(text);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined;
  return new ApiError({ operation, message, status: response.status, code, retryAfterMs });
}

function errorIn(text: string): { readonly error_code?: number; readonly error_message?: string } {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
