/** Commands to calls, calls that the platform starts, and the list for a callstore that begins to serve. */

import { transferDelaysMs } from '../../../src/machines/call/transfer.ts';
import type { Outcome } from '../../../src/model/fault.ts';
import type {
  CallRequest,
  CallResult,
  DialogCommandBody,
  DialogRecord,
} from '../../../src/model/protocol/messages/dialog.ts';
import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import type { TestParty } from '../../kit/calls/party.ts';
import { test } from '../../kit/test.ts';

const ring = { type: 'ring' } as const;
const answer = { type: 'answer' } as const;

interface Talk {
  readonly world: CallWorld;
  readonly anna: TestParty;
  readonly ben: TestParty;
}

/** Anna has called Ben. */
async function call(...does: Parameters<TestParty['always']>): Promise<Talk> {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(...does)];
  anna.call('1002');
  await world.pass();
  return { world, anna, ben };
}

async function command(world: CallWorld, order: DialogCommandBody, { dialogid, b2b }: DialogRecord = world.call) {
  const reply = world.ask(b2b.slice(b2b.lastIndexOf('/') + 1), 'dialog.command', { dialogid, command: order });
  await world.pass();
  return reply;
}

function codeOf(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'done' : outcome.fault.code;
}

test('a call is ended by command, whatever state it is in', async (t) => {
  for (const [does, ends, how] of [
    [[ring], ['cancelled', 'failed 480'], { sipcode: 480, reason: 'Temporarily Unavailable' }],
    // A BYE ends an answered call: no status does.
    [[answer], ['ended remote', 'ended remote'], { reason: '' }],
  ] as const) {
    const { world, anna, ben } = await call(...does);
    const before = world.call;
    t.deepEqual(await command(world, { verb: 'end' }), { ok: true, value: {} });
    t.deepEqual([ben.heard().at(-1), anna.heard().at(-1)], [...ends]);
    const { type, sipcode, reason } = world.events().at(-1)?.data ?? {};
    t.deepEqual({ type, sipcode, reason }, { type: 'call_terminate', sipcode: undefined, ...how });
    t.is(codeOf(await command(world, { verb: 'end' }, before)), 'not_found');
  }
});

test('a party is referred by command; the call ends when it has got there', async (t) => {
  const { world, anna, ben } = await call(answer);
  const referTo = { uri: `sip:1003@${acme}` };
  const refer = { verb: 'refer', sides: ['b'], referTo, referredBy: { uri: `sip:1001@${acme}` } } as const;
  t.is(codeOf(await command(world, refer)), 'done');
  t.like(ben.all('leg.referred'), [{ referTo, referredBy: { uri: `sip:1001@${acme}` } }]);
  t.is(codeOf(await command(world, refer)), 'conflict', 'it is being referred');
  ben.tell({ type: 'refer.accept' });
  ben.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 180 Ringing' });
  await world.pass();
  t.is(world.call.status, 'dialog');
  ben.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 200 OK' });
  await world.pass();
  t.deepEqual(anna.heard(), ['answered', 'ended remote']);
  t.is(ben.heard().at(-1), 'ended remote');
  t.like(world.events().at(-1)?.data, { type: 'bye', by: 'b' });
});

test('a party that could not go where it was sent stays in the call', async (t) => {
  const { world, ben } = await call(answer);
  const refer = { verb: 'refer', sides: ['b'], referTo: { uri: `sip:1003@${acme}` } } as const;
  await command(world, refer);
  ben.tell({ type: 'refer.accept' });
  ben.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 486 Busy Here' });
  await world.pass();
  t.is(world.call.status, 'dialog');
  t.is(codeOf(await command(world, refer)), 'done', 'it can be sent again');
  ben.tell({ type: 'refer.refuse', status: 603 });
  await world.pass();
  t.is(codeOf(await command(world, refer)), 'done', 'and again');
});

test('when both parties are sent elsewhere the call ends once both have said how that went', async (t) => {
  const { world, anna, ben } = await call(answer);
  const referTo = { uri: `sip:conf-125-1@${acme}` };
  await command(world, { verb: 'refer', sides: ['a', 'b'], referTo });
  for (const party of [anna, ben]) party.tell({ type: 'refer.accept' });
  ben.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 200 OK' });
  await world.pass();
  t.is(world.live.length, 1);
  anna.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 503 Service Unavailable' });
  await world.pass();
  t.is(world.live.length, 0);
});

test('of two commands that send both parties elsewhere one is done and one refused, in whatever order they come', async (t) => {
  const { world, anna, ben } = await call(answer);
  const toConference = (confid: string) => ({ uri: `sip:conf-${confid}@${acme}` });
  const refer = { verb: 'refer', sides: ['a', 'b'] } as const;
  t.is(codeOf(await command(world, { verb: 'refer', sides: ['b'], referTo: toConference('125-1') })), 'done');
  t.is(codeOf(await command(world, { ...refer, referTo: toConference('125-2') })), 'conflict');
  t.deepEqual(
    [anna, ben].map((party) => party.all('leg.referred').length),
    [0, 1],
  );
  ben.tell({ type: 'refer.refuse', status: 603 });
  await world.pass();
  t.is(codeOf(await command(world, { ...refer, referTo: toConference('125-2') })), 'done');
  t.deepEqual(
    [anna, ben].map((party) => party.all('leg.referred').length),
    [1, 2],
  );
});

// Seed 5 of the use case moves-crossed: SWITCHCONF and REFERCONF were both done, and the party was in two conferences.
test('a party that has got where a command sent it is not sent elsewhere while the other one is on its way', async (t) => {
  const { world, anna, ben } = await call(answer);
  const toConference = (confid: string) => ({ uri: `sip:conf-${confid}@${acme}` });
  await command(world, { verb: 'refer', sides: ['a', 'b'], referTo: toConference('125-1') });
  for (const party of [anna, ben]) party.tell({ type: 'refer.accept' });
  anna.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 200 OK' });
  await world.pass();
  t.is(codeOf(await command(world, { verb: 'refer', sides: ['a'], referTo: toConference('125-2') })), 'conflict');
  t.is(anna.all('leg.referred').length, 1);
});

test('a party that has refused to go where a command sent it is not sent elsewhere while the other one is on its way', async (t) => {
  const { world, anna, ben } = await call(answer);
  const toConference = (confid: string) => ({ uri: `sip:conf-${confid}@${acme}` });
  await command(world, { verb: 'refer', sides: ['a', 'b'], referTo: toConference('125-1') });
  anna.tell({ type: 'refer.accept' });
  ben.tell({ type: 'refer.refuse', status: 603 });
  await world.pass();
  const elsewhere = { verb: 'refer', sides: ['b'], referTo: toConference('125-2') } as const;
  t.is(codeOf(await command(world, elsewhere)), 'conflict');
  anna.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 486 Busy Here' });
  await world.pass();
  t.is(codeOf(await command(world, elsewhere)), 'done');
});

test('a call ends when one party has got where it was sent and the other one refuses to go', async (t) => {
  const { world, anna, ben } = await call(answer);
  const referTo = { uri: `sip:conf-125-1@${acme}` };
  await command(world, { verb: 'refer', sides: ['a', 'b'], referTo });
  anna.tell({ type: 'refer.accept' });
  anna.tell({ type: 'notify', event: 'refer', sipfrag: 'SIP/2.0 200 OK' });
  await world.pass();
  t.is(world.live.length, 1);
  ben.tell({ type: 'refer.refuse', status: 603 });
  await world.pass();
  t.is(world.live.length, 0);
  t.like(world.events().at(-1)?.data, { type: 'bye', by: 'a' });
});

test('while a command transfers a call, the REFER of a party is refused, and the other way round', async (t) => {
  const { world, anna, ben } = await call(answer);
  const referTo = { uri: `sip:1003@${acme}` };
  await command(world, { verb: 'refer', sides: ['b'], referTo });
  anna.tell({ type: 'refer', referTo });
  await world.pass();
  t.is(anna.heard().at(-1), 'refer.answered 491');
  ben.tell({ type: 'refer.refuse', status: 603 });
  await world.pass();
  anna.tell({ type: 'refer', referTo });
  await world.pass();
  t.is(codeOf(await command(world, { verb: 'refer', sides: ['b'], referTo })), 'conflict');
  ben.tell({ type: 'refer.accept' });
  await world.pass();
  t.is(anna.heard().at(-1), 'refer.answered 202');
});

test('a party that never says how its transfer goes can be sent elsewhere again after a while', async (t) => {
  const { world, ben } = await call(answer);
  const refer = { verb: 'refer', sides: ['b'], referTo: { uri: `sip:1003@${acme}` } } as const;
  await command(world, refer);
  ben.tell({ type: 'refer.accept' });
  await world.pass(transferDelaysMs.outcome - 1_000);
  t.is(codeOf(await command(world, refer)), 'conflict');
  await world.pass(1_000);
  t.is(codeOf(await command(world, refer)), 'done');
});

test('a leg is named as the device knows it', async (t) => {
  const { world, anna, ben } = await call(answer);
  const mine = ben.agent.view(ben.leg);
  const { value } = (await command(world, { verb: 'identify', side: 'b' })) as { value: { identity: object } };
  t.deepEqual(value.identity, {
    number: '1002',
    uri: `sip:1002@${acme}`,
    replaces: { callid: mine?.callid, toTag: mine?.local.tag, fromTag: mine?.remote.tag },
  });
  const { value: a } = (await command(world, { verb: 'identify', side: 'a' })) as { value: { identity: object } };
  t.like(a.identity, { number: '1001', replaces: { callid: anna.leg, toTag: anna.agent.view(anna.leg)?.local.tag } });
});

test('devices get the commands to hold, to resume and to send DTMF', async (t) => {
  const { world, anna, ben } = await call(answer);
  await command(world, { verb: 'notify', to: 'a', event: 'hold' });
  await command(world, { verb: 'notify', to: 'b', event: 'talk' });
  await command(world, { verb: 'dtmf', to: 'b', dtmf: '5' });
  t.deepEqual(anna.heard().slice(1), ['notified hold']);
  t.deepEqual(ben.heard().slice(2), ['notified talk', 'dtmf 5']);
});

test('a ringing device gets the command to answer', async (t) => {
  const { world, anna, ben } = await call(ring);
  t.is(codeOf(await command(world, { verb: 'notify', to: 'b', event: 'talk' })), 'done');
  t.deepEqual(ben.heard(), ['invited', 'notified talk']);
  ben.tell(answer);
  await world.pass();
  t.is(anna.heard().at(-1), 'answered');
  const silent = await call();
  t.is(codeOf(await command(silent.world, { verb: 'notify', to: 'b', event: 'talk' })), 'conflict');
});

test('a caller that refers before it is answered has to wait', async (t) => {
  const world = await CallWorld.start();
  const anna = world.phone('1001');
  world.phone('1002').always(ring);
  const leg = anna.call('1002');
  await world.pass();
  anna.tell({ type: 'refer', referTo: { uri: `sip:1003@${acme}` } }, leg);
  await world.pass();
  t.is(anna.heard().at(-1), 'refer.answered 491');
  t.is(world.call.status, 'forking');
});

test('labels and recordings are shown', async (t) => {
  const { world } = await call(answer);
  t.deepEqual(await command(world, { verb: 'bind', add: ['vip', 'x', 'vip'], remove: [] }), {
    ok: true,
    value: { bindings: ['vip', 'x'] },
  });
  await command(world, { verb: 'bind', add: ['y'], remove: ['x'] });
  await command(world, { verb: 'record', action: 'start' });
  t.deepEqual(world.call.bindings, ['vip', 'y']);
  t.deepEqual(world.call.opts, { recording: true, bindings: ['vip', 'y'] });
  const many = Array.from({ length: 100 }, (_, index) => `label-${index}`);
  t.is(codeOf(await command(world, { verb: 'bind', add: many, remove: [] })), 'conflict');
});

test('while callees ring only the caller can be identified, and no side takes a command', async (t) => {
  const { world } = await call(ring);
  const codes: string[] = [];
  for (const side of ['a', 'b'] as const) {
    for (const order of [
      { verb: 'identify', side },
      { verb: 'refer', sides: [side], referTo: { uri: `sip:1003@${acme}` } },
      { verb: 'notify', to: side, event: 'hold' },
      { verb: 'dtmf', to: side, dtmf: '1' },
    ] as const) {
      codes.push(codeOf(await command(world, order)));
    }
  }
  t.deepEqual(codes, ['done', ...new Array(7).fill('conflict')]);
  t.is(codeOf(await command(world, { verb: 'record', action: 'start' })), 'conflict');
});

test('a call that never was is not found', async (t) => {
  const { world } = await call(answer);
  t.is(codeOf(await command(world, { verb: 'end' }, { ...world.call, dialogid: '214-0-99' })), 'not_found');
});

interface Originated {
  readonly world: CallWorld;
  readonly x: TestParty;
  readonly y: TestParty;
  readonly results: Promise<Outcome<CallResult>>[];
  readonly order: Partial<CallRequest>;
}

/** The platform calls Anna and Ben, once in each mode. */
async function originate(order: Partial<CallRequest>, x: [...Parameters<TestParty['always']>], modes: number[]) {
  const world = await CallWorld.start();
  const parties = { x: world.phone('1001').always(...x), y: world.phone('1002') };
  const given = { domain: acme, from: '1001', to: '1002', mode: 'number', timeoutMs: 5_000, ...order };
  const results = modes.map((responseMode) =>
    world.ask('b2b-214', 'dialog.originate', { request: { ...given, responseMode } }),
  );
  await world.pass();
  return { world, ...parties, results: results as Originated['results'], order };
}

/** What is known by now, without the Call-Id of X; `waiting` where nothing is. */
async function known(results: readonly Promise<Outcome<CallResult>>[]): Promise<unknown[]> {
  const waiting = Promise.resolve('waiting');
  const all = await Promise.all(results.map((result) => Promise.race([result, waiting])));
  return all.map((each) => {
    if (typeof each === 'string' || !each.ok) return each;
    const { ivrcallid: _, ...result } = each.value;
    return result;
  });
}

test('X is called first, then Y; the request is answered when its mode says', async (t) => {
  const { world, x, y, results } = await originate({}, [], [0, 1, 2, 3]);
  t.deepEqual(await known(results), [{ result: 'ok' }, 'waiting', 'waiting', 'waiting']);
  t.is(x.invites.length, 4);
  t.deepEqual(
    world.live.map(({ status, acallid }) => [status, acallid]),
    x.invites.map(({ callid }) => ['init', callid]),
  );
  for (const { callid } of x.invites) x.tell(answer, callid);
  await world.pass();
  t.deepEqual(await known(results), [{ result: 'ok' }, { result: 'ok' }, 'waiting', 'waiting']);
  t.like(await results[1], { value: { ivrcallid: x.invites[1]?.callid } });
  const calls = world.live;
  t.deepEqual(
    calls.map(({ status }) => status),
    new Array(4).fill('forking'),
  );
  for (const { callid } of y.invites) y.tell(ring, callid);
  await world.pass();
  const ids = (index: number) => ({ acallid: calls[index]?.acallid, dialogid: calls[index]?.dialogid });
  t.deepEqual((await known(results)).slice(2), [
    { result: 'ok', ...ids(2), last_response: 'SIP/2.0 180 Ringing' },
    'waiting',
  ]);
  for (const { callid } of y.invites) y.tell(answer, callid);
  await world.pass();
  const bcallid = world.live[3]?.legs[1]?.callid;
  t.deepEqual((await known(results))[3], { result: 'ok', ...ids(3), bcallid, last_response: 'SIP/2.0 200 OK' });
  t.is(x.invites[0]?.from.uri, `sip:1001@${acme}`, 'X sees its own number');
  t.is(y.invites[0]?.from.uri, `sip:1001@${acme}`);
  const names = world.eventNames(calls[3]?.dialogid);
  t.deepEqual(names, ['invite', 'dlg_init', 'dlg_call', 'fork_start', 'fork_start', 'dlg_start']);
});

test('what X holds and resumes while Y rings is offered to Y when it answers', async (t) => {
  for (const [offers, heard] of [
    [['sendonly'], ['media.changed sendonly']],
    [['sendonly', 'sendrecv'], []],
  ] as const) {
    const { world, x, y } = await originate({}, [answer], [0]);
    y.tell(ring);
    for (const media of offers) {
      x.tell({ type: 'offer', media });
      await world.pass();
    }
    y.tell(answer);
    await world.pass();
    t.deepEqual(
      y.heard().filter((each) => each.startsWith('media')),
      [...heard],
    );
    t.is(world.call.status, 'dialog');
  }
});

test('X sees the number and the name that were asked for, and the call has its label', async (t) => {
  const { world, x } = await originate({ callerid: '4711', callername: 'Hotline', label: 'sale' }, [], [0]);
  t.like(x.invites[0]?.from, { uri: `sip:4711@${acme}`, name: 'Hotline' });
  t.is(x.invites[0]?.label, 'sale');
  t.deepEqual(world.call.opts, { label: 'sale' });
  t.deepEqual(
    world.call.participations.map(({ side, name }) => [side, name]),
    [['a', '1001']],
  );
});

test('X sees the domain of the callerid that was asked for', async (t) => {
  const { x } = await originate({ callerid: '55@example.test' }, [], [0]);
  t.is(x.invites[0]?.from.uri, 'sip:55@example.test');
});

test('an X without an answer in time gives one result if it rang and another if it did not', async (t) => {
  for (const [does, result] of [
    [[ring], 'timeout'],
    [[], 'no_answer'],
    [[{ type: 'reject', status: 486 }], 'failed'],
  ] as const) {
    const { world, y, results } = await originate({}, [...does], [1, 2, 3]);
    await world.pass(5_000);
    t.deepEqual(await known(results), new Array(3).fill({ result }));
    t.is(y.invites.length, 0);
  }
});

test('an X without a device can not be called', async (t) => {
  const { world, results } = await originate({ from: '1004' }, [], [1]);
  t.deepEqual(await known(results), [{ result: 'failed' }]);
  t.like(world.events().at(-1)?.data, { type: 'error', sipcode: 480 });
});

test('the last answer of Y is in the result, whether Y accepts or refuses', async (t) => {
  const { world, y, results } = await originate({}, [answer], [2, 3]);
  for (const { callid } of y.invites) y.tell({ type: 'reject', status: 486 }, callid);
  await world.pass();
  const given = (await known(results)) as CallResult[];
  t.deepEqual(
    given.map(({ result, last_response }) => [result, last_response]),
    [
      ['ok', 'SIP/2.0 486 Busy Here'],
      ['ok', 'SIP/2.0 486 Busy Here'],
    ],
  );
  t.is(given[1]?.bcallid, y.invites[1]?.callid);
});

test('when X hangs up before Y has answered, the state of the call to Y is not known', async (t) => {
  const { world, x, y, results } = await originate({}, [answer], [2]);
  x.tell({ type: 'end' });
  await world.pass();
  t.like((await known(results))[0], { result: 'unknown', acallid: x.invites[0]?.callid });
  t.is(y.heard().at(-1), 'cancelled');
});

test('calls are listed in pages, from the oldest, as they are', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring)];
  for (let times = 0; times < 450; times += 1) {
    anna.call('1002', { hop: world.map.endpointOf(world.map.instanceNamed('sg-213') as never) });
    if (times % 50 === 0) await world.pass(1_000);
  }
  await world.pass(1_000);
  ben.tell({ type: 'reject', status: 486 }, ben.invites[0]?.callid as string);
  await world.pass();
  const listed: DialogRecord[] = [];
  for (const name of ['b2b-214', 'b2b-223']) {
    let after: string | undefined;
    do {
      const body = after === undefined ? {} : { after };
      const page = world.ask(name, 'dialog.list', body) as Promise<
        Outcome<{ dialogs: DialogRecord[]; next?: string; upTo: number }>
      >;
      await world.pass();
      const reply = await page;
      if (!reply.ok) return t.fail(reply.fault.message);
      t.true(reply.value.dialogs.length <= 200);
      listed.push(...reply.value.dialogs);
      after = reply.value.next;
      t.is(reply.value.upTo, Math.max(...world.streamItems.filter(({ by }) => by.endsWith(name)).map(({ n }) => n)));
    } while (after !== undefined);
  }
  t.is(listed.length, 449);
  const byId = (one: DialogRecord, other: DialogRecord) => (one.dialogid < other.dialogid ? -1 : 1);
  t.deepEqual(listed.toSorted(byId), world.live.toSorted(byId));
});
