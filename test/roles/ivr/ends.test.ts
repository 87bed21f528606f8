/** How calls that ivr started end when something goes otherwise; and calls to IVR numbers. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { IvrWorld, resultIn } from '../../kit/calls/ivr-calls.ts';
import { acme } from '../../kit/calls/platform-world.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const ids = { acallid: 'a-1', dialogid: 'd-1' };

test('an X that hangs up before its call to Y was seen leaves it unknown', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 2 });
  await ivr.pass();
  ivr.tell({ type: 'end' });
  await ivr.pass(4_900);
  t.is(resultIn(asked), undefined);
  await ivr.pass(200);
  t.deepEqual(resultIn(asked), { result: 'unknown', ivrcallid: ivr.invite.callid });
});

test('an X that leaves as soon as it is referred is followed to Y all the same', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 });
  await ivr.pass();
  ivr.tell({ type: 'end' });
  await ivr.pass(1_000);
  ivr.referred(0);
  ivr.referred(180, 'b-1');
  await ivr.pass(60_000);
  t.is(resultIn(asked), undefined);
  ivr.referred(200, 'b-1');
  await ivr.pass();
  const last_response = 'SIP/2.0 200 OK';
  t.deepEqual(resultIn(asked), { result: 'ok', ivrcallid: ivr.invite.callid, ...ids, last_response, bcallid: 'b-1' });
});

test('the call ends when X does not say that Y has answered', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.ask();
  await ivr.pass();
  ivr.referred(0);
  ivr.referred(200, 'b-1');
  await ivr.pass(4_900);
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred']);
  await ivr.pass(200);
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'ended remote']);
});

test('a transfer without further reports ends, and the result has the last known status', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 });
  await ivr.pass();
  ivr.referred(180, 'b-1');
  await ivr.pass(319_000);
  t.is(resultIn(asked), undefined);
  await ivr.pass(2_000);
  const last_response = 'SIP/2.0 180 Ringing';
  t.deepEqual(resultIn(asked), {
    result: 'unknown',
    ivrcallid: ivr.invite.callid,
    ...ids,
    last_response,
    bcallid: 'b-1',
  });
  t.is(ivr.heard.at(-1), 'ended remote');
});

test('the request is answered a little before its deadline, and the call goes on', async (t) => {
  const ivr = await IvrWorld.start();
  const deadlineMs = ivr.world.cluster.clock.now() + 10_000;
  const asked = ivr.ask({ responseMode: 3 }, { deadlineMs });
  await ivr.pass();
  ivr.referred(180, 'b-1');
  await ivr.pass(9_400);
  t.is(resultIn(asked), undefined);
  await ivr.pass(200);
  t.like(resultIn(asked), { result: 'unknown', last_response: 'SIP/2.0 180 Ringing' });
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred']);
  ivr.notify(200);
  await ivr.pass();
  t.is(ivr.heard.at(-1), 'ended remote');
});

test('an X whose b2b is lost before it answers has failed; after that the state of Y is not known', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.x = [{ type: 'ring' }];
  const first = ivr.ask({ responseMode: 1 });
  await ivr.pass();
  const crash = () => {
    for (const name of ['b2b-214', 'b2b-223']) ivr.world.cluster.faults.crashInstance(name);
  };
  crash();
  await ivr.pass();
  t.like(resultIn(first), { result: 'failed' });
  await ivr.pass(2_000);
  const again = await IvrWorld.start();
  const second = again.ask({ responseMode: 2 });
  await again.pass();
  for (const name of ['b2b-214', 'b2b-223']) again.world.cluster.faults.crashInstance(name);
  await again.pass(5_100);
  t.like(resultIn(second), { result: 'unknown' });
});

test('without a b2b in reach nothing was begun, and it is said so', async (t) => {
  const ivr = await IvrWorld.start();
  const { cluster } = ivr.world;
  for (const node of cluster.map.nodes.keys()) if (node !== 'n2' && node !== 'n1') cluster.faults.crashNode(node);
  await ivr.pass(10_000);
  for (const name of ['b2b-214', 'b2b-223']) cluster.faults.crashInstance(name);
  await ivr.pass(100);
  const asked = ivr.ask({ responseMode: 0 });
  await ivr.pass(100);
  t.is(resultIn(asked), 'unreachable');
});

test('when the transfer fails X is returned, once, to the party that asked for it', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 }, { returnTo: '1005', referredBy: `sip:1005@${acme}` });
  await ivr.pass();
  ivr.notify(486);
  await ivr.pass();
  t.like(resultIn(asked), { result: 'ok', last_response: 'SIP/2.0 486 Busy Here' });
  const [, back] = ivr.referrals;
  t.like(back, { referTo: { uri: `sip:1005@${acme}` } });
  t.is(back?.referredBy?.token, undefined, 'without a token its progress is not reported');
  ivr.notify(180);
  await ivr.pass(5_000);
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'referred']);
  ivr.notify(486);
  await ivr.pass();
  t.is(ivr.referrals.length, 2);
  t.is(ivr.heard.at(-1), 'ended remote');
});

test('X is returned as well when Y refuses after it has rung for as long as a user may', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.ask({ responseMode: 3 }, { returnTo: '1005', referredBy: `sip:1005@${acme}` });
  await ivr.pass();
  ivr.notify(180);
  await ivr.pass(299_000);
  ivr.notify(408);
  await ivr.pass();
  t.like(ivr.referrals[1], { referTo: { uri: `sip:1005@${acme}` } });
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'referred']);
});

test('an X that will not be referred to Y is returned to the party that asked for it', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.refers = 603;
  const asked = ivr.ask({ responseMode: 3 }, { returnTo: '1005', referredBy: `sip:1005@${acme}` });
  await ivr.pass();
  t.like(resultIn(asked), { result: 'unknown' });
  t.like(ivr.referrals[1], { referTo: { uri: `sip:1005@${acme}` } });
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'referred', 'ended remote']);
});

test('when the b2b with the call of X to Y is lost, X is returned at once, and of Y nothing is known', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 }, { returnTo: '1005' });
  await ivr.pass();
  ivr.referred(0);
  ivr.referred(180, 'b-1');
  await ivr.pass();
  // X itself is in the care of the other one.
  ivr.world.cluster.faults.crashInstance('b2b-214');
  await ivr.pass(100);
  t.like(resultIn(asked), { result: 'unknown', last_response: 'SIP/2.0 180 Ringing' });
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'referred']);
  t.like(ivr.referrals.at(-1), { referTo: { uri: `sip:1005@${acme}` } });
});

test('without a call-back X is hung up when the b2b with its call to Y is lost', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 });
  await ivr.pass();
  ivr.referred(180, 'b-1');
  await ivr.pass();
  ivr.world.cluster.faults.crashInstance('b2b-214');
  await ivr.pass(100);
  t.like(resultIn(asked), { result: 'unknown' });
  t.is(ivr.heard.at(-1), 'ended remote');
});

test('when the transfer succeeds X is not returned', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.ask({ responseMode: 3 }, { returnTo: '1005' });
  await ivr.pass();
  ivr.referred(200, 'b-1');
  ivr.notify(200);
  await ivr.pass();
  t.is(ivr.referrals.length, 1);
  t.is(ivr.heard.at(-1), 'ended remote');
});

test('an ivr that stops ends its calls, and answers all who asked', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.x = [{ type: 'ring' }];
  const early = ivr.ask({ responseMode: 1 });
  await ivr.pass();
  ivr.x = [{ type: 'answer' }];
  const late = ivr.ask({ responseMode: 3, from: '1003' });
  await ivr.pass();
  const { cluster } = ivr.world;
  const startMs = cluster.clock.now();
  const { atMs } = await cluster.comes(cluster.node('n2').stop(), 20_000);
  await ivr.pass();
  t.like(resultIn(early), { result: 'no_answer' });
  t.like(resultIn(late), { result: 'unknown' });
  t.true(atMs - startMs < 1_000);
  t.deepEqual(ivr.heard.filter((text) => text === 'cancelled' || text === 'ended remote').length, 2);
});

test('a report of b2b on a call that is long over is ignored', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask();
  await ivr.pass();
  ivr.notify(200);
  await ivr.pass();
  ivr.referred(200, 'b-1');
  await ivr.pass();
  t.like(resultIn(asked), { result: 'ok' });
});

test('a call to an IVR number is answered, gets an announcement, and is hung up; keys are counted', async (t) => {
  const ivr = await IvrWorld.start();
  const { world } = ivr;
  const leg = world.call('771', '1001', { at: 'ivr-225' });
  await ivr.pass();
  t.deepEqual(world.b2b().heard(leg), ['answered']);
  for (const dtmf of ['1', '#', '1']) world.b2b().tell({ type: 'dtmf', dtmf }, leg);
  world.b2b().tell({ type: 'refer', referTo: { uri: `sip:1002@${acme}` } }, leg);
  await ivr.pass(4_900);
  t.deepEqual(world.b2b().heard(leg), ['answered', 'refer.answered 603']);
  await ivr.pass(200);
  t.is(world.b2b().heard(leg).at(-1), 'ended remote');
  t.is(world.cluster.node('n2').counters.get('ivr.dtmf'), 3);
  const replaces = { callid: leg, toTag: 'x', fromTag: 'y' };
  const other = world.call('771', '1002', { at: 'ivr-225', replaces });
  await ivr.pass();
  t.deepEqual(world.b2b().heard(other), ['failed 481']);
});

test('a caller that hangs up during the announcement is released, and so are all when the ivr stops', async (t) => {
  const ivr = await IvrWorld.start();
  const { world } = ivr;
  const [first, second] = [world.call('771', '1001', { at: 'ivr-225' }), world.call('771', '1002', { at: 'ivr-225' })];
  await ivr.pass(1_000);
  world.b2b().tell({ type: 'end' }, first);
  await ivr.pass();
  t.deepEqual(world.b2b().heard(first), ['answered', 'ended local']);
  const stopped = world.cluster.node('n2').stop();
  await ivr.pass(10);
  const late = world.call('771', '1003', { at: 'ivr-225' });
  await world.cluster.comes(stopped, 20_000);
  t.deepEqual(world.b2b().heard(second), ['answered', 'ended remote']);
  t.not(world.b2b().heard(late)[0], 'answered');
});

type Step =
  | { readonly do: 'referred' | 'notify'; readonly status: number }
  | { readonly do: 'answer' | 'end' | 'reject' | 'crash' }
  | { readonly do: 'pass'; readonly ms: number };

const status = fc.constantFrom(0, 180, 200, 486);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('referred' as const, 'notify' as const), status }) },
  fc.record({
    do: fc.constantFrom('answer' as const, 'answer' as const, 'end' as const, 'reject' as const, 'crash' as const),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 100, 6_000) }) },
);

function take(ivr: IvrWorld, one: Step): Promise<void> | void {
  const legs = ['b2b-214', 'b2b-223'].flatMap((name) => [...ivr.world.b2b(name).agent.legs()]);
  if (one.do === 'pass') return ivr.pass(one.ms);
  if (one.do === 'crash') return ivr.world.cluster.faults.crashInstance('b2b-223');
  if (one.do === 'referred') return ivr.key === '' ? undefined : ivr.referred(one.status, 'b-1');
  if (legs.length === 0) return undefined;
  if (one.do === 'notify') return one.status < 100 ? undefined : ivr.notify(one.status);
  return ivr.tell(one.do === 'reject' ? { type: 'reject', status: 486 } : { type: one.do });
}

test('whatever happens to X and Y in any order, the request is answered once, and ivr has no leg in the end', async (t) => {
  await holds(
    t,
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 1, max: 3 }), async (steps, responseMode) => {
      const ivr = await IvrWorld.start();
      ivr.x = [{ type: 'ring' }];
      const asked = ivr.ask({ responseMode, timeoutMs: 8_000 }, { returnTo: '1005' });
      await ivr.pass();
      for (const one of steps) await take(ivr, one);
      await ivr.pass(460_000);
      const result = resultIn(asked);
      assert.ok(typeof result === 'object', JSON.stringify(result));
      assert.ok(ivr.referrals.length <= 2);
      assert.deepEqual(ivr.world.unexpectedAt('n2'), []);
      assert.equal(ivr.world.b2b().agent.size + ivr.world.b2b('b2b-223').agent.size, 0);
    }),
    { numRuns: runs(1) },
  );
});
