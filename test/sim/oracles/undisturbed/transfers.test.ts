/** What the calls of a transfer publish. */
import { transfersPublished } from '../../../../sim/oracles/rules/interface/transfers-published.ts';
import type { SipMessage } from '../../../../src/model/sip/message.ts';
import { defaultMap } from '../../../kit/maps.ts';
import { test } from '../../../kit/test.ts';
import { Trial } from '../trial.ts';

const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const phone = '10.101.5.1:5060';
const referredBy = { uri: 'sip:1001' };
const replaces = { callid: 'old', toTag: 't', fromTag: 'f' };

interface Transfer {
  readonly method?: 'REFER' | 'INVITE';
  readonly more?: object;
  readonly status?: number;
  /** The event that is published, and of which call. */
  readonly event?: readonly [name: string, data: object];
  readonly isDisturbed?: boolean;
}

const parties = { from: { uri: 'sip:1001' }, to: { uri: 'sip:1002' } };
const sip = (message: object) =>
  ({
    kind: 'request',
    uri: 'sip:1002',
    maxForwards: 70,
    callid: 'c',
    cseq: 1,
    via: [],
    ...parties,
    ...message,
  }) as unknown as SipMessage;

function publish(trial: Trial, { event, isDisturbed = false }: Transfer): Trial {
  if (isDisturbed) trial.see('instance.status', { instance: 'hq/h1/b2b-114', status: 'stopped' });
  if (event === undefined) return trial.pass(10_000);
  const [name, data] = event;
  const items = [{ n: 1, event: { class: 'callevents', name, data } }];
  trial.send({ type: 'stream.published', from: 'hq/h1/b2b-114', body: { epoch: 1, items } });
  return trial.pass(10_000);
}

/** A device asks for something, and the platform answers it. */
function asked({ method = 'INVITE', more = {}, status = 200, ...rest }: Transfer): Trial {
  const trial = new Trial(transfersPublished).pass(60_000);
  trial.see('outside.sent', { from: phone, to: edge, message: sip({ method, ...more }) });
  const answer = sip({ kind: 'response', method, status, reason: '', inviteid: 'i' });
  trial.see('outside.sent', { from: edge, to: phone, message: answer });
  return publish(trial, rest);
}

for (const [what, verdict, is] of [
  ['a REFER, and its event', 'pass', { method: 'REFER', event: ['refer', { inviteid: 'i' }] }],
  ['a REFER, and no event', 'fail', { method: 'REFER' }],
  ['a REFER, and an event of another call', 'fail', { method: 'REFER', event: ['refer', { inviteid: 'other' }] }],
  ['a REFER that is refused', 'unknown', { method: 'REFER', status: 603 }],
  ['a REFER while an instance stops', 'unknown', { method: 'REFER', isDisturbed: true }],
  ['an INVITE that was referred', 'pass', { more: { referredBy }, event: ['referring_invite', { inviteid: 'i' }] }],
  ['an INVITE that was referred, and no event', 'fail', { more: { referredBy } }],
  ['an INVITE that was not referred', 'unknown', {}],
] as const) {
  test(`transfers-published: a device sends ${what}: ${verdict}`, (t) => {
    t.is(asked(is).verdict, verdict);
  });
}

/** The platform asks a device to replace a leg, which may have ended before. */
function replacing(hasEnded: boolean, rest: Transfer): Trial {
  const trial = new Trial(transfersPublished).pass(60_000);
  if (hasEnded) trial.see('outside.sent', { from: edge, to: phone, message: sip({ method: 'BYE', callid: 'old' }) });
  const invite = sip({ method: 'INVITE', replaces, inviteid: 'i' });
  trial.see('outside.sent', { from: edge, to: phone, message: invite });
  return publish(trial, rest);
}

test('transfers-published: the call that is replaced publishes it, unless it has ended before', (t) => {
  t.is(replacing(false, { event: ['replaces_refer', { inviteid: 'old', newinviteid: 'i' }] }).verdict, 'pass');
  t.regex(replacing(false, {}).failures.join(), /leg c of call i: \d+ ms after its transfer no replaces_refer/);
  t.is(replacing(true, {}).verdict, 'unknown');
});
