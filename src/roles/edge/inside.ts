/** Requests from outside on their way to b2b: what of them is believed, and to whom they go. */
import type { SipRequest } from '../../model/sip/message.ts';
import { hostOf } from '../../model/sip/uri.ts';
import type { RoleScope } from '../../runtime/role.ts';
import { b2bFor } from './choosing.ts';

/**
 * The b2b for a request from outside: in a dialog the one that its Request-URI names, if that is in reach; else (a new
 * call, its CANCEL, its ACK to a refusal, a registration) one by Call-Id. `undefined`: nobody is there.
 */
export function insideFor(scope: RoleScope, { uri, to, callid }: SipRequest): string | undefined {
  const named = to.tag === undefined ? undefined : scope.map.instanceNamed(hostOf(uri));
  if (named?.role !== 'b2b') return b2bFor(scope, callid)?.address;
  return isServing(scope, named.address) ? named.address : undefined;
}

/** Whether an instance inside is in reach and has its calls. */
export function isServing({ map, view }: RoleScope, address: string): boolean {
  const status = view.statusOf(map.instance(address));
  return status === 'active' || status === 'draining';
}

/** A request without the fields that only the platform may set. */
export function asFromOutside(request: SipRequest): SipRequest {
  const { account, esgdlg, label, domain, inviteid, path, source, ...rest } = request;
  return rest;
}
