/** A provider as registrar of accounts, and its behaviour when it is set to be away or to refuse. */

import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { credentialsFor } from '../../../src/model/sip/digest.ts';
import type { SipResponse } from '../../../src/model/sip/message.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Scene } from './scene.ts';

const endpoint = '10.9.0.1:5060';
const key = 'acme.root.test/acme-telecom';
const uri = 'sip:sip.telecom.test';
const contacts = { 'esg-221': 'sip:acme@10.2.0.12:5080', 'esg-113': 'sip:acme@10.1.0.11:5080' } as const;

interface Asked {
  readonly gate?: keyof typeof contacts;
  readonly username?: string;
  readonly pwd?: string;
  readonly expires?: number;
  readonly nonce?: string;
}

/** Sends a REGISTER, answers the challenge, and gives the last answer. */
function register(scene: Scene, asked: Asked = {}): SipResponse | undefined {
  const { gate = 'esg-221', username = 'acme', pwd = 'secret', expires = 3_600, nonce } = asked;
  const who = { uri: `sip:${username}@sip.telecom.test` };
  const request = { method: 'REGISTER', uri, from: who, to: who, expires, contact: contacts[gate] } as const;
  let last: SipResponse | undefined;
  scene.gate(gate).request(request, endpoint, (answer) => {
    last = answer;
    if (answer.challenge === undefined) return;
    const challenge = { ...answer.challenge, ...(nonce !== undefined && { nonce }) };
    const credentials = credentialsFor({ username, pwd }, challenge, { method: 'REGISTER', uri });
    scene.gate(gate).request({ ...request, credentials }, endpoint, (final) => {
      last = final;
    });
  });
  scene.pass(100);
  return last;
}

function account(scene: Scene) {
  return scene.world.providers()[0]?.accounts.find((each) => each.key === key);
}

test('an account registers by its password, and the provider knows it and where it is', (t) => {
  const scene = new Scene().start();
  t.deepEqual(account(scene), { key, isRegistered: false });
  t.like(register(scene), { status: 200, expires: 3_600 });
  t.deepEqual(account(scene), { key, isRegistered: true, contact: contacts['esg-221'] });
});

test('a wrong password is refused with 403, an unknown account with 404, an answer to another challenge is challenged', (t) => {
  const scene = new Scene().start();
  t.is(register(scene, { pwd: 'wrong' })?.status, 403);
  t.is(register(scene, { username: 'initech' })?.status, 404);
  t.is(register(scene, { nonce: 'mine' })?.status, 401);
  t.false(account(scene)?.isRegistered);
});

test('no more than an hour is granted, and when it is over so is the registration', (t) => {
  const scene = new Scene().start();
  t.is(register(scene, { expires: 100_000 })?.expires, 3_600);
  t.is(register(scene, { expires: 60 })?.expires, 60);
  scene.pass(59_000);
  t.true(account(scene)?.isRegistered);
  scene.pass(1_000);
  t.false(account(scene)?.isRegistered);
  t.is(register(scene, { expires: -1 })?.expires, 0);
});

test('a provider grants no more than it says, whatever it is asked for', (t) => {
  const { topology } = defaultMap;
  const domains = topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((each) => ({ ...each, maxexpires: 20 })),
  }));
  const map = new ClusterMap({ ...topology, domains });
  const scene = new Scene({ map }).start();
  t.is(register(scene)?.expires, 20);
  t.is(register(scene, { expires: 5 })?.expires, 5);
});

test('an account that moves to another gate is called there; the gate that it left does not take that back', (t) => {
  const scene = new Scene().start();
  register(scene);
  register(scene, { gate: 'esg-113' });
  t.is(account(scene)?.contact, contacts['esg-113']);
  t.like(register(scene, { expires: 0 }), { status: 200, expires: 0 });
  t.is(account(scene)?.contact, contacts['esg-113']);
  register(scene, { gate: 'esg-113', expires: 0 });
  t.false(account(scene)?.isRegistered);
});

test('a provider that is set to refuse refuses every REGISTER, until it is revived', (t) => {
  const scene = new Scene().start();
  scene.world.refuseRegister('sip.telecom.test', 500);
  t.is(register(scene)?.status, 500);
  t.is(scene.world.providers()[0]?.refusal, 500);
  scene.world.revive(endpoint);
  t.is(register(scene)?.status, 200);
  scene.world.refuseRegister(key);
  t.is(register(scene)?.status, 503);
  t.throws(() => scene.world.refuseRegister('acme.root.test/1001'), { message: /^no provider is named/ });
});

test('a silent provider answers nothing, and keeps its registrations', (t) => {
  const scene = new Scene().start();
  register(scene);
  scene.world.silence('sip.telecom.test');
  t.is(register(scene), undefined);
  scene.pass(40_000);
  scene.world.revive('sip.telecom.test');
  t.true(account(scene)?.isRegistered);
  t.is(register(scene)?.status, 200);
});

test('a provider answers OPTIONS from any sender', (t) => {
  const scene = new Scene().start();
  const statuses: number[] = [];
  const who = { uri: 'sip:x@10.1.0.11' };
  scene
    .gate('esg-113')
    .request({ method: 'OPTIONS', uri, from: who, to: who }, endpoint, ({ status }) => statuses.push(status));
  scene.pass(100);
  t.deepEqual(statuses, [200]);
});
