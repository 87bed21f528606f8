/** Silent devices give way to others. */
import { silentLeave } from '../../../../sim/oracles/rules/registrations/silent-leave.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const sr = 'north/n1/sr-217';
const account = 'acme.root.test/1001';
const [first, second] = ['10.0.0.1:5060', '10.0.0.2:5060'];

interface Refused {
  /** How long the first device is silent when the second one registers; absent: it answers. */
  readonly silentMs?: number;
  readonly reason?: string;
  /** It has left before. */
  readonly hasLeft?: boolean;
  readonly isDisturbed?: boolean;
}

/** A user with one device that is registered; another one registers, and is refused. */
function refused({ silentMs, reason = 'Too Many Devices', hasLeft = false, isDisturbed = false }: Refused): Trial {
  const trial = new Trial(silentLeave).pass(60_000);
  const party = { uri: 'sip:1001@acme.root.test' };
  const base = { method: 'REGISTER', from: party, to: party, cseq: 1, via: [] };
  const register = (device: string, from: string, status: number) => {
    const message = { ...base, kind: 'request', callid: device, device };
    trial.see('outside.sent', { from, to: edge, message: message as unknown as SipMessage });
    trial.pass(1_500);
    const answer = { ...base, kind: 'response', callid: device, status, reason: status < 300 ? 'OK' : reason };
    trial.see('outside.sent', { from: edge, to: from, message: answer as unknown as SipMessage });
  };
  register('d1', first, 200);
  trial.entity(sr, 'binding', `${account}/d1`, 'registered').pass(10_000);
  const silent = { owner: 'outside', machine: 'presence', key: first, before: 'present', state: 'silent' };
  if (silentMs !== undefined) trial.see('entity.state', silent).pass(silentMs);
  if (hasLeft) trial.entity(sr, 'binding', `${account}/d1`, 'removed');
  if (isDisturbed) trial.see('instance.status', { instance: 'north/n1/b2b-214', status: 'stopped' });
  register('d2', second, 403);
  return trial;
}

for (const [what, verdict, is] of [
  ['while the other one answers', 'pass', {}],
  ['while the other one is silent', 'fail', { silentMs: 2_000 }],
  ['for another reason', 'unknown', { silentMs: 2_000, reason: 'Wrong Credentials' }],
  ['after the other one has left', 'pass', { silentMs: 2_000, hasLeft: true }],
  ['while an instance stops', 'unknown', { silentMs: 2_000, isDisturbed: true }],
] as const) {
  test(`silent-leave: a device is refused ${what}: ${verdict}`, (t) => {
    t.is(refused(is).verdict, verdict);
  });
}
