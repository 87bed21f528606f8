/** Digest authentication (RFC 8760, SHA-256, without qop): what a client answers to a challenge. */
import { createHash } from 'node:crypto';
import type { Challenge, SipCredentials, SipMethod } from './message.ts';

/** What a 403 says of wrong credentials: the reason for the client, the flag for the edge, which bans after too many. (chosen) */
export const wrongCredentials = { reason: 'Wrong Credentials', isCredentialsWrong: true } as const;

export interface Secret {
  readonly username: string;
  readonly pwd: string;
}

/** The answer to a challenge for a request of `method` to `uri`. */
export function credentialsFor(
  { username, pwd }: Secret,
  { realm, nonce }: Challenge,
  { method, uri }: { method: SipMethod; uri: string },
): SipCredentials {
  const response = sha256(`${ha1Of(username, realm, pwd)}:${nonce}:${sha256(`${method}:${uri}`)}`);
  return { username, realm, nonce, uri, response };
}

/** Whether credentials were made with `pwd`. The caller checks the nonce. */
export function matches(credentials: SipCredentials, method: SipMethod, pwd: string): boolean {
  const { username, realm, nonce, uri, response } = credentials;
  return credentialsFor({ username, pwd }, { realm, nonce }, { method, uri }).response === response;
}

/** HA1: the part of an answer that depends on the account alone. Equal HA1: equal login and password. */
export function ha1Of(username: string, realm: string, pwd: string): string {
  return sha256(`${username}:${realm}:${pwd}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
