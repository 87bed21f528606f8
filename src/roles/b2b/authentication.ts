/**
 * Who calls: as far as the INVITE and the gate that it came through tell, and by SIP authentication. b2b keeps no challenge: a nonce
 * says itself until when it holds, signed with a key of this incarnation. One of another instance, or an old one, is challenged anew.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { RoleScope } from '../../cluster/role.ts';
import type { Participation } from '../../model/protocol/messages/dialog.ts';
import { matches } from '../../model/sip/digest.ts';
import { accountParts, type Challenge, type Party, type SipRequest } from '../../model/sip/message.ts';
import { hostOf, userOf } from '../../model/sip/uri.ts';
import type { CallOrigin } from './call.ts';
import { confidIn, dialledBy } from './routing/routes.ts';

/** How long a challenge can be answered. (chosen) */
const nonceMs = 60_000;

export class Authentication {
  readonly #scope: RoleScope;
  readonly #key: KeyObject;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    // From plain bytes, every signature would prepare the key again.
    this.#key = createSecretKey(scope.random.stream('ids').bytes(32));
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

export interface Caller {
  readonly origin: CallOrigin;
  readonly from: Party;
  /** Unknown for a SIP user until the directory has answered. */
  readonly party: Participation | undefined;
}

/**
 * The caller of an INVITE that came by `from`: a phone behind sg, a provider behind esg (its account's domain decides), or
 * ivr and conf, which call in the name of a domain. `undefined`: no caller that may call.
 */
export function callerOf(scope: RoleScope, request: SipRequest, from: string): Caller | undefined {
  const instance = scope.map.instances.get(from);
  const { uri, name } = request.from;
  const shown: Party = name === undefined ? { uri } : { uri, name };
  switch (instance?.role) {
    case 'sg': {
      const domain = hostOf(uri);
      if (!scope.map.domains.has(domain)) return undefined;
      const origin = originIn(scope, domain, request, { mustProve: true, login: userOf(uri) });
      return { origin, from: shown, party: undefined };
    }
    case 'esg': {
      const { account = '' } = request;
      const [domain, code] = accountParts(account);
      if (!scope.map.domains.has(domain)) return undefined;
      const party = { side: 'a', kind: 'account', domain, name: code, number: userOf(uri) } as const;
      return { origin: originIn(scope, domain, request, { mustProve: false }), from: shown, party };
    }
    case 'conf':
    case 'ivr': {
      const { domain = hostOf(uri) } = request;
      if (!scope.map.domains.has(domain)) return undefined;
      const number = userOf(uri);
      const identity =
        instance.role === 'ivr'
          ? ({ kind: 'ivr', name: `${instance.srvidx}` } as const)
          : ({ kind: 'conference', name: request.confid ?? confidIn(number) ?? number } as const);
      const origin = originIn(scope, domain, request, { mustProve: false });
      return { origin, from: shown, party: { side: 'a', domain, number, ...identity } };
    }
    default:
      return undefined;
  }
}

function originIn(
  scope: RoleScope,
  domain: string,
  request: SipRequest,
  who: Pick<CallOrigin, 'mustProve' | 'login'>,
): CallOrigin {
  const dialled = dialledBy(scope, request.uri, userOf(request.uri), domain);
  return { domain, dialled, request, ...who };
}
