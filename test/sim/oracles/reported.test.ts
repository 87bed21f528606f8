import { callsReported } from '../../../sim/oracles/rules/interface/calls-reported.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const phone = '10.101.5.1:5060';

interface Told {
  readonly mode?: number;
  /** Statuses that X receives, one a second. */
  readonly statuses?: readonly number[];
  /** Milliseconds from the last of them to the answer. */
  readonly afterMs?: number;
  readonly acallid?: string;
  readonly last?: string;
  readonly isDisturbed?: boolean;
  /** X cancels its call of Y before the last response. */
  readonly isTakenBack?: boolean;
  /** X ends its call with IVR before the last status. */
  readonly hasLeft?: boolean;
}

/** X is called as `i1`, and calls Y as `a1`; then the request is answered. */
function told({ mode = 3, statuses = [180, 180, 180, 200], afterMs = 10, ...rest }: Told): Trial {
  const { isDisturbed = false, isTakenBack = false, hasLeft = false } = rest;
  const trial = new Trial(callsReported).pass(60_000);
  const about = { id: 1, site: 'hq', method: 'POST', target: '/rest/v1/uc/calls' };
  const sent = JSON.stringify({ from: '1001', to: '1002', response_mode: mode });
  trial.see('request.received', { ...about, client: 'one', sent });
  const parties = { from: { uri: 'sip:1001' }, to: { uri: 'sip:1002' } };
  const base = { kind: 'request', uri: 'sip:1002', maxForwards: 70, callid: 'a1', cseq: 1, via: [], ...parties };
  const invite = { ...base, method: 'INVITE', referredBy: { uri: 'sip:1001', token: 'hq/h1/ivr-1|i1' } };
  trial.see('outside.sent', { from: phone, to: edge, message: invite as SipMessage });
  const refer = { ...base, method: 'REFER', callid: 'i1-x', referredBy: invite.referredBy };
  trial.see('outside.sent', { from: edge, to: phone, message: refer as SipMessage });
  for (const [index, status] of statuses.entries()) {
    trial.pass(1_000);
    const bye = { ...base, method: 'BYE', callid: 'i1-x' };
    if (hasLeft && index === statuses.length - 1)
      trial.see('outside.sent', { from: phone, to: edge, message: bye as SipMessage });
    const message = { ...base, kind: 'response', method: 'INVITE', status, reason: '' };
    trial.see('outside.sent', { from: edge, to: phone, message: message as SipMessage });
  }
  if (isTakenBack)
    trial.see('outside.sent', { from: phone, to: edge, message: { ...base, method: 'CANCEL' } as SipMessage });
  if (isDisturbed) trial.see('instance.status', { instance: 'hq/h1/ivr-1', status: 'stopped' });
  trial.pass(afterMs);
  const { acallid, last } = { acallid: 'a1', last: 'SIP/2.0 200 OK', ...rest };
  const body = JSON.stringify({ result: 'ok', ivrcallid: 'i1', acallid, last_response: last });
  trial.see('request.answered', { ...about, status: 200, tookMs: 4_000, body, ageS: undefined });
  return trial.pass(5_000);
}

for (const [what, verdict, is] of [
  ['the call and the last response', 'pass', {}],
  ['a refusal by Y', 'pass', { statuses: [180, 486], last: 'SIP/2.0 486 Busy Here' }],
  ['no call', 'fail', { acallid: undefined }],
  ['another call', 'fail', { acallid: 'a2' }],
  ['another call, while instances end', 'fail', { acallid: 'a2', isDisturbed: true }],
  ['no call, while instances end', 'unknown', { acallid: undefined, isDisturbed: true }],
  ['a response that X has not received', 'fail', { last: 'SIP/2.0 603 Decline' }],
  ['long after the last response', 'fail', { afterMs: 3_000 }],
  ['long after X has taken its call back', 'unknown', { afterMs: 3_000, isTakenBack: true }],
  ['long after a refusal', 'fail', { statuses: [180, 486], last: 'SIP/2.0 486 Busy Here', afterMs: 5_000 }],
  [
    'a moment after a refusal, because X has left IVR',
    'pass',
    { statuses: [180, 486], last: 'SIP/2.0 486 Busy Here', afterMs: 5_000, hasLeft: true },
  ],
  [
    'long after a refusal, though X has left IVR',
    'fail',
    { statuses: [180, 486], last: 'SIP/2.0 486 Busy Here', afterMs: 8_000, hasLeft: true },
  ],
  ['long after an answer, though X has left IVR', 'fail', { afterMs: 5_000, hasLeft: true }],
  ['mode 2, after the first response', 'pass', { mode: 2, statuses: [180], last: 'SIP/2.0 180 Ringing' }],
  ['mode 2, after the last response', 'fail', { mode: 2 }],
  ['mode 1', 'unknown', { mode: 1 }],
] as readonly (readonly [string, string, Told])[]) {
  test(`calls-reported: ${what}: ${verdict}`, (t) => {
    const trial = told(is);
    t.is(trial.verdict, verdict as never, trial.failures.join());
  });
}
