/** The session timer of a user agent: `a` refreshes, `b` watches. */

import { responseTo, type SipRequest } from '../../src/model/sip/message.ts';
import { test } from '../kit/test.ts';
import { lineOf, type Pair, pairOf, toB, type Way } from './pair.ts';

function talking(options: Parameters<typeof pairOf>[0] = {}): Pair & { leg: string } {
  const pair = pairOf({
    onReport: ({ side, leg, report }, { agents }) => {
      if (report.type === 'leg.invited') agents[side].control(leg, { type: 'answer' });
    },
    ...options,
  });
  const leg = pair.a.call(toB);
  pair.pass(1_000);
  return Object.assign(pair, { leg });
}

const updates = (pair: Pair) => pair.sent.filter(({ message }) => lineOf(message) === 'UPDATE').map(({ atMs }) => atMs);

test('a session is refreshed each third of its time, and lasts', (t) => {
  const pair = talking();
  pair.pass(300_000);
  t.deepEqual(updates(pair).slice(0, 4), [30_020, 60_040, 90_060, 120_080]);
  t.true(pair.a.view(pair.leg)?.isAnswered);
  t.true(pair.b.view(pair.leg)?.isAnswered);
  t.is(pair.timers, 3, 'a session timer each, and one for what was answered lately');
});

test('a refresh that finds no dialog ends the leg as lost', (t) => {
  const pair = talking();
  pair.b.control(pair.leg, { type: 'drop' });
  pair.pass(40_000);
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
  t.is(pair.lines().filter((line) => line === 'a BYE').length, 1);
  pair.pass(40_000);
  pair.assertIdle();
});

test('a refresh without an answer ends the leg as lost', (t) => {
  let isCut = false;
  const pair = talking({ way: () => (isCut ? [] : [10]) });
  isCut = true;
  pair.pass(30_020 - 1_000 + 31_999);
  t.not(pair.heardBy('a').at(-1), 'leg.ended lost');
  pair.pass(1);
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
  pair.pass(100_000);
  t.is(pair.heardBy('b').at(-1), 'leg.ended lost');
  pair.pass(100_000);
  pair.assertIdle();
});

test('a refresh that is refused is tried again every 5 s, until the time of the session is over', (t) => {
  const pair: Pair & { leg: string } = talking({ way: (message) => (message.method === 'UPDATE' ? [] : [10]) });
  const refuse = () => {
    const { message } = pair.sent.at(-1)!;
    pair.a.receive(responseTo(message as SipRequest, 500), 'b');
  };
  pair.pass(29_020);
  refuse();
  for (let again = 0; again < 11; again++) {
    t.is(pair.heardBy('a').at(-1), 'leg.answered');
    pair.pass(5_000);
    refuse();
  }
  t.deepEqual(
    updates(pair),
    Array.from({ length: 12 }, (_, index) => 30_020 + index * 5_000),
  );
  pair.pass(5_000);
  t.is(pair.heardBy('a').at(-1), 'leg.ended lost');
  t.is(pair.clock.now(), 90_020);
});

test('a refresh that succeeds after it was refused begins the time anew', (t) => {
  const pair = talking({ way: (message) => (message.method === 'UPDATE' ? [] : [10]) });
  const answer = (status: number) => pair.a.receive(responseTo(pair.sent.at(-1)!.message as SipRequest, status), 'b');
  pair.pass(29_020);
  answer(500);
  pair.pass(5_000);
  answer(200);
  pair.pass(29_999);
  t.is(updates(pair).length, 2);
  pair.pass(1);
  t.is(updates(pair).length, 3);
});

test('the side that watches ends the leg when nothing came for the time of the session, and not sooner', (t) => {
  let isCut = false;
  const way: Way = (_message, _index, from) => (isCut && from === 'a' ? [] : [10]);
  const pair = talking({ way, expiresMs: 900_000 });
  pair.pass(500_000 - 1_000);
  pair.a.control(pair.leg, { type: 'dtmf', dtmf: '1' });
  pair.pass(10);
  isCut = true;
  pair.pass(899_999);
  t.true(pair.b.view(pair.leg)?.isAnswered);
  pair.pass(1);
  t.is(pair.heardBy('b').at(-1), 'leg.ended lost');
  t.true(pair.lines().includes('b BYE'));
});

test('a session timer ends with its leg', (t) => {
  for (const side of ['a', 'b'] as const) {
    const pair = talking();
    pair.agents[side].control(pair.leg, { type: 'end' });
    pair.pass(33_100);
    pair.assertIdle();
    t.is(pair.timers, 0);
  }
});
