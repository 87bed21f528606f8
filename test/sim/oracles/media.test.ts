import { transfersEnd } from '../../../sim/oracles/rules/calls/transfers-end.ts';
import { legsKept } from '../../../sim/oracles/rules/legs/legs-kept.ts';
import { mediaPassedOn } from '../../../sim/oracles/rules/legs/media-passed-on.ts';
import { recordingsHear } from '../../../sim/oracles/rules/legs/recordings-hear.ts';
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
function held(isHeard = true, before: (trial: Trial) => void = () => {}): Trial {
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
  trial.pass(1_000);
  before(trial);
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

// Seed 51594 of the campaign: the offer before was lost, and repeated after four seconds.
test('media-passed-on: a change waits for the repetition of an offer that was lost before', (t) => {
  const lost = held(true, (trial) => {
    trial.see('fault.inflicted', { fault: 1, verb: 'cut', args: [] });
    trial.see('fault.mended', { fault: 1, verb: 'cut', args: [], isRefused: false });
  });
  t.deepEqual(lost.pass(3_000).failures, []);
});

// Seed 40040 of the campaign: the other device had answered an edge that was down, and went on to repeat its answer.
test('media-passed-on: nothing is offered to a device whose answer the platform has not acknowledged', (t) => {
  const called = (isAcknowledged: boolean) => {
    const invite = sip({ method: 'INVITE', callid: 'c2' });
    const trial = held(false, (each) => {
      each.see('outside.sent', { from: edge, to: other, message: { ...invite, callid: 'c3' } });
      const answer = sip({ kind: 'response', status: 200, method: 'INVITE', callid: 'c3' });
      each.see('outside.sent', { from: other, to: edge, message: answer });
      const ack = sip({ method: 'ACK', callid: 'c3' });
      if (isAcknowledged) each.see('outside.sent', { from: edge, to: other, message: ack });
      const legs = [
        { callid: 'c1', side: 'a' },
        { callid: 'c3', side: 'b' },
      ];
      each.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 2, dialog: { legs } }] } });
      each.pass(1_000);
    });
    return trial.pass(5_000).failures;
  };
  t.deepEqual(called(false), []);
  t.regex(called(true).join(), /changed its media to sendonly/);
});

test('media-passed-on: fails when the other device does not receive a digit that was accepted', (t) => {
  const info = { method: 'INFO', cseq: 3, to: { uri: 'sip:b', tag: '2' } } as const;
  const dialled = (isHeard = true) => {
    const trial = held(isHeard).see('outside.sent', { from: edge, to: other, message: passedOn });
    trial.see('outside.sent', { from: phone, to: edge, message: sip({ ...info, dtmf: '5' }) });
    return trial.see('outside.sent', {
      from: edge,
      to: phone,
      message: sip({ ...info, kind: 'response', status: 200 }),
    });
  };
  const digit = (dtmf: string) => sip({ method: 'INFO', callid: 'c2', cseq: 7, dtmf, to: { uri: 'sip:b', tag: '2' } });
  const heard = dialled()
    .see('outside.sent', { from: edge, to: other, message: digit('5') })
    .pass(5_000);
  t.is(heard.verdict, 'pass', heard.failures.join());
  const wrong = dialled()
    .see('outside.sent', { from: edge, to: other, message: digit('6') })
    .pass(5_000);
  t.regex(wrong.failures.join(), /dialled 5, and .* had not received it/);
  t.is(dialled(false).pass(5_000).verdict, 'unknown');
});

// Seed 10081 of the campaign.
test('media-passed-on: a digit whose answer was lost is dialled once, however often its request is repeated', (t) => {
  const info = { method: 'INFO', cseq: 3, to: { uri: 'sip:b', tag: '2' } } as const;
  const trial = held().see('outside.sent', { from: edge, to: other, message: passedOn });
  for (const _ of [1, 2]) {
    trial.see('outside.sent', { from: phone, to: edge, message: sip({ ...info, dtmf: '5' }) });
    trial.see('outside.sent', { from: edge, to: phone, message: sip({ ...info, kind: 'response', status: 200 }) });
  }
  const passed = sip({ method: 'INFO', callid: 'c2', cseq: 7, dtmf: '5', to: { uri: 'sip:b', tag: '2' } });
  const heard = trial.see('outside.sent', { from: edge, to: other, message: passed }).pass(5_000);
  t.is(heard.verdict, 'pass', heard.failures.join());
});

// Seed 30113 of the campaign.
// Seed 32166 of the campaign: the answer of the other device was lost, and the platform heard of it when it was repeated.
test('media-passed-on: a digit is not judged while the answer of the other device may have been lost', (t) => {
  const info = { method: 'INFO', cseq: 3, dtmf: '5', to: { uri: 'sip:b', tag: '2' } } as const;
  const dialled = (before: (trial: Trial) => void) => {
    const trial = held(true, before).see('outside.sent', { from: edge, to: other, message: passedOn });
    trial.see('outside.sent', { from: phone, to: edge, message: sip(info) });
    const accepted = sip({ ...info, kind: 'response', status: 200 });
    return trial.see('outside.sent', { from: edge, to: phone, message: accepted }).pass(5_000);
  };
  const loss = { fault: 1, verb: 'loseOutside', args: [1, {}] };
  const lost = (trial: Trial) =>
    void trial
      .see('fault.inflicted', loss)
      .pass(100)
      .see('fault.mended', { ...loss, isRefused: false })
      .pass(1_000);
  t.deepEqual(dialled(lost).failures, []);
  t.regex(dialled((trial) => void trial.pass(1_000)).failures.join(), /dialled 5/);
});

test('media-passed-on: a digit that was first dialled before the other device had answered counts as that, however often it is repeated', (t) => {
  const info = { method: 'INFO', cseq: 3, to: { uri: 'sip:b', tag: '2' } } as const;
  const repeated = (cseq: number) => {
    const trial = held(false);
    trial.see('outside.sent', { from: phone, to: edge, message: sip({ ...info, dtmf: '5' }) });
    trial.see('outside.sent', { from: other, to: edge, message: sip({ method: 'ACK', callid: 'c2' }) }).pass(2_000);
    trial.see('outside.sent', { from: edge, to: other, message: passedOn });
    trial.see('outside.sent', { from: phone, to: edge, message: sip({ ...info, cseq, dtmf: '5' }) });
    const accepted = sip({ ...info, cseq, kind: 'response', status: 200 });
    return trial.see('outside.sent', { from: edge, to: phone, message: accepted }).pass(5_000);
  };
  t.deepEqual(repeated(3).failures, []);
  t.regex(repeated(4).failures.join(), /dialled 5/);
});

// Seed 11179 of the campaign.
test('media-passed-on: an offer that has met another one in the leg of the other device waits up to four seconds', (t) => {
  const glared = () => {
    const answer = sip({ kind: 'response', status: 491, method: 'INVITE', callid: 'c2', cseq: 8 });
    return held(true, (trial) => void trial.see('outside.sent', { from: other, to: edge, message: answer }));
  };
  const late = glared().pass(3_500).see('outside.sent', { from: edge, to: other, message: passedOn });
  t.is(late.pass(5_000).verdict, 'pass', late.failures.join());
  t.regex(glared().pass(8_000).failures.join(), /changed its media to sendonly/);
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

const b2b = 'north/n1/b2b-214';

test('transfers-end: a REFER that is passed on is answered soon, unless something is broken', (t) => {
  const passing = () => new Trial(transfersEnd).pass(60_000).entity(b2b, 'transfer', '214-1', 'passing');
  t.is(passing().pass(1_000).entity(b2b, 'transfer', '214-1', 'idle').pass(10_000).verdict, 'pass');
  t.regex(passing().pass(4_000).failures.join(), /the REFER of the call .* is open for 3000 ms/);
  const talking = passing().entity(b2b, 'dialog', '214-1', 'talking');
  t.regex(talking.pass(4_000).failures.join(), /the REFER of the call .* is open for 3000 ms/);
  const ended = passing().pass(500).entity(b2b, 'dialog', '214-1', 'over.ending').pass(4_000);
  t.not(ended.verdict, 'fail');
  const broken = passing().see('fault.inflicted', { fault: 1, verb: 'loseOutside', args: [{ probability: 0.1 }] });
  t.is(broken.pass(10_000).verdict, 'unknown');
});

/** A leg between a b2b and a conf of one site, whose nodes see each other, talks. */
function leg(): Trial {
  const trial = new Trial(legsKept).meet('hq').pass(60_000);
  for (const owner of [hqB2b, hqConf])
    trial.see('entity.state', { owner, machine: 'leg', key: 'c1', state: 'confirmed' });
  return trial;
}

const hqB2b = 'hq/h1/b2b-114';
const hqConf = 'hq/h2/conf-125';
const givenUp = { owner: hqConf, machine: 'leg', key: 'c1', state: 'ended', before: 'confirmed' };

test('legs-kept: fails for a leg that is given up without a message, whose other end is in reach', (t) => {
  t.regex(leg().see('entity.state', givenUp).pass(2_000).failures.join(), /conf-125 gives leg c1 up/);
  const said = leg().see('entity.state', givenUp);
  said.send({ type: 'sip', from: hqConf, to: hqB2b, body: sip({ method: 'BYE' }) });
  t.is(said.pass(2_000).verdict, 'pass');
});

test('legs-kept: a leg may be given up while its other end is out of reach, and after that one has restarted', (t) => {
  t.is(leg().part('h1', 'h2').pass(5_000).see('entity.state', givenUp).pass(2_000).verdict, 'pass');
  const restarted = leg().see('instance.crashed', { instance: hqB2b, reason: 'crash', cause: 'injected' });
  t.is(restarted.see('entity.state', givenUp).pass(2_000).verdict, 'pass');
});

test('media-passed-on: a 2xx that is repeated after the end of a leg does not begin it again', (t) => {
  const trial = held().see('outside.sent', { from: other, to: edge, message: sip({ method: 'BYE', callid: 'c2' }) });
  const again = sip({ kind: 'response', status: 200, method: 'INVITE', callid: 'c2' });
  trial.see('outside.sent', { from: edge, to: other, message: again });
  trial.see('outside.sent', { from: other, to: edge, message: sip({ method: 'ACK', callid: 'c2' }) });
  t.is(trial.pass(5_000).verdict, 'unknown', trial.failures.join());
});

test('media-passed-on: both devices offer the same at one moment', (t) => {
  const own = { method: 'INVITE', callid: 'c2', cseq: 2, media: 'sendonly', to: { uri: 'sip:b', tag: '2' } } as const;
  const trial = held(true, (before) => before.see('outside.sent', { from: other, to: edge, message: sip(own) }));
  trial.pass(1);
  trial.see('outside.sent', { from: edge, to: other, message: sip({ ...own, kind: 'response', status: 200 }) });
  t.is(
    trial.see('outside.sent', { from: edge, to: phone, message: { ...passedOn, callid: 'c1' } }).pass(5_000).verdict,
    'pass',
  );
});

test('media-passed-on: a callee that answers after the change has heard of it', (t) => {
  const trial = held(false);
  trial.pass(1_000).see('outside.sent', { from: edge, to: other, message: sip({ method: 'INVITE', callid: 'c2' }) });
  const answer = sip({ kind: 'response', status: 200, method: 'INVITE', callid: 'c2' });
  t.is(trial.see('outside.sent', { from: other, to: edge, message: answer }).pass(5_000).failures.length, 0);
});

test('media-passed-on: what was sent while messages outside were late is late when the delay has ended', (t) => {
  const lateBy = (ms: number, calmMs: number) => (trial: Trial) => {
    const fault = { fault: 1, verb: 'delayOutside', args: [ms, {}] };
    trial
      .see('fault.inflicted', fault)
      .pass(1_000)
      .see('fault.mended', { ...fault, isRefused: false })
      .pass(calmMs);
  };
  t.is(held(true, lateBy(4_000, 3_000)).pass(5_000).verdict, 'unknown');
  t.is(held(true, lateBy(1_000, 6_000)).pass(5_000).verdict, 'fail');
});

/** The platform calls two devices one after the other, and the first one holds before the second one answers. */
function heldEarly(offered: 'sendonly' | 'sendrecv', isOfferedLater = false): Trial {
  const trial = new Trial(mediaPassedOn).pass(60_000);
  const see = (from: string, to: string, fields: Partial<SipMessage>) =>
    trial.see('outside.sent', { from, to, message: sip({ method: 'INVITE', ...fields }) });
  const answered = (device: string, callid: string) => {
    see(device, edge, { kind: 'response', status: 200, callid });
    see(edge, device, { method: 'ACK', callid });
  };
  see(edge, phone, { callid: 'c1' });
  answered(phone, 'c1');
  see(edge, other, { callid: 'c2', media: offered });
  const legs = [
    { callid: 'c1', side: 'a' },
    { callid: 'c2', side: 'b' },
  ];
  trial.send({ type: 'stream.published', body: { epoch: 1, items: [{ n: 1, dialog: { legs } }] } });
  const offer = { cseq: 2, media: 'sendonly', callid: 'c1', to: { uri: 'sip:b', tag: '2' } } as const;
  see(phone, edge, offer);
  see(edge, phone, { ...offer, kind: 'response', status: 200 });
  trial.pass(4_000);
  answered(other, 'c2');
  if (isOfferedLater) trial.see('outside.sent', { from: edge, to: other, message: passedOn });
  return trial.pass(4_000);
}

test('media-passed-on: a device that answers is offered what the other one has changed before', (t) => {
  t.is(heldEarly('sendrecv', true).verdict, 'pass');
  t.deepEqual(heldEarly('sendonly').failures, []);
  t.regex(heldEarly('sendrecv').failures.join(), /changed its media to sendonly/);
});

/** A call of two devices is recorded, and one of them holds the other; `heard`: what the recording notes then. */
function recorded(heard: readonly [boolean, boolean], isDisturbed = false, n = 1, kind = 'sipuser'): Trial {
  const trial = new Trial(recordingsHear).pass(60_000);
  trial.see('outside.sent', { from: phone, to: edge, message: sip({ method: 'INVITE', callid: 'c1' }) });
  trial.see('outside.sent', { from: edge, to: other, message: sip({ method: 'INVITE', callid: 'c2' }) });
  const legs = [
    { callid: 'c1', side: 'a' },
    { callid: 'c2', side: 'b' },
  ];
  const publish = (changes: readonly unknown[], endts?: number) => {
    const recordings = [{ n, heard: changes, endts }];
    const dialog = { dialogid: 'd1', status: 'dialog', legs, participations: [{ side: 'b', kind }], recordings };
    trial.send({ type: 'stream.published', from: 'north/n1/b2b-214', body: { epoch: 1, items: [{ n: 1, dialog }] } });
  };
  publish([[0, true, true]]);
  trial.pass(4_000);
  if (isDisturbed) trial.see('instance.status', { instance: 'north/n1/b2b-214', status: 'starting' });
  const offer = { method: 'INVITE', cseq: 2, media: 'sendonly', to: { uri: 'sip:b', tag: '2' } } as const;
  trial.see('outside.sent', { from: phone, to: edge, message: sip(offer) });
  trial.see('outside.sent', { from: edge, to: phone, message: sip({ ...offer, kind: 'response', status: 200 }) });
  publish([
    [0, true, true],
    [4_000, ...heard],
  ]);
  return trial.pass(4_000);
}

test('recordings-hear: fails where a recording does not note which party is heard', (t) => {
  t.is(recorded([true, false]).verdict, 'pass');
  for (const heard of [
    [true, true],
    [false, true],
    [false, false],
  ] as const)
    t.regex(recorded(heard).failures.join(), /the recording of d1 notes .* whose media are sendonly and sendrecv/);
  t.deepEqual(recorded([true, true], true).failures, []);
  t.deepEqual(recorded([true, true], false, 1, 'ivr').failures, [], 'a script holds a party while it transfers it');
  t.regex(recorded([true, false], false, 0).failures.join(), /the recordings of d1 have the numbers 0/);
});
