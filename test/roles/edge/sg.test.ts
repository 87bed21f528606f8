/** The internal SIP gate: where it passes messages on to, and what it adds. */

import { responseTo } from '../../../src/model/sip/message.ts';
import { EdgeCluster, mapWith } from '../../kit/calls/edges.ts';
import { requestOf } from '../../kit/calls/outside.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const gate = '10.2.0.11:5060';
const address = 'north/n1/sg-213';
const phone = '10.100.0.1:5060';

test('a new call goes to a b2b of the own site, with the way it came and where it came from', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  caller.ask(gate, 'INVITE', { userAgent: 'desk' });
  await cluster.pass();
  const [got] = cluster.inside;
  t.regex(got!.by, /^b2b-2(14|23)$/);
  const { tag: _, ...to } = requestOf('INVITE').to;
  t.deepEqual(got!.message, {
    ...requestOf('INVITE'),
    to,
    userAgent: 'desk',
    maxForwards: 69,
    via: [address, phone],
    source: phone,
  });
});

test('what only the platform may say is not believed from outside', async (t) => {
  const cluster = await EdgeCluster.start();
  const forged = { account: 'acme.root.test/acme-telecom', esgdlg: '1-1', label: 'vip', domain: 'root.test' };
  cluster.endpoint(phone).ask(gate, 'INVITE', { ...forged, inviteid: 'x', path: 'p', source: '1.2.3.4:5' });
  await cluster.pass();
  const [got] = cluster.requestsInside;
  for (const name of [...Object.keys(forged), 'inviteid', 'path'] as const) t.false(name in got!, name);
  t.is(got!.source, phone);
});

test('a registration says through which gate the device is reached', async (t) => {
  const cluster = await EdgeCluster.start();
  cluster.endpoint(phone).ask(gate, 'REGISTER', { device: 'd', expires: 60 });
  await cluster.pass();
  t.like(cluster.requestsInside[0], { path: address, source: phone, device: 'd', expires: 60 });
});

test('all of one Call-Id goes to one b2b; different ones are spread', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  for (let call = 0; call < 40; call += 1) {
    const callid = `call-${call}`;
    caller.ask(gate, 'INVITE', { callid });
    caller.ask(gate, 'CANCEL', { callid });
    caller.ask(gate, 'INVITE', { callid, cseq: 2 });
    caller.ask(gate, 'ACK', { callid, to: { uri: 'sip:1002@acme.root.test', tag: 't' } });
  }
  await cluster.pass();
  const takers = new Map<string, Set<string>>();
  for (const { by, message } of cluster.inside) {
    takers.set(message.callid, (takers.get(message.callid) ?? new Set()).add(by));
  }
  t.is(cluster.inside.length, 160);
  t.true([...takers.values()].every((names) => names.size === 1));
  const shares = ['b2b-214', 'b2b-223'].map((name) => [...takers.values()].filter((names) => names.has(name)).length);
  t.is(shares[0]! + shares[1]!, 40);
  t.true(Math.min(...shares) >= 8, String(shares));
});

// Seed 3440 of the campaign: two b2b answered one INVITE, for the second one had just come back.
test('what belongs to an INVITE follows it, also when a b2b that comes back would be chosen', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  cluster.probed.faults.crashNode('n2');
  await cluster.pass(5_000);
  const callids = Array.from({ length: 20 }, (_, call) => `call-${call}`);
  for (const callid of callids) caller.ask(gate, 'INVITE', { callid });
  await cluster.pass();
  await cluster.probed.comes(cluster.probed.faults.restartNode('n2'));
  // As long as a user may ring.
  await cluster.pass(300_000);
  for (const callid of callids) {
    caller.ask(gate, 'INVITE', { callid });
    caller.ask(gate, 'CANCEL', { callid });
    caller.ask(gate, 'ACK', { callid, to: { uri: 'sip:1002@acme.root.test', tag: 't' } });
    caller.ask(gate, 'INVITE', { callid, cseq: 2 });
  }
  await cluster.pass();
  const takersOf = (number: number) =>
    new Set(cluster.inside.filter(({ message }) => message.cseq === number).map(({ by }) => by));
  t.is(cluster.requestsInside.length, 100);
  t.deepEqual([...takersOf(1)], ['b2b-214']);
  t.deepEqual([...takersOf(2)].sort(), ['b2b-214', 'b2b-223'], 'another request of the call is chosen for anew');
});

test('an INVITE that its b2b gets late is dropped: a copy of it has gone to another b2b by then', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  cluster.probed.faults.pauseNode('n2');
  const callids = Array.from({ length: 20 }, (_, call) => `call-${call}`);
  for (const pauseMs of [500, 1_000, 2_000, 4_000, 1_500]) {
    for (const callid of callids) caller.ask(gate, 'INVITE', { callid });
    await cluster.pass(pauseMs);
  }
  cluster.probed.faults.resumeNode('n2');
  await cluster.pass(1_000);
  const takers = new Map<string, Set<string>>(callids.map((callid) => [callid, new Set()]));
  for (const { by, message } of cluster.inside) takers.get(message.callid)?.add(by);
  t.deepEqual(
    [...takers.values()].map((names) => [...names]),
    callids.map(() => ['b2b-214']),
  );
  for (const callid of callids) caller.ask(gate, 'INVITE', { callid: `later ${callid}` });
  cluster.probed.faults.pauseNode('n2');
  await cluster.pass(1_500);
  cluster.probed.faults.resumeNode('n2');
  await cluster.pass();
  t.true(
    cluster.inside.some(({ by }) => by === 'b2b-223'),
    'one that is slow takes its calls',
  );
});

test('a CANCEL that comes while the b2b of its INVITE is silent is not answered by another one; its next copy goes there', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  const callids = Array.from({ length: 20 }, (_, call) => `call-${call}`);
  for (const callid of callids) caller.ask(gate, 'INVITE', { callid });
  await cluster.pass();
  const takers = () => new Map(cluster.inside.map(({ by, message }) => [message.callid, by]));
  const before = takers();
  t.is(new Set(before.values()).size, 2);
  cluster.probed.faults.pauseNode('n2');
  await cluster.pass(5_000);
  for (const callid of callids) caller.ask(gate, 'CANCEL', { callid });
  await cluster.pass();
  t.deepEqual(takers(), before);
  t.deepEqual(caller.responses, []);
  cluster.probed.faults.resumeNode('n2');
  await cluster.pass(1_000);
  for (const callid of callids) caller.ask(gate, 'CANCEL', { callid });
  await cluster.pass();
  t.deepEqual(takers(), before);
  const cancelled = cluster.requestsInside.filter(({ method }) => method === 'CANCEL');
  t.is(new Set(cancelled.map(({ callid }) => callid)).size, 20);
});

test('when the b2b of a call is gone, new calls go to another of the site, then to another site, then get 503', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  const takersOf = async () => {
    const before = cluster.inside.length;
    for (let call = 0; call < 20; call += 1) caller.ask(gate, 'INVITE', { callid: `call-${call}` });
    await cluster.pass();
    return new Set(cluster.inside.slice(before).map(({ by }) => by));
  };
  t.deepEqual([...(await takersOf())].sort(), ['b2b-214', 'b2b-223']);
  const stayed = cluster.inside.filter(({ by }) => by === 'b2b-214').map(({ message }) => message.callid);
  cluster.probed.faults.crashNode('n2');
  await cluster.pass(5_000);
  t.deepEqual([...(await takersOf())], ['b2b-214']);
  const stays = cluster.inside.slice(-20).filter(({ message }) => stayed.includes(message.callid));
  t.true(
    stays.every(({ by }) => by === 'b2b-214'),
    'calls of the one that lives do not move',
  );
  cluster.probed.node('n1').crashInstance('b2b-214');
  await cluster.pass(10);
  const elsewhere = [...(await takersOf())];
  t.true(elsewhere.length > 1 && elsewhere.every((name) => /^b2b-1/.test(name)), String(elsewhere));
  cluster.probed.faults.cut({ from: 'n1' });
  await cluster.pass(400);
  cluster.probed.node('n1').crashInstance('b2b-214');
  await cluster.pass(5_000);
  cluster.probed.node('n1').crashInstance('b2b-214');
  await cluster.pass(5);
  caller.heard.length = 0;
  t.deepEqual(await takersOf(), new Set());
  t.deepEqual([caller.responses.length, new Set(caller.responses.map(({ status }) => status))], [20, new Set([503])]);
});

test('a call goes to a b2b that serves its domain, or gets 503; a registration to any', async (t) => {
  const sites = defaultMap.topology.sites.map((site) =>
    site.name === 'hq' ? site : { ...site, domains: ['globex.root.test'] },
  );
  const cluster = await EdgeCluster.start({ map: mapWith({ sites }) });
  const caller = cluster.endpoint(phone);
  const takerOf = async (method: 'INVITE' | 'REGISTER', domain: string) => {
    const before = cluster.inside.length;
    const common = { callid: `${method} ${domain}`, uri: `sip:1002@${domain}` };
    caller.ask(gate, method, { ...common, from: { uri: `sip:1001@${domain}`, tag: 'f' } });
    await cluster.pass();
    return cluster.inside.slice(before).map(({ by }) => by.slice(0, 'b2b-2'.length));
  };
  t.deepEqual(await takerOf('INVITE', 'acme.root.test'), ['b2b-1']);
  t.deepEqual(await takerOf('INVITE', 'globex.root.test'), ['b2b-2']);
  t.deepEqual(await takerOf('INVITE', 'unknown.test'), ['b2b-2'], 'which refuses it');
  t.deepEqual(await takerOf('REGISTER', 'acme.root.test'), ['b2b-2']);
  cluster.probed.faults.cut({ from: 'hq' });
  await cluster.pass(5_000);
  caller.heard.length = 0;
  t.deepEqual(await takerOf('INVITE', 'acme.root.test'), []);
  t.deepEqual(
    caller.responses.map(({ status }) => status),
    [503],
  );
});

test('a call between two domains goes to a b2b that serves both, and while there is none to one of the caller', async (t) => {
  const sites = defaultMap.topology.sites.map((site) =>
    site.name === 'hq' ? site : { ...site, domains: ['globex.root.test'] },
  );
  const cluster = await EdgeCluster.start({ map: mapWith({ sites }) });
  const caller = cluster.endpoint(phone);
  const from = { uri: 'sip:1001@globex.root.test', tag: 'f' };
  const takersOf = async (called: string, ...methods: readonly ('INVITE' | 'CANCEL')[]) => {
    const before = cluster.inside.length;
    for (const method of methods) caller.ask(gate, method, { callid: `to ${called}`, from, uri: `sip:1001@${called}` });
    await cluster.pass();
    return cluster.inside.slice(before).map(({ by }) => by);
  };
  t.regex((await takersOf('globex.root.test', 'INVITE')).join(), /^b2b-2\d\d$/);
  t.regex((await takersOf('unknown.test', 'INVITE')).join(), /^b2b-2\d\d$/);
  const [taker, ofCancel] = await takersOf('acme.root.test', 'INVITE', 'CANCEL');
  t.regex(taker ?? '', /^b2b-1\d\d$/);
  t.is(ofCancel, taker);
  cluster.probed.faults.cut({ from: 'hq' });
  await cluster.pass(5_000);
  t.regex((await takersOf('acme.root.test', 'INVITE')).join(), /^b2b-2\d\d$/);
});

test('a request in a dialog goes to the instance that its URI names, and only if that is a b2b', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  const to = { uri: 'sip:1002@acme.root.test', tag: 't' };
  caller.ask(gate, 'BYE', { to, uri: 'sip:1001@b2b-323' });
  caller.ask(gate, 'BYE', { to, uri: 'sip:1001@sr-217', callid: 'forged' });
  await cluster.pass();
  const takerOf = (callid: string) => cluster.inside.find(({ message }) => message.callid === callid)?.by;
  t.is(takerOf('call-1'), 'b2b-323');
  t.regex(takerOf('forged') ?? '', /^b2b-2/);
});

test('a request in a dialog whose b2b is out of reach is answered with 503 at once; an ACK, BYE or CANCEL is not', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  cluster.probed.faults.crashNode('s2');
  await cluster.pass(5_000);
  const to = { uri: 'sip:1002@acme.root.test', tag: 't' };
  for (const method of ['BYE', 'INVITE', 'UPDATE', 'ACK', 'CANCEL'] as const) {
    caller.ask(gate, method, { to, uri: 'sip:1001@b2b-323' });
  }
  await cluster.pass(10);
  t.deepEqual(cluster.inside, []);
  t.deepEqual(
    caller.responses.map(({ method, status, via }) => [method, status, via[0]]),
    ['INVITE', 'UPDATE'].map((method) => [method, 503, phone]),
  );
});

test('an answer goes back the way that its request came', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  caller.ask(gate, 'INVITE');
  await cluster.pass();
  const [{ by, message } = { by: '', message: requestOf('INVITE') }] = cluster.inside;
  cluster.answer(by, message as never, responseTo(message as never, 180));
  await cluster.pass();
  t.like(caller.responses[0], { status: 180, via: [phone] });
});

test('a request from inside goes to the endpoint in its URI, and the answer back to its sender', async (t) => {
  const cluster = await EdgeCluster.start();
  const callee = cluster.endpoint(phone);
  const b2b = 'north/n2/b2b-223';
  cluster.tell('b2b-223', 'sg-213', requestOf('INVITE', { uri: `sip:1001@${phone}`, via: [b2b], inviteid: 'i' }));
  await cluster.pass();
  t.like(callee.requests[0], { method: 'INVITE', via: [gate, b2b], maxForwards: 69, inviteid: 'i' });
  callee.reply(callee.requests[0]!, 486);
  await cluster.pass();
  t.like(cluster.inside[0], { by: 'b2b-223', message: { status: 486, via: [b2b] } });
});

test('a request from inside whose URI has no endpoint is answered with 404', async (t) => {
  const cluster = await EdgeCluster.start();
  const via = ['north/n2/b2b-223'];
  cluster.tell('b2b-223', 'sg-213', requestOf('INVITE', { uri: 'sip:1001@acme.root.test', via }));
  cluster.tell('b2b-223', 'sg-213', requestOf('ACK', { uri: 'sip:1001@acme.root.test', via }));
  await cluster.pass();
  t.deepEqual(
    cluster.responsesInside.map(({ status }) => status),
    [404],
  );
});

test('a loop, a wrong way and an unknown way are dropped and counted', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  caller.ask(gate, 'INVITE', { via: [phone, gate] });
  caller.ask(gate, 'INVITE', { via: [phone, address] });
  caller.ask(gate, 'INVITE', { via: [] });
  caller.ask(gate, 'INVITE', { via: ['10.100.0.2:5060'] });
  const answer = responseTo(requestOf('INVITE'), 200);
  caller.send(gate, answer);
  caller.send(gate, { ...answer, via: [gate] });
  caller.send(gate, { ...answer, via: [gate, 'north/n9/b2b-999'] });
  caller.send(gate, { ...answer, via: ['10.2.0.12:5060', 'north/n2/b2b-223'] });
  const b2b = 'north/n2/b2b-223';
  cluster.tell('b2b-223', 'sg-213', requestOf('INVITE', { uri: `sip:1@${phone}`, via: [b2b, address] }));
  cluster.tell('b2b-223', 'sg-213', requestOf('INVITE', { uri: `sip:1@${phone}`, via: ['north/n1/b2b-214'] }));
  cluster.tell('b2b-223', 'sg-213', { ...answer, via: [address] });
  cluster.tell('b2b-223', 'sg-213', { ...answer, via: [address, b2b] });
  cluster.tell('b2b-223', 'sg-213', { ...answer, via: [b2b, phone] });
  await cluster.pass();
  t.deepEqual(cluster.inside, []);
  t.deepEqual(caller.heard, []);
  t.is(cluster.count('n1', 'edge.dropped.loop'), 3);
  t.is(cluster.count('n1', 'edge.dropped.wrong_via'), 10);
});

test('a request that has been passed on too often is answered with 483', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  caller.ask(gate, 'INVITE', { maxForwards: 0 });
  caller.ask(gate, 'INVITE', { maxForwards: 1, callid: 'last' });
  await cluster.pass();
  t.deepEqual(
    caller.responses.map(({ status }) => status),
    [483],
  );
  t.like(cluster.requestsInside, [{ callid: 'last', maxForwards: 0 }]);
});

test('a gate that crashes and comes back passes on what belongs to calls from before', async (t) => {
  const cluster = await EdgeCluster.start();
  const caller = cluster.endpoint(phone);
  caller.ask(gate, 'INVITE');
  await cluster.pass();
  const request = cluster.requestsInside[0]!;
  const { by } = cluster.inside[0]!;
  cluster.probed.faults.crashInstance('sg-213');
  t.false(cluster.outside.isTaken(gate));
  await cluster.pass(2_000);
  t.true(cluster.outside.isTaken(gate));
  cluster.answer(by, request, responseTo(request, 200));
  await cluster.pass();
  t.like(caller.responses[0], { status: 200 });
});
