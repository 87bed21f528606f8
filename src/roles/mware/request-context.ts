import { askRole } from '../../cluster/ask-in-order.ts';
import type { RoleScope } from '../../cluster/role.ts';
import type { Envelope } from '../../model/envelope.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { CallRequest, CallResult } from '../../model/protocol/dialog.ts';
import type { SipUserRecord } from '../../model/protocol/directory.ts';
import type { CallBody } from '../../model/requests.ts';
import { listSipUsers } from '../sip-users.ts';

/** What one request to mware is about: whose it is, and until when it may take. */

export interface RequestContext {
  readonly domain: string;
  /** SIP users to whose calls and conferences it is limited; absent: all of the domain. */
  readonly own: readonly SipUserRecord[] | undefined;
  /** When it must be answered (ms since the epoch). */
  readonly untilMs: number;
}

/** So much time is left for the way back of an answer that does not wait for somebody who is late. */
const wayBackMs = 300;

/** The errand of a message. With `iduser` it is limited to the SIP users bound to that user. */
export async function requestContext(
  scope: RoleScope,
  { domain, iduser }: { readonly domain: string; readonly iduser?: string | undefined },
  { deadlineMs }: Envelope,
): Promise<Outcome<RequestContext>> {
  const untilMs = deadlineMs ?? scope.clock.now() + scope.map.topology.timings.requestDeadlineMs;
  const errand: RequestContext = { domain, own: undefined, untilMs };
  if (iduser === undefined) return done(errand);
  const where = { field: 'iduser' as const, value: iduser };
  const users = await listSipUsers(scope, { domain, where }, lookUntilMs(scope, errand));
  return users.ok ? done({ ...errand, own: users.value }) : users;
}

/** How long a look-up waits for an instance: who is late is left out. */
export function lookUntilMs({ clock, map }: RoleScope, { untilMs }: RequestContext): number {
  return Math.min(clock.now() + map.topology.timings.edgeWaitMs, untilMs - wayBackMs);
}

/** The logins to which an errand is limited, as callstore takes them. */
export function ownLogins({ own }: RequestContext): { own?: string[] } {
  return own === undefined ? {} : { own: own.map((user) => user.login) };
}

/** What is not there, by the words of the interface. (documented) */
export const notFound = fault('not_found', 'Call/Participant not found');

/** Starting calls: at an ivr that calls X and refers it to Y, or at a b2b that calls both itself. */

export async function startCall(
  scope: RoleScope,
  errand: RequestContext,
  { by, call }: Pick<BodyOf<'mware.call.start'>, 'by' | 'call'>,
): Promise<Outcome<CallResult>> {
  const { domain, own, untilMs: deadlineMs } = errand;
  if (own !== undefined && !takesPart(own, errand, call)) {
    return failed(fault('forbidden', 'from, to: neither of them is a SIP user bound to the user of this session'));
  }
  const order = orderOf(domain, call);
  if (by === 'ivr') return callByIvr(scope, { order }, deadlineMs);
  const started = await askRole(
    scope,
    { role: 'b2b', domain },
    { type: 'dialog.originate', body: { order }, deadlineMs },
  );
  if (!started.ok) return started;
  const { ivrcallid: _, ...result } = started.value;
  return done(result);
}

export function callByIvr(
  scope: RoleScope,
  body: BodyOf<'ivr.call'>,
  deadlineMs: number,
): Promise<Outcome<CallResult>> {
  const { domain } = body.order;
  return askRole(scope, { role: 'ivr', domain }, { type: 'ivr.call', body, deadlineMs });
}

function orderOf(domain: string, call: CallBody): CallRequest {
  const { from, to, mode, callerid, callername, timeout, label, response_mode } = call;
  return {
    domain,
    from,
    to,
    mode,
    ...(callerid === undefined ? {} : { callerid }),
    ...(callername === undefined ? {} : { callername }),
    ...(label === undefined ? {} : { label }),
    timeoutMs: timeout * 1_000,
    responseMode: response_mode,
  };
}

/** Whether X or Y is one of these SIP users. */
function takesPart(own: readonly SipUserRecord[], { domain }: RequestContext, { from, to, mode }: CallBody): boolean {
  const isOwn = (text: string, mode: CallBody['mode']) => {
    const [number = '', home = domain] = text.split('@');
    if (home !== domain) return false;
    return own.some((user) => user.login === number || (mode === 'number' && user.phonenumber === number));
  };
  return isOwn(from, mode) || isOwn(to, 'number');
}
