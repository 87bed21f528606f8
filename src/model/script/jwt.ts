/** Verifies JSON Web Tokens (RFC 7519, signatures RFC 7515) for scripts: synchronous, so that virtual time need not wait for it. */
import { createHmac, createPublicKey, type JsonWebKey, timingSafeEqual, verify } from 'node:crypto';
import { z } from 'zod';

/** What a token must have beside a valid signature. */
const optionsSchema = z.strictObject({
  alg: z.union([z.string(), z.array(z.string())]).optional(),
  iss: z.string().optional(),
  aud: z.string().optional(),
});

export type VerifiedJwt =
  | { readonly valid: true; readonly claims: Readonly<Record<string, unknown>> }
  | { readonly valid: false; readonly problem: string };

const digests: Readonly<Record<string, string>> = {
  HS256: 'sha256',
  HS384: 'sha384',
  HS512: 'sha512',
  RS256: 'sha256',
  RS384: 'sha384',
  RS512: 'sha512',
  ES256: 'sha256',
  ES384: 'sha384',
};
const curves: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1' };

class Invalid extends Error {}

/**
 * Verifies a token with a key: a text for HS256, HS384 and HS512; a public key as PEM or JWK, or a JWK set, for RS and ES. The
 * algorithm is the one of the token only where `options.alg` or the kind of key admits it.
 */
export function verifyJwt(token: unknown, key: unknown, options: unknown, nowMs: number): VerifiedJwt {
  try {
    return { valid: true, claims: claimsOf(String(token), key, optionsSchema.parse(options ?? {}), nowMs) };
  } catch (error) {
    return {
      valid: false,
      problem: error instanceof Invalid ? error.message : 'the token, the key or the options are malformed',
    };
  }
}

type Options = z.infer<typeof optionsSchema>;

function claimsOf(token: string, key: unknown, { alg: wanted, iss, aud }: Options, nowMs: number) {
  const [head = '', body = '', signature = '', ...rest] = token.split('.');
  if (signature === '' || rest.length > 0) throw new Invalid('expected three parts, separated by dots');
  const { alg, kid } = objectIn(head) as { alg?: unknown; kid?: unknown };
  const admitted = wanted === undefined ? Object.keys(digests) : [wanted].flat();
  if (typeof alg !== 'string' || !admitted.includes(alg) || digests[alg] === undefined) {
    throw new Invalid(`algorithm ${JSON.stringify(alg)} is not admitted`);
  }
  const bytes = Buffer.from(signature, 'base64url');
  if (!isSigned(alg, `${head}.${body}`, { bytes, key: keyOf(key, kid) }))
    throw new Invalid('the signature does not fit');
  const claims = objectIn(body);
  const seconds = nowMs / 1_000;
  if (typeof claims['exp'] === 'number' && seconds >= claims['exp']) throw new Invalid('the token has expired');
  if (typeof claims['nbf'] === 'number' && seconds < claims['nbf']) throw new Invalid('the token is not valid yet');
  if (iss !== undefined && claims['iss'] !== iss) throw new Invalid('the issuer is another one');
  if (aud !== undefined && ![claims['aud']].flat().includes(aud)) throw new Invalid('the audience is another one');
  return claims;
}

function objectIn(part: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Invalid('expected JSON objects in base64url');
}

/** The key of a JWK set that the token names. */
function keyOf(key: unknown, kid: unknown): unknown {
  const keys = (key as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) return key;
  const found = keys.find((each: { kid?: unknown } | null) => each?.kid === kid);
  if (found === undefined) throw new Invalid(`the key set has no key ${JSON.stringify(kid)}`);
  return found;
}

function isSigned(alg: string, text: string, { bytes, key }: { bytes: Buffer; key: unknown }): boolean {
  const digest = digests[alg] ?? '';
  if (alg.startsWith('HS')) {
    // A public key as a shared secret is the classic confusion of algorithms.
    if (typeof key !== 'string' || key === '' || key.includes('-----BEGIN'))
      throw new Invalid('expected a secret as the key');
    const own = createHmac(digest, key).update(text).digest();
    return own.length === bytes.length && timingSafeEqual(own, bytes);
  }
  const publicKey = createPublicKey(typeof key === 'string' ? key : { key: key as JsonWebKey, format: 'jwk' });
  const isElliptic = alg.startsWith('ES');
  if (publicKey.asymmetricKeyType !== (isElliptic ? 'ec' : 'rsa')) throw new Invalid('the key is of another kind');
  if (isElliptic && publicKey.asymmetricKeyDetails?.namedCurve !== curves[alg])
    throw new Invalid('the key has another curve');
  return verify(digest, Buffer.from(text), { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes);
}
