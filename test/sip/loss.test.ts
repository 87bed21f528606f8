/** Calls between two user agents whose way loses, doubles, delays and reorders. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SeededRandom } from '../../sim/ports/random.ts';
import { type Media, sipMessageSchema } from '../../src/model/sip/message.ts';
import type { LegOperation } from '../../src/sip/user-agent.ts';
import { holds, runs } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { type Heard, lineOf, type Pair, type PairOptions, pairOf, type Side, toB, type Way } from './pair.ts';

function answering({ side, leg, report }: Heard, pair: Pair): void {
  if (report.type === 'leg.referred') {
    pair.agents[side].control(leg, { type: 'refer.accept' });
    pair.agents[side].control(leg, { type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 200 OK' });
  }
  if (report.type !== 'leg.invited') return;
  pair.agents[side].control(leg, { type: 'ring' });
  pair.clock.setTimer(2_000, () => pair.agents[side].control(leg, { type: 'answer' }));
}

const busy = ({ side, leg, report }: Heard, { agents }: Pair): void =>
  void (report.type === 'leg.invited' && agents[side].control(leg, { type: 'reject', status: 486 }));
const ringing = ({ side, leg, report }: Heard, { agents }: Pair): void =>
  void (report.type === 'leg.invited' && agents[side].control(leg, { type: 'ring' }));

interface Story {
  readonly title: string;
  readonly onReport: NonNullable<PairOptions['onReport']>;
  /** What happens after the call was made, and when. */
  readonly plot: readonly (readonly [atMs: number, side: Side, operation: LegOperation])[];
  /** What either side hears, in the order of the alphabet: a loss may change their order. */
  readonly ends: readonly string[];
}

const referTo = { uri: 'sip:1003@acme.root.test' };
const stories: readonly Story[] = [
  {
    title: 'a call that the caller hangs up',
    onReport: answering,
    plot: [[40_000, 'a', { type: 'end' }]],
    ends: ['leg.ended local', 'leg.ended remote'],
  },
  {
    title: 'a call that the callee hangs up',
    onReport: answering,
    plot: [[40_000, 'b', { type: 'end' }]],
    ends: ['leg.ended remote', 'leg.ended local'],
  },
  { title: 'a call that is refused', onReport: busy, plot: [], ends: ['leg.failed 486', 'leg.failed 486'] },
  {
    title: 'a call that is taken back',
    onReport: ringing,
    plot: [[20_000, 'a', { type: 'end' }]],
    ends: ['leg.failed 487', 'leg.cancelled'],
  },
  {
    title: 'a call that is held and resumed',
    onReport: answering,
    plot: [
      [40_000, 'a', { type: 'offer', media: 'sendonly' }],
      [80_000, 'b', { type: 'offer', media: 'recvonly' }],
      [120_000, 'a', { type: 'offer', media: 'sendrecv' }],
      [160_000, 'b', { type: 'end' }],
    ],
    ends: ['leg.ended remote', 'leg.ended local'],
  },
  {
    title: 'a call that is referred',
    onReport: answering,
    plot: [
      [40_000, 'a', { type: 'refer', referTo }],
      [80_000, 'a', { type: 'end' }],
    ],
    ends: ['leg.ended local', 'leg.ended remote'],
  },
];

function played({ onReport, plot }: Story, way: Way): Pair {
  const pair = pairOf({ onReport, way });
  const leg = pair.a.call(toB);
  for (const [atMs, side, operation] of plot)
    pair.clock.setTimer(atMs, () => pair.agents[side].control(leg, operation));
  pair.pass(300_000);
  return pair;
}

for (const story of stories) {
  test(`${story.title} ends alike, whichever of its messages is lost`, (t) => {
    const whole = played(story, () => [10]);
    for (const { message } of whole.sent) t.deepEqual(sipMessageSchema.parse(message), message);
    t.deepEqual([whole.heardBy('a').at(-1), whole.heardBy('b').at(-1)], story.ends);
    const heard = [whole.heardBy('a'), whole.heardBy('b')].map((reports) => [...reports].sort());
    for (let lost = 0; lost < whole.sent.length; lost++) {
      const pair = played(story, (_message, index) => (index === lost ? [] : [10]));
      const row = `without ${whole.lines()[lost]}, message ${lost}`;
      pair.assertOrderly();
      pair.assertIdle();
      const lossless = [pair.heardBy('a'), pair.heardBy('b')].map((reports) => [...reports].sort());
      // A provisional answer is not sent again, so the news that it rang may be lost.
      const isRinging = whole.lines()[lost] === 'b 180 INVITE';
      if (isRinging) t.is(lossless[0]?.includes('leg.rang 180'), false, row);
      else t.deepEqual(lossless, heard, row);
    }
  });

  test(`${story.title} ends alike when each message comes twice, the second time late`, (t) => {
    const whole = played(story, () => [10]);
    const pair = played(story, () => [10, 700]);
    t.deepEqual([pair.heardBy('a'), pair.heardBy('b')], [whole.heardBy('a'), whole.heardBy('b')]);
    pair.assertOrderly();
    pair.assertIdle();
  });
}

for (const kind of ['INVITE', '200 INVITE', 'ACK', 'CANCEL', 'BYE', '200 BYE', '487 INVITE', '486 INVITE', 'UPDATE']) {
  test(`where every ${kind} is lost, all calls end all the same and leave nothing`, (t) => {
    for (const story of stories) {
      const pair = played(story, (message) => (lineOf(message) === kind ? [] : [10]));
      for (const side of ['a', 'b'] as const)
        for (const leg of pair.agents[side].legs()) pair.agents[side].control(leg, { type: 'end' });
      pair.pass(1_500_000);
      pair.assertOrderly();
      pair.assertIdle();
    }
    t.pass();
  });
}

test('an unanswered INVITE is sent seven times in 32 s, then the call has failed with 408', (t) => {
  const pair = pairOf({ way: () => [] });
  pair.a.call(toB);
  pair.pass(31_999);
  t.deepEqual(
    pair.sent.map(({ atMs }) => atMs),
    [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500],
  );
  t.deepEqual(pair.heardBy('a'), []);
  pair.pass(1);
  t.deepEqual(pair.heardBy('a'), ['leg.failed 408']);
  pair.assertIdle();
});

test('where nothing can get lost an unanswered INVITE is sent once, and fails after the same time', (t) => {
  const pair = pairOf({ way: () => [], isLossy: false });
  pair.a.call(toB);
  pair.pass(32_000);
  t.is(pair.sent.length, 1);
  t.deepEqual(pair.heardBy('a'), ['leg.failed 408']);
  pair.assertIdle();
});

test('an unanswered BYE is sent again with pauses of at most 4 s, then the leg is over', (t) => {
  let isCut = false;
  const pair = pairOf({ onReport: answering, way: () => (isCut ? [] : [10]) });
  const leg = pair.a.call(toB);
  pair.pass(10_000);
  isCut = true;
  pair.a.control(leg, { type: 'end' });
  pair.pass(32_000);
  const byes = pair.sent.filter(({ message }) => lineOf(message) === 'BYE').map(({ atMs }) => atMs - 10_000);
  t.deepEqual(byes, [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
  t.is(pair.heardBy('a').at(-1), 'leg.ended local');
});

test('a 200 without an ACK is sent again for 32 s, then the callee hangs up', (t) => {
  const way: Way = (message) => (lineOf(message) === 'ACK' ? [] : [10]);
  const pair = pairOf({ onReport: answering, way, expiresMs: 900_000 });
  pair.a.call(toB);
  pair.pass(60_000);
  const ok = pair.sent.filter(({ message }) => lineOf(message) === '200 INVITE').map(({ atMs }) => atMs - 2_010);
  t.deepEqual(ok.slice(0, 6), [0, 500, 1_500, 3_500, 7_500, 11_500]);
  t.is(pair.sent.filter(({ message }) => lineOf(message) === 'ACK').length, ok.length);
  t.deepEqual(pair.heardBy('b'), ['leg.invited', 'leg.ended lost']);
  t.deepEqual(pair.heardBy('a').at(-1), 'leg.ended remote');
});

const media = fc.constantFrom<Media>('sendrecv', 'sendonly', 'recvonly', 'inactive');
const operation: fc.Arbitrary<LegOperation> = fc.oneof(
  fc.constantFrom<LegOperation>(
    ...([{ type: 'ring' }, { type: 'answer' }, { type: 'answer' }, { type: 'answer' }, { type: 'end' }] as const),
    ...([{ type: 'drop' }, { type: 'reject', status: 486 }, { type: 'refer', referTo }] as const),
    ...([{ type: 'refer.accept' }, { type: 'refer.refuse', status: 603 }] as const),
    ...([
      { type: 'notify', event: 'talk' },
      { type: 'dtmf', dtmf: '1' },
    ] as const),
  ),
  media.map((wanted): LegOperation => ({ type: 'offer', media: wanted })),
);
const side = fc.constantFrom<Side>('a', 'b');
const actions = fc.array(
  fc.record({
    afterMs: fc.oneof(
      fc.constantFrom(0, 5, 10),
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ min: 0, max: 40_000 }),
    ),
    side,
    leg: fc.nat(3),
    operation: fc.option(operation, { nil: 'call' as const, freq: 4 }),
  }),
  { maxLength: 25 },
);
/** Longer than most timers, and less than T4, for which a network keeps a message at most (RFC 3261). */
const longestWayMs = 4_900;
const weather = fc.record({
  seed: fc.nat(),
  lossPercent: fc.oneof(fc.constantFrom(0, 10, 30, 60, 100)),
  doublePercent: fc.constantFrom(0, 20, 60),
  latestMs: fc.constantFrom(0, 10, 100, 1_000, longestWayMs),
  isLossy: fc.constantFrom(true, true, true, false),
});

interface Sky {
  readonly seed: number;
  readonly lossPercent: number;
  readonly doublePercent: number;
  readonly latestMs: number;
}

/** A way that loses, doubles and reorders by chance. */
function stormy({ seed, lossPercent, doublePercent, latestMs }: Sky): Way {
  const random = new SeededRandom(seed).stream('network');
  const delayMs = () => random.integer(0, latestMs);
  return () => {
    if (random.integer(0, 99) < lossPercent) return [];
    return random.integer(0, 99) < doublePercent ? [delayMs(), delayMs()] : [delayMs()];
  };
}

/** The sides that end all their legs at last: the other side has to notice, by its session timer if need be. */
const enders = fc.constantFrom<readonly Side[]>(['a', 'b'], ['a'], ['b']);

/** Events of the network that a machine never expects would show a hole in it. */
const operations = /^event\.unexpected\.leg\.(call|ring|answer|reject|end|drop|offer|request|reply)$/;

test('whatever both sides do and whatever gets lost, all legs end once, and nothing is left', async (t) => {
  await holds(
    t,
    fc.property(actions, weather, enders, (sequence, sky, sides) => {
      // A dropped leg is remembered for as long as its INVITE is repeated, and not while the last one is on its way.
      const isDropped = sequence.some((each) => each.operation !== 'call' && each.operation.type === 'drop');
      const latestMs = Math.min(sky.latestMs, isDropped ? 400 : longestWayMs);
      const pair = pairOf({ way: stormy({ ...sky, latestMs }), isLossy: sky.isLossy, seed: sky.seed });
      pair.a.call(toB);
      for (const action of sequence) {
        pair.pass(action.afterMs);
        const agent = pair.agents[action.side];
        const leg = [...agent.legs()][action.leg];
        if (action.operation === 'call') agent.call({ ...toB, hop: action.side === 'a' ? 'b' : 'a' });
        else if (leg !== undefined) agent.control(leg, action.operation);
      }
      for (const ender of sides)
        for (const leg of [...pair.agents[ender].legs()]) pair.agents[ender].control(leg, { type: 'end' });
      // Longer than anything may ring, and then some for the last retransmission.
      pair.pass(1_500_000);
      pair.assertIdle();
      pair.assertOrderly();
      const holes = [...pair.counters.all().keys()].filter((name) => !operations.test(name));
      assert.deepEqual(holes, []);
    }),
    { numRuns: runs(100) },
  );
});

test('whatever is lost now and then, two user agents in a call settle all offers, and agree', async (t) => {
  const offers = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 4_000 }), side, media }), { maxLength: 8 });
  await holds(
    t,
    fc.property(offers, fc.nat(), (sequence, seed) => {
      const way = stormy({ seed, lossPercent: 15, doublePercent: 20, latestMs: 300 });
      const pair = pairOf({ way, seed, onReport: answering, expiresMs: 1_000_000 });
      const leg = pair.a.call(toB);
      pair.pass(40_000);
      if (pair.a.view(leg)?.isAnswered !== true || pair.b.view(leg)?.isAnswered !== true) return;
      for (const offer of sequence) {
        pair.pass(offer.afterMs);
        pair.agents[offer.side].control(leg, { type: 'offer', media: offer.media });
      }
      pair.pass(120_000);
      for (const agent of [pair.a, pair.b]) if (agent.size > 0) assert.equal(agent.view(leg)?.state, 'confirmed');
      for (const agent of [pair.a, pair.b]) agent.control(leg, { type: 'end' });
      pair.pass(100_000);
      pair.assertOrderly();
      pair.assertIdle();
    }),
    { numRuns: runs(25) },
  );
});
