/** Calls between two user agents whose way loses nothing, or one message. */
import { test } from '../kit/test.ts';
import { type Heard, lineOf, type Pair, type PairOptions, pairOf, toB, type Way } from './pair.ts';

/** Rings at once. */
function ringing({ side, leg, report }: Heard, { agents }: Pair): void {
  if (report.type === 'leg.invited') agents[side].control(leg, { type: 'ring' });
}

/** Rings at once and answers a second later. */
function answering({ side, leg, report }: Heard, pair: Pair): void {
  if (report.type !== 'leg.invited') return;
  pair.agents[side].control(leg, { type: 'ring' });
  pair.clock.setTimer(1_000, () => pair.agents[side].control(leg, { type: 'answer' }));
}

/** A call that was answered. */
function talking(options: PairOptions = {}): Pair & { leg: string } {
  const pair = pairOf({ onReport: answering, ...options });
  const leg = pair.a.call(toB);
  pair.pass(2_000);
  return Object.assign(pair, { leg });
}

test('a call rings, is answered, is hung up, and leaves nothing behind', (t) => {
  const pair = talking();
  t.true(pair.a.view(pair.leg)?.isAnswered);
  t.true(pair.b.view(pair.leg)?.isAnswered);
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(40_000);
  t.deepEqual(pair.heardBy('a'), ['leg.rang 180', 'leg.answered', 'leg.ended local']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.answered', 'leg.ended remote']);
  t.deepEqual(pair.lines(), [
    ...['a INVITE', 'b 100 INVITE', 'b 180 INVITE', 'b 200 INVITE', 'a ACK', 'a BYE', 'b 200 BYE'],
  ]);
  pair.assertIdle();
  t.is(pair.counters.all().size, 0);
});

test('the callee hangs up as well as the caller', (t) => {
  const pair = talking();
  pair.b.control(pair.leg, { type: 'end' });
  pair.pass(40_000);
  t.deepEqual(pair.heardBy('a').at(-1), 'leg.ended remote');
  t.deepEqual(pair.heardBy('b').at(-1), 'leg.ended local');
  pair.assertIdle();
});

test('both sides know each other by the same tags, and a leg says what would replace it there', (t) => {
  const pair = talking();
  const [caller, callee] = [pair.a.view(pair.leg)!, pair.b.view(pair.leg)!];
  t.deepEqual(caller.local, callee.remote);
  t.deepEqual(caller.remote, callee.local);
  t.truthy(caller.local.tag);
  t.truthy(caller.remote.tag);
  t.deepEqual(caller.replaces, { callid: pair.leg, toTag: callee.local.tag!, fromTag: callee.remote.tag! });
  t.deepEqual(
    { contact: caller.contact, hop: caller.hop, isOutgoing: caller.isOutgoing },
    { contact: 'sip:1002@b', hop: 'b', isOutgoing: true },
  );
  t.deepEqual({ contact: callee.contact, hop: callee.hop }, { contact: 'sip:1001@a', hop: 'a' });
});

test('a refusal carries its status, contacts and challenge', (t) => {
  const challenge = { realm: 'acme.root.test', nonce: 'n' };
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      const contacts = ['sip:1003@acme.root.test'];
      if (report.type === 'leg.invited')
        agents[side].control(leg, { type: 'reject', status: 302, contacts, challenge });
    },
  });
  pair.a.call(toB);
  pair.pass(40_000);
  const failed = { type: 'leg.failed', status: 302, reason: 'Moved Temporarily', challenge } as const;
  const report = { ...failed, contacts: ['sip:1003@acme.root.test'] };
  t.deepEqual(
    pair.heard.filter((one) => one.report.type === 'leg.failed').map((one) => one.report),
    [report, report],
  );
  pair.assertIdle();
});

test('a call that is taken back while it rings is cancelled', (t) => {
  const pair = pairOf({ onReport: ringing });
  const leg = pair.a.call(toB);
  pair.pass(5_000);
  pair.a.control(leg, { type: 'end' });
  pair.pass(40_000);
  t.deepEqual(pair.heardBy('a'), ['leg.rang 180', 'leg.failed 487']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.cancelled']);
  t.deepEqual(pair.lines().slice(3), ['a CANCEL', 'b 200 CANCEL', 'b 487 INVITE', 'a ACK']);
  pair.assertIdle();
});

test('a caller that takes back a call gets its final answer, also when the other end has dropped its leg silently', (t) => {
  const pair = pairOf({ isLossy: false, onReport: ringing });
  const leg = pair.a.call(toB);
  pair.pass(5_000);
  for (const name of [...pair.b.legs()]) pair.b.control(name, { type: 'drop' });
  pair.pass(5_000);
  pair.a.control(leg, { type: 'end' });
  pair.pass(1_000);
  t.deepEqual(pair.heardBy('a'), ['leg.rang 180', 'leg.failed 487']);
  t.deepEqual(pair.lines().slice(3), ['a CANCEL', 'b 200 CANCEL', 'b 487 INVITE', 'a ACK']);
  pair.pass(60_000);
  pair.assertIdle();
});

// Seed 36158 of the campaign.
test('the 487 to a call that is taken back has a tag, also when the other end has dropped its leg before it rang', (t) => {
  const pair = pairOf({ isLossy: false });
  const leg = pair.a.call(toB);
  pair.pass(1_000);
  for (const name of [...pair.b.legs()]) pair.b.control(name, { type: 'drop' });
  pair.pass(1_000);
  pair.a.control(leg, { type: 'end' });
  pair.pass(1_000);
  t.deepEqual(pair.lines().slice(2), ['a CANCEL', 'b 200 CANCEL', 'b 487 INVITE', 'a ACK']);
  const refusal = pair.sent
    .map(({ message }) => message)
    .find((each) => each.kind === 'response' && each.status === 487);
  t.is(typeof refusal?.to.tag, 'string');
  pair.pass(60_000);
  pair.assertIdle();
});

test('a call that is answered after its caller has dropped it silently is acknowledged and ended', (t) => {
  const pair = pairOf({ isLossy: false, onReport: ringing });
  const leg = pair.a.call(toB);
  pair.pass(5_000);
  pair.a.control(leg, { type: 'drop' });
  pair.pass(5_000);
  for (const name of [...pair.b.legs()]) pair.b.control(name, { type: 'answer' });
  pair.pass(1_000);
  t.deepEqual(pair.heardBy('b').slice(-1), ['leg.ended remote']);
  t.deepEqual(pair.lines().slice(3), ['b 200 INVITE', 'a ACK', 'a BYE', 'b 200 BYE']);
  pair.pass(60_000);
  pair.assertIdle();
});

test('CANCEL waits for a provisional answer', (t) => {
  const pair = pairOf({ way: (message) => [lineOf(message) === '100 INVITE' ? 300 : 10] });
  const leg = pair.a.call(toB);
  pair.a.control(leg, { type: 'end' });
  pair.pass(200);
  t.deepEqual(pair.lines(), ['a INVITE', 'b 100 INVITE']);
  pair.pass(40_000);
  t.deepEqual(pair.heardBy('a'), ['leg.failed 487']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.cancelled']);
  pair.assertIdle();
});

test('a 200 that crosses CANCEL is acknowledged and followed by BYE', (t) => {
  const pair = pairOf({ onReport: answering });
  const leg = pair.a.call(toB);
  pair.pass(1_012);
  pair.a.control(leg, { type: 'end' });
  pair.pass(40_000);
  t.deepEqual(pair.heardBy('a'), ['leg.rang 180', 'leg.failed 487']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.answered', 'leg.ended remote']);
  t.deepEqual(pair.lines().slice(3), [...['b 200 INVITE', 'a CANCEL', 'a ACK', 'a BYE', 'b 200 CANCEL', 'b 200 BYE']]);
  pair.assertIdle();
});

test('both sides hang up at once', (t) => {
  const pair = talking();
  pair.a.control(pair.leg, { type: 'end' });
  pair.b.control(pair.leg, { type: 'end' });
  pair.pass(40_000);
  t.is(pair.heardBy('a').at(-1), 'leg.ended local');
  t.is(pair.heardBy('b').at(-1), 'leg.ended local');
  pair.assertIdle();
});

test('a leg that is ended before the ACK comes hangs up when it has come', (t) => {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type !== 'leg.invited') return;
      agents[side].control(leg, { type: 'answer' });
      agents[side].control(leg, { type: 'end' });
    },
  });
  pair.a.call(toB);
  pair.pass(40_000);
  t.deepEqual(pair.lines(), ['a INVITE', 'b 100 INVITE', 'b 200 INVITE', 'a ACK', 'b BYE', 'a 200 BYE']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.ended local']);
  pair.assertIdle();
});

test('hold and resume: the other side reports the offer, and answers the fitting direction', (t) => {
  const pair = talking();
  pair.a.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.pass(100);
  pair.a.control(pair.leg, { type: 'offer', media: 'sendrecv' });
  pair.pass(100);
  t.deepEqual(pair.heardBy('b').slice(2), ['leg.media.changed sendonly', 'leg.media.changed sendrecv']);
  t.deepEqual(pair.heardBy('a').slice(2), ['leg.media.settled 200', 'leg.media.settled 200']);
  const answers = pair.sent
    .filter(({ message }) => lineOf(message) === '200 INVITE')
    .map(({ message }) => message.media);
  t.deepEqual(answers, ['sendrecv', 'recvonly', 'sendrecv']);
});

test('an offer that is made while another is under way follows it', (t) => {
  const pair = talking();
  pair.a.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.a.control(pair.leg, { type: 'offer', media: 'inactive' });
  pair.a.control(pair.leg, { type: 'offer', media: 'sendrecv' });
  pair.pass(1_000);
  t.deepEqual(pair.heardBy('b').slice(2), ['leg.media.changed sendonly', 'leg.media.changed sendrecv']);
  t.deepEqual(pair.heardBy('a').slice(2), ['leg.media.settled 200', 'leg.media.settled 200']);
});

test('after glare the callee tries again first, and both offers are settled', (t) => {
  for (let seed = 0; seed < 20; seed++) {
    const pair = talking({ seed });
    pair.a.control(pair.leg, { type: 'offer', media: 'sendonly' });
    pair.b.control(pair.leg, { type: 'offer', media: 'recvonly' });
    const clashMs = pair.clock.now() + 20;
    pair.pass(5_000);
    t.deepEqual(pair.heardBy('a').slice(2), ['leg.media.changed recvonly', 'leg.media.settled 200']);
    t.deepEqual(pair.heardBy('b').slice(2), ['leg.media.settled 200', 'leg.media.changed sendonly']);
    const retries = pair.sent.filter(({ message, atMs }) => lineOf(message) === 'INVITE' && atMs >= clashMs);
    t.deepEqual(
      retries.map(({ from }) => from),
      ['b', 'a'],
    );
    const [calleeMs = 0, callerMs = 0] = retries.map(({ atMs }) => atMs - clashMs);
    t.true(calleeMs >= 0 && calleeMs <= 2_000, `${calleeMs}`);
    t.true(callerMs >= 2_100 && callerMs <= 4_000, `${callerMs}`);
  }
});

test('REFER is accepted, and its progress comes in NOTIFY', (t) => {
  const referTo = { uri: 'sip:1003@acme.root.test', replaces: { callid: 'x', toTag: 't', fromTag: 'f' } };
  const pair = talking({
    onReport: (heard, pair) => {
      answering(heard, pair);
      if (heard.report.type !== 'leg.referred') return;
      pair.b.control(heard.leg, { type: 'refer.accept' });
      const { id } = heard.report;
      for (const sipfrag of ['SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing', 'SIP/2.0 200 OK'])
        pair.b.control(heard.leg, { type: 'notify', event: 'refer', sipfrag, id });
    },
  });
  const referredBy = { uri: 'sip:1001@acme.root.test', token: 'k' };
  pair.a.control(pair.leg, { type: 'refer', referTo, referredBy, refer: 7 });
  pair.pass(1_000);
  const id = pair.sent.find(({ message }) => message.method === 'REFER')?.message.cseq;
  const referred = pair.heard.find(({ report }) => report.type === 'leg.referred')?.report;
  t.deepEqual(referred as unknown, { type: 'leg.referred', id, referTo, referredBy });
  const progress = pair.heard.flatMap(({ report }) => (report.type === 'leg.notified' ? [report.refer] : []));
  t.deepEqual(progress, [7, 7, 7]);
  t.deepEqual(pair.heardBy('a').slice(2), [
    'leg.refer.answered 202',
    ...['SIP/2.0 100 Trying', 'SIP/2.0 180 Ringing', 'SIP/2.0 200 OK'].map((line) => `leg.notified ${line}`),
  ]);
});

test('a REFER that is refused reports the status once; a second refusal is unexpected', (t) => {
  const pair = talking();
  const referTo = { uri: 'sip:1003@acme.root.test' };
  pair.a.control(pair.leg, { type: 'refer', referTo });
  pair.pass(100);
  pair.b.control(pair.leg, { type: 'refer.refuse', status: 603 });
  pair.b.control(pair.leg, { type: 'refer.refuse', status: 603 });
  pair.pass(100);
  t.deepEqual(pair.heardBy('a').slice(2), ['leg.refer.answered 603']);
  t.is(pair.counters.get('event.unexpected.leg.reply'), 1);
});

test('a leg that ends answers the REFER that its owner left unanswered', (t) => {
  const pair = talking();
  pair.a.control(pair.leg, { type: 'refer', referTo: { uri: 'sip:1003@acme.root.test' } });
  pair.pass(100);
  pair.b.control(pair.leg, { type: 'end' });
  pair.pass(40_000);
  t.true(pair.lines().includes('b 481 REFER'));
  pair.assertIdle();
});

test('Replaces, Referred-By, account, label, domain, inviteid and credentials go with the INVITE', (t) => {
  const more = {
    ...{ account: 'acme.root.test/p', label: 'l', domain: 'acme.root.test', inviteid: 'i', media: 'inactive' as const },
    replaces: { callid: 'x', toTag: 't', fromTag: 'f' },
    referredBy: { uri: 'sip:1003@acme.root.test', token: 'k' },
    credentials: { username: 'u', realm: 'r', nonce: 'n', uri: 'sip:r', response: 'x' },
  };
  const pair = pairOf();
  const leg = pair.a.call({ ...toB, ...more, callid: 'named', maxForwards: 5 });
  pair.pass(100);
  const { report } = pair.heard[0]!;
  t.is(leg, 'named');
  t.true(report.type === 'leg.invited');
  if (report.type !== 'leg.invited') return;
  t.like(report.request, { ...more, callid: 'named', maxForwards: 5, uri: toB.uri, contact: 'sip:1001@a', via: ['a'] });
  t.is(pair.a.view(leg)?.state, 'proceeding');
});

test('every request of a leg names the call and the account of its INVITE', (t) => {
  const ids = { account: 'acme.root.test/p', inviteid: 'i' };
  const requestsOf = ({ sent }: Pair) =>
    sent.flatMap(({ from, message }) => (from === 'a' && message.kind === 'request' ? [message] : []));
  const named = (pair: Pair) =>
    requestsOf(pair).map(({ method, account, inviteid }) => [
      method,
      account === ids.account && inviteid === ids.inviteid,
    ]);

  const pair = pairOf({ onReport: answering });
  const leg = pair.a.call({ ...toB, ...ids });
  pair.pass(2_000);
  t.is(pair.a.accountOf(leg), ids.account);
  pair.a.control(leg, { type: 'dtmf', dtmf: '5' });
  pair.pass(100);
  pair.a.control(leg, { type: 'end' });
  pair.pass(100);
  t.deepEqual(
    named(pair),
    ['INVITE', 'ACK', 'INFO', 'BYE'].map((method) => [method, true]),
  );

  const rejects = ({ side, leg: other, report }: Heard, { agents }: Pair) =>
    void (report.type === 'leg.invited' && agents[side].control(other, { type: 'reject', status: 486 }));
  const refused = pairOf({ onReport: rejects });
  refused.a.call({ ...toB, ...ids });
  refused.pass(100);
  t.deepEqual(
    named(refused),
    ['INVITE', 'ACK'].map((method) => [method, true]),
  );

  const back = pairOf({ onReport: ringing });
  back.a.control(back.a.call({ ...toB, ...ids }), { type: 'end' });
  back.pass(100);
  t.deepEqual(
    named(back),
    ['INVITE', 'CANCEL', 'ACK'].map((method) => [method, true]),
  );
});

test('DTMF characters arrive in their order, though the way may change it', (t) => {
  const delays = [400, 10, 200, 30, 90];
  let index = 0;
  const pair = talking({ way: (message) => [lineOf(message) === 'INFO' ? (delays[index++ % 5] ?? 0) : 10] });
  for (const dtmf of '12345#') pair.a.control(pair.leg, { type: 'dtmf', dtmf });
  pair.pass(5_000);
  const heard = pair.heard.flatMap(({ report }) => (report.type === 'leg.dtmf' ? [report.dtmf] : []));
  t.is(heard.join(''), '12345#');
});

test('where nothing gets lost requests do not wait for each other, and nothing is sent again', (t) => {
  const pair = talking({ isLossy: false });
  for (const dtmf of '123') pair.a.control(pair.leg, { type: 'dtmf', dtmf });
  t.deepEqual(pair.lines().slice(-3), ['a INFO', 'a INFO', 'a INFO']);
  pair.pass(100);
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(40_000);
  t.is(pair.lines().filter((line) => line === 'a INVITE').length, 1);
  pair.assertIdle();
});

test('what the owner wants of a dialog before the ACK came is done when it has come', (t) => {
  const pair = pairOf({
    way: (message) => [lineOf(message) === 'ACK' ? 400 : 10],
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type !== 'leg.invited') return;
      agents[side].control(leg, { type: 'answer' });
      agents[side].control(leg, { type: 'offer', media: 'sendonly' });
      agents[side].control(leg, { type: 'dtmf', dtmf: '5' });
    },
  });
  pair.a.call(toB);
  pair.pass(3_000);
  t.deepEqual(pair.heardBy('a'), ['leg.answered', 'leg.media.changed sendonly', 'leg.dtmf']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.answered', 'leg.media.settled 200']);
});

test('a request in the dialog proves that the 200 arrived, though the ACK did not', (t) => {
  const lost: Way = (message) => (lineOf(message) === 'ACK' ? [] : [10]);
  const pair = talking({ way: lost });
  pair.a.control(pair.leg, { type: 'dtmf', dtmf: '5' });
  pair.pass(60_000);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.answered', 'leg.dtmf']);
  t.true(pair.b.view(pair.leg)?.isAnswered);
});

test('a dropped leg ends silently', (t) => {
  const pair = talking();
  const before = pair.sent.length;
  pair.a.control(pair.leg, { type: 'drop' });
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
  t.is(pair.sent.length, before);
  t.false(pair.a.control(pair.leg, { type: 'end' }));
  t.is(pair.a.view(pair.leg), undefined);
});

test('a leg whose other side is out of reach ends at once, and says BYE until the other side is back', (t) => {
  let isCut = false;
  const pair = talking({ way: () => (isCut ? [] : [10]), isLossy: false });
  isCut = true;
  pair.a.lose(pair.leg);
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
  t.is(pair.a.view(pair.leg), undefined);
  pair.pass(5_000);
  t.is(pair.heardBy('b').at(-1), 'leg.answered');
  isCut = false;
  pair.pass(5_000);
  t.is(pair.heardBy('b').at(-1), 'leg.ended remote');
  pair.pass(60_000);
  pair.assertIdle();
});

for (const [side, own, others] of [
  ['a', 'leg.failed 487', 'leg.cancelled'],
  ['b', 'leg.failed 480', 'leg.failed 480'],
] as const) {
  test(`a leg of ${side} that rings and whose other side is out of reach fails at once, for that one when it is back`, (t) => {
    let isCut = false;
    const pair = pairOf({ onReport: ringing, way: () => (isCut ? [] : [10]) });
    const leg = pair.a.call(toB);
    pair.pass(1_000);
    isCut = true;
    pair.agents[side].lose(leg);
    t.is(pair.heardBy(side).at(-1), own);
    const last = pair.heard.at(-1)?.report;
    t.true(last?.type === 'leg.failed' && last.isLost);
    pair.pass(10_000);
    isCut = false;
    pair.pass(5_000);
    t.is(pair.heardBy(side === 'a' ? 'b' : 'a').at(-1), others);
    pair.pass(100_000);
    pair.assertIdle();
  });
}

/** The first message that is lost, and what `a` reports when BYE has come through. */
const cutAtAnswer: readonly (readonly [string, (line: string) => boolean, string])[] = [
  ['200', (line) => line === 'b 200 INVITE', 'leg.failed 408'],
  ['ACK', (line) => line === 'a ACK', 'leg.ended remote'],
];

for (const [lost, isLost, end] of cutAtAnswer) {
  for (const isEnding of [false, true]) {
    test(`a leg is lost before its ACK, ${isEnding ? 'while it is to be ended' : 'answered'}: it says BYE (${lost} is lost)`, (t) => {
      let [isCut, wasCut] = [false, false];
      const pair = pairOf({
        onReport: answering,
        isLossy: false,
        way: (message, _index, from) => {
          if (!wasCut) isCut ||= isLost(`${from} ${lineOf(message)}`);
          return isCut ? [] : [10];
        },
      });
      const leg = pair.a.call(toB);
      pair.pass(2_000);
      t.is(pair.b.view(leg)?.state, 'answering');
      if (isEnding) pair.b.control(leg, { type: 'end' });
      pair.b.lose(leg);
      t.is(pair.heardBy('b').at(-1), 'leg.ended lost');
      pair.pass(1_000);
      [isCut, wasCut] = [false, true];
      pair.pass(10_000);
      t.is(pair.heardBy('a').at(-1), end);
      pair.pass(100_000);
      pair.assertIdle();
    });
  }
}

test('a leg that is lost while its BYE waits for an answer says BYE until the other side is back', (t) => {
  let isCut = false;
  const pair = talking({ way: () => (isCut ? [] : [10]), isLossy: false });
  isCut = true;
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(2_000);
  pair.a.lose(pair.leg);
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
  pair.pass(2_000);
  isCut = false;
  pair.pass(5_000);
  t.is(pair.heardBy('b').at(-1), 'leg.ended remote');
  pair.pass(60_000);
  pair.assertIdle();
});

test('a callee that does not answer refuses after ten minutes, and a caller gives up after eleven', (t) => {
  const ringing = ({ side, leg, report }: Heard, { agents }: Pair) =>
    void (report.type === 'leg.invited' && agents[side].control(leg, { type: 'ring' }));
  const pair = pairOf({ onReport: ringing });
  pair.a.call(toB);
  pair.pass(700_000);
  t.deepEqual(pair.heardBy('a'), ['leg.rang 180', 'leg.failed 480']);
  pair.assertIdle();

  let isCut = false;
  const cut = pairOf({ onReport: ringing, way: () => (isCut ? [] : [10]) });
  cut.a.call(toB);
  cut.pass(1_000);
  isCut = true;
  cut.pass(800_000);
  t.deepEqual(cut.heardBy('a'), ['leg.rang 180', 'leg.failed 408']);
  cut.assertIdle();
});
