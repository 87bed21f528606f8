/**
 * Access control of the control interface: a client needs the token and an allowed host name, and pages of other
 * origins are refused. A page that a browser loaded from elsewhere can reach a loopback port: by a request that needs
 * no preflight, or by a name of its own that resolves to this machine (DNS rebinding).
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import type { z } from 'zod';
import { readJson, readText } from '../../src/http/read-request.ts';
import { answerError } from '../../src/http/responses.ts';
import { FaultError, fault } from '../../src/model/fault.ts';
import { jsonFault } from '../../src/model/json.ts';
import { limits } from '../../src/model/limits.ts';
import type { HeaderReader } from '../../src/ports/http-server.ts';
import { faultText, readValue } from '../input/read-value.ts';

/** Limit of a large body, such as a snapshot. */
const largeBytes = 64 * 1024 * 1024;

/**
 * The JSON body of a request, parsed by `schema` and in the client's own form. No body is `{}` where `{}` is valid. Throws an
 * `invalid` fault.
 */
export async function readWritten<S extends z.ZodType>(
  request: Request,
  schema: S,
  { isLarge = false }: { readonly isLarge?: boolean } = {},
): Promise<{ value: z.infer<S>; written: unknown }> {
  const text = await readText(request, isLarge ? largeBytes : limits.bodyBytes, { fatal: true });
  const isLeftOut = text === '' && mayBeLeftOut(request.method, schema);
  const written = isLeftOut ? {} : isLarge ? readLarge(text) : readJson(text);
  const read = readValue(schema, written);
  if (read.isValid) return { value: read.value, written };
  throw new FaultError(fault('invalid', read.faults.map((each) => faultText(each, 'body')).join('; ')));
}

/** Whether a POST with this body needs none: every field is optional. */
export function mayBeLeftOut(method: string, schema: z.ZodType): boolean {
  return method === 'POST' && schema.safeParse({}).success;
}

function readLarge(text: string): unknown {
  const problem = jsonFault(text);
  if (problem !== undefined) throw new FaultError(fault('invalid', `body: ${problem}`));
  return JSON.parse(text);
}

export interface ControlAccess {
  /** Undefined: clients need no token. */
  readonly token?: string | undefined;
  /** Allowed names and addresses, in lower case and without a port. */
  readonly hosts: ReadonlySet<string>;
  /** Whether any address is allowed: a page cannot make an address resolve to another machine. */
  readonly takesAddresses?: boolean;
}

export const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** The methods of the control interface. Other methods never reach its routes. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The refusal of a request before it is read, or `undefined`. */
export function refusalOf(request: Request, header: HeaderReader, access: ControlAccess): Response | undefined {
  return (
    refuseHost(header, access) ??
    refusePage(request, header) ??
    refuseStranger(header, access) ??
    refuseMethod(request) ??
    refuseContent(request, header)
  );
}

function refuseHost(header: HeaderReader, { hosts, takesAddresses = false }: ControlAccess): Response | undefined {
  const given = header('host') ?? '';
  const host = hostIn(given);
  if (host !== undefined && (hosts.has(host) || (takesAddresses && isIP(host) !== 0))) return undefined;
  const known = [...hosts].join(', ');
  return answerError(403, `host: expected one of ${known}, got ${quoted(given)}; --control-allow-host adds a name`);
}

/** Without the port and the brackets of an IPv6 address; `undefined` if it is not a host. */
function hostIn(field: string): string | undefined {
  const [, address, name] = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::\d*)?$/.exec(field) ?? [];
  return (address ?? name)?.toLowerCase();
}

/** Browsers send the origin of the page. */
function refusePage({ url }: Request, header: HeaderReader): Response | undefined {
  const origin = header('origin');
  const own = `${url.startsWith('https:') ? 'https' : 'http'}://${header('host')}`.toLowerCase();
  if (origin !== null && origin.toLowerCase() !== own) {
    return answerError(403, `origin: expected no page of another origin, got ${quoted(origin)}`);
  }
  const site = header('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return undefined;
  return answerError(403, `sec-fetch-site: expected no page of another origin, got ${quoted(site)}`);
}

function refuseStranger(header: HeaderReader, { token }: ControlAccess): Response | undefined {
  if (token === undefined) return undefined;
  const shown = /^Bearer +(\S+) *$/i.exec(header('authorization') ?? '')?.[1];
  if (shown !== undefined && timingSafeEqual(digestOf(shown), digestOf(token))) return undefined;
  const message = 'authorization: expected "Bearer" and the token in STROWGER_CONTROL_TOKEN';
  return answerError(401, message, { 'www-authenticate': 'Bearer' });
}

/** Digests have equal lengths, whatever the lengths of the texts. */
function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

function refuseMethod({ method }: Request): Response | undefined {
  if (methods.has(method)) return undefined;
  const allow = [...methods].join(', ');
  return answerError(405, `${quoted(method)} is not a method of this interface; expected one of ${allow}`, { allow });
}

/** A page may send other content types without a preflight. */
function refuseContent({ method, body }: Request, header: HeaderReader): Response | undefined {
  const isFramed = Number(header('content-length') ?? 0) > 0 || header('transfer-encoding') !== null;
  if (!withBody.has(method) || body === null || !isFramed) return undefined;
  const type = header('content-type');
  if (type !== null && /^application\/json\s*(;|$)/i.test(type)) return undefined;
  return answerError(415, `content-type: expected application/json, got ${type === null ? 'nothing' : quoted(type)}`);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
