/** What a SIP gate refuses: banned addresses, requests that match a border rule, failed authentication, and overload. */

import { limits } from '../../../src/model/limits.ts';
import { borderRuleSchema } from '../../../src/model/numbers/border-rules.ts';
import { wrongCredentials } from '../../../src/model/sip/digest.ts';
import { responseTo, type SipRequest } from '../../../src/model/sip/message.ts';
import { EdgeCluster, mapWith } from '../../kit/calls/edges.ts';
import { requestOf } from '../../kit/calls/outside.ts';
import { test } from '../../kit/test.ts';

const gate = '10.2.0.11:5060';
const other = '10.3.0.11:5060';
const phone = '10.100.0.1:5060';
const ban = { ip: '10.100.0.1', expires: 60 };

async function ban60(cluster: EdgeCluster): Promise<void> {
  await cluster.probed.comes(cluster.probed.scope('ws-211').ask('north/n1/sg-213', 'filter.add', ban));
}

test('what a banned address sends is dropped, whatever its port; others are not touched; then it is let in again', async (t) => {
  const cluster = await EdgeCluster.start();
  await ban60(cluster);
  const banned = [cluster.endpoint(phone), cluster.endpoint('10.100.0.1:6000')];
  for (const each of banned) each.ask(gate, 'INVITE');
  banned[0]!.send(gate, { ...responseTo(requestOf('INVITE'), 200), via: [gate, 'north/n1/b2b-214'] });
  cluster.endpoint('10.100.0.10:5060').ask(gate, 'INVITE', { callid: 'other' });
  await cluster.pass();
  t.deepEqual(
    cluster.inside.map(({ message }) => message.callid),
    ['other'],
  );
  t.deepEqual(
    banned.flatMap(({ heard }) => heard),
    [],
  );
  t.is(cluster.count('n1', 'edge.dropped.banned'), 3);
  banned[0]!.ask(gate, 'INVITE', { callid: 'meanwhile' });
  await cluster.pass(60_000);
  banned[0]!.ask(gate, 'INVITE', { callid: 'later' });
  await cluster.pass();
  t.deepEqual(
    cluster.inside.map(({ message }) => message.callid),
    ['other', 'later'],
  );
});

test('a ban holds on one gate only', async (t) => {
  const cluster = await EdgeCluster.start();
  await ban60(cluster);
  cluster.endpoint(phone).ask(other, 'INVITE');
  await cluster.pass();
  t.is(cluster.inside.length, 1);
});

test('by the border rules a denied request is answered with 403, a dropped one not at all', async (t) => {
  const rules = [
    { priority: 1, action: 'allow', remoteipmask: '10.100.0.1' },
    { priority: 2, action: 'drop', remoteipmask: '10.100.0.0/24' },
    { priority: 3, action: 'deny', remoteipmask: '10.100.0.0/16' },
    { priority: 4, action: 'deny', username: '/^9/' },
    { priority: 5, action: 'drop', useragent: 'scanner' },
    { priority: 6, action: 'deny', domain: 'globex.root.test', site: 'south' },
  ].map((rule) => borderRuleSchema.parse(rule));
  const cluster = await EdgeCluster.start({ map: mapWith({ borderrules: rules }) });
  const globex = { from: { uri: 'sip:1001@globex.root.test', tag: 'f' } };
  const rows: [from: string, to: string, more: Partial<SipRequest>, comes: number | 'in' | 'nothing'][] = [
    ['10.100.0.1:5060', gate, {}, 'in'],
    ['10.100.0.2:5060', gate, {}, 'nothing'],
    ['10.100.1.2:5060', gate, {}, 403],
    ['10.7.0.1:5060', gate, {}, 'in'],
    ['10.7.0.2:5060', gate, { from: { uri: 'sip:911@acme.root.test', tag: 'f' } }, 403],
    ['10.7.0.3:5060', gate, { userAgent: 'scanner' }, 'nothing'],
    ['10.7.0.4:5060', gate, globex, 'in'],
    ['10.7.0.5:5060', other, globex, 403],
  ];
  for (const [index, [from, to, more, comes]] of rows.entries()) {
    const caller = cluster.endpoint(from);
    const callid = `call-${index}`;
    caller.ask(to, 'INVITE', { callid, ...more });
    caller.ask(to, 'ACK', { callid, ...more });
    await cluster.pass();
    const came = cluster.requestsInside.some((request) => request.callid === callid) ? 'in' : 'nothing';
    t.is(caller.responses[0]?.status ?? came, comes, from);
    t.true(caller.responses.length <= 1, 'an ACK is not answered');
  }
});

test('an address that a rule refuses is not looked into: its answers are dropped as well', async (t) => {
  const rules = [borderRuleSchema.parse({ priority: 1, action: 'deny', remoteipmask: '10.100.0.0/16' })];
  const cluster = await EdgeCluster.start({ map: mapWith({ borderrules: rules }) });
  const answer = responseTo(requestOf('INVITE'), 200);
  cluster.endpoint(phone).send(gate, { ...answer, via: [gate, 'north/n1/b2b-214'] });
  await cluster.pass();
  t.deepEqual(cluster.inside, []);
  t.is(cluster.count('n1', 'edge.dropped.border'), 1);
});

/** Registers so often with wrong credentials, as b2b says. */
async function fail(cluster: EdgeCluster, times: number, gapMs = 100): Promise<void> {
  const caller = cluster.endpoint(phone);
  for (let time = 0; time < times; time += 1) {
    caller.ask(gate, 'REGISTER', { callid: `r-${cluster.inside.length}`, cseq: time + 1 });
    await cluster.pass(30);
    const last = cluster.inside.at(-1)!;
    const request = last.message as SipRequest;
    cluster.answer(last.by, request, responseTo(request, 403, wrongCredentials));
    await cluster.pass(gapMs);
  }
}

test('the fifth wrong password within 180 s bans the address on that gate, for 180 s', async (t) => {
  const cluster = await EdgeCluster.start();
  await fail(cluster, 4);
  const banned = async () => {
    const asked = cluster.probed.scope('ws-211').ask('north/n1/sg-213', 'filter.list', {});
    const { value } = await cluster.probed.comes(asked);
    return value.ok ? value.value.banned : [];
  };
  t.deepEqual(await banned(), []);
  await fail(cluster, 1);
  const [entry] = await banned();
  t.is(entry?.ip, '10.100.0.1');
  t.true(entry!.expires > 178 && entry!.expires <= 180);
  const before = cluster.inside.length;
  cluster.endpoint(phone).ask(gate, 'REGISTER');
  await cluster.pass();
  t.is(cluster.inside.length, before);
  await cluster.pass(180_000);
  t.deepEqual(await banned(), []);
  cluster.endpoint(phone).ask(gate, 'REGISTER');
  await cluster.pass();
  t.is(cluster.inside.length, before + 1);
});

test('failures further apart do not ban, nor does a 403 for another reason', async (t) => {
  const cluster = await EdgeCluster.start();
  await fail(cluster, 8, 46_000);
  const caller = cluster.endpoint(phone);
  for (let time = 0; time < 8; time += 1) {
    caller.ask(gate, 'REGISTER', { callid: `full-${time}` });
    await cluster.pass(30);
    const { by, message } = cluster.inside.at(-1)!;
    cluster.answer(by, message as SipRequest, responseTo(message as SipRequest, 403));
    await cluster.pass(30);
  }
  caller.ask(gate, 'INVITE', { callid: 'still' });
  await cluster.pass();
  t.is(cluster.inside.at(-1)!.message.callid, 'still');
});

test('packets beyond the limit of a second are refused with 503, and the next second is a new one', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  const own = cluster.probed.map.instanceNamed('sg-213')!.address;
  const before = cluster.inside.length;
  for (let packet = 0; packet < limits.sgPackets; packet += 1) caller.ask(gate, 'ACK', { callid: `c-${packet}` });
  caller.ask(gate, 'INVITE', { callid: 'too much' });
  caller.ask(gate, 'ACK', { callid: 'too much' });
  await cluster.pass(20);
  const request = requestOf('INVITE', { callid: 'out', uri: `sip:1@${phone}`, via: ['north/n1/b2b-214'] });
  cluster.tell('b2b-214', 'sg-213', request);
  cluster.tell('b2b-214', 'sg-213', { ...responseTo(request, 200), via: [own, phone] });
  await cluster.pass(20);
  t.is(cluster.requestsInside.length - before, limits.sgPackets);
  t.deepEqual(
    caller.heard.map((each) => [each.kind, each.callid]),
    [['response', 'too much']],
  );
  t.deepEqual(
    cluster.responsesInside.map(({ callid, status }) => [callid, status]),
    [['out', 503]],
  );
  t.is(cluster.count('n1', 'edge.dropped.overloaded'), 1);
  await cluster.pass(1_000);
  caller.ask(gate, 'INVITE', { callid: 'again' });
  await cluster.pass(20);
  t.is(cluster.requestsInside.at(-1)!.callid, 'again');
});

test('a callee that answers with the words of wrong credentials bans no caller, and what only the platform says stays inside', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  for (let time = 0; time < 8; time += 1) {
    caller.ask(gate, 'INVITE', { callid: `refused-${time}` });
    await cluster.pass(30);
    const { by, message } = cluster.inside.at(-1)!;
    const words = { reason: wrongCredentials.reason };
    cluster.answer(by, message as SipRequest, responseTo(message as SipRequest, 403, words));
    await cluster.pass(30);
  }
  t.deepEqual(new Set(caller.responses.map(({ status }) => status)), new Set([403]));
  caller.ask(gate, 'INVITE', { callid: 'not banned' });
  await cluster.pass(30);
  const { by, message } = cluster.inside.at(-1)!;
  t.is(message.callid, 'not banned');
  cluster.answer(by, message as SipRequest, responseTo(message as SipRequest, 403, wrongCredentials));
  const claim = { ...responseTo(requestOf('INVITE', { callid: 'claim' }), 403, wrongCredentials) };
  caller.send(gate, { ...claim, via: [gate, 'north/n1/b2b-214'] });
  await cluster.pass(30);
  t.is(caller.responses.at(-1)?.reason, wrongCredentials.reason);
  t.false('isCredentialsWrong' in caller.responses.at(-1)!);
  const taken = cluster.responsesInside.find(({ callid }) => callid === 'claim');
  t.is(taken?.status, 403);
  t.false('isCredentialsWrong' in taken!);
});
