/** Calls that ivr starts: what it says to X, and what it answers when, for every response mode and every result. */

import type { CallResult } from '../../../src/model/protocol/messages/dialog.ts';
import { IvrWorld, resultIn } from '../../kit/calls/ivr-calls.ts';
import { acme } from '../../kit/calls/platform-world.ts';
import { test } from '../../kit/test.ts';

test('X is called by ivr as itself, and referred to Y when it has answered', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.ask();
  await ivr.pass();
  t.like(ivr.invite, { uri: `sip:1001@${acme}`, to: { uri: `sip:1001@${acme}` }, domain: acme });
  t.is(ivr.invite.from.uri, `sip:1001@${acme}`);
  t.is(ivr.invite.from.name, undefined);
  t.is(ivr.invite.label, undefined);
  const token = `north/n2/ivr-225|${ivr.invite.callid}`;
  t.deepEqual(
    ivr.referrals.map(({ referTo, referredBy }) => ({ referTo, referredBy })),
    [{ referTo: { uri: `sip:1002@${acme}` }, referredBy: { uri: `sip:1001@${acme}`, token } }],
  );
});

test('X sees the number and the name that the ivr call names, and the call has its label', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.ask({ callerid: '77', callername: 'Sales', label: 'campaign 5', to: '1002@globex.root.test' });
  await ivr.pass();
  t.like(ivr.invite, { from: { uri: `sip:77@${acme}`, name: 'Sales' }, label: 'campaign 5' });
  t.like(ivr.referrals[0], { referTo: { uri: 'sip:1002@globex.root.test' }, referredBy: { uri: `sip:77@${acme}` } });
});

test('X sees the domain of the callerid, or its own, where it is another one', async (t) => {
  for (const [request, shown] of [
    [{ callerid: '55@example.test' }, 'sip:55@example.test'],
    [{ from: '1001@globex.root.test' }, 'sip:1001@globex.root.test'],
    [{ from: '1001@globex.root.test', callerid: '55' }, `sip:55@${acme}`],
  ] as const) {
    const ivr = await IvrWorld.start();
    ivr.ask(request);
    await ivr.pass();
    t.is(ivr.invite.from.uri, shown);
    t.is(ivr.invite.domain, acme);
  }
});

test('a transfer replaces a leg, in the name of the party that asked for it', async (t) => {
  const ivr = await IvrWorld.start();
  const replaces = { callid: 'c', toTag: 't', fromTag: 'f' };
  ivr.ask({}, { replaces, referredBy: `sip:1005@${acme}` });
  await ivr.pass();
  t.like(ivr.invite, { replaces, referredBy: { uri: `sip:1005@${acme}` } });
  t.like(ivr.referrals[0]?.referredBy, { uri: `sip:1005@${acme}` });
  t.true(ivr.referrals[0]?.referredBy?.token?.endsWith(`|${ivr.invite.callid}`));
});

test('X may be named by its login', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.world.directory.change(acme, '1001', { phonenumber: '5511001' });
  const asked = ivr.ask({ mode: 'sipuser' });
  await ivr.pass(200);
  t.is(ivr.invite.uri, `sip:5511001@${acme}`);
  t.like(resultIn(asked), { result: 'ok' });
  const unknown = ivr.ask({ mode: 'sipuser', from: 'unknown' });
  await ivr.pass(200);
  t.like(resultIn(unknown), { result: 'failed' });
  t.truthy((resultIn(unknown) as CallResult).ivrcallid);
  t.is(ivr.world.b2b().invites.length + ivr.world.b2b('b2b-223').invites.length, 1);
});

const ids = { acallid: 'a-1', dialogid: 'd-1' };

/** When each response mode is answered, with what beside ivrcallid. */
const moments: readonly (readonly [mode: number, afterMs: number, fields: Partial<CallResult>])[] = [
  [0, 0, {}],
  [1, 2_000, {}],
  [2, 4_000, { ...ids, last_response: 'SIP/2.0 180 Ringing' }],
  [3, 6_000, { ...ids, last_response: 'SIP/2.0 200 OK', bcallid: 'b-1' }],
];

// Seed 10094 of the campaign: an answer said that all was well, and that Y was still ringing.
test('what X reports late of the ringing of Y is not the last response, after Y has refused', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 });
  await ivr.pass(100);
  ivr.referred(180, 'b-1');
  ivr.referred(486, 'b-1');
  await ivr.pass(1_000);
  ivr.notify(183);
  await ivr.pass(10_000);
  t.like(resultIn(asked), { result: 'ok', last_response: 'SIP/2.0 486 Busy Here' });
});

for (const [responseMode, afterMs, fields] of moments) {
  test(`response mode ${responseMode} is answered at its moment, with the fields that are known then`, async (t) => {
    const ivr = await IvrWorld.start();
    ivr.x = [{ type: 'ring' }];
    const asked = ivr.ask({ responseMode });
    await ivr.pass(2_000);
    ivr.tell({ type: 'answer' });
    await ivr.pass(1_000);
    ivr.referred(0);
    await ivr.pass(1_000);
    ivr.referred(180, 'b-1');
    ivr.notify(100);
    ivr.notify(180);
    await ivr.pass(2_000);
    ivr.referred(200, 'b-1');
    ivr.notify(200);
    await ivr.pass(1_000);
    t.deepEqual(resultIn(asked), { result: 'ok', ivrcallid: ivr.invite.callid, ...fields });
    const lateMs = (asked.answer?.atMs ?? 0) - afterMs;
    t.true(lateMs >= 0 && lateMs < 50, `${lateMs}`);
    t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'ended remote'], 'ivr has left');
  });
}

/** X that does not take the call. */
const refusals: readonly (readonly [x: IvrWorld['x'], result: CallResult['result']])[] = [
  [[{ type: 'reject', status: 486 }], 'failed'],
  [[{ type: 'ring' }, { type: 'reject', status: 603 }], 'failed'],
  [[{ type: 'reject', status: 302, contacts: ['sip:x@y'] }], 'redirected'],
  [[{ type: 'ring' }, { type: 'reject', status: 408 }], 'timeout'],
  [[{ type: 'reject', status: 408 }], 'no_answer'],
];

for (const [x, result] of refusals) {
  const doing = x.map((command) => ('status' in command ? command.status : command.type)).join(', ');
  test(`an X that does "${doing}" makes the result ${result}`, async (t) => {
    const ivr = await IvrWorld.start();
    ivr.x = x;
    const all = [1, 2, 3].map((responseMode) => ivr.ask({ responseMode }));
    await ivr.pass();
    for (const asked of all) {
      t.deepEqual(Object.keys(resultIn(asked) ?? {}), ['result', 'ivrcallid']);
      t.like(resultIn(asked), { result });
    }
    t.deepEqual(ivr.referrals, []);
  });
}

test('an X that rings for longer than it may is taken back', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.x = [{ type: 'ring' }];
  const asked = ivr.ask({ timeoutMs: 5_000 });
  await ivr.pass(4_990);
  t.is(resultIn(asked), undefined);
  await ivr.pass(60);
  t.like(resultIn(asked), { result: 'timeout' });
  t.deepEqual(ivr.heard, ['invited', 'cancelled']);
});

test('an X that does not even ring is taken back', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.x = [];
  const asked = ivr.ask({ timeoutMs: 5_000 });
  await ivr.pass(5_050);
  t.like(resultIn(asked), { result: 'no_answer' });
  t.deepEqual(ivr.heard, ['invited', 'cancelled']);
});

test('an X that answers just when it is taken back is hung up, and not referred', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.x = [{ type: 'ring' }];
  // All that n2, where the ivr is, says to others takes 100 ms longer.
  ivr.world.cluster.faults.crashInstance('b2b-223');
  await ivr.pass(20);
  ivr.world.cluster.faults.delay({ from: 'n2' }, 100);
  const asked = ivr.ask({ timeoutMs: 5_000 });
  await ivr.pass(5_050);
  ivr.tell({ type: 'answer' });
  await ivr.pass(1_000);
  t.like(resultIn(asked), { result: 'timeout' });
  t.deepEqual(ivr.heard, ['invited', 'answered', 'ended remote']);
  t.deepEqual(ivr.referrals, []);
});

test('the refusal of Y is in the result, and X gets it from its own device', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 });
  await ivr.pass();
  ivr.referred(0);
  ivr.referred(486, 'b-1');
  await ivr.pass();
  t.is(resultIn(asked), undefined, 'another device may still answer');
  ivr.notify(486);
  await ivr.pass();
  const line = { last_response: 'SIP/2.0 486 Busy Here' };
  t.deepEqual(resultIn(asked), { result: 'ok', ivrcallid: ivr.invite.callid, ...ids, ...line, bcallid: 'b-1' });
  t.deepEqual(ivr.heard.slice(-1), ['ended remote']);
});

test('when only X reports the outcome, its report is the result', async (t) => {
  const ivr = await IvrWorld.start();
  const asked = ivr.ask({ responseMode: 3 });
  await ivr.pass();
  ivr.notify(404);
  await ivr.pass();
  const last_response = 'SIP/2.0 404 Not Found';
  t.deepEqual(resultIn(asked), { result: 'ok', ivrcallid: ivr.invite.callid, last_response });
});

test('an X that will not be referred leaves it unknown', async (t) => {
  const ivr = await IvrWorld.start();
  ivr.refers = 603;
  const asked = ivr.ask({ responseMode: 2 });
  await ivr.pass();
  t.deepEqual(resultIn(asked), { result: 'unknown', ivrcallid: ivr.invite.callid });
  t.deepEqual(ivr.heard, ['invited', 'answered', 'referred', 'ended remote']);
});
