/** Phones in a test: they are added, called, attended, and controlled in their calls. */

import { startCluster } from '../../sim/embed/test-cluster.ts';
import { test } from '../kit/test.ts';
import { ask, callTo, tokenOf } from './kit.ts';

test('a SIP user that a client makes is called at a phone that is added, also in a fork', async (t) => {
  await using cluster = await startCluster();
  const token = await tokenOf(cluster);
  const made = await ask(cluster, 'POST /rest/v1/uc/sipusers', {
    token,
    json: { login: 'desk', pwd: 'secret', phonenumber: '2001' },
  });
  t.is(made.status, 200);
  await cluster.clock.advance('2s');
  await t.throwsAsync(cluster.addPhone({ domain: 'nowhere.test', login: 'desk' }), { message: /no sg serves/ });
  await t.throwsAsync(cluster.addPhone({ domain: 'acme.root.test', login: 'desk', site: 'east' }), {
    message: /no site named "east"; expected one of hq/,
  });
  const phone = await cluster.addPhone({ domain: 'acme.root.test', login: 'desk', pwd: 'secret', number: '2001' });
  await cluster.clock.until(() => phone.isRegistered);
  t.is(cluster.phone('desk').name, 'acme.root.test/desk');
  await using fork = await cluster.fork();
  for (const each of [cluster, fork]) {
    t.is((await callTo(each, '2001', token))['result'], 'ok');
    t.is(each.phone('desk').calls.length, 1);
  }
  const second = await cluster.addPhone({ domain: 'acme.root.test', login: 'desk', pwd: 'secret' });
  t.is(second.name, 'acme.root.test/desk/2');
  await cluster.phone('desk').hangUp();
  await cluster.clock.advance('1s');
  await cluster.faults.silence('acme.root.test/desk');
  await cluster.faults.cutOutside({ who: 'acme.root.test/desk/2' });
  t.notRegex(String((await callTo(cluster, '2001', token))['last_response']), / 200 /);
  t.deepEqual(cluster.phone('desk').calls, [], 'neither device has received the call');
});

test('a phone calls, and its handler answers, rejects and hangs up', async (t) => {
  await using cluster = await startCluster();
  const [caller, callee] = [cluster.phone('1001'), cluster.phone('acme.root.test/1002')];
  t.true(callee.isRegistered);
  const remove = await callee.onCall((call) => call.reject(603));
  const rejected = await caller.call('1002');
  const seen = await cluster.waitFor({ message: 'sip', method: 'INVITE', status: 603 });
  t.true(seen.atMs < cluster.clock.now + 1);
  await cluster.clock.advance('1s');
  t.is(rejected.view, undefined);
  await remove();
  await caller.call('1002');
  const ringing = await callee.nextCall();
  t.is(ringing.view?.state, 'ringing');
  await cluster.clock.advance('20s');
  t.is(ringing.view?.state, 'ringing', 'an attended phone rings until the test decides');
  await t.throwsAsync(ringing.hold(), { message: /cannot be held: it is ringing/ });
  await t.throwsAsync(callee.press('1'), { message: /no answered call in which to press 1/ });
  await ringing.answer();
  await cluster.clock.advance('1s');
  t.is(ringing.view?.state, 'talking');
  await ringing.hold();
  await cluster.clock.advance('1s');
  t.true(ringing.view?.isHolding);
  await t.throwsAsync(ringing.reject(), { message: /cannot be rejected: it is talking/ });
  await ringing.hangUp();
  await cluster.clock.advance('1s');
  t.deepEqual(caller.calls, []);
  t.throws(() => cluster.phone('9999'), { message: /expected a phone \(acme\.root\.test\/1001/ });
  cluster.assertRules();
});

test('a call is held, and its digits are pressed, as soon as it is answered', async (t) => {
  await using cluster = await startCluster({ topology: 'single' });
  const [caller, callee] = [cluster.phone('1001'), cluster.phone('1002')];
  await callee.attend();
  await caller.call('1002');
  const call = await callee.nextCall();
  await call.answer();
  t.is(call.view?.state, 'settling', 'its ACK has not come yet');
  await callee.press('7');
  await call.hold();
  await cluster.clock.advance('1s');
  t.like(call.view, { state: 'talking', isHolding: true });
  t.like(caller.calls[0]?.view, { isHeld: true, digits: '7' });
  await call.answer();
  await cluster.clock.advance('1s');
  t.false(call.view?.isHolding);
  await call.hangUp();
  await cluster.clock.advance('1s');
  await t.throwsAsync(call.answer(), { message: /cannot be answered: it is over/ });
  await t.throwsAsync(call.hold(), { message: /cannot be held: it is over/ });
  await call.hangUp();
  cluster.assertRules();
});
