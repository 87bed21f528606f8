/**
 * SIP authentication by b2b: challenges, and the answers to them. It keeps nothing: a nonce says itself until when it holds,
 * signed with a key of this life of the instance. One of another instance, or an old one, is challenged anew.
 */
import { createHmac } from 'node:crypto';
import type { RoleScope } from '../../cluster/role.ts';
import { matches } from '../../model/sip/digest.ts';
import type { Challenge, SipRequest } from '../../model/sip/message.ts';

/** How long a challenge can be answered. (chosen) */
const nonceMs = 60_000;

export class Authentication {
  readonly #scope: RoleScope;
  readonly #key: Uint8Array;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#key = scope.random.stream('ids').bytes(32);
  }

  challenge(realm: string): Challenge {
    // Whole milliseconds: in the text of a nonce a dot ends the time.
    const untilMs = Math.ceil(this.#scope.clock.now()) + nonceMs;
    return { realm, nonce: `${untilMs}.${this.#signature(realm, untilMs)}` };
  }

  /** Whether a request answers a challenge of ours that still holds. Else challenge it: nothing else need be looked at. */
  isAnswer({ credentials }: SipRequest, realm: string): boolean {
    if (credentials === undefined || credentials.realm !== realm) return false;
    const [until = '', signature] = credentials.nonce.split('.');
    const untilMs = Number(until);
    return untilMs > this.#scope.clock.now() && signature === this.#signature(realm, untilMs);
  }

  /** Whether a request that answers a challenge has the credentials of this SIP user. */
  isBy({ credentials, method }: SipRequest, user: { readonly login: string; readonly pwd: string }): boolean {
    return credentials !== undefined && credentials.username === user.login && matches(credentials, method, user.pwd);
  }

  #signature(realm: string, untilMs: number): string {
    return createHmac('sha256', this.#key).update(`${untilMs}:${realm}`).digest('hex').slice(0, 32);
  }
}
