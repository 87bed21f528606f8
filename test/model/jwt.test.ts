/** Verification of JSON Web Tokens: every algorithm, and every way in which a token can be wrong. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { verifyJwt } from '../../src/model/script/jwt.ts';
import { test } from '../kit/test.ts';

const nowMs = 1_000_000;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const bits = (alg: string) => `sha${alg.slice(2)}`;

function token(alg: string, key: string | KeyObject, claims: object = { sub: 'ann' }, head: object = {}): string {
  const text = `${part({ alg, ...head })}.${part(claims)}`;
  const signature =
    typeof key === 'string'
      ? createHmac(bits(alg), key).update(text).digest()
      : sign(bits(alg), Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' });
const jwk = (key: KeyObject) => key.export({ format: 'jwk' });

test('a token of every algorithm is verified with its key, as PEM, JWK or of a set', (t) => {
  const claims = { sub: 'ann' };
  for (const alg of ['HS256', 'HS384', 'HS512']) {
    t.deepEqual(verifyJwt(token(alg, 'secret'), 'secret', undefined, nowMs), { valid: true, claims });
  }
  const pairs = [
    ['RS256', rsa],
    ['RS384', rsa],
    ['RS512', rsa],
    ['ES256', p256],
    ['ES384', p384],
  ] as const;
  for (const [alg, { publicKey, privateKey }] of pairs) {
    const own = token(alg, privateKey, claims, { kid: 'b' });
    for (const key of [pem(publicKey), jwk(publicKey), { keys: [{ kid: 'a' }, { ...jwk(publicKey), kid: 'b' }] }]) {
      t.deepEqual(verifyJwt(own, key, { alg: [alg] }, nowMs), { valid: true, claims }, alg);
    }
  }
});

const refusals: readonly [why: string, token: string, key: unknown, options: unknown, problem: RegExp][] = [
  ['another secret', token('HS256', 'x'), 'secret', {}, /signature/],
  ['no signature', `${part({ alg: 'none' })}.${part({})}.`, 'secret', {}, /three parts/],
  ['the algorithm none', `${part({ alg: 'none' })}.${part({})}.eA`, 'secret', {}, /algorithm "none"/],
  ['an algorithm that is not admitted', token('HS512', 'secret'), 'secret', { alg: 'HS256' }, /algorithm "HS512"/],
  ['a public key as a secret', token('HS256', String(pem(rsa.publicKey))), pem(rsa.publicKey), {}, /expected a secret/],
  ['a key of another kind', token('ES256', p256.privateKey), pem(rsa.publicKey), {}, /another kind/],
  ['a key of another curve', token('ES256', p256.privateKey), pem(p384.publicKey), {}, /another curve/],
  ['a key that the set lacks', token('RS256', rsa.privateKey), { keys: [] }, {}, /key set has no key/],
  ['a time that is over', token('HS256', 'secret', { exp: 999 }), 'secret', {}, /expired/],
  ['a time to come', token('HS256', 'secret', { nbf: 1_001 }), 'secret', {}, /not valid yet/],
  ['another issuer', token('HS256', 'secret', { iss: 'b' }), 'secret', { iss: 'a' }, /issuer/],
  ['another audience', token('HS256', 'secret', { aud: ['b'] }), 'secret', { aud: 'a' }, /audience/],
  ['a text that is no token', 'x', 'secret', {}, /three parts/],
  ['parts that are not JSON', 'a.b.c', 'secret', {}, /malformed/],
  ['unknown options', token('HS256', 'secret'), 'secret', { nosuch: 1 }, /malformed/],
];

for (const [why, own, key, options, problem] of refusals) {
  test(`a token with ${why} is not valid`, (t) => {
    const verified = verifyJwt(own, key, options, nowMs);
    t.false(verified.valid);
    if (!verified.valid) t.regex(verified.problem, problem);
  });
}
