/** Passwords of users: salted scrypt, with its cost in the text that is kept: `scrypt$<N>$<salt>$<key>`. */
import { scryptSync, timingSafeEqual } from 'node:crypto';

/** N of scrypt. It adds about 1 ms to the change of a user: hashing is synchronous, because the virtual world allows no other thread. */
export const defaultCost = 256;
/** N of scrypt for passwords that can be read in the topology anyway. */
export const readableCost = 2;

const keyBytes = 32;

export function hashedPassword(pwd: string, salt: Uint8Array, cost: number): string {
  return ['scrypt', cost, encoded(salt), encoded(keyOf(pwd, salt, cost))].join('$');
}

export function isPassword(pwd: string, hashed: string): boolean {
  const [kind, cost = '', salt = '', key = ''] = hashed.split('$');
  if (kind !== 'scrypt') return false;
  const expected = Buffer.from(key, 'base64url');
  const got = keyOf(pwd, Buffer.from(salt, 'base64url'), Number(cost));
  return got.length === expected.length && timingSafeEqual(got, expected);
}

/** Names a password without any hint at it: the salt, which is made for each new one. */
export function passwordIdOf(hashed = ''): string {
  return hashed.split('$')[2] ?? '';
}

function keyOf(pwd: string, salt: Uint8Array, cost: number): Buffer {
  return scryptSync(pwd, salt, keyBytes, { N: cost, r: 8, p: 1 });
}

function encoded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
