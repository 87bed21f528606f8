/** Reads the body, query and scope of a request by their schemas, or throws what is invalid. */
import type { z } from 'zod';
import {
  type CollectionQuery,
  type ItemQuery,
  parseCollectionQuery,
  parseItemQuery,
} from '../model/collection/query.ts';
import type { CollectionShape } from '../model/collection/shape.ts';
import { FaultError, fault } from '../model/fault.ts';
import { parseJson } from '../model/json.ts';
import { limits } from '../model/limits.ts';
import { complaint } from '../model/shapes/complaint.ts';
import { type ScopeParams, scopeNames } from '../services/fan-out.ts';
import { HttpError } from './responses.ts';

/**
 * The JSON body of a request, validated; none counts as `{}` where it is optional. Errors say where, what was expected and what was
 * given.
 */
export async function readBody<S extends z.ZodType>(
  request: Request,
  schema: S,
  { isOptional = false } = {},
): Promise<z.infer<S>> {
  const type = request.headers.get('content-type');
  if (type !== null && !/^application\/json\s*(;|$)/i.test(type)) refuseType(type, request.method);
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  const text = await readText(request, limits.bodyBytes, { fatal: true });
  return check(schema, text === '' && isOptional ? {} : readJson(text), 'body');
}

const formType = 'application/x-www-form-urlencoded';

/**
 * Refuses a body that is not declared as JSON. A LOOKUP that is declared as a form, as curl does by default, is read as
 * JSON: it changes nothing. (chosen)
 */
function refuseType(type: string, method: string): void {
  const isForm = type.toLowerCase().startsWith(formType);
  if (isForm && method === 'LOOKUP') return;
  const hint = isForm ? `, which curl -d sends by default: add -H 'content-type: application/json'` : '';
  throw new HttpError(415, `content-type: expected application/json, got ${type}${hint}`);
}

/** The validated query parameters; parameters that the schema does not name are ignored. */
export function readQuery<S extends z.ZodObject>(url: string, schema: S): z.infer<S> {
  const params = paramsOf(url);
  const given: Record<string, string> = {};
  for (const name of Object.keys(schema.shape)) {
    const values = params.getAll(name);
    if (values.length > 1) throw new FaultError(fault('invalid', `${name}: given twice`));
    if (values[0] !== undefined) given[name] = values[0];
  }
  return check(schema, given, 'query');
}

/** Reads the query of a list, so that an invalid one is refused before other instances are asked. */
export function readCollectionQuery<T extends object>(url: string, shape: CollectionShape<T>): CollectionQuery {
  const query = parseCollectionQuery(paramsOf(url), shape);
  if (!query.ok) throw new FaultError(fault('invalid', query.fault.message));
  return query.value;
}

/** Reads the query of a single item. */
export function readItemQuery<T extends object>(url: string, shape: CollectionShape<T>): ItemQuery {
  const query = parseItemQuery(paramsOf(url), shape);
  if (!query.ok) throw new FaultError(fault('invalid', query.fault.message));
  return query.value;
}

/** Parameters of a query that are only read. */
export type QueryReader = Pick<URLSearchParams, 'get' | 'getAll' | 'keys' | typeof Symbol.iterator>;

/** The parameters of a URL. Those of the last one are kept: a handler reads them for its scope and for its list. */
export function paramsOf(url: string): QueryReader {
  if (url !== last.url) {
    const start = url.indexOf('?');
    last = { url, params: new URLSearchParams(start < 0 ? '' : url.slice(start + 1)) };
  }
  return last.params;
}

let last: { readonly url: string; readonly params: QueryReader } = { url: '', params: new URLSearchParams() };

/** Validates `value`, or throws an `invalid` fault for the first invalid field. */
export function check<S extends z.ZodType>(schema: S, value: unknown, what: string): z.infer<S> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new FaultError(fault('invalid', complaint(issue, { schema, value, what })));
}

/** Parses a JSON text within the limits of a body: validation visits every value. */
export function readJson(text: string): unknown {
  if (text === '') throw new FaultError(fault('invalid', 'body: expected JSON, got nothing'));
  const read = parseJson(text, limits.jsonDepth, limits.jsonValues);
  if (read.ok) return read.value;
  throw new FaultError(fault('invalid', `body: ${read.fault.message}`));
}

/** The body as a text; without `fatal`, what is not UTF-8 is replaced. */
export async function readText(request: Request, mostBytes: number, { fatal = false } = {}): Promise<string> {
  const bytes = await readBytes(request, mostBytes);
  try {
    return new TextDecoder('utf-8', { fatal }).decode(bytes);
  } catch {
    throw new FaultError(fault('invalid', 'body: expected UTF-8'));
  }
}

/** Reads the body up to the limit. The rest stays unread: cancelling would close the connection before the answer. */
async function readBytes({ body }: Request, mostBytes: number): Promise<Uint8Array> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let part = await readPart(reader); part !== undefined; part = await readPart(reader)) {
    size += part.byteLength;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

export async function readPart(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<Uint8Array | undefined> {
  try {
    return (await reader?.read())?.value;
  } catch {
    throw new FaultError(fault('invalid', 'body: it ended early'));
  }
}

function tooLarge(mostBytes: number): HttpError {
  return new HttpError(413, `body: expected at most ${mostBytes} bytes`);
}

/** The scope parameters of a request to edge roles. */
export function readScope(url: string): ScopeParams {
  if (!url.includes('?')) return {};
  return scopeIn(paramsOf(url));
}

/** The scope of a change: a misspelt parameter is refused, because ignoring it would address all instances. (chosen) */
export function readScopeOfChange(url: string): ScopeParams {
  const params = paramsOf(url);
  for (const name of params.keys()) {
    if ((scopeNames as readonly string[]).includes(name)) continue;
    throw new FaultError(fault('invalid', `${name}: no such parameter here; there are ${scopeNames.join(', ')}`));
  }
  return scopeIn(params);
}

function scopeIn(params: QueryReader): ScopeParams {
  const read: { -readonly [N in keyof ScopeParams]: string } = {};
  for (const name of scopeNames) {
    const values = params.getAll(name);
    if (values.length > 1) throw new FaultError(fault('invalid', `${name}: given twice`));
    if (values[0] !== undefined) read[name] = values[0];
  }
  return read;
}
