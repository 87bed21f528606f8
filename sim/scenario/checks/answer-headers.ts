/** Checks the names of header fields that a scenario expects in an answer. */
import { hintText, nearest } from '../../../src/model/shapes/nearest.ts';
import type { InputError } from '../../input/read-value.ts';
import type { Expectation } from '../language/request-schema.ts';

const own = ['x-content-type-options', 'x-data-age', 'x-missing-sites'];
const standard = [
  ...['accept-ranges', 'age', 'allow', 'cache-control', 'connection', 'content-disposition', 'content-encoding'],
  ...[
    'content-language',
    'content-length',
    'content-location',
    'content-range',
    'content-security-policy',
    'content-type',
  ],
  ...['date', 'etag', 'expires', 'keep-alive', 'last-modified', 'link', 'location', 'referrer-policy', 'retry-after'],
  ...['server', 'set-cookie', 'transfer-encoding', 'upgrade', 'vary', 'www-authenticate'],
  ...['origin', 'credentials', 'methods', 'headers'].map((name) => `access-control-allow-${name}`),
  ...['access-control-expose-headers', 'access-control-max-age'],
];
const known: readonly string[] = [...own, ...standard];

/** Misspelt names. An expected absence of one would always hold. */
export function headerFaults(headers: Expectation['headers'] = {}): InputError[] {
  return Object.keys(headers).flatMap((name) => {
    const near = known.includes(name) ? undefined : nearest(name, known);
    if (near === undefined) return [];
    return [{ path: ['headers', name], message: `expected a header of the interface, got "${name}"${hintText(near)}` }];
  });
}
