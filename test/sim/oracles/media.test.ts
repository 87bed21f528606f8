import { mediaPassedOn } from '../../../sim/oracles/rules/legs/media-passed-on.ts';
import type { SipMessage } from '../../../src/model/sip/message.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Trial } from './trial.ts';

const [gate] = defaultMap.instancesOf('sg');
const edge = gate === undefined ? '' : defaultMap.endpointOf(gate);
const [phone, other] = ['10.101.5.1:5060', '10.101.2.1:5060'];
function sip(fields: Partial<SipMessage>): SipMessage {
  const parties = { from: { uri: 'sip:a', tag: '1' }, to: { uri: 'sip:b' } };
  const base = { kind: 'request', uri: 'sip:b', maxForwards: 70, callid: 'c1', cseq: 1, via: [], ...parties };
  return { ...base, ...fields } as SipMessage;
}

/** Two devices talk, and one of them holds the other. `isHeard`: whether the other one acknowledges the answer to its INVITE. */
function held(isHeard = true): Trial {
  const trial = new Trial(mediaPassedOn).pass(60_000);
  const legs = [
    { callid: 'c1', side: 'a' },
    { callid: 'c2', side: 'b' },
  ];
  for (const [callid, device] of [
    ['c1', phone],
    ['c2', other],
  ] as const) {
    trial.see('outside.sent', { from: device, to: edge, message: sip({ method: 'INVITE', callid }) });
    const answer = sip({ kind: 'response', status: 200, method: 'INVITE', callid });
    trial.see('outside.sent', { from: edge, to: device, message: answer });
    const ack = sip({ method: 'ACK', callid });
    if (isHeard || device === phone) trial.see('outside.sent', { from: device, to: edge, message: ack });
  }
  trial.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 1, dialog: { legs } }] } });
  const offer = { method: 'INVITE', cseq: 2, media: 'sendonly', to: { uri: 'sip:b', tag: '2' } } as const;
  trial.see('outside.sent', { from: phone, to: edge, message: sip(offer) });
  return trial.see('outside.sent', {
    from: edge,
    to: phone,
    message: sip({ ...offer, kind: 'response', status: 200 }),
  });
}

const passedOn = sip({ method: 'INVITE', callid: 'c2', media: 'sendonly', to: { uri: 'sip:b', tag: '2' } });

test('media-passed-on: fails when the other device is not offered the change', (t) => {
  t.is(held().see('outside.sent', { from: edge, to: other, message: passedOn }).pass(5_000).verdict, 'pass');
  t.regex(held().pass(5_000).failures.join(), /changed its media to sendonly/);
});

test('media-passed-on: nothing can be offered to a device that does not acknowledge the answer to its INVITE', (t) => {
  t.is(held(false).pass(5_000).verdict, 'unknown');
});

test('media-passed-on: a call that ends, and a loss outside, prove nothing', (t) => {
  const bye = sip({ method: 'BYE', callid: 'c2' });
  t.is(held().see('outside.sent', { from: other, to: edge, message: bye }).pass(5_000).verdict, 'unknown');
  const lossy = held().see('fault.inflicted', { fault: 1, verb: 'loseOutside', args: [1] });
  t.is(lossy.pass(5_000).verdict, 'unknown');
});
