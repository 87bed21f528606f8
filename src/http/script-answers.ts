/** The answer to a request from the variables of a script. */

import { FaultError, fault } from '../model/fault.ts';
import { limits } from '../model/limits.ts';
import type { RunResult } from '../model/protocol/messages/script.ts';
import { HttpError } from './responses.ts';

/** The content type where the script sets none. (documented) */
const defaultType = 'application/octet-stream';
/** Fields of the connection, and the cookie of sessions, which the platform alone sets. (chosen) */
const ownFields = ['connection', 'content-length', 'keep-alive', 'transfer-encoding', 'upgrade', 'set-cookie'];
const withoutBody = [204, 205, 304];

/** The final variables of a script. Throws where it failed: its problem, with 504 where it ended in the middle without an error of its own, else 500. (chosen) */
export function variablesOf({ status, problem, isIndefinite, variables }: RunResult): RunResult['variables'] {
  if (status === 'finished') return variables;
  const message = problem ?? 'the script failed';
  if (isIndefinite) throw new FaultError(fault('timeout', message));
  throw new HttpError(500, message);
}

/** The answer of `response_code`, `response_headers` and `response_content`. (documented) */
export function answerScript(result: RunResult): Response {
  const { response_code: code = 200, response_headers: given, response_content: content } = variablesOf(result);
  const status = Number(code);
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw wrong('response_code', 'an integer from 200 to 599', code);
  }
  const headers = headersIn(given);
  if (!headers.has('content-type')) headers.set('content-type', defaultType);
  const body = withoutBody.includes(status) ? null : bodyOf(content);
  headers.set('content-length', String(body === null ? 0 : Buffer.byteLength(body)));
  if (status === 204) headers.delete('content-length');
  return new Response(body, { status, headers });
}

function bodyOf(content: unknown): string | null {
  if (content === undefined || content === null) return null;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** An object, a list of objects with `name` and `value`, or either as a JSON text. */
function headersIn(given: unknown): Headers {
  const headers = new Headers();
  const pairs = pairsIn(given);
  const chars = pairs.reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  if (chars > limits.scriptHeaderChars) {
    throw wrong('response_headers', `at most ${limits.scriptHeaderChars} characters of names and values`, chars);
  }
  for (const [name, value] of pairs) {
    if (ownFields.includes(name.toLowerCase()))
      throw wrong('response_headers', 'no field that the platform sets', name);
    try {
      headers.append(name, String(value));
    } catch {
      throw wrong('response_headers', 'names and values of HTTP headers', { [name]: value });
    }
  }
  return headers;
}

function pairsIn(given: unknown): [string, unknown][] {
  const value = typeof given === 'string' && given !== '' ? parsed(given) : given;
  if (value === undefined || value === null || value === '') return [];
  if (Array.isArray(value)) {
    return value.map((each: unknown): [string, unknown] => {
      const { name, value: text } = (each ?? {}) as { name?: unknown; value?: unknown };
      if (typeof name !== 'string') throw wrong('response_headers', 'objects with name and value', each);
      return [name, text];
    });
  }
  if (typeof value === 'object') return Object.entries(value);
  throw wrong('response_headers', 'a JSON object', given);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong('response_headers', 'JSON', text);
  }
}

function wrong(name: string, wanted: string, got: unknown): HttpError {
  return new HttpError(
    500,
    `variable ${name} of the script: expected ${wanted}, got ${JSON.stringify(got)?.slice(0, 100)}`,
  );
}
