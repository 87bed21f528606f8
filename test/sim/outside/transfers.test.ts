/** REFER, Replaces and device control: what phones and providers do when the platform, or another party, asks for it. */

import type { LegReport } from '../../../src/sip/user-agent.ts';
import { test } from '../../kit/test.ts';
import { acme, Scene, type SceneOptions } from './scene.ts';

const phone = `${acme}/1001`;

/** The platform answers what it is called for, after ringing; a number that ends in 9 it refuses. */
const obliging: NonNullable<SceneOptions['onReport']> = ({ leg, report }, gate) => {
  if (report.type !== 'leg.invited') return;
  if (report.request.to.uri.includes('9@')) return void gate.control(leg, { type: 'reject', status: 486 });
  gate.control(leg, { type: 'ring' });
  gate.control(leg, { type: 'answer' });
};

function talking(options: SceneOptions = { onReport: obliging }) {
  const scene = new Scene(options).start();
  const leg = scene.call(phone);
  scene.pass(1_100);
  return { scene, leg };
}

/** What the platform was invited to, in order. */
function invitations(scene: Scene): Extract<LegReport, { type: 'leg.invited' }>['request'][] {
  return scene.heard.flatMap(({ report }) => (report.type === 'leg.invited' ? [report.request] : []));
}

test('a phone that is referred accepts, calls the target in the name of the referrer, and notifies the progress in the first call', (t) => {
  const { scene, leg } = talking();
  const referredBy = { uri: 'sip:1002@acme.root.test', token: 'hq/h3/ivr-131|7' };
  const referTo = { uri: `sip:1005@${acme}` };
  scene.gate().control(leg, { type: 'refer', referTo, referredBy });
  scene.pass(200);
  t.deepEqual(scene.of(leg).slice(2), [
    'refer.answered 202',
    'notified SIP/2.0 100 Trying',
    'notified SIP/2.0 180 Ringing',
    'notified SIP/2.0 200 OK',
  ]);
  const [invite] = invitations(scene);
  t.like(invite, { uri: referTo.uri, referredBy, from: { uri: `sip:1001@${acme}` } });
  t.is(scene.world.calls, 2, 'the first call is for the referrer to end');
  scene.gate().control(leg, { type: 'end' });
  scene.pass(200);
  t.is(scene.world.calls, 1);
});

test('a transfer that fails is notified with its status, and the first call goes on', (t) => {
  const { scene, leg } = talking();
  scene.gate().control(leg, { type: 'refer', referTo: { uri: `sip:1009@${acme}` } });
  scene.pass(200);
  t.deepEqual(scene.of(leg).slice(2), [
    'refer.answered 202',
    'notified SIP/2.0 100 Trying',
    'notified SIP/2.0 486 Busy Here',
  ]);
  t.is(scene.world.calls, 1);
});

test('a phone refuses a REFER to a target that can not be called', (t) => {
  const { scene, leg } = talking();
  scene.gate().control(leg, { type: 'refer', referTo: { uri: 'nowhere at all' } });
  scene.pass(200);
  t.deepEqual(scene.of(leg).slice(2), ['refer.answered 400']);
});

test('a phone that rings refuses to be referred, and rings on', (t) => {
  const scene = new Scene().start();
  const leg = scene.call(phone);
  scene.pass(100);
  scene.gate().control(leg, { type: 'refer', referTo: { uri: `sip:1005@${acme}` } });
  scene.pass(2_000);
  t.deepEqual(scene.of(leg), ['rang 180', 'refer.answered 491', 'answered']);
});

test('a call that comes of a REFER goes on when the call it came of ends before it is answered', (t) => {
  const { scene, leg } = talking({});
  scene.gate().control(leg, { type: 'refer', referTo: { uri: `sip:1005@${acme}` } });
  scene.pass(50);
  scene.gate().control(leg, { type: 'end' });
  scene.pass(200);
  const [{ callid = '' } = {}] = invitations(scene);
  scene.gate().control(callid, { type: 'answer' });
  scene.pass(200);
  t.is(scene.of(callid).at(-1), 'answered');
  t.is(scene.world.calls, 1);
});

test('the Replaces of a REFER is sent on as it was received', (t) => {
  const { scene, leg } = talking();
  const replaces = { callid: 'other', toTag: 'to', fromTag: 'from' };
  scene.gate().control(leg, { type: 'refer', referTo: { uri: `sip:1005@${acme}`, replaces } });
  scene.pass(200);
  t.deepEqual(invitations(scene)[0]?.replaces, replaces);
});

test('a provider that is referred calls back through the gate and the account by which it was called', (t) => {
  for (const [gate, account] of [
    ['esg-221', 'acme'],
    ['esg-321', 'globex'],
  ] as const) {
    const scene = new Scene({ onReport: obliging }).start();
    const leg = scene.callOut('4900', { gate, account });
    scene.pass(100);
    scene.gate(gate).control(leg, { type: 'refer', referTo: { uri: `sip:1005@${acme}` } });
    scene.pass(200);
    t.is(scene.of(leg).at(-1), 'notified SIP/2.0 200 OK');
    const invited = scene.heard.find(({ report }) => report.type === 'leg.invited');
    t.is(invited?.gate, gate);
    const [invite] = invitations(scene);
    t.regex(invite?.uri ?? '', new RegExp(`^sip:${account}@10\\.`));
    t.is(invite?.to.uri, `sip:1005@${acme}`);
    t.is(invite?.from.uri, 'sip:4900@sip.telecom.test');
  }
});

test('a party refers the other side itself, and ends its call when that has worked', (t) => {
  for (const [to, isOver] of [
    ['1005', true],
    ['1009', false],
  ] as const) {
    const scene = new Scene({
      onReport: (heard, gate) => {
        obliging(heard, gate);
        const { leg, report } = heard;
        if (report.type !== 'leg.referred') return;
        gate.control(leg, { type: 'refer.accept' });
        const sipfrag = report.referTo.uri.includes('1009') ? 'SIP/2.0 486 Busy Here' : 'SIP/2.0 200 OK';
        gate.control(leg, { type: 'notify', event: 'refer', sipfrag });
      },
    }).start();
    const call = scene.world.call(phone, '1002');
    t.false(scene.world.transfer(call, `sip:${to}@${acme}`), 'not answered yet');
    scene.pass(200);
    t.true(scene.world.transfer(call, `sip:${to}@${acme}`));
    scene.pass(500);
    t.is(scene.world.calls, isOver ? 0 : 1);
    t.false(scene.world.transfer({ ...call, callid: 'none' }, `sip:${to}@${acme}`));
  }
});

test('a phone that has asked the target names that call to the party that it refers', (t) => {
  const scene = new Scene({ onReport: obliging }).start();
  const [first, second] = [scene.world.call(phone, '1002'), scene.world.call(phone, '1005')];
  scene.pass(200);
  t.false(scene.world.transfer(first, `sip:1005@${acme}`, 'none'));
  t.true(scene.world.transfer(first, `sip:1005@${acme}`, second.callid));
  scene.pass(200);
  const [referred] = scene.heard.flatMap(({ report }) => (report.type === 'leg.referred' ? [report.referTo] : []));
  const asked = scene.gate().view(second.callid);
  t.deepEqual(referred?.replaces, {
    callid: second.callid,
    toTag: asked?.local.tag ?? '',
    fromTag: asked?.remote.tag ?? '',
  });
});

test('an INVITE that replaces a call of a phone is answered at once, and the replaced call ends', (t) => {
  const { scene, leg } = talking();
  const replaces = scene.gate().view(leg)?.replaces;
  t.truthy(replaces);
  const sinceMs = scene.clock.now();
  const other = scene.call(phone, { gate: 'sg-123', ...(replaces && { replaces }) });
  scene.pass(200);
  t.is(scene.of(other)[0], 'answered');
  t.true((scene.heard.find((each) => each.leg === other)?.atMs ?? 0) - sinceMs < 20);
  t.is(scene.of(leg).at(-1), 'ended remote');
  t.is(scene.world.calls, 1);
});

test('a call that a phone has answered can be replaced though its ACK is lost', (t) => {
  const scene = new Scene().start();
  scene.world.network.rules.install((_from, _to, { method }) => (method === 'ACK' ? 'drop' : 'pass'));
  scene.world.behave(acme, '1001', { answerMs: 0 });
  const leg = scene.call(phone);
  scene.pass(100);
  t.is(scene.of(leg).at(-1), 'answered');
  const replaces = scene.gate().view(leg)?.replaces;
  const other = scene.call(phone, { gate: 'sg-123', ...(replaces && { replaces }) });
  scene.pass(200);
  t.is(scene.of(other)[0], 'answered');
});

test('a call that a phone is making can be replaced before it is answered; a call that rings at it can not', (t) => {
  const scene = new Scene({
    onReport: ({ leg, report }, gate) => void (report.type === 'leg.invited' && gate.control(leg, { type: 'ring' })),
  }).start();
  const { callid } = scene.world.call(phone, '1005');
  scene.world.behave(acme, '1001', { ringMs: 0 });
  const ringing = scene.call(phone);
  scene.pass(100);
  for (const [gate, leg, outcome] of [
    ['sg-213', callid, 'answered'],
    ['sg-213', ringing, 'failed 481'],
  ] as const) {
    const replaces = scene.gate(gate).view(leg)?.replaces;
    const other = scene.call(phone, { gate: 'sg-313', ...(replaces && { replaces }) });
    scene.pass(200);
    t.deepEqual(scene.of(other), [outcome], leg === ringing ? 'ringing' : 'calling');
  }
  t.is(scene.of(callid).at(-1), 'cancelled');
  t.deepEqual(scene.of(ringing), ['rang 180']);
});

test('an INVITE that replaces what a phone does not have is refused with 481, by Call-Id and by tags', (t) => {
  const { scene, leg } = talking();
  const right = scene.gate().view(leg)?.replaces ?? { callid: '', toTag: '', fromTag: '' };
  for (const wrong of [{ callid: 'x' }, { toTag: 'x' }, { fromTag: 'x' }]) {
    const other = scene.call(phone, { gate: 'sg-123', replaces: { ...right, ...wrong } });
    scene.pass(200);
    t.deepEqual(scene.of(other), ['failed 481']);
  }
  t.is(scene.world.calls, 1);
});

test('even a phone that never reacts takes over a call of its own', (t) => {
  const scene = new Scene({ onReport: obliging }).start();
  scene.world.behave(acme, '1001', { silent: true });
  const { callid } = scene.world.call(phone, '1005');
  scene.pass(100);
  const replaces = scene.gate().view(callid)?.replaces;
  const other = scene.call(phone, { ...(replaces && { replaces }) });
  scene.pass(200);
  t.deepEqual(scene.of(other), ['answered']);
});

test('NOTIFY talk has a ringing phone answer, NOTIFY hold has it hold, and talk again resume', (t) => {
  const scene = new Scene().start();
  scene.world.behave(acme, '1001', { ringMs: 0 });
  const leg = scene.call(phone);
  scene.pass(1_000);
  const notify = (event: string) => {
    scene.gate().control(leg, { type: 'notify', event });
    scene.pass(200);
    return [scene.of(leg).at(-1), scene.world.phones(phone)[0]?.calls[0]?.isHolding];
  };
  t.deepEqual(scene.of(leg), ['rang 180']);
  t.deepEqual(notify('talk'), ['answered', false]);
  t.deepEqual(notify('hold'), ['media.changed sendonly', true]);
  t.deepEqual(notify('talk'), ['media.changed sendrecv', false]);
  t.deepEqual(notify('dance'), ['media.changed sendrecv', false], 'what it does not know changes nothing');
});

test('a phone shows when it is held, and receives DTMF', (t) => {
  const { scene, leg } = talking();
  const call = () => scene.world.phones(phone)[0]?.calls[0];
  scene.gate().control(leg, { type: 'offer', media: 'sendonly' });
  scene.pass(100);
  t.is(call()?.isHeld, true);
  scene.gate().control(leg, { type: 'offer', media: 'sendrecv' });
  for (const dtmf of ['4', '2', '#']) scene.gate().control(leg, { type: 'dtmf', dtmf });
  scene.pass(100);
  t.like(call(), { isHeld: false, digits: '42#', state: 'talking', direction: 'in', with: `sip:1002@${acme}` });
});

test('the controller of the world outside can have phones answer, hold, resume and hang up', (t) => {
  const scene = new Scene().start();
  const { world } = scene;
  world.behave(acme, '1001', { ringMs: 0 });
  const leg = scene.call(phone);
  scene.pass(500);
  world.talk(phone);
  scene.pass(100);
  world.hold(phone);
  scene.pass(100);
  world.talk(phone);
  scene.pass(100);
  world.hangUp(phone);
  scene.pass(100);
  t.deepEqual(scene.of(leg), [
    ...['rang 180', 'answered', 'media.changed sendonly', 'media.changed sendrecv', 'ended remote'],
  ]);
  scene.pass(40_000);
  t.notThrows(() => scene.assertQuiescent());
});
