/** When a user agent sends something again, and when no more. */

import { wrongCredentials } from '../../src/model/sip/digest.ts';
import { responseTo, type SipRequest } from '../../src/model/sip/message.ts';
import { test } from '../kit/test.ts';
import { lineOf, type Pair, pairOf, toB } from './pair.ts';

function talking(options: Parameters<typeof pairOf>[0] = {}): Pair & { leg: string } {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type === 'leg.invited') agents[side].control(leg, { type: 'answer' });
    },
    expiresMs: 900_000,
    ...options,
  });
  const leg = pair.a.call(toB);
  pair.pass(1_000);
  return Object.assign(pair, { leg });
}

/** When a side sent this, in milliseconds since the calls were made. */
const timesOf = (pair: Pair, line: string) =>
  pair.sent.filter(({ from, message }) => `${from} ${lineOf(message)}` === line).map(({ atMs }) => atMs);

test('an INVITE is sent no more once there is a provisional answer, however long it rings', (t) => {
  const pair = pairOf({ way: (message) => (lineOf(message) === '100 INVITE' ? [1_000] : [10]) });
  pair.a.call(toB);
  pair.pass(300_000);
  t.deepEqual(timesOf(pair, 'a INVITE'), [0, 500]);
});

test('a BYE that was answered provisionally is sent again every 4 s', (t) => {
  const pair = talking({ way: (message) => (message.method === 'BYE' ? [] : [10]) });
  pair.a.control(pair.leg, { type: 'end' });
  pair.a.receive(responseTo(pair.sent.at(-1)!.message as SipRequest, 100), 'b');
  pair.pass(20_000);
  t.deepEqual(timesOf(pair, 'a BYE'), [1_000, 5_000, 9_000, 13_000, 17_000, 21_000]);
});

test('a refusal is sent again until its ACK comes', (t) => {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) =>
      void (report.type === 'leg.invited' && agents[side].control(leg, { type: 'reject', status: 486 })),
    way: (message, index) => (lineOf(message) === 'ACK' && index < 6 ? [] : [10]),
  });
  pair.a.call(toB);
  pair.pass(60_000);
  t.deepEqual(timesOf(pair, 'b 486 INVITE'), [10, 510, 1_510]);
  t.deepEqual(timesOf(pair, 'a ACK'), [20, 520, 1_520]);
});

// Seed 14261 of the campaign: an edge has passed the INVITE on, and refuses its repetition when the way to the phone is gone.
for (const [title, order, expected] of [
  ['refuses it', { type: 'reject', status: 480 }, ['a ACK of undefined', 'a ACK of b-tag']],
  ['accepts it', { type: 'answer' }, ['a ACK of undefined', 'a ACK of b-tag', 'a BYE of b-tag']],
] as const) {
  test(`a call that an edge has refused, and whose other side ${title} all the same, is over for both`, (t) => {
    const pair = pairOf({
      onReport: ({ side, leg, report }, { agents }) =>
        void (side === 'b' && report.type === 'leg.invited' && agents.b.control(leg, order)),
    });
    pair.a.call(toB);
    pair.a.receive(responseTo(pair.sent[0]!.message as SipRequest, 503), 'b');
    pair.pass(60_000);
    const tags = new Set(pair.sent.flatMap(({ message: { kind, to } }) => (kind === 'response' ? (to.tag ?? []) : [])));
    const sent = pair.sent.filter(({ message: { method, kind } }) => kind === 'request' && method !== 'INVITE');
    const named = ({ tag }: { readonly tag?: string | undefined }) => (tags.has(tag ?? '') ? 'b-tag' : tag);
    t.deepEqual(
      [...new Set(sent.map(({ from, message }) => `${from} ${lineOf(message)} of ${named(message.to)}`))],
      [...expected],
    );
    t.deepEqual([pair.a.size, pair.b.size], [0, 0]);
  });
}

// RFC 3261 13.2.2.4: an INVITE that was forked on its way may be accepted more than once.
test('a second dialog of an INVITE is acknowledged as often as its 200 comes, and ended once', (t) => {
  const pair = talking();
  const invite = pair.sent[0]!.message as SipRequest;
  const contact = 'sip:1003@fork';
  const accept = (tag: string) => {
    pair.a.receive(responseTo(invite, 200, { to: { ...invite.to, tag }, contact }), 'b');
    pair.pass(100);
  };
  const before = pair.sent.length;
  for (const tag of ['one', 'one', 'other']) accept(tag);
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(60_000);
  const own = pair.sent.slice(before).filter(({ from }) => from === 'a');
  const lines = own.map(({ message }) => `${lineOf(message)} ${(message as SipRequest).uri} ${message.to.tag}`);
  const [, tag] = /BYE sip:1002@b (\S+)/.exec(lines.join()) ?? [];
  t.deepEqual(
    [...new Set(lines)],
    [
      `ACK ${contact} one`,
      `BYE ${contact} one`,
      `ACK ${contact} other`,
      `BYE ${contact} other`,
      `BYE sip:1002@b ${tag}`,
    ],
  );
  t.is(lines.filter((line) => line === `ACK ${contact} one`).length, 2);
  t.deepEqual([pair.a.size, pair.b.size, pair.a.entries], [0, 0, 0]);
});

test('only the first of a refusal that is sent again says that the credentials are wrong', (t) => {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type !== 'leg.invited') return;
      agents[side].control(leg, { type: 'reject', status: 403, ...wrongCredentials });
    },
    way: (message, index) => (lineOf(message) === 'ACK' && index < 6 ? [] : [10]),
  });
  pair.a.call(toB);
  pair.pass(60_000);
  const refusals = pair.sent.filter(({ message }) => lineOf(message) === '403 INVITE');
  t.deepEqual(
    refusals.map(({ message }) => 'isCredentialsWrong' in message),
    [true, false, false],
  );
});

test('a re-INVITE that has a provisional answer, but no final one, is given up after 32 s', (t) => {
  const pair = talking({
    way: (message) => (message.method === 'INVITE' && message.to.tag && message.kind === 'request' ? [] : [10]),
  });
  pair.a.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.a.receive(responseTo(pair.sent.at(-1)!.message as SipRequest, 100), 'b');
  pair.pass(31_999);
  t.deepEqual(timesOf(pair, 'a INVITE'), [0, 1_000]);
  t.is(pair.heardBy('a').at(-1), 'leg.answered');
  pair.pass(1);
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
});

test('a re-INVITE whose ACK never comes ends the leg as lost', (t) => {
  let isCut = false;
  const pair = talking({ way: (message) => (isCut && message.method === 'ACK' ? [] : [10]) });
  isCut = true;
  pair.a.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.pass(32_009);
  t.is(pair.heardBy('b').at(-1), 'leg.media.changed sendonly');
  pair.pass(1);
  t.is(pair.heardBy('b').at(-1), 'leg.ended lost');
});

test('a 200 is sent no more when its dialog is over', (t) => {
  let isCut = false;
  const pair = talking({ way: (message) => (isCut && message.method === 'ACK' ? [] : [10]) });
  isCut = true;
  pair.a.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.pass(100);
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(60_000);
  t.is(timesOf(pair, 'b 200 INVITE').filter((atMs) => atMs > 1_000).length, 1);
  pair.assertIdle();
});

test('a request whose leg is over is not sent again, but for an INVITE, which wants its ACK', (t) => {
  const pair = talking({
    way: (message) => (['INFO', 'INVITE'].includes(lineOf(message)) && message.to.tag ? [] : [10]),
  });
  pair.a.control(pair.leg, { type: 'dtmf', dtmf: '1' });
  pair.b.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.b.control(pair.leg, { type: 'end' });
  pair.pass(100);
  t.is(pair.a.size + pair.b.size, 0);
  const before = pair.sent.length;
  pair.pass(60_000);
  const later = pair.sent.slice(before).map(({ from, message }) => `${from} ${lineOf(message)}`);
  t.deepEqual([...new Set(later)], ['b INVITE']);
  pair.assertIdle();
});

test('a dropped leg sends nothing again', (t) => {
  const pair = talking({ way: (_message, index) => (index < 4 ? [10] : []) });
  pair.a.control(pair.leg, { type: 'dtmf', dtmf: '1' });
  pair.b.control(pair.leg, { type: 'offer', media: 'sendonly' });
  pair.a.control(pair.leg, { type: 'drop' });
  pair.b.control(pair.leg, { type: 'drop' });
  const before = pair.sent.length;
  pair.pass(60_000);
  t.is(pair.sent.length, before);
  pair.assertIdle();
});

// Seed 16355 of the campaign.
test('the BYE of a call that is accepted after its leg was dropped has a number that no request of the leg had', (t) => {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) =>
      void (side === 'b' && report.type === 'leg.invited' && agents.b.control(leg, { type: 'ring' })),
  });
  const leg = pair.a.call(toB);
  pair.pass(100);
  pair.a.control(leg, { type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 100 Trying' });
  pair.pass(100);
  pair.a.control(leg, { type: 'drop' });
  pair.b.control(leg, { type: 'answer' });
  pair.pass(60_000);
  const numbers = new Map(
    pair.sent.flatMap(({ from, message: { kind, method, cseq } }) =>
      from === 'a' && kind === 'request' ? [[method, cseq] as const] : [],
    ),
  );
  const first = numbers.get('INVITE') ?? 0;
  t.deepEqual(
    [...numbers],
    [
      ['INVITE', first],
      ['NOTIFY', first + 1],
      ['ACK', first],
      ['BYE', first + 2],
    ],
  );
  pair.assertIdle();
});

test('requests that waited for others are not sent after BYE', (t) => {
  const pair = talking({ way: (message) => (message.method === 'INFO' ? [] : [10]) });
  for (const dtmf of '123') pair.a.control(pair.leg, { type: 'dtmf', dtmf });
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(60_000);
  const info = pair.sent.filter(({ message }) => lineOf(message) === 'INFO').map(({ message }) => message.cseq);
  t.deepEqual([...new Set(info)], [2]);
  pair.assertIdle();
});

test('requests that wait in a dialog are not sent after its BYE', (t) => {
  const delays: Readonly<Record<string, number>> = { '200 INFO': 1_000, '200 BYE': 2_000 };
  const pair = talking({ way: (message) => [delays[lineOf(message)] ?? 10] });
  for (const dtmf of '123') pair.a.control(pair.leg, { type: 'dtmf', dtmf });
  pair.a.control(pair.leg, { type: 'end' });
  pair.pass(60_000);
  const requests = pair.sent.filter(({ from, message }) => from === 'a' && message.kind === 'request');
  const numbers = requests.flatMap(({ message }) => (message.method === 'INFO' ? [message.cseq] : []));
  t.is(new Set(numbers).size, 1);
});

test('an INVITE of another From tag with the same Call-Id and number takes nothing from the first', (t) => {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) =>
      void (report.type === 'leg.invited' && agents[side].control(leg, { type: 'answer' })),
    way: (message) => (lineOf(message) === 'ACK' ? [3_000] : [10]),
  });
  pair.a.call(toB);
  pair.pass(500);
  const { message: invite } = pair.sent.find(({ message }) => lineOf(message) === 'INVITE')!;
  pair.b.receive({ ...(invite as SipRequest), from: { ...invite.from, tag: 'foreign' } }, 'a');
  pair.pass(60_000);
  t.deepEqual(
    pair.heardBy('b').filter((line) => line.startsWith('leg.ended')),
    [],
    'the ACK of the first call reached it',
  );
});
