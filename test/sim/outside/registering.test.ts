/** Phones that register: through which gate, with what, how often, and what they do when it fails. */

import { credentialsFor } from '../../../src/model/sip/digest.ts';
import { test } from '../../kit/test.ts';
import { acme, nonce, Scene } from './scene.ts';

const phone = `${acme}/1001`;

function registers(scene: Scene, endpoint = '10.101.1.1:5060') {
  return scene.sent.flatMap(({ from, to, message, atMs }) =>
    from === endpoint && message.kind === 'request' && message.method === 'REGISTER' ? [{ to, message, atMs }] : [],
  );
}

test('a phone registers without credentials, then with them, as one device', (t) => {
  const scene = new Scene().start();
  const [bare, proving, ...more] = registers(scene);
  t.deepEqual(more, []);
  t.like(bare?.message, {
    uri: `sip:${acme}`,
    from: { uri: `sip:1001@${acme}` },
    to: { uri: `sip:1001@${acme}` },
    contact: 'sip:1001@10.101.1.1:5060',
    device: '1001-1',
    expires: 3_600,
    userAgent: 'strowger phone',
  });
  t.is(bare?.message.credentials, undefined);
  const way = { method: 'REGISTER', uri: `sip:${acme}` } as const;
  const right = credentialsFor({ username: '1001', pwd: '1001' }, { realm: acme, nonce }, way);
  t.deepEqual(proving?.message.credentials, right);
  t.is(proving?.message.callid, bare?.message.callid);
  t.true((proving?.message.cseq ?? 0) > (bare?.message.cseq ?? 0));
  t.like(scene.world.phones(phone)[0], { name: phone, state: 'registered', isRegistered: true, gate: 'sg-213' });
  t.true(scene.world.phones().every(({ isRegistered }) => isRegistered));
});

test('the world outside has started when each phone and account has had an answer, good or bad', async (t) => {
  const scene = new Scene({ isInhabited: true });
  scene.grant = () => ({ status: 403 });
  let isStarted = false;
  const started = scene.world.start().then(() => {
    isStarted = true;
  });
  scene.pass(1_000);
  await Promise.resolve();
  t.false(isStarted, 'the accounts have not registered');
  scene.pass(1_000);
  await started;
  t.true(isStarted, 'but the wait has an end');
});

test('without phones and providers it has started at once, and holds nothing', async (t) => {
  const scene = new Scene({ isInhabited: false });
  await scene.world.start();
  t.deepEqual([scene.world.phones(), scene.world.providers()], [[], []]);
  scene.pass(10_000);
  t.deepEqual(scene.sent, []);
  scene.assertGone();
});

test('a registration is refreshed at 90 % of what was granted, not of what was asked', (t) => {
  const scene = new Scene();
  scene.grant = () => ({ status: 200, expires: 60 });
  scene.start();
  const sinceMs = registers(scene)[1]?.atMs ?? 0;
  scene.pass(200_000);
  const rounds = registers(scene)
    .filter(({ message }) => message.credentials === undefined)
    .map(({ atMs }) => Math.round((atMs - sinceMs) / 54_000 + 1));
  t.deepEqual(rounds, [1, 2, 3, 4]);
});

test('a phone whose gate is silent goes to the next one, and back at the next refresh', (t) => {
  const scene = new Scene();
  const lift = scene.world.network.rules.install((from, to) =>
    from === '10.2.0.11:5060' || to === '10.2.0.11:5060' ? 'drop' : 'pass',
  );
  scene.start(12_000);
  t.like(scene.world.phones(phone)[0], { isRegistered: true, gate: 'sg-123' });
  lift();
  scene.pass(3_300_000);
  t.like(scene.world.phones(phone)[0], { isRegistered: true, gate: 'sg-213' });
});

test('a phone without an answer tries its gates in turn, at last once a minute, and is back within one', (t) => {
  const scene = new Scene();
  const lift = scene.world.network.rules.install(() => 'drop');
  scene.start(400_000);
  const first = registers(scene).filter(({ message }, n, all) => all[n - 1]?.message.cseq !== message.cseq);
  t.deepEqual(
    first.slice(0, 4).map(({ to }) => to),
    ['10.2.0.11:5060', '10.1.0.12:5060', '10.3.0.11:5060', '10.2.0.11:5060'],
  );
  const pausesMs = first.slice(1).map(({ atMs }, n) => atMs - (first[n]?.atMs ?? 0) - 10_000);
  pausesMs.forEach((ms, n) => {
    const mostMs = Math.min(1_000 * 2 ** n, 60_000);
    t.true(ms >= mostMs / 2 && ms <= mostMs, `${n}: ${ms}`);
  });
  lift();
  scene.pass(75_000);
  t.true(scene.world.phones().every(({ isRegistered }) => isRegistered));
});

test('a wrong password is not tried again and again', (t) => {
  const scene = new Scene();
  scene.grant = () => ({ status: 403 });
  scene.start(600_000);
  const tries = registers(scene).filter(({ message }) => message.credentials !== undefined).length;
  t.true(tries >= 10 && tries <= 20, `${tries} in ten minutes`);
});

test('a phone that is set to unregister does so with credentials, and registers again', (t) => {
  const scene = new Scene().start();
  scene.world.unregister(phone);
  scene.pass(100);
  t.like(scene.world.phones(phone)[0], { state: 'off', isRegistered: false });
  t.deepEqual(
    registers(scene).map(({ message }) => [message.expires, message.credentials !== undefined]),
    [
      [3_600, false],
      [3_600, true],
      [0, false],
      [0, true],
    ],
  );
  scene.pass(4_000_000);
  t.is(registers(scene).length, 4);
  scene.world.register(phone);
  scene.pass(100);
  t.true(scene.world.phones(phone)[0]?.isRegistered);
});

test('a phone whose call gets no answer probes its gate, and goes to another one if that is gone', (t) => {
  const scene = new Scene().start();
  scene.world.network.rules.install((from, to) =>
    from === '10.2.0.11:5060' || to === '10.2.0.11:5060' ? 'drop' : 'pass',
  );
  scene.world.call(phone, '1005');
  scene.pass(30_000);
  t.is(scene.world.phones(phone)[0]?.gate, 'sg-213');
  scene.pass(15_000);
  t.like(scene.world.phones(phone)[0], { isRegistered: true, gate: 'sg-123' });
  scene.world.call(phone, '1005');
  scene.pass(100);
  t.is(scene.heard.at(-1)?.gate, 'sg-123');
});

test('a silent phone receives and sends nothing; when it comes back it registers at once', (t) => {
  const scene = new Scene().start();
  scene.world.silence(phone);
  t.true(scene.world.phones(phone)[0]?.isSilent);
  const before = scene.sent.length;
  const leg = scene.call(phone);
  scene.pass(3_300_000);
  t.deepEqual(scene.of(leg), ['failed 408']);
  t.false(scene.sent.slice(before).some(({ from }) => from === '10.101.1.1:5060'));
  t.is(registers(scene).length, 2);
  scene.world.revive(phone);
  scene.pass(11_000);
  t.like(scene.world.phones(phone)[0], { isSilent: false, isRegistered: true });
});

test('a phone whose registration ran out while it was silent is not registered until it has registered again', (t) => {
  const scene = new Scene().start();
  scene.world.silence(phone);
  scene.pass(3_500_000);
  t.true(scene.world.phones(phone)[0]?.isRegistered);
  scene.pass(101_000);
  t.false(scene.world.phones(phone)[0]?.isRegistered);
  scene.world.revive(phone);
  t.false(scene.world.phones(phone)[0]?.isRegistered);
  scene.pass(120_000);
  t.true(scene.world.phones(phone)[0]?.isRegistered);
});

test('a phone that flaps is away and back in turn, until it is revived', (t) => {
  const scene = new Scene().start();
  scene.world.flap(phone, 1_000);
  const states = Array.from({ length: 6 }, () => {
    scene.pass(500);
    return scene.world.phones(phone)[0]?.isSilent;
  });
  t.deepEqual(states, [true, false, false, true, true, false]);
  scene.world.revive(phone);
  scene.pass(10_000);
  t.false(scene.world.phones(phone)[0]?.isSilent);
});

test('of a process with some of the nodes only phones live whose gate is there, and they know no other gates', (t) => {
  const scene = new Scene({ nodes: ['n1'] }).start(5_000);
  t.is(scene.world.phones().length, 8);
  t.true(scene.world.phones().every(({ gate, isRegistered }) => gate === 'sg-213' && isRegistered));
  t.deepEqual(scene.world.providers(), []);
  const other = new Scene({ nodes: ['n2'] }).start(5_000);
  t.is(other.world.phones().length, 0);
  t.is(other.world.providers().length, 1);
});
