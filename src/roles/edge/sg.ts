/** The internal SIP gate: a proxy between the phones of SIP users and b2b, without state but the b2b of each recent INVITE. */

import { ExpiringMap } from '../../actors/expiring-map.ts';
import type { Role, RoleScope } from '../../cluster/role.ts';
import { limits } from '../../model/limits.ts';
import type { SipRequest } from '../../model/sip/message.ts';
import { hostOf } from '../../model/sip/uri.ts';
import {
  asFromOutside,
  Edge,
  type EdgePorts,
  type ForwardDecision,
  isEndpoint,
  isServingAt,
  selectB2b,
} from './edge.ts';

/** Longer than a phone rings: until then its INVITE may be cancelled. */
const inviteMs = limits.longestRingMs + 20_000;

/**
 * Where requests outside of dialogs go. A retransmission, the CANCEL and the ACK of an INVITE follow it while its b2b serves, though
 * another one would be chosen by now: b2b instances come and go. While it does not, another one may take the INVITE, but no other knows
 * what a CANCEL means.
 */
class B2bChoice {
  readonly #scope: RoleScope;
  /** By Call-Id and number. */
  readonly #invites: ExpiringMap<string>;

  constructor(scope: RoleScope) {
    this.#scope = scope;
    this.#invites = new ExpiringMap(scope.clock, inviteMs, limits.entities);
  }

  of(request: SipRequest): string | undefined {
    const { method, callid, cseq, to, uri } = request;
    const chosen = selectB2b(this.#scope, request);
    const isNamed = to.tag !== undefined && this.#scope.map.instanceNamed(hostOf(uri)) !== undefined;
    if (isNamed || (method !== 'INVITE' && method !== 'CANCEL' && method !== 'ACK')) return chosen;
    const key = `${callid} ${cseq}`;
    const first = this.#invites.get(key);
    if (first !== undefined && isServingAt(this.#scope, first)) return first;
    if (first !== undefined && method !== 'INVITE') return undefined;
    if (method === 'INVITE' && chosen !== undefined) this.#invites.set(key, chosen);
    return chosen;
  }

  stop(): void {
    this.#invites.clear();
  }
}

export function createSg(scope: RoleScope, ports: EdgePorts): Role<'sg'> {
  const choice = new B2bChoice(scope);
  const inward = (request: SipRequest, from: string): ForwardDecision => {
    const to = choice.of(request);
    if (to === undefined) return { status: 503 };
    const path = request.method === 'REGISTER' ? { path: scope.instance.address } : {};
    return { to, request: { ...asFromOutside(request), source: from, ...path } };
  };
  const outward = (request: SipRequest): ForwardDecision => {
    const to = hostOf(request.uri);
    return isEndpoint(to) ? { to, request } : { status: 404 };
  };
  const edge = new Edge({ scope, ...ports, inward, outward });
  const stop = () => {
    edge.stop();
    choice.stop();
  };
  return { handlers: edge.handlers, serve: () => edge.open(), stop };
}
