/** The context of a request to mware: its deadline, and the SIP users that it is limited to; calls that it starts. */
import { askInTurn, askRole, unreachableFault } from '../../cluster/messaging/ask-in-order.ts';
import { activeDirectory, activeForCall, type RoleScope } from '../../cluster/role.ts';
import type { CallBody } from '../../model/call-request-bodies.ts';
import type { Envelope } from '../../model/cluster/envelope.ts';
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import { destinationOf } from '../../model/numbers/destination.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { CallRequest, CallResult } from '../../model/protocol/messages/dialog.ts';
import type { SipUserRecord } from '../../model/protocol/messages/directory.ts';
import { listSipUsers } from '../sip-users.ts';

export interface RequestContext {
  readonly domain: string;
  /** The requester's SIP users, if the request is limited to their calls and conferences; absent: all of the domain. */
  readonly own: readonly SipUserRecord[] | undefined;
  /** Deadline of the answer (ms since the epoch). */
  readonly untilMs: number;
}

/** Time reserved for returning an answer when an instance does not answer. */
const returnMs = 300;

/** The context of a message. With `iduser`, the request is limited to the SIP users bound to that user. */
export async function requestContext(
  scope: RoleScope,
  { domain, iduser }: { readonly domain: string; readonly iduser?: string | undefined },
  { deadlineMs }: Envelope,
): Promise<Outcome<RequestContext>> {
  const untilMs = deadlineMs ?? scope.clock.now() + scope.map.topology.timings.requestDeadlineMs;
  const context: RequestContext = { domain, own: undefined, untilMs };
  if (iduser === undefined) return done(context);
  const where = { field: 'iduser' as const, value: iduser };
  const users = await listSipUsers(scope, { domain, where }, lookUntilMs(scope, context));
  return users.ok ? done({ ...context, own: users.value }) : users;
}

/** Deadline of a lookup at one instance: slow instances are skipped. */
export function lookUntilMs({ clock, map }: RoleScope, { untilMs }: RequestContext): number {
  return Math.min(clock.now() + map.topology.timings.edgeWaitMs, untilMs - returnMs);
}

/** The SIP users to which a request is limited, for callstore. */
export function ownUsers({ own }: RequestContext): Pick<BodyOf<'callstore.get'>, 'own'> {
  return own === undefined ? {} : { own: own.map(({ id, login }) => [id, login]) };
}

/** The message of the interface. (documented) */
export const notFound = fault('not_found', 'Call/Participant not found');

export async function startCall(
  scope: RoleScope,
  context: RequestContext,
  { by, call }: Pick<BodyOf<'mware.call.start'>, 'by' | 'call'>,
): Promise<Outcome<CallResult>> {
  const { domain, untilMs: deadlineMs } = context;
  const isOwn = await takesPart(scope, context, call);
  if (!isOwn.ok) return isOwn;
  if (!isOwn.value) {
    return failed(fault('forbidden', 'from, to: neither of them is a SIP user bound to the user of this session'));
  }
  const request = callRequest(domain, call);
  if (by === 'ivr') return callByIvr(scope, { request }, deadlineMs);
  const domains = [domain, ...[call.from, call.to].map((dialled) => destinationOf(domain, dialled).home)];
  const started = await askInTurn(
    scope,
    activeForCall(scope, 'b2b', domains),
    { type: 'dialog.originate', body: { request }, deadlineMs },
    { unreachable: unreachableFault('b2b', scope.instance.site) },
  );
  if (!started.ok) return started;
  if (by === 'script') return started;
  const { ivrcallid: _, ...result } = started.value;
  return done(result);
}

export function callByIvr(
  scope: RoleScope,
  body: BodyOf<'ivr.call'>,
  deadlineMs: number,
): Promise<Outcome<CallResult>> {
  const { domain } = body.request;
  return askRole(scope, { role: 'ivr', domain }, { type: 'ivr.call', body, deadlineMs });
}

function callRequest(domain: string, call: CallBody): CallRequest {
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

/** Whether X or Y is one of the requester's SIP users. */
async function takesPart(
  scope: RoleScope,
  context: RequestContext,
  { from, to, mode }: CallBody,
): Promise<Outcome<boolean>> {
  const numbers = await ownNumbers(scope, context);
  if (!numbers.ok) return numbers;
  const { domain, own } = context;
  if (own === undefined) return done(true);
  const isOwn = (text: string, as: CallBody['mode']) => {
    const { number, home } = destinationOf(domain, text);
    if (home !== domain) return false;
    return as === 'number' ? numbers.value?.has(number) === true : own.some(({ login }) => login === number);
  };
  return done(isOwn(from, mode) || isOwn(to, 'number'));
}

/** What leads to the requester's SIP users when it is dialled in their domain: a login may be the number of another. `undefined`: to all. */
export async function ownNumbers(
  scope: RoleScope,
  context: RequestContext,
): Promise<Outcome<ReadonlySet<string> | undefined>> {
  const { own, domain } = context;
  if (own === undefined) return done(undefined);
  const numbers = own.flatMap(({ phonenumber }) => (phonenumber === '' ? [] : [phonenumber]));
  const logins = own.map(({ login }) => login).filter((login) => !numbers.includes(login));
  const directory = activeDirectory(scope, domain);
  const deadlineMs = lookUntilMs(scope, context);
  const ask = (number: string) =>
    directory === undefined
      ? failed(unreachableFault('sdc', scope.instance.site))
      : scope.ask(directory.address, 'directory.route', { domain, number, mode: 'number' }, { deadlineMs });
  const leads = await Promise.all(logins.map(ask));
  const dialled = new Set(numbers);
  for (const [index, lead] of leads.entries()) {
    if (!lead.ok) return lead;
    const { callee } = lead.value;
    const login = logins[index];
    if (login !== undefined && callee.kind === 'sipuser' && callee.user.login === login) dialled.add(login);
  }
  return done(dialled);
}
