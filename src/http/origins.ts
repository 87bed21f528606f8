/** Requests of pages of other origins: writes are refused, and reads are allowed to the listed origins only. */
import { FaultError, fault } from '../model/fault.ts';
import type { HeaderReader, HttpHandler } from '../ports/http-server.ts';
import { HttpError } from './responses.ts';

/** Origins, such as `https://app.example`, whose pages have the rights of pages of this front. */
export type Origins = ReadonlySet<string>;

export const noOrigins: Origins = new Set();

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a write by cookie that a page of another origin may have sent, and one with a body but without `Content-Type`:
 * browsers send such a request without a preflight.
 */
export function refuseForgedWrite(method: string, header: HeaderReader, allowed: Origins): void {
  if (readingMethods.has(method)) return;
  refuseForeignPage(header, allowed);
  if (header('cookie') === null || header('content-type') !== null || !hasBody(header)) return;
  throw new HttpError(415, 'content-type: expected one with the body of a request by cookie, got none');
}

/** Refuses a request of a page of another origin. Clients other than browsers send neither field. */
export function refuseForeignPage(header: HeaderReader, allowed: Origins): void {
  const origin = header('origin');
  if (origin !== null && allowed.has(origin.toLowerCase())) return;
  const site = header('sec-fetch-site');
  if (origin !== null && !isOwn(origin, header)) throw foreign('origin', 'the one of this front', origin);
  if (site !== null && site !== 'same-origin' && site !== 'none') throw foreign('sec-fetch-site', 'same-origin', site);
}

function foreign(field: string, expected: string, got: string): FaultError {
  const message = `${field}: expected ${expected} in a request by cookie, got ${JSON.stringify(got.slice(0, 100))}`;
  return new FaultError(fault('forbidden', message));
}

function hasBody(header: HeaderReader): boolean {
  return header('transfer-encoding') !== null || Number(header('content-length') ?? 0) > 0;
}

/** Whether an origin is this front, as named by Host. The default port of the scheme may be omitted. */
function isOwn(origin: string, header: HeaderReader): boolean {
  const [, scheme, authority] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  const defaultPort = scheme === 'https' ? /:443$/ : /:80$/;
  return (
    authority !== undefined &&
    authority.replace(defaultPort, '') === header('host')?.toLowerCase().replace(defaultPort, '')
  );
}

/** Response fields that such pages may read, in addition to the default ones. */
const exposed = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Retry-After',
  'WWW-Authenticate',
  'X-Data-Age',
  'X-Missing-Sites',
].join(', ');

/** Seconds for which a browser may cache a preflight answer. */
const preflightSeconds = '600';
const fieldNames = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * CORS (Fetch standard): pages of the listed origins may read the answers of `handler`, and send methods and fields that
 * need a preflight. (chosen)
 */
export function withCors(handler: HttpHandler, origins: Origins): HttpHandler {
  if (origins.size === 0) return handler;
  return async (request, sender, header, extendDeadline) => {
    const response = await handler(request, sender, header, extendDeadline);
    const { headers } = response;
    headers.append('vary', 'Origin');
    const origin = header('origin');
    if (origin !== null && origins.has(origin.toLowerCase())) {
      headers.set('access-control-allow-origin', origin);
      headers.set('access-control-allow-credentials', 'true');
      if (isPreflight(request, header)) permit(headers, header);
      else headers.set('access-control-expose-headers', exposed);
    }
    return response;
  };
}

function isPreflight({ method }: Request, header: HeaderReader): boolean {
  return method === 'OPTIONS' && header('access-control-request-method') !== null;
}

/** Permits the methods of the path (the Allow of its OPTIONS answer) and all requested fields. */
function permit(headers: Headers, header: HeaderReader): void {
  const wanted = header('access-control-request-headers');
  headers.set('access-control-allow-methods', headers.get('allow') ?? '');
  if (wanted !== null && fieldNames.test(wanted)) headers.set('access-control-allow-headers', wanted);
  headers.set('access-control-max-age', preflightSeconds);
  headers.append('vary', 'Access-Control-Request-Method, Access-Control-Request-Headers');
}
