/** What a user agent answers to unknown requests, what it does for its owner outside of calls, and how it fails. */

import { responseTo, type SipRequest } from '../../src/model/sip/message.ts';
import { test } from '../kit/test.ts';
import { lineOf, type Pair, pairOf, toB } from './pair.ts';

const talking = (options: Parameters<typeof pairOf>[0] = {}): Pair & { leg: string } => {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type === 'leg.invited') agents[side].control(leg, { type: 'answer' });
    },
    ...options,
  });
  const leg = pair.a.call(toB);
  pair.pass(1_000);
  return Object.assign(pair, { leg });
};

/** A request in the name of `a` that `a` did not send to `b`. */
const foreign = (more: Partial<SipRequest>): SipRequest => ({
  ...{ kind: 'request', method: 'INVITE', uri: 'sip:1002@b', maxForwards: 70, callid: 'strange', cseq: 1 },
  ...{ from: { uri: 'sip:1001@acme.root.test', tag: 'x' }, to: { uri: 'sip:1002@acme.root.test' }, via: ['a'] },
  ...more,
});

/** What `b` answers to a request. */
function answersOf(pair: Pair, request: SipRequest): string[] {
  const before = pair.sent.length;
  pair.b.receive(request, 'a');
  return pair.sent.slice(before).map(({ from, message }) => `${from} ${lineOf(message)}`);
}

test('a request of a dialog that is not there is answered with 481', (t) => {
  const pair = pairOf();
  const to = { uri: 'sip:1002@acme.root.test', tag: 'y' };
  for (const method of ['BYE', 'INVITE', 'INFO', 'NOTIFY', 'REFER', 'UPDATE', 'OPTIONS', 'REGISTER'] as const)
    t.deepEqual(answersOf(pair, foreign({ method, to })), [`b 481 ${method}`]);
  for (const method of ['BYE', 'NOTIFY', 'CANCEL'] as const)
    t.deepEqual(answersOf(pair, foreign({ method, callid: 'other' })), [`b 481 ${method}`]);
  t.deepEqual(answersOf(pair, foreign({ method: 'ACK', to })), []);
  t.deepEqual(pair.heard, []);
  pair.pass(32_000);
  pair.assertIdle();
});

test('a request with other tags than those of the dialog is answered with 481, and changes nothing', (t) => {
  const pair = talking();
  const { local, remote } = pair.b.view(pair.leg)!;
  const bye = foreign({ method: 'BYE', callid: pair.leg, cseq: 100, from: remote, to: local });
  t.deepEqual(answersOf(pair, { ...bye, to: { ...local, tag: 'y' } }), ['b 481 BYE']);
  t.deepEqual(answersOf(pair, { ...bye, cseq: 101, from: { ...remote, tag: 'x' } }), ['b 481 BYE']);
  t.true(pair.b.view(pair.leg)?.isAnswered);
});

test('a request older than the last one is answered with 500, and a retransmission with its first answer', (t) => {
  const pair = talking();
  const { local, remote } = pair.b.view(pair.leg)!;
  const info = foreign({ method: 'INFO', callid: pair.leg, from: remote, to: local, cseq: 20, dtmf: '1' });
  t.deepEqual(answersOf(pair, info), ['b 200 INFO']);
  t.deepEqual(answersOf(pair, { ...info, cseq: 19 }), ['b 500 INFO']);
  t.deepEqual(answersOf(pair, info), ['b 200 INFO']);
  t.is(pair.heardBy('b').filter((line) => line === 'leg.dtmf').length, 1);
});

test('a request that must not be passed on any more is taken by its target', (t) => {
  t.deepEqual(answersOf(pairOf(), foreign({ maxForwards: 0 })), ['b 100 INVITE']);
});

test('a retransmitted INVITE makes no second leg, while the first is there or after', (t) => {
  const pair = pairOf();
  t.deepEqual(answersOf(pair, foreign({})), ['b 100 INVITE']);
  t.deepEqual(answersOf(pair, foreign({})), ['b 100 INVITE']);
  pair.b.control('strange', { type: 'reject', status: 486 });
  t.deepEqual(answersOf(pair, foreign({})), ['b 486 INVITE']);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.failed 486']);
});

test('a second INVITE for a leg that is there is a loop', (t) => {
  const pair = talking();
  t.deepEqual(answersOf(pair, foreign({ callid: pair.leg, cseq: 9 })), ['b 482 INVITE']);
});

test('a call that was challenged is made again under the same Call-Id, with credentials', (t) => {
  const credentials = { username: 'u', realm: 'r', nonce: 'n', uri: 'sip:r', response: 'x' };
  const challenge = { realm: 'r', nonce: 'n' };
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type === 'leg.invited' && report.request.credentials === undefined)
        agents[side].control(leg, { type: 'reject', status: 407, challenge });
      else if (report.type === 'leg.invited') agents[side].control(leg, { type: 'answer' });
      if (side === 'a' && report.type === 'leg.failed') agents.a.call({ ...toB, callid: leg, credentials });
    },
  });
  const leg = pair.a.call(toB);
  pair.pass(100);
  t.deepEqual(pair.heardBy('a'), ['leg.failed 407', 'leg.answered']);
  t.true(pair.b.view(leg)?.isAnswered);
});

test('two legs of one Call-Id in one agent are a bug of its owner', (t) => {
  const pair = pairOf();
  pair.a.call({ ...toB, callid: 'one' });
  t.throws(() => pair.a.call({ ...toB, callid: 'one' }), { message: /a leg "one" exists/ });
});

test('past its limit an agent refuses calls with 503, its own calls after it has returned their names', (t) => {
  const full = pairOf({ agent: { limit: 1 } });
  const names = [full.a.call(toB), full.a.call(toB)];
  t.deepEqual(full.heard, []);
  full.pass(1);
  t.deepEqual(
    full.heard.map(({ leg, report }) => [leg, report.type, 'status' in report ? report.status : 0]),
    [[names[1], 'leg.failed', 503]],
  );
  full.pass(1_000);
  t.deepEqual(answersOf(full, foreign({})), ['b 503 INVITE']);
  t.is(full.b.size, 1);
});

test('REGISTER and OPTIONS go to the owner, also for the Call-Id of a leg, and its answer comes back once', (t) => {
  const answers: string[] = [];
  const pair = talking({
    onRequest: (request, side, { agents }) =>
      agents[side].respond(request, request.method === 'REGISTER' ? 401 : 200, {
        challenge: { realm: 'r', nonce: 'n' },
      }),
  });
  const parties = {
    uri: 'sip:acme.root.test',
    from: { uri: 'sip:1001@acme.root.test' },
    to: { uri: 'sip:1001@acme.root.test' },
  };
  pair.a.request({ ...parties, method: 'REGISTER', expires: 60, device: 'd' }, 'b', ({ status, challenge }) =>
    answers.push(`${status} ${challenge?.nonce}`),
  );
  pair.a.request({ ...parties, method: 'OPTIONS', callid: pair.leg }, 'b', ({ status }) => answers.push(`${status}`));
  pair.pass(50);
  t.deepEqual(answers, ['401 n', '200']);
  const { message } = pair.sent.find(({ message: { method } }) => method === 'REGISTER')!;
  t.like(message, { expires: 60, device: 'd', contact: 'sip:1001@a', maxForwards: 70, via: ['a'] });
});

test('a request outside of calls without an answer fails with 408 after its time', (t) => {
  const answers: string[] = [];
  const pair = pairOf();
  const parties = { uri: 'sip:b', from: { uri: 'sip:a@x' }, to: { uri: 'sip:b@x' } };
  const note =
    (name: string) =>
    ({ status }: { status: number }) =>
      answers.push(`${name} ${status} ${pair.clock.now()}`);
  pair.a.request({ ...parties, method: 'OPTIONS' }, 'b', note('patient'));
  pair.a.request({ ...parties, method: 'OPTIONS', timeoutMs: 5_000 }, 'b', note('hasty'));
  pair.pass(100_000);
  t.deepEqual(answers, ['hasty 408 5000', 'patient 408 32000']);
  pair.assertIdle();
});

test('a response to no request, or with another tag, is dropped', (t) => {
  const pair = talking();
  const invite = pair.sent[0]!.message as SipRequest;
  pair.a.receive(responseTo(foreign({}), 200), 'b');
  pair.a.receive(responseTo({ ...invite, callid: 'gone' }, 200), 'b');
  pair.a.call({ ...toB, callid: 'one' });
  const second = pair.sent.at(-1)!.message as SipRequest;
  pair.a.receive(responseTo({ ...second, from: { ...second.from, tag: 'y' } }, 486), 'b');
  t.is(pair.a.view('one')?.state, 'calling');
  t.is(pair.a.size, 2);
});

test('a 200 that comes again is acknowledged again, also after the leg is gone', (t) => {
  const pair = talking();
  const ok = pair.sent.find(({ message }) => lineOf(message) === '200 INVITE')!.message;
  const acks = () => pair.lines().filter((line) => line === 'a ACK').length;
  pair.a.receive(ok, 'b');
  t.is(acks(), 2);
  pair.a.control(pair.leg, { type: 'drop' });
  pair.a.receive(ok, 'b');
  t.is(acks(), 3);
  pair.pass(100_000);
  pair.a.receive(ok, 'b');
  t.is(acks(), 3);
});

test('a report finds the agent consistent: its owner may end, call and tell from inside, and hears all in order', (t) => {
  const order: string[] = [];
  const pair = talking({
    onReport: ({ side, leg, report }, { agents }) => {
      order.push(`> ${side} ${report.type}`);
      if (report.type === 'leg.invited') agents[side].control(leg, { type: 'reject', status: 486 });
      if (report.type === 'leg.failed' && side === 'a' && agents.a.size === 0 && order.length < 12) {
        t.is(agents.a.view(leg), undefined);
        agents.a.call(toB);
      }
      order.push(`< ${side} ${report.type}`);
    },
  });
  pair.pass(1_000);
  t.true(order.length > 8);
  for (let index = 0; index < order.length; index += 2) t.is(order[index]?.slice(1), order[index + 1]?.slice(1));
});

test('two agents that hand messages over at once, without any time between them, get on as well', (t) => {
  const straight = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type === 'leg.invited') agents[side].control(leg, { type: 'answer' });
      if (report.type === 'leg.answered' && side === 'a') agents.a.control(leg, { type: 'dtmf', dtmf: '1' });
      if (report.type === 'leg.dtmf') agents[side].control(leg, { type: 'end' });
    },
    agent: { send: (message, hop) => straight.agents[hop as 'a' | 'b'].receive(message, hop === 'a' ? 'b' : 'a') },
  });
  straight.a.call(toB);
  t.deepEqual(straight.heardBy('a'), ['leg.answered', 'leg.ended remote']);
  t.deepEqual(straight.heardBy('b'), ['leg.invited', 'leg.answered', 'leg.dtmf', 'leg.ended local']);
  straight.assertOrderly();
  straight.pass(32_000);
  straight.assertIdle();
});

test('an owner that throws is reported as crashed, and the messages of the step go out all the same', (t) => {
  const pair = pairOf({
    onReport: () => {
      throw new Error('a bug of the owner');
    },
  });
  pair.a.call(toB);
  pair.pass(100);
  t.deepEqual(pair.crashes.map(String), ['Error: a bug of the owner']);
  t.deepEqual(pair.lines(), ['a INVITE', 'b 100 INVITE']);
});

test('a stopped agent forgets everything at once, and neither sends nor reports nor takes anything', (t) => {
  const pair = talking({ agent: { limit: 3 } });
  pair.a.call(toB);
  pair.b.call({ ...toB, hop: 'a' });
  pair.a.call(toB);
  pair.a.call(toB);
  pair.a.request({ method: 'OPTIONS', uri: 'sip:b', from: toB.from, to: toB.to }, 'b', () => t.fail());
  pair.a.stop();
  pair.b.stop();
  const [reported, sent] = [pair.heard.length, pair.sent.length];
  pair.assertIdle();
  t.is(pair.a.call(toB).length > 0, true);
  pair.a.request({ method: 'OPTIONS', uri: 'sip:b', from: toB.from, to: toB.to }, 'b', () => t.fail());
  pair.b.receive(foreign({}), 'a');
  pair.assertIdle();
  t.false(pair.a.control(pair.leg, { type: 'end' }));
  pair.pass(1_000_000);
  t.deepEqual([pair.heard.length, pair.sent.length], [reported, sent]);
  pair.assertIdle();
});

test('an operation that does not fit the state of a leg is ignored and counted', (t) => {
  const pair = talking();
  t.true(pair.a.control(pair.leg, { type: 'answer' }));
  t.true(pair.b.control(pair.leg, { type: 'reject', status: 486 }));
  t.deepEqual(
    [...pair.counters.all()],
    [
      ['event.unexpected.leg.answer', 1],
      ['event.unexpected.leg.reject', 1],
    ],
  );
  t.deepEqual([...pair.a.legs()], [pair.leg]);
  t.is(pair.a.size, 1);
});
