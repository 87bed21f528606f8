/** The external SIP gate: calls through provider accounts, their trunks, and what the dashboards count. */

import { limits } from '../../../src/model/limits.ts';
import { responseTo, type SipRequest, type SipResponse } from '../../../src/model/sip/message.ts';
import { EdgeCluster, mapWith } from '../../kit/calls/edges.ts';
import {
  acme,
  address,
  answered,
  b2b,
  callIn,
  callOut,
  counts,
  gate,
  inDialog,
  startTelecom,
  type Telecom,
  telecom,
} from '../../kit/calls/telecom.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const globex = 'globex.root.test/globex-telecom';

/** A request of the provider in a call with b2b, as far as the answer of b2b, which says the account if it knows the call. */
async function updated({ cluster, provider }: Telecom, callid: string, account?: string): Promise<void> {
  provider.ask(gate, 'UPDATE', { callid, uri: 'sip:1001@b2b-223', to: { uri: 'sip:1001@y', tag: 't' }, cseq: 9 });
  await cluster.pass();
  const { by, message } = cluster.inside.at(-1)!;
  const status = account === undefined ? 481 : 200;
  const ids = account === undefined ? {} : { account, inviteid: `i-${callid}` };
  cluster.answer(by, message as SipRequest, responseTo(message as SipRequest, status, ids));
  await cluster.pass();
}

/** The trunks in use by account, at one gate that has both of one provider. */
async function startShared(trunks: number) {
  const domains = defaultMap.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((each) => ({ ...each, trunks, esg: 221 })),
  }));
  const cluster = await EdgeCluster.start({ map: mapWith({ domains }) });
  const provider = cluster.endpoint(telecom);
  const inUse = async () => {
    const asked = cluster.probed.scope('ws-211').ask(address, 'edge.figures', {});
    const { value } = await cluster.probed.comes(asked);
    if (!value.ok) throw new Error(value.fault.message);
    return Object.fromEntries(value.value.regs.map(({ code, onlinetrunkcount }) => [code, onlinetrunkcount]));
  };
  return { call: { cluster, provider }, inUse };
}

test('a call outward goes to the provider of the account, in the name of the account', async (t) => {
  const call = await startTelecom();
  callOut(call, 'c', { label: 'vip', domain: 'acme.root.test' });
  await call.cluster.pass();
  const [got] = call.provider.requests;
  t.like(got, {
    uri: 'sip:4930123@sip.telecom.test',
    from: { uri: 'sip:acme@sip.telecom.test', tag: 'f' },
    to: { uri: 'sip:4930123@sip.telecom.test' },
    via: [gate, b2b],
    maxForwards: 69,
  });
  for (const name of ['account', 'label', 'domain']) t.false(name in got!, name);
  call.provider.reply(got!, 180);
  await call.cluster.pass();
  t.like(call.cluster.inside, [{ by: 'b2b-223', message: { status: 180, via: [b2b] } }]);
});

test('a call inward goes to a b2b with its account, the number dialled and an id of its own', async (t) => {
  const call = await startTelecom();
  callIn(call, 'c', { account: 'globex.root.test/globex-telecom', esgdlg: 'forged' });
  callIn(call, 'd', { uri: 'sip:1002@10.2.0.12:5080' });
  callIn(call, 'c');
  await call.cluster.pass();
  const [first, again] = call.cluster.requestsInside.filter(({ callid }) => callid === 'c');
  const second = call.cluster.requestsInside.find(({ callid }) => callid === 'd');
  t.like(first, {
    uri: 'sip:1001@acme.root.test',
    from: { uri: 'sip:4930123@sip.telecom.test', tag: 'p' },
    to: { uri: 'sip:1001@sip.telecom.test' },
    account: acme,
    esgdlg: '221-1',
    source: telecom,
    via: [address, telecom],
  });
  t.like(second, { uri: 'sip:1002@acme.root.test', esgdlg: '221-2' });
  t.is(again?.esgdlg, '221-1', 'an INVITE that comes again is the same call');
  t.deepEqual(new Set(call.cluster.inside.map(({ by }) => by.slice(0, 5))), new Set(['b2b-2']));
});

test('an address of no account is an intruder: refused, and banned when it goes on', async (t) => {
  const call = await startTelecom();
  const unknown = call.cluster.endpoint('10.66.0.1:5060');
  for (let time = 0; time < 7; time += 1) {
    unknown.ask(gate, time % 2 === 0 ? 'INVITE' : 'OPTIONS', { callid: `x-${time}` });
    await call.cluster.pass();
  }
  t.deepEqual(call.cluster.inside, []);
  t.deepEqual(
    unknown.responses.map(({ status }) => status),
    [403, 403, 403, 403, 403],
  );
});

test('the address of an account of another gate is an intruder here', async (t) => {
  const domains = defaultMap.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((each) => (each.esg === 321 ? { ...each, addrs: ['10.9.0.2'] } : each)),
  }));
  const cluster = await EdgeCluster.start({ map: mapWith({ domains }) });
  const other = cluster.endpoint('10.9.0.2:5060');
  other.ask(gate, 'INVITE');
  await cluster.pass();
  t.deepEqual(
    other.responses.map(({ status }) => status),
    [403],
  );
  other.ask('10.3.0.12:5080', 'INVITE');
  await cluster.pass();
  t.is(cluster.requestsInside.length, 1);
});

test('of accounts with one provider on one gate the account named in the URI gets the call', async (t) => {
  const domains = defaultMap.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((each) => ({ ...each, esg: 221 })),
  }));
  const cluster = await EdgeCluster.start({ map: mapWith({ domains }) });
  const provider = cluster.endpoint(telecom);
  const to = { uri: 'sip:1001@sip.telecom.test' };
  provider.ask(gate, 'INVITE', { callid: 'a', uri: `sip:globex@${gate}`, to });
  provider.ask(gate, 'INVITE', { callid: 'b', uri: `sip:acme@${gate}`, to });
  provider.ask(gate, 'INVITE', { callid: 'c', uri: `sip:1001@${gate}`, to: { uri: 'sip:globex@sip.telecom.test' } });
  await cluster.pass();
  const accountOf = (callid: string) => cluster.requestsInside.find((each) => each.callid === callid)?.account;
  t.deepEqual(['a', 'b', 'c'].map(accountOf), [
    'globex.root.test/globex-telecom',
    acme,
    'globex.root.test/globex-telecom',
  ]);
});

test('a call to an account that another gate has is refused with 503, and is no call of another customer', async (t) => {
  const call = await startTelecom();
  const to = { uri: 'sip:1001@sip.telecom.test' };
  call.provider.ask(gate, 'INVITE', { callid: 'a', uri: `sip:globex@${gate}`, to });
  call.provider.ask(gate, 'INVITE', {
    callid: 'b',
    uri: `sip:1001@${gate}`,
    to: { uri: 'sip:globex@sip.telecom.test' },
  });
  await call.cluster.pass();
  t.deepEqual(
    call.provider.responses.filter(({ status }) => status >= 200).map(({ callid, status }) => [callid, status]),
    [
      ['a', 503],
      ['b', 503],
    ],
  );
  t.deepEqual(call.cluster.requestsInside, []);
});

test('an OPTIONS of a provider is answered, its REGISTER is refused', async (t) => {
  const call = await startTelecom();
  call.provider.ask(gate, 'OPTIONS', { callid: 'o' });
  call.provider.ask(gate, 'REGISTER', { callid: 'r' });
  await call.cluster.pass();
  t.deepEqual(
    call.provider.responses.map(({ callid, status }) => [callid, status]),
    [
      ['o', 200],
      ['r', 403],
    ],
  );
  t.deepEqual(call.cluster.inside, []);
});

test('an account that is not here is refused: 503 for a new call', async (t) => {
  const call = await startTelecom();
  callOut(call, 'c', { account: 'globex.root.test/globex-telecom' });
  callOut(call, 'd', { account: 'acme.root.test/nothing' });
  await call.cluster.pass();
  t.deepEqual(
    call.cluster.responsesInside.map(({ callid, status }) => [callid, status]),
    [
      ['c', 503],
      ['d', 404],
    ],
  );
  t.deepEqual(call.provider.requests, []);
});

test('a call is counted from its INVITE until its BYE is answered', async (t) => {
  const call = await startTelecom();
  t.deepEqual(await counts(call), { dlgs: 0, legs: 0, trunks: 0 });
  const invite = await answered(call, 'c', 200);
  t.deepEqual(await counts(call), { dlgs: 1, legs: 1, trunks: 1 });
  call.cluster.tell('b2b-223', 'esg-221', inDialog(invite, 'BYE'));
  await call.cluster.pass();
  t.deepEqual(await counts(call), { dlgs: 1, legs: 1, trunks: 1 });
  const bye = call.provider.requests.at(-1)!;
  t.is(bye.from.uri, 'sip:acme@sip.telecom.test');
  call.provider.reply(bye, 200);
  await call.cluster.pass();
  t.deepEqual(await counts(call), { dlgs: 0, legs: 0, trunks: 0 });
});

test('a call that is refused or taken back is counted no more; its ACK still finds the provider', async (t) => {
  const call = await startTelecom();
  const invite = await answered(call, 'c', 486);
  t.deepEqual(await counts(call), { dlgs: 0, legs: 0, trunks: 0 });
  call.cluster.tell('b2b-223', 'esg-221', {
    ...invite,
    method: 'ACK',
    to: { ...invite.to, tag: 't' },
    account: undefined,
  } as never);
  await call.cluster.pass();
  t.is(call.provider.requests.at(-1)?.method, 'ACK');

  const second = callOut(call, 'd');
  await call.cluster.pass();
  t.is((await counts(call)).legs, 1);
  const { account, ...cancel } = { ...second, method: 'CANCEL' as const };
  call.cluster.tell('b2b-223', 'esg-221', cancel);
  await call.cluster.pass();
  const got = call.provider.requests.filter(({ callid }) => callid === 'd');
  t.deepEqual(
    got.map(({ method }) => method),
    ['INVITE', 'CANCEL'],
  );
  call.provider.reply(got[1]!, 200);
  await call.cluster.pass();
  t.is((await counts(call)).legs, 1);
  call.provider.reply(got[0]!, 487);
  await call.cluster.pass();
  t.is((await counts(call)).legs, 0);
});

test('two legs of one call are one dialog, once b2b has said what they belong to', async (t) => {
  const call = await startTelecom();
  callIn(call, 'a');
  await call.cluster.pass();
  t.deepEqual(await counts(call), { dlgs: 1, legs: 1, trunks: 1 });
  const { by, message } = call.cluster.inside[0]!;
  callOut(call, 'b', { inviteid: 'same' });
  await call.cluster.pass();
  t.deepEqual(await counts(call), { dlgs: 2, legs: 2, trunks: 2 });
  call.cluster.answer(by, message as SipRequest, responseTo(message as SipRequest, 180, { inviteid: 'same' }));
  await call.cluster.pass();
  t.deepEqual(await counts(call), { dlgs: 1, legs: 2, trunks: 2 });
});

test('beyond its trunks an account is refused: 503 outward, 486 inward; a trunk that is free again is used again', async (t) => {
  const call = await startTelecom(2);
  const invite = await answered(call, 'a', 200);
  await answered(call, 'b', 200);
  callOut(call, 'c');
  callIn(call, 'd');
  callOut(call, 'a');
  await call.cluster.pass();
  t.deepEqual(
    call.cluster.responsesInside.filter(({ status }) => status === 503).map(({ callid }) => callid),
    ['c'],
  );
  t.deepEqual(
    call.provider.responses.map(({ callid, status }) => [callid, status]),
    [['d', 486]],
  );
  t.is(call.provider.requests.filter(({ callid }) => callid === 'a').length, 2, 'one that comes again is no new call');
  call.cluster.tell('b2b-223', 'esg-221', inDialog(invite, 'BYE'));
  await call.cluster.pass();
  call.provider.reply(call.provider.requests.at(-1)!, 200);
  await call.cluster.pass();
  callIn(call, 'e');
  await call.cluster.pass();
  t.is(call.cluster.requestsInside.at(-1)?.callid, 'e');
  t.is((await counts(call)).trunks, 2);
});

// Seed 34864 of the campaign: the second copy of an INVITE found a trunk, and the ACK to the refusal of the first one went out.
test('the ACK to a refusal of the gate ends at the gate, also when a later copy of the INVITE has passed', async (t) => {
  const call = await startTelecom(1);
  const busy = await answered(call, 'a', 200);
  callOut(call, 'b');
  await call.cluster.pass();
  const refusal = call.cluster.responsesInside.find(({ status }) => status === 503);
  t.is(refusal?.to.tag, 'esg-221.b');
  call.cluster.tell('b2b-223', 'esg-221', inDialog(busy, 'BYE'));
  await call.cluster.pass();
  call.provider.reply(call.provider.requests.at(-1)!, 200);
  await call.cluster.pass();
  callOut(call, 'b');
  await call.cluster.pass();
  const [invite] = call.provider.requests.filter(({ callid }) => callid === 'b');
  const toRefusal = { ...invite!, method: 'ACK' as const, to: refusal!.to, via: ['north/n2/b2b-223'] };
  call.cluster.tell('b2b-223', 'esg-221', toRefusal);
  // Seed 53049: this gate stood in for another one, whose refusal came again.
  call.cluster.tell('b2b-223', 'esg-221', { ...toRefusal, to: { ...refusal!.to, tag: 'esg-113.b' } });
  call.cluster.tell('b2b-223', 'esg-221', { ...toRefusal, to: { ...refusal!.to, tag: 'of the provider' } });
  await call.cluster.pass();
  t.deepEqual(
    call.provider.requests.filter(({ callid }) => callid === 'b').map(({ method, to }) => [method, to.tag]),
    [
      ['INVITE', undefined],
      ['ACK', 'of the provider'],
    ],
  );
});

test('a refused re-INVITE ends nothing; that the other side knows nothing of the dialog does', async (t) => {
  const call = await startTelecom();
  const invite = await answered(call, 'c', 200);
  const say = async (request: SipRequest, status: number) => {
    call.cluster.tell('b2b-223', 'esg-221', request);
    await call.cluster.pass();
    call.provider.reply(call.provider.requests.at(-1)!, status);
    await call.cluster.pass();
    return (await counts(call)).legs;
  };
  t.is(await say(inDialog(invite, 'INVITE', 2), 488), 1);
  t.is(await say(inDialog(invite, 'INVITE', 3), 200), 1);
  t.is(await say(inDialog(invite, 'UPDATE', 4), 200), 1);
  t.is(await say(inDialog(invite, 'UPDATE', 5), 481), 0);
});

test('a call without any requests is not counted after the life of a session', async (t) => {
  const call = await startTelecom();
  const invite = await answered(call, 'c', 200);
  await answered(call, 'silent', 200);
  for (let time = 0; time < 4; time += 1) {
    await call.cluster.pass(30_000);
    call.cluster.tell('b2b-223', 'esg-221', inDialog(invite, 'UPDATE', 3 + time));
    await call.cluster.pass();
  }
  t.is((await counts(call)).legs, 1);
  await call.cluster.pass(110_000);
  t.is((await counts(call)).legs, 0);
});

test('when the b2b of a call is lost its trunk is free as soon as calls are given up', async (t) => {
  const call = await startTelecom();
  const invite = callOut(call, 'c', { via: ['hq/h1/b2b-114'] });
  call.cluster.tell('b2b-114', 'esg-221', invite);
  callOut(call, 'd');
  await call.cluster.pass();
  t.is((await counts(call)).legs, 2);
  const cutMs = call.cluster.probed.clock.now();
  call.cluster.probed.faults.crashNode('h1');
  let freedMs: number | undefined;
  while (freedMs === undefined && call.cluster.probed.clock.now() - cutMs < 20_000) {
    await call.cluster.pass(100);
    if ((await counts(call)).legs === 1) freedMs = call.cluster.probed.clock.now() - cutMs;
  }
  t.true(freedMs !== undefined && freedMs > 2_000 && freedMs < 7_000, String(freedMs));
});

test('when the b2b of a call is back soon enough nothing is given up; when it has started anew all is', async (t) => {
  const call = await startTelecom();
  call.cluster.tell('b2b-114', 'esg-221', callOut(call, 'c', { via: ['hq/h1/b2b-114'] }));
  await call.cluster.pass();
  const mend = call.cluster.probed.faults.cut({ from: 'north' });
  await call.cluster.pass(4_000);
  mend();
  await call.cluster.pass(4_000);
  t.is((await counts(call)).legs, 1);
  call.cluster.probed.faults.crashInstance('b2b-114');
  await call.cluster.pass(300);
  t.is((await counts(call)).legs, 0);
});

test('when the node of a b2b crashed the trunks of its calls are free, also when it is back before it is missed', async (t) => {
  const call = await startTelecom();
  call.cluster.tell('b2b-114', 'esg-221', callOut(call, 'c', { via: ['hq/h1/b2b-114'] }));
  await call.cluster.pass();
  t.is((await counts(call)).trunks, 1);
  call.cluster.probed.faults.crashNode('h1');
  await call.cluster.pass(500);
  void call.cluster.probed.cluster.start(['h1']);
  await call.cluster.pass(2_000);
  t.is((await counts(call)).trunks, 0);
});

test('a gate that has started anew finds a call again as it speaks, and a dead one not', async (t) => {
  const call = await startTelecom();
  const invite = await answered(call, 'c', 200);
  call.cluster.probed.faults.crashInstance('esg-221');
  await call.cluster.pass(2_000);
  t.deepEqual(await counts(call), { dlgs: 0, legs: 0, trunks: 0 });
  for (const method of ['ACK', 'BYE'] as const) {
    call.cluster.tell('b2b-223', 'esg-221', inDialog({ ...invite, callid: 'dead' }, method));
  }
  call.cluster.tell('b2b-223', 'esg-221', inDialog(invite, 'UPDATE'));
  await updated(call, 'dead');
  await updated(call, 'in', acme);
  t.deepEqual(await counts(call), { dlgs: 2, legs: 2, trunks: 2 });
  t.deepEqual(
    call.provider.requests.slice(-3).map(({ method }) => method),
    ['ACK', 'BYE', 'UPDATE'],
  );
  t.like(call.cluster.inside.at(-1), { by: 'b2b-223', message: { method: 'UPDATE', callid: 'in' } });
  const last = call.provider.responses.at(-1);
  t.like(last, { callid: 'in', status: 200 });
  t.false('account' in last!, 'what the platform knows of a call is not for the provider');
});

test('a gate that has started anew counts each call on the account that it is on, of several with one provider', async (t) => {
  const { call, inUse } = await startShared(1);
  const out = callOut(call, 'out', { account: globex });
  await call.cluster.pass();
  call.provider.reply(call.provider.requests.at(-1)!, 200, { to: { ...out.to, tag: 't' } });
  await call.cluster.pass();
  t.deepEqual(await inUse(), { 'acme-telecom': 0, 'globex-telecom': 1 });

  for (const adopted of ['outward', 'inward']) {
    call.cluster.probed.faults.crashInstance('esg-221');
    await call.cluster.pass(2_000);
    t.deepEqual(await inUse(), { 'acme-telecom': 0, 'globex-telecom': 0 });
    if (adopted === 'outward') call.cluster.tell('b2b-223', 'esg-221', inDialog(out, 'UPDATE'));
    else await updated(call, 'out', globex);
    await call.cluster.pass();
    t.deepEqual(await inUse(), { 'acme-telecom': 0, 'globex-telecom': 1 }, adopted);
  }
  const asked = call.provider.requests.filter(({ method }) => method === 'UPDATE').map(({ from }) => from.uri);
  t.deepEqual(asked, ['sip:globex@sip.telecom.test'], 'in the name of its account');

  // One trunk each: that of globex is in use.
  callOut(call, 'second', { account: globex });
  callIn(call, 'third', { uri: `sip:globex@${gate}` });
  callIn(call, 'fourth', { uri: `sip:acme@${gate}` });
  await call.cluster.pass();
  t.deepEqual(
    call.cluster.responsesInside.filter(({ status }) => status === 503).map(({ callid }) => callid),
    ['second'],
  );
  t.deepEqual(
    call.provider.responses.filter(({ status }) => status === 486).map(({ callid }) => callid),
    ['third'],
  );
  t.deepEqual(await inUse(), { 'acme-telecom': 1, 'globex-telecom': 1 });
});

test('a CANCEL of a provider finds the b2b of its INVITE at a gate that has started anew', async (t) => {
  const { call } = await startShared(30);
  const uri = `sip:globex@${gate}`;
  const callids = Array.from({ length: 8 }, (_, index) => `c-${index}`);
  for (const callid of callids) callIn(call, callid, { uri });
  await call.cluster.pass();
  call.cluster.probed.faults.crashInstance('esg-221');
  await call.cluster.pass(2_000);
  for (const callid of callids) callIn(call, callid, { uri, method: 'CANCEL' });
  await call.cluster.pass();
  const by = (method: string) =>
    callids.map(
      (callid) => call.cluster.inside.find(({ message }) => message.callid === callid && message.method === method)?.by,
    );
  t.deepEqual(by('CANCEL'), by('INVITE'));
});

test('a request of the provider in a call goes to the b2b of the call, or is 503 if that is unreachable', async (t) => {
  const call = await startTelecom();
  callIn(call, 'c');
  await call.cluster.pass();
  const [{ by } = { by: '' }] = call.cluster.inside;
  callIn(call, 'c', { method: 'CANCEL' });
  await call.cluster.pass();
  t.like(call.cluster.inside.at(-1), { by, message: { method: 'CANCEL' } });
  call.cluster.probed.faults.cut({ from: 'n2' });
  const other = 'sip:x@b2b-323';
  await call.cluster.pass(5_000);
  call.provider.ask(gate, 'UPDATE', { callid: 'z', uri: other, to: { uri: 'sip:x@y', tag: 't' } });
  await call.cluster.pass();
  const last = call.provider.responses.at(-1) as SipResponse;
  t.deepEqual([last.callid, last.status], ['z', 503]);
});

test('packets of a second are bounded', async (t) => {
  const call = await startTelecom();
  for (let packet = 0; packet < limits.sgPackets; packet += 1) {
    call.provider.ask(gate, 'ACK', { callid: `a-${packet}`, to: { uri: 'sip:x@y', tag: 't' }, uri: 'sip:x@b2b-223' });
  }
  callIn(call, 'too much');
  await call.cluster.pass(20);
  t.deepEqual(
    call.provider.responses.map(({ callid, status }) => [callid, status]),
    [['too much', 503]],
  );
});
