/**
 * Cross-origin requests (CORS, in the Fetch standard): which pages of other origins may read the answers of this front, and send
 * methods and fields that a browser asks for first. None, unless origins are listed. (chosen)
 */
import type { DoorHandler, HeaderReader } from '../ports/door.ts';
import type { Origins } from './forgery.ts';

/** The fields of answers that a page may read beside those that any page may. */
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

/** For how long a browser may keep the answer to a preflight request. */
const preflightSeconds = '600';
const fieldNames = /^[\w!#$%&'*+.^`|~-]+( *, *[\w!#$%&'*+.^`|~-]+)*$/;

/** Adds what the listed origins may do to each answer of `handler`. */
export function withCors(handler: DoorHandler, origins: Origins): DoorHandler {
  if (origins.size === 0) return handler;
  return async (request, sender, header, allowMs) => {
    const response = await handler(request, sender, header, allowMs);
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

/** The methods of the path, which its answer to OPTIONS has in Allow, and all fields that the page wants to send. */
function permit(headers: Headers, header: HeaderReader): void {
  const wanted = header('access-control-request-headers');
  headers.set('access-control-allow-methods', headers.get('allow') ?? '');
  if (wanted !== null && fieldNames.test(wanted)) headers.set('access-control-allow-headers', wanted);
  headers.set('access-control-max-age', preflightSeconds);
  headers.append('vary', 'Access-Control-Request-Method, Access-Control-Request-Headers');
}
