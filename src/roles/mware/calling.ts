/** Starting calls: at an ivr that calls X and refers it to Y, or at a b2b that calls both itself. */
import { done, failed, fault, type Outcome } from '../../model/fault.ts';
import type { BodyOf } from '../../model/protocol/catalogue.ts';
import type { CallOrder, CallResult } from '../../model/protocol/dialog.ts';
import type { SipUserRecord } from '../../model/protocol/directory.ts';
import type { CallBody } from '../../model/requests/calls.ts';
import { askFirst } from '../../runtime/asking.ts';
import type { RoleScope } from '../../runtime/role.ts';
import type { Errand } from './errand.ts';

export async function startCall(
  scope: RoleScope,
  errand: Errand,
  { by, call }: Pick<BodyOf<'mware.call.start'>, 'by' | 'call'>,
): Promise<Outcome<CallResult>> {
  const { domain, own, untilMs: deadlineMs } = errand;
  if (own !== undefined && !takesPart(own, errand, call)) {
    return failed(fault('forbidden', 'from, to: neither of them is a SIP user bound to the user of this session'));
  }
  const order = orderOf(domain, call);
  if (by === 'ivr') return callByIvr(scope, { order }, deadlineMs);
  const started = await askFirst(
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
  return askFirst(scope, { role: 'ivr', domain }, { type: 'ivr.call', body, deadlineMs });
}

function orderOf(domain: string, call: CallBody): CallOrder {
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
function takesPart(own: readonly SipUserRecord[], { domain }: Errand, { from, to, mode }: CallBody): boolean {
  const isOwn = (text: string, mode: CallBody['mode']) => {
    const [number = '', home = domain] = text.split('@');
    if (home !== domain) return false;
    return own.some((user) => user.login === number || (mode === 'number' && user.phonenumber === number));
  };
  return isOwn(from, mode) || isOwn(to, 'number');
}
