/** Calls through b2b: from the INVITE to the end, as the parties, the lists and the events show it. */

import { limits } from '../../../src/model/limits.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import { test } from '../../kit/test.ts';

const ring = { type: 'ring' } as const;
const answer = { type: 'answer' } as const;

test('a call of two phones rings, is answered, and ends when one hangs up', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002')];
  const leg = anna.call('1002');
  await world.pass();
  t.deepEqual(ben.heard(), ['invited']);
  ben.tell(ring);
  await world.pass();
  ben.tell(answer);
  await world.pass();
  t.deepEqual(anna.heard(), ['rang 180', 'answered']);
  t.deepEqual(ben.heard(), ['invited', 'answered']);
  t.is(world.call.status, 'dialog');
  anna.tell({ type: 'end' }, leg);
  await world.pass();
  t.deepEqual(anna.heard().slice(2), ['ended local']);
  t.deepEqual(ben.heard().slice(2), ['ended remote']);
  t.deepEqual(world.live, []);
  await world.pass(3_000);
  t.deepEqual(world.eventNames(), ['invite', 'dlg_init', 'dlg_call', 'fork_start', 'dlg_start', 'dlg_end', 'dlg_stop']);
});

test('events say whose call it is, when it came, and how it ended', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring, answer)];
  const leg = anna.call('1002');
  await world.pass();
  const { dialogid, inviteid, acallid, startts } = world.call;
  t.is(acallid, leg);
  ben.tell({ type: 'end' });
  await world.pass(4_000);
  for (const { data, domains } of world.events()) {
    t.like(data, { dialogid, cid: inviteid, inviteid, acallid, invitets: new Date(startts).toISOString() });
    t.deepEqual(domains, [acme]);
  }
  const [invite, init, , fork, start, end, stop] = world.events();
  const parties = [
    { side: 'a', kind: 'sipuser', domain: acme, name: '1001', id: namedUuid(`${acme}/sip/1001`), number: '1001' },
    { side: 'b', kind: 'sipuser', domain: acme, name: '1002', id: namedUuid(`${acme}/sip/1002`), number: '1002' },
  ];
  t.deepEqual(invite?.data['participations'], parties);
  t.like(invite?.data, { from: `<sip:1001@${acme}>`, to: `<sip:1002@${acme}>` });
  t.deepEqual(init?.objects, [dialogid, inviteid, '1001', '1002']);
  t.like(fork?.data, {
    localuri: `<sip:1001@${acme}>`,
    remoteuri: `<sip:1002@${acme}>`,
    forkcallednum: '1002',
    forkcallid: ben.leg,
    forkdir: 'inner',
  });
  t.is(start?.data['bcallid'], ben.leg);
  t.like(end?.data, { type: 'bye', reason: '', by: 'b' });
  t.false('sipcode' in (end?.data ?? {}));
  t.like(stop?.data, { type: 'bye', by: 'b' });
  const at = (index: number) => Date.parse(String(world.events()[index]?.data['eventts']));
  t.is(at(6) - at(5), 3_000);
});

test('the called phone and the events show the name of the calling SIP user, or none', async (t) => {
  for (const name of ['Anna Adams', '1001']) {
    const world = await CallWorld.start();
    world.directory?.change(acme, '1001', { name });
    const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
    anna.call('1002', { from: { uri: anna.uri, name: 'Another Name' } });
    await world.pass();
    t.like(ben.invites[0]?.from, { uri: `sip:1001@${acme}`, name });
    const names = world.events().map(({ name: event, data }) => [event, data['fromname'] ?? data['localname']]);
    t.deepEqual(names, [
      ['invite', name],
      ['dlg_init', undefined],
      ['dlg_call', undefined],
      ['fork_start', name],
      ['dlg_start', name],
    ]);
  }
});

test('Y of a call that the platform starts sees the name of X, and X the name that was asked for', async (t) => {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1001', { name: 'Anna Adams' });
  const [anna, ben] = [world.phone('1001').always(answer), world.phone('1002').always(answer)];
  const order = { domain: acme, from: '1001', to: '1002', mode: 'number', timeoutMs: 5_000, responseMode: 0 };
  await world.ask('b2b-214', 'dialog.originate', { request: { ...order, callername: 'Hotline' } });
  await world.pass();
  t.like(anna.invites[0]?.from, { uri: `sip:1001@${acme}`, name: 'Hotline' });
  t.like(ben.invites[0]?.from, { uri: `sip:1001@${acme}`, name: 'Anna Adams' });
});

test('the list shows a call in each of its states, with its legs', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002')];
  const leg = anna.call('1002');
  await world.pass();
  const atMs = world.edges.probed.clock.now();
  const uris = { localuri: `<sip:1001@${acme}>`, remoteuri: `<sip:1002@${acme}>` };
  const { legs, ...call } = world.call;
  t.like(call, { status: 'forking', acallid: leg, esgdlg: '', site: 'north', ...uris, domains: [acme], opts: {} });
  t.regex(call.dialogid, /^(214|223)-[0-9a-z]+-1$/);
  t.regex(call.b2b, /^north\/n[12]\/b2b-(214|223)$/);
  const a = { callid: leg, side: 'a', localuri: uris.remoteuri, remoteuri: uris.localuri };
  t.deepEqual(legs[0] as unknown, a);
  t.like(legs[1], { callid: ben.leg, side: 'b', ...uris });
  t.true(Math.abs((legs[1]?.untilMs ?? 0) - (atMs + 30_000)) < 200);
  ben.tell(answer);
  await world.pass();
  const { status, legs: answered, answerts = 0 } = world.call;
  t.is(status, 'dialog');
  t.true(answerts >= atMs);
  t.deepEqual(answered as unknown, [a, { callid: ben.leg, side: 'b', ...uris, untilMs: answerts + limits.talkMs }]);
});

test('all that b2b says carries the id of the call', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring, answer)];
  anna.call('1002');
  await world.pass();
  const { inviteid } = world.call;
  ben.tell({ type: 'end' });
  await world.pass();
  const said = world.edges.outside.sent.filter(({ from }) => from.startsWith('10.2.0.11'));
  t.true(said.length >= 7);
  const unmarked = said.filter(({ message }) => message.inviteid !== inviteid);
  t.deepEqual(
    unmarked.map(({ message }) => ('status' in message ? message.status : message.method)),
    [100],
  );
});

test('a caller may take the call back until it is answered', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring)];
  anna.call('1002');
  await world.pass();
  anna.tell({ type: 'end' });
  await world.pass();
  t.deepEqual(anna.heard(), ['rang 180', 'failed 487']);
  t.deepEqual(ben.heard(), ['invited', 'cancelled']);
  t.deepEqual(world.live, []);
  const names = ['invite', 'dlg_init', 'dlg_call', 'fork_start', 'fork_stop', 'dlg_end'];
  t.deepEqual(world.eventNames(), names);
  t.like(world.events().at(-1)?.data, { type: 'cancel', sipcode: 487, by: 'a' });
});

test('a callee who refuses ends the call with its own words', async (t) => {
  const world = await CallWorld.start();
  const anna = world.phone('1001');
  world.phone('1002').always({ type: 'reject', status: 486, reason: 'On The Phone' });
  anna.call('1002');
  await world.pass();
  t.like(anna.all('leg.failed'), [{ status: 486, reason: 'On The Phone' }]);
  t.like(world.events().find(({ name }) => name === 'fork_stop')?.data, { sipcode: 486, reason: 'On The Phone' });
  t.like(world.events().at(-1)?.data, { type: 'call_final', sipcode: 486, reason: 'On The Phone' });
});

test('a callee rings as long as its limit allows, then the caller gets 408', async (t) => {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1002', { calltimesec: 7 });
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring)];
  anna.call('1002');
  await world.pass(6_900);
  t.is(world.call.status, 'forking');
  await world.pass(300);
  t.deepEqual(anna.heard(), ['rang 180', 'failed 408']);
  t.deepEqual(ben.heard(), ['invited', 'cancelled']);
  t.like(world.events().at(-1)?.data, { type: 'timeout', sipcode: 408 });
});

test('a call ends when the shorter of both time limits is over', async (t) => {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1001', { dlgtimesec: 60 });
  world.directory?.change(acme, '1002', { dlgtimesec: 20 });
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  anna.call('1002');
  await world.pass();
  const { answerts = 0, legs } = world.call;
  t.is(legs[1]?.untilMs, answerts + 20_000);
  await world.pass(19_800);
  t.is(world.live.length, 1);
  await world.pass(300);
  t.deepEqual(anna.heard(), ['answered', 'ended remote']);
  t.deepEqual(ben.heard(), ['invited', 'answered', 'ended remote']);
  t.like(world.events().at(-1)?.data, { type: 'timeout', reason: 'time limit' });
});
