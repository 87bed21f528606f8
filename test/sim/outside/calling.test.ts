/** Phones and providers that call by themselves. */

import type { CallProgress } from '../../../sim/outside/endpoints/party-machine.ts';
import { NoRoute } from '../../../sim/outside/outside-world.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { credentialsFor } from '../../../src/model/sip/digest.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { acme, nonce, Scene, type SceneOptions } from './scene.ts';

const phone = `${acme}/1001`;
const challenge = { realm: acme, nonce };

/** The progress that the caller was notified of. */
function noted(): { progress: string[]; onProgress: (progress: CallProgress) => void } {
  const progress: string[] = [];
  const onProgress = (step: CallProgress) =>
    void progress.push(`${step.type}${'status' in step ? ` ${step.status}` : ''}`);
  return { progress, onProgress };
}

const answering: NonNullable<SceneOptions['onReport']> = ({ leg, report }, gate) => {
  if (report.type !== 'leg.invited') return;
  gate.control(leg, { type: 'ring' });
  gate.control(leg, { type: 'answer' });
};

test('a phone calls a number of its domain, or of another, through its gate and in its name', (t) => {
  const scene = new Scene({ onReport: answering }).start();
  const { progress, onProgress } = noted();
  scene.world.call(phone, '1005', { onProgress });
  scene.world.call(phone, '1005@globex.root.test');
  scene.world.call(phone, 'sip:1006@globex.root.test');
  scene.pass(100);
  t.deepEqual(progress, ['rang 180', 'answered']);
  const invites = scene.requests('INVITE');
  t.deepEqual(
    invites.map(({ uri }) => uri),
    [`sip:1005@${acme}`, 'sip:1005@globex.root.test', 'sip:1006@globex.root.test'],
  );
  t.like(invites[0], {
    from: { uri: `sip:1001@${acme}` },
    to: { uri: `sip:1005@${acme}` },
    contact: 'sip:1001@10.101.1.1:5060',
    via: ['10.101.1.1:5060'],
    userAgent: 'strowger phone',
    media: 'sendrecv',
  });
  t.is(scene.heard[0]?.gate, 'sg-213');
});

test('a challenge is answered once, with the Call-Id kept; a second one is a refusal', (t) => {
  let challenges = 1;
  const scene = new Scene({
    onReport: (heard, gate) => {
      const isInvited = heard.report.type === 'leg.invited';
      if (!isInvited || challenges === 0) return answering(heard, gate);
      challenges -= 1;
      gate.control(heard.leg, { type: 'reject', status: 407, challenge });
    },
  }).start();
  const first = noted();
  const { callid } = scene.world.call(phone, '1005', first);
  scene.pass(200);
  t.deepEqual(first.progress, ['rang 180', 'answered']);
  const [bare, proving] = scene.requests('INVITE');
  t.is(bare?.credentials, undefined);
  const uri = `sip:1005@${acme}`;
  const secret = { username: '1001', pwd: '1001' };
  t.deepEqual(proving?.credentials, credentialsFor(secret, challenge, { method: 'INVITE', uri }));
  t.deepEqual([bare?.callid, proving?.callid], [callid, callid]);
  t.true((proving?.cseq ?? 0) > (bare?.cseq ?? 0));

  challenges = 2;
  const second = noted();
  scene.world.call(phone, '1006', second);
  scene.pass(200);
  t.deepEqual(second.progress, ['failed 407']);
});

test('a call is given up when its caller has waited long enough for an answer, and hung up when its time is over', (t) => {
  const ringing: SceneOptions['onReport'] = ({ leg, report }, gate) => {
    if (report.type === 'leg.invited') gate.control(leg, { type: 'ring' });
  };
  const impatient = noted();
  const scene = new Scene({ onReport: ringing }).start();
  scene.world.call(phone, '1005', { ...impatient, patienceMs: 5_000 });
  scene.pass(5_100);
  t.deepEqual(impatient.progress, ['rang 180', 'failed 487']);

  const brief = noted();
  const other = new Scene({ onReport: answering }).start();
  const sinceMs = other.clock.now();
  const { callid } = other.world.call(phone, '1005', { ...brief, hangupMs: 3_000 });
  other.pass(3_100);
  t.deepEqual(brief.progress, ['rang 180', 'answered', 'ended']);
  t.regex(other.of(callid, sinceMs).at(-1) ?? '', /^ended remote 30[0-2]\d$/);
});

test('a call that ends as soon as it is answered ends', (t) => {
  const scene = new Scene({ onReport: answering }).start();
  const { progress, onProgress } = noted();
  scene.world.call(phone, '1005', { onProgress, hangupMs: 0 });
  scene.pass(200);
  t.deepEqual(progress, ['rang 180', 'answered', 'ended']);
});

test('a provider calls through the gate from which an account registered, in the name of a number', (t) => {
  const scene = new Scene({ onReport: answering }).start();
  t.throws(() => scene.world.call('sip.telecom.test', '1001'), {
    instanceOf: NoRoute,
    message: /cannot call: it is not registered and has no route to the platform/,
  });
  register(scene, 'esg-221', 'acme');
  register(scene, 'esg-321', 'globex');
  scene.world.call('sip.telecom.test', '1001');
  scene.world.call('sip.telecom.test', '1001@globex.root.test', { as: '49555' });
  scene.world.call('globex.root.test/globex-telecom', '1002@acme.root.test');
  scene.pass(100);
  const invites = scene.requests('INVITE');
  t.deepEqual(
    invites.map(({ uri, from, to }) => [uri, from.uri, to.uri]),
    [
      ['sip:acme@10.2.0.12:5080', 'sip:4930100200@sip.telecom.test', 'sip:1001@sip.telecom.test'],
      ['sip:globex@10.3.0.12:5080', 'sip:49555@sip.telecom.test', 'sip:1001@sip.telecom.test'],
      ['sip:globex@10.3.0.12:5080', 'sip:4930100200@sip.telecom.test', 'sip:1002@sip.telecom.test'],
    ],
  );
  const gates = scene.heard.filter(({ report }) => report.type === 'leg.invited').map(({ gate }) => gate);
  t.deepEqual(gates.sort(), ['esg-221', 'esg-321', 'esg-321']);
});

test('of several phones of a user the one that is registered calls; an unknown user can not call', (t) => {
  const scene = new Scene({ onReport: answering }).start();
  scene.world.unregister(phone);
  scene.pass(100);
  scene.world.call(phone, '1005');
  scene.pass(100);
  t.is(scene.requests('INVITE').length, 1, 'one that is not registered calls where no other one is');
  t.throws(() => scene.world.call(`${acme}/1099`, '1005'), {
    message: /^no phone or provider is named "acme\.root\.test\/1099"; expected one of acme\.root\.test\/1001, /,
  });
  scene.world.addPhone({ domain: acme, login: 'desk' });
  t.throws(() => scene.world.call(`${acme}/1099`, '1005'), { message: /, acme\.root\.test\/desk$/ });
});

test('an account that does not register is called where it belongs, or where it was heard of last', (t) => {
  const domains = defaultMap.topology.domains.map((domain) => ({
    ...domain,
    providers: domain.providers.map((provider) => ({ ...provider, registration: false })),
  }));
  const scene = new Scene({ onReport: answering, map: new ClusterMap({ ...defaultMap.topology, domains }) }).start();
  scene.world.call('acme.root.test/acme-telecom', '1001');
  const from = { uri: 'sip:acme@sip.telecom.test' };
  const options = { method: 'OPTIONS', uri: 'sip:sip.telecom.test', from, to: from } as const;
  scene.gate('esg-113').request(options, '10.9.0.1:5060', () => {});
  scene.pass(100);
  scene.world.call('acme.root.test/acme-telecom', '1001');
  scene.pass(100);
  const gates = scene.heard.filter(({ report }) => report.type === 'leg.invited').map(({ gate }) => gate);
  t.deepEqual(gates, ['esg-221', 'esg-113']);
});

/** Registers an account with the provider, as esg does. */
function register(scene: Scene, gate: string, username: string): void {
  const uri = 'sip:sip.telecom.test';
  const who = { uri: `sip:${username}@sip.telecom.test` };
  const request = { method: 'REGISTER', uri, from: who, to: who, expires: 3_600 } as const;
  const agent = scene.gate(gate);
  const contact = `sip:${username}@${gate === 'esg-221' ? '10.2.0.12' : '10.3.0.12'}:5080`;
  agent.request({ ...request, contact }, '10.9.0.1:5060', ({ challenge: asked }) => {
    if (asked === undefined) return;
    const credentials = credentialsFor({ username, pwd: 'secret' }, asked, { method: 'REGISTER', uri });
    agent.request({ ...request, contact, credentials }, '10.9.0.1:5060', () => {});
  });
  scene.pass(100);
}
