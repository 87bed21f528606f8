/** The internal SIP gate: a stateless proxy between the phones of SIP users and b2b. */

import type { Role, RoleScope } from '../../cluster/role.ts';
import type { SipRequest } from '../../model/sip/message.ts';
import { hostOf } from '../../model/sip/uri.ts';
import type { Outside } from '../../ports/outside.ts';
import { asFromOutside, Edge, type ForwardDecision, isEndpoint, selectB2b } from './edge.ts';

export function createSg(scope: RoleScope, outside: Outside): Role<'sg'> {
  const inward = (request: SipRequest, from: string): ForwardDecision => {
    const to = selectB2b(scope, request);
    if (to === undefined) return { status: 503 };
    const path = request.method === 'REGISTER' ? { path: scope.instance.address } : {};
    return { to, request: { ...asFromOutside(request), source: from, ...path } };
  };
  const outward = (request: SipRequest): ForwardDecision => {
    const to = hostOf(request.uri);
    return isEndpoint(to) ? { to, request } : { status: 404 };
  };
  const edge = new Edge({ scope, outside, inward, outward });
  return { handlers: edge.handlers, serve: () => edge.open(), stop: () => edge.stop() };
}
