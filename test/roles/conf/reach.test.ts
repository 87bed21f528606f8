/** Conferences when parts of the cluster are lost or stop, when they are transferred, and whatever happens in any order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { acme, PlatformWorld } from '../../kit/calls/platform-world.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

/** 1001 by a b2b of the south, 1002 by one of the north. */
async function meeting(): Promise<PlatformWorld> {
  const world = await PlatformWorld.start();
  world.call('5501', '1001', { via: 'b2b-323' });
  await world.pass();
  world.call('5501', '1002');
  await world.pass(100);
  return world;
}

test('participants whose b2b is out of reach for too long are gone', async (t) => {
  const world = await meeting();
  world.cluster.faults.cut({ from: 'south' });
  await world.pass(5_000);
  t.deepEqual(await world.people(), ['1001 active', '1002 active']);
  await world.pass(3_000);
  t.deepEqual(await world.people(), ['1002 active']);
  t.like(world.eventsNamed('part_stop')[0]?.data, { type: 'error', reason: 'lost', ruri: `<sip:1001@${acme}>` });
});

test('participants whose b2b is out of reach for a moment stay', async (t) => {
  const world = await meeting();
  const mend = world.cluster.faults.cut({ from: 'south' });
  while (world.cluster.node('n2').view.isReachable('s2')) await world.pass(100);
  mend();
  await world.pass(20_000);
  t.deepEqual(await world.people(), ['1001 active', '1002 active']);
  world.b2b('b2b-323').tell({ type: 'offer', media: 'sendonly' });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 held', '1002 active']);
});

test('a b2b that starts anew has forgotten its participants, and they are gone at once', async (t) => {
  const world = await meeting();
  world.cluster.faults.crashInstance('b2b-323');
  await world.pass(300);
  t.deepEqual(await world.people(), ['1002 active']);
});

// The view showed the b2b active all the time: its node had started again before it was missed.
test('participants whose b2b node crashed are gone, also when it is back before it is missed', async (t) => {
  const world = await meeting();
  world.cluster.faults.crashNode('s2');
  await world.pass(500);
  void world.cluster.cluster.start(['s2']);
  await world.pass(2_000);
  t.deepEqual(await world.people(), ['1002 active']);
});

test('participants called through a b2b that is lost are removed as well', async (t) => {
  const world = await meeting();
  await world.command('conference.call', { confid: '224-1', invitations: [['1003', null]] });
  await world.command('conference.call', { confid: '224-1', invitations: [['1004', null]] });
  await world.pass();
  t.is((await world.people()).length, 4);
  world.cluster.faults.crashInstance('b2b-214');
  world.cluster.faults.crashInstance('b2b-223');
  await world.pass(300);
  t.deepEqual(await world.people(), ['1001 active']);
});

test('a server that stops ends its conferences, publishes that, and refuses new calls', async (t) => {
  const world = await meeting();
  const stopped = world.cluster.node('n2').stop();
  await world.pass(20);
  const late = world.call('5502', '1003');
  const { atMs } = await world.cluster.comes(stopped, 20_000);
  await world.pass();
  t.deepEqual(world.b2b('b2b-323').heard(), ['answered', 'ended remote']);
  t.deepEqual(world.b2b().heard(late), ['failed 503']);
  t.like(world.eventsNamed('conf_stop'), [
    { data: { type: 'conf_terminate', reason: 'the server stops', by: 'platform' } },
  ]);
  t.true(atMs < 12_000, `${atMs}`);
});

test('a server without conferences stops at once', async (t) => {
  const world = await PlatformWorld.start();
  const startMs = world.cluster.clock.now();
  const { atMs } = await world.cluster.comes(world.cluster.node('n2').stop(), 20_000);
  t.true(atMs - startMs < 100);
});

test('a REFER to a conference calls the target in, and notifies the outcome', async (t) => {
  const world = await PlatformWorld.start();
  const leg = world.call('5501', '1001');
  await world.pass();
  const referTo = { uri: `sip:1003@${acme}` };
  const referredBy = { uri: `sip:1001@${acme}`, token: 'north/n2/ivr-225|k' };
  for (const name of ['b2b-214', 'b2b-223']) world.b2b(name).always({ type: 'ring' }, { type: 'answer' });
  world.b2b().tell({ type: 'refer', referTo, referredBy }, leg);
  await world.pass();
  const invite = ['b2b-214', 'b2b-223'].flatMap((name) => world.b2b(name).invites)[0];
  t.like(invite, { uri: referTo.uri, referredBy, confid: '224-1' });
  t.deepEqual(world.b2b().heard(leg), [
    'answered',
    'refer.answered 202',
    'notified refer SIP/2.0 100 Trying',
    'notified refer SIP/2.0 180 Ringing',
    'notified refer SIP/2.0 200 OK',
  ]);
  t.deepEqual(await world.people(), ['1001 active', '1003 active']);
  world.b2b().tell({ type: 'end' }, leg);
  await world.pass();
  t.deepEqual(await world.people(), ['1003 active']);
});

test('when the target of a REFER refuses, the sender of the REFER is notified', async (t) => {
  const world = await PlatformWorld.start();
  const leg = world.call('5501', '1001');
  await world.pass();
  for (const name of ['b2b-214', 'b2b-223']) world.b2b(name).always({ type: 'reject', status: 486 });
  world.b2b().tell({ type: 'refer', referTo: { uri: `sip:1003@${acme}` } }, leg);
  await world.pass();
  t.is(world.b2b().heard(leg).at(-1), 'notified refer SIP/2.0 486 Busy Here');
  t.deepEqual(await world.people(), ['1001 active']);
});

test('a call that takes the place of a participant comes in for it', async (t) => {
  const world = await meeting();
  const [leg = ''] = world.b2b().agent.legs();
  const view = world.b2b().agent.view(leg);
  const replaces = view?.replaces ?? { callid: '', toTag: '', fromTag: '' };
  const wrong = world.call('5501', '1003', { replaces: { ...replaces, toTag: 'other' } });
  const right = world.call('5501', '1003', { replaces });
  await world.pass();
  t.deepEqual(world.b2b().heard(wrong), ['failed 481']);
  t.deepEqual(world.b2b().heard(right), ['answered']);
  t.deepEqual(world.b2b().heard(leg), ['answered', 'ended remote']);
  t.deepEqual(await world.people(), ['1001 active', '1003 active']);
});

test('a call that takes the place of a participant of a meeting has its seat, and hears what that one heard', async (t) => {
  const world = await meeting();
  const confid = '224-1';
  await world.command('conference.call', { confid, invitations: [['1003', 'seat']] });
  await world.pass();
  const via = ['b2b-214', 'b2b-223'].map((name) => world.b2b(name)).find(({ invites }) => invites.length > 0);
  via?.tell({ type: 'answer' });
  await world.pass();
  const [anna, ben, seat, other] = ['224-1-1', '224-1-2', '224-1-3', '224-1-4'] as const;
  await world.command('conference.hears', { confid, hears: { [anna]: [seat], [seat]: [ben] } });
  const { replaces } = via?.agent.view(via.leg) ?? {};
  world.call('5501', '1004', { ...(replaces && { replaces }) });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active', '1002 active', '1004 active']);
  const [{ participants = [] } = {}] = await world.conferences();
  t.deepEqual(
    participants.map(({ member }) => member),
    [undefined, undefined, 'seat'],
  );
  t.like(await world.command('conference.hears', { confid }), {
    value: { hears: { [anna]: [other], [ben]: [anna, other], [other]: [ben] } },
  });
});

type Step =
  | { readonly do: 'call'; readonly room: string; readonly at: string }
  | { readonly do: 'leave' | 'hold'; readonly which: number }
  | { readonly do: 'invite' | 'remove' | 'end'; readonly which: number }
  | { readonly do: 'crash'; readonly b2b: string }
  | { readonly do: 'pass'; readonly ms: number };

const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      room: fc.constantFrom('5501', '5502'),
      at: fc.constantFrom('conf-224', 'conf-224', 'conf-324'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'hold' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('invite' as const, 'remove' as const), which }) },
  fc.record({ do: fc.constant('end' as const), which }),
  fc.record({ do: fc.constant('crash' as const), b2b: fc.constantFrom('b2b-214', 'b2b-223') }),
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 20, 600, 4_000) }) },
);

async function take(world: PlatformWorld, one: Step): Promise<void> {
  const party = world.b2b();
  const conferences = await world.conferences();
  switch (one.do) {
    case 'call':
      world.call(one.room, '1001', { at: one.at });
      return;
    case 'leave':
    case 'hold': {
      const legs = [...party.agent.legs()];
      const leg = legs[one.which % legs.length];
      const command = one.do === 'leave' ? ({ type: 'end' } as const) : ({ type: 'offer', media: 'sendonly' } as const);
      if (leg !== undefined) party.agent.control(leg, command);
      return;
    }
    case 'crash':
      return world.cluster.faults.crashInstance(one.b2b);
    case 'pass':
      return world.pass(one.ms);
    default: {
      const conference = conferences[one.which % conferences.length];
      const [participant] = conference?.participants ?? [];
      if (conference === undefined || participant === undefined) return;
      const { confid } = conference;
      const { participantid } = participant;
      if (one.do === 'invite') await world.command('conference.call', { confid, invitations: [['1003', null]] });
      if (one.do === 'remove') await world.command('conference.remove', { confid, participantid });
      if (one.do === 'end') await world.command('conference.end', { confid });
    }
  }
}

test('after any sequence of steps each conference started and stopped once, and has no participants left', async (t) => {
  let stops = 0;
  await holds(
    t,
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), fc.nat(1_000), async (steps, seed) => {
      const world = await PlatformWorld.start(seed);
      for (const one of steps) await take(world, one);
      await world.pass(2_000);
      for (const { confid } of await world.conferences()) await world.command('conference.end', { confid });
      await world.pass(55_000);
      assert.deepEqual(await world.conferences(), []);
      assert.deepEqual(world.unexpectedAt('n2'), []);
      const ids = (name: string) => world.eventsNamed(name).map(({ data }) => data['confid']);
      const started = ids('conf_start');
      assert.equal(new Set(started).size, started.length);
      assert.deepEqual(ids('conf_stop').sort(), [...started].sort());
      const joined = world.eventsNamed('part_start').map(({ data }) => data['participantid']);
      const left = world.eventsNamed('part_stop').map(({ data }) => data['participantid']);
      assert.equal(new Set(left).size, left.length);
      assert.deepEqual(
        joined.filter((id) => !left.includes(id)),
        [],
      );
      for (const { data } of world.eventsNamed('conf_stop')) {
        const { participants, participantsdata } = data as { participants: number; participantsdata: unknown[] };
        assert.equal(participants, participantsdata.length);
      }
      stops += started.length;
    }),
    { numRuns: runs(3), uncovered: () => (stops > 0 ? [] : ['conf_stop']) },
  );
});
