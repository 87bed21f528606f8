/** REGISTER from a phone, through sg, b2b and the domain data, to the registrar, and the answer back. */

import type { Role, RoleScope } from '../../../src/cluster/role.ts';
import type { Envelope } from '../../../src/model/cluster/envelope.ts';
import { done, failed, fault, type Outcome } from '../../../src/model/fault.ts';
import type { SipUserRecord } from '../../../src/model/protocol/messages/directory.ts';
import { credentialsFor } from '../../../src/model/sip/digest.ts';
import type { SipRequest, SipResponse } from '../../../src/model/sip/message.ts';
import { nilUuid } from '../../../src/model/uuid.ts';
import { Authentication } from '../../../src/roles/b2b/authentication.ts';
import { Registering } from '../../../src/roles/b2b/registering.ts';
import { UserAgent } from '../../../src/sip/user-agent.ts';
import type { ScriptedEndpoint } from '../../kit/calls/outside.ts';
import { acme, RegistrarCluster } from '../../kit/calls/registrars.ts';
import { test } from '../../kit/test.ts';

const gate = '10.2.0.11:5060';
const place = '10.100.0.1:5060';

const user: SipUserRecord = {
  id: 'id-in-the-domain-data',
  domain: acme,
  login: '1001',
  pwd: 'right',
  name: '1001',
  phonenumber: '1001',
  iduser: nilUuid,
  devices: 2,
  calltimesec: 30,
  dlgtimesec: 0,
  trunks: -1,
  maxexpires: 600,
  minexpires: 30,
  modextin: '',
  modextout: '',
};

/** A b2b that registers and does nothing else. */
function makeB2b(scope: RoleScope): Role<'b2b'> {
  const { instance, clock, random, counters, crash, tell } = scope;
  const agent: UserAgent = new UserAgent({
    sentBy: instance.address,
    host: instance.name,
    clock,
    random: random.stream('ids'),
    counters,
    send: (message, hop) => tell(hop, 'sip', message),
    isLossy: () => true,
    session: { does: 'watch', expiresMs: 90_000 },
    onReport: () => {},
    onRequest: (request) => registering.take(request),
    onCrash: crash,
  });
  const authentication = new Authentication(scope);
  const registering = new Registering({
    scope,
    authentication,
    respond: (request, status, more) => agent.respond(request, status, more),
  });
  const handlers = {
    sip: (message: Parameters<UserAgent['receive']>[0], { from }: Envelope) => agent.receive(message, from),
  };
  return { handlers: handlers as never, stop: () => agent.stop() };
}

interface Directory {
  isAway: boolean;
}

async function start(): Promise<{ cluster: RegistrarCluster; phone: ScriptedEndpoint; directory: Directory }> {
  const directory: Directory = { isAway: false };
  const answer = ({ type, body }: Envelope): Outcome<unknown> => {
    if (type !== 'directory.sipusers') return done({});
    if (directory.isAway) return failed(fault('unreachable', 'no data'));
    const { logins } = body as { logins: string[] };
    return done({ users: logins.includes('1001') ? [user] : [] });
  };
  const cluster = await RegistrarCluster.start({ answer, roles: { b2b: makeB2b } });
  // The asker of the registrars' kit is a b2b, which here is real.
  return { cluster, phone: cluster.edges.endpoint(place), directory };
}

let registered = 0;

/** Sends a REGISTER and gives the answer that comes within some seconds. */
async function send(
  cluster: RegistrarCluster,
  phone: ScriptedEndpoint,
  more: Partial<SipRequest> = {},
): Promise<SipResponse | undefined> {
  registered += 1;
  const who = { uri: 'sip:1001@acme.root.test' };
  const request: Partial<SipRequest> = {
    uri: `sip:${acme}`,
    from: { ...who, tag: 'f' },
    to: who,
    callid: 'reg',
    cseq: registered,
    contact: `sip:1001@${place}`,
    device: 'desk',
    userAgent: 'softphone',
    ...more,
  };
  const before = phone.responses.length;
  phone.ask(gate, 'REGISTER', request);
  await cluster.pass(200);
  return phone.responses[before];
}

/** Registers as a phone does: the second time with what answers the challenge. */
async function register(
  cluster: RegistrarCluster,
  phone: ScriptedEndpoint,
  { pwd = 'right', username = '1001', ...more }: Partial<SipRequest> & { pwd?: string; username?: string } = {},
): Promise<SipResponse | undefined> {
  const first = await send(cluster, phone, more);
  if (first?.challenge === undefined) return first;
  const uri = `sip:${acme}`;
  const credentials = credentialsFor({ username, pwd }, first.challenge, { method: 'REGISTER', uri });
  return send(cluster, phone, { credentials, ...more });
}

async function bindings(cluster: RegistrarCluster) {
  const body = { domain: acme, logins: ['1001'] };
  const { value } = await cluster.probed.comes(
    cluster.probed.scope('conf-224').ask('north/n1/sr-217', 'registrar.lookup', body),
  );
  return value.ok ? value.value.bindings : [];
}

test('a phone is challenged, and registered when it answers that', async (t) => {
  const { cluster, phone } = await start();
  const challenged = await send(cluster, phone, { expires: 300 });
  t.like(challenged, { status: 401, challenge: { realm: acme }, via: [place] });
  const answer = await register(cluster, phone, { expires: 300 });
  t.like(answer, { status: 200, expires: 300, contacts: [`sip:1001@${place}`] });
  const [binding] = await bindings(cluster);
  t.like(binding, {
    device: 'desk',
    contact: `sip:1001@${place}`,
    path: 'north/n1/sg-213',
    userAgent: 'softphone',
    callid: 'reg',
    userid: user.id,
  });
  const state = cluster.events.find(({ event }) => event.name === 'data_changed');
  t.like(state?.event.data, { id: user.id, username: '1001', status: 'online' });
  t.true(Math.abs(binding!.leftMs - 300_000) < 1_000);
});

test('the life of a registration is kept within the bounds of the user', async (t) => {
  const { cluster, phone } = await start();
  t.like(await register(cluster, phone, { expires: 86_400 }), { status: 200, expires: 600 });
  t.like(await register(cluster, phone, {}), { status: 200, expires: 600 });
  t.like(await register(cluster, phone, { expires: 30 }), { status: 200, expires: 30 });
  t.like(await register(cluster, phone, { expires: 29 }), { status: 423, expires: 30 });
  t.is((await bindings(cluster)).length, 1);
});

test('with a life of 0 a device unregisters, and only that one', async (t) => {
  const { cluster, phone } = await start();
  await register(cluster, phone, { device: 'desk' });
  await register(cluster, phone, { device: 'mobile', callid: 'other', contact: 'sip:1001@10.100.0.9:5060' });
  t.like(await register(cluster, phone, { expires: 0, device: 'desk' }), { status: 200, expires: 0 });
  t.deepEqual(
    (await bindings(cluster)).map(({ device }) => device),
    ['mobile'],
  );
});

test('a wrong password, a wrong name and an unknown user are refused alike, and after five the address is banned', async (t) => {
  const { cluster, phone } = await start();
  const unknown = { uri: 'sip:9999@acme.root.test' };
  const answers = [
    await register(cluster, phone, { pwd: 'wrong' }),
    await register(cluster, phone, { username: '1002', pwd: 'right' }),
    await register(cluster, phone, { from: { ...unknown, tag: 'f' }, to: unknown, username: '9999' }),
  ];
  for (const answer of answers) t.like(answer, { status: 403, reason: 'Wrong Credentials' });
  await register(cluster, phone, { pwd: 'wrong' });
  await register(cluster, phone, { pwd: 'wrong' });
  t.is(await register(cluster, phone), undefined);
  t.deepEqual(await bindings(cluster), []);
});

test('credentials for another challenge are challenged again: an old one, one of another instance, one of another realm', async (t) => {
  const { cluster, phone } = await start();
  const first = (await send(cluster, phone))!;
  const answerTo = (challenge: { realm: string; nonce: string }) =>
    credentialsFor({ username: '1001', pwd: 'right' }, challenge, { method: 'REGISTER', uri: `sip:${acme}` });
  const challenge = first.challenge!;
  const [until = '', signature = ''] = challenge.nonce.split('.');
  const forged = [
    { realm: acme, nonce: `${Number(until) + 60_000}.${signature}` },
    { realm: acme, nonce: `${until}.${'0'.repeat(32)}` },
    { realm: acme, nonce: '' },
    { realm: 'globex.root.test', nonce: challenge.nonce },
  ];
  for (const each of forged) {
    t.is((await send(cluster, phone, { credentials: answerTo(each) }))?.status, 401, JSON.stringify(each));
  }
  t.is((await send(cluster, phone, { credentials: answerTo(challenge) }))?.status, 200);
  await cluster.pass(61_000);
  t.is((await send(cluster, phone, { credentials: answerTo(challenge) }))?.status, 401);
});

test('where as many devices as may are registered, and are there, another is refused, which is no reason to ban', async (t) => {
  const { cluster, phone } = await start();
  const others = ['10.100.0.2:5060', '10.100.0.3:5060'];
  for (const [index, other] of others.entries()) {
    cluster.edges.endpoint(other, (request) => ({ ...responseOk(request) }));
    await register(cluster, phone, { device: `d${index}`, callid: `c${index}`, contact: `sip:1001@${other}` });
  }
  for (let time = 0; time < 6; time += 1) {
    t.like(await register(cluster, phone, { device: 'third', callid: 'third' }), {
      status: 403,
      reason: 'Too Many Devices',
    });
  }
  t.is((await register(cluster, phone, { device: 'd1', callid: 'c1', contact: `sip:1001@${others[1]}` }))?.status, 200);
});

function responseOk(request: SipRequest): SipResponse {
  const { callid, from, to, cseq, method, via } = request;
  return { kind: 'response', status: 200, reason: 'OK', callid, from, to, cseq, method, via };
}

test('a REGISTER older than the last one is refused; a retransmitted one is answered again', async (t) => {
  const { cluster, phone } = await start();
  const challenge = (await send(cluster, phone))!.challenge!;
  const credentials = credentialsFor({ username: '1001', pwd: 'right' }, challenge, {
    method: 'REGISTER',
    uri: `sip:${acme}`,
  });
  const at = (cseq: number) => send(cluster, phone, { credentials, cseq: 1_000 + cseq });
  t.is((await at(5))?.status, 200);
  t.is((await at(5))?.status, 200);
  t.is((await at(4))?.status, 500);
  t.is((await bindings(cluster))[0]?.cseq, 1_005);
});

test('a domain that is written in capitals is the same', async (t) => {
  const { cluster, phone } = await start();
  const who = { uri: 'sip:1001@ACME.Root.Test' };
  const answer = await register(cluster, phone, { expires: 300, from: { ...who, tag: 'f' }, to: who });
  t.like(answer, { status: 200, contacts: [`sip:1001@${place}`] });
  t.is((await bindings(cluster))[0]?.domain, acme);
});

test('an unknown domain is refused', async (t) => {
  const { cluster, phone } = await start();
  const who = { uri: 'sip:1001@nowhere.test' };
  t.is((await send(cluster, phone, { from: { ...who, tag: 'f' }, to: who }))?.status, 404);
});

test('without the domain data, and without any registrar, the answer is 503', async (t) => {
  const { cluster, phone, directory } = await start();
  directory.isAway = true;
  t.is((await register(cluster, phone))?.status, 503);
  directory.isAway = false;
  for (const name of ['sr-217', 'sr-228', 'sr-317', 'sr-328', 'sr-134', 'sr-129']) {
    cluster.probed.faults.crashInstance(name);
  }
  await cluster.pass(20);
  const challenged = await send(cluster, phone);
  t.is(challenged?.status, 401);
  const uri = `sip:${acme}`;
  const secret = { username: '1001', pwd: 'right' };
  const credentials = credentialsFor(secret, challenged!.challenge!, { method: 'REGISTER', uri });
  t.is((await send(cluster, phone, { credentials }))?.status, 503);
});

test('where the own site has no registrar that serves, the next one registers', async (t) => {
  const { cluster, phone } = await start();
  cluster.probed.faults.crashInstance('sr-217');
  cluster.probed.faults.crashInstance('sr-228');
  await cluster.pass(50);
  t.is((await register(cluster, phone))?.status, 200);
  await cluster.pass(5_000);
  t.is((await bindings(cluster)).length, 1, 'and those of the site have it when they are back');
});
