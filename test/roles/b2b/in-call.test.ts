/** What parties say to each other in a call: media, digits, transfers. */

import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import type { TestParty } from '../../kit/calls/party.ts';
import { test } from '../../kit/test.ts';

const ring = { type: 'ring' } as const;
const answer = { type: 'answer' } as const;
const numberOf = (number: string) => ({ uri: `sip:${number}@${acme}` });

interface Talk {
  readonly world: CallWorld;
  readonly anna: TestParty;
  readonly ben: TestParty;
  readonly leg: string;
}

/** Anna has called Ben, who has answered. */
async function talk(): Promise<Talk> {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(ring, answer)];
  const leg = anna.call('1002');
  await world.pass();
  return { world, anna, ben, leg };
}

/** What a referred phone does: accepts the REFER, calls, and notifies the progress of that call. */
function follows(party: TestParty): void {
  let referrer = '';
  party.onReport = (leg, report) => {
    const sipfrag = (text: string) => party.agent.control(referrer, { type: 'notify', event: 'refer', sipfrag: text });
    if (report.type === 'leg.invited') party.agent.control(leg, answer);
    if (report.type === 'leg.answered' && referrer !== '' && leg !== referrer) sipfrag('SIP/2.0 200 OK');
    if (report.type === 'leg.failed' && leg !== referrer) sipfrag(`SIP/2.0 ${report.status} ${report.reason}`);
    if (report.type !== 'leg.referred') return;
    referrer = leg;
    party.agent.control(leg, { type: 'refer.accept' });
    const { referTo, referredBy } = report;
    const more = { ...(referredBy && { referredBy }), ...(referTo.replaces && { replaces: referTo.replaces }) };
    party.call(referTo.uri, more);
  };
}

test('media that one side holds and resumes is offered to the other', async (t) => {
  const { world, anna, ben } = await talk();
  anna.tell({ type: 'offer', media: 'sendonly' });
  await world.pass();
  anna.tell({ type: 'offer', media: 'sendrecv' });
  await world.pass();
  ben.tell({ type: 'offer', media: 'inactive' });
  await world.pass();
  t.deepEqual(ben.heard().slice(2, 4), ['media.changed sendonly', 'media.changed sendrecv']);
  t.is(anna.heard().at(-1), 'media.changed inactive');
  t.is(world.call.status, 'dialog');
});

test('media that the caller offers is what the callee is offered, and back', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  anna.call('1002', { media: 'sendonly' });
  await world.pass();
  t.is(ben.invites[0]?.media, 'sendonly');
  t.like(anna.all('leg.answered'), [{ media: 'recvonly' }]);
});

test('digits reach the other side', async (t) => {
  const { world, anna, ben } = await talk();
  for (const dtmf of ['1', '#']) anna.tell({ type: 'dtmf', dtmf });
  ben.tell({ type: 'dtmf', dtmf: 'A' });
  await world.pass();
  t.deepEqual(ben.heard().slice(2), ['dtmf 1', 'dtmf #']);
  t.deepEqual(anna.heard().slice(2), ['dtmf A']);
});

test('a party that refers the other one is notified of the outcome, and hangs up', async (t) => {
  const { world, anna, ben } = await talk();
  const carl = world.phone('1003').always(ring, answer);
  follows(ben);
  anna.tell({ type: 'refer', referTo: numberOf('1003') });
  await world.pass();
  t.deepEqual(anna.heard().slice(2), ['refer.answered 202', 'notified refer SIP/2.0 200 OK']);
  t.deepEqual(carl.heard(), ['invited', 'answered']);
  anna.tell({ type: 'end' });
  await world.pass();
  t.is(world.call.localuri, `<sip:1002@${acme}>`);
  t.is(world.call.remoteuri, `<sip:1003@${acme}>`);
  t.deepEqual(world.call.opts, { 'referred-by': `sip:1001@${acme}` });
  const [refer] = world.events().filter(({ name }) => name === 'refer');
  t.like(refer?.data, { by: 'a', referto: `<sip:1003@${acme}>` });
  t.deepEqual(world.eventNames(world.call.dialogid).slice(0, 4), [
    'invite',
    'referring_invite',
    'route_referred',
    'dlg_init',
  ]);
});

test('the refusal of a REFER reaches the party that sent it', async (t) => {
  const { world, anna, ben } = await talk();
  ben.onReport = (leg, report) => {
    if (report.type === 'leg.referred') ben.agent.control(leg, { type: 'refer.refuse', status: 603 });
  };
  anna.tell({ type: 'refer', referTo: numberOf('1003') });
  await world.pass();
  t.is(anna.heard().at(-1), 'refer.answered 603');
  t.is(world.call.status, 'dialog');
});

test('of two who refer each other at once one has to wait', async (t) => {
  const { world, anna, ben } = await talk();
  anna.tell({ type: 'refer', referTo: numberOf('1003') });
  ben.tell({ type: 'refer', referTo: numberOf('1003') });
  await world.pass();
  const answers = [...anna.heard(), ...ben.heard()].filter((text) => text.startsWith('refer.answered'));
  t.deepEqual(answers, ['refer.answered 491']);
});

for (const isFar of [false, true]) {
  const where = isFar ? 'at another b2b' : 'at the same b2b';
  test(`a party with two calls connects the other parties; the second call is ${where}`, async (t) => {
    const { world, anna, ben, leg } = await talk();
    const first = world.call;
    const carl = world.phone('1003');
    follows(ben);
    carl.onReport = (name, report) => {
      if (report.type === 'leg.invited') carl.agent.control(name, answer);
      // A callee that accepts a call in the place of another one ends that one.
      const replaced = report.type === 'leg.invited' ? report.request.replaces?.callid : undefined;
      if (replaced !== undefined) carl.agent.control(replaced, { type: 'end' });
    };
    const second = await callUntil(world, anna, isFar ? 'elsewhere' : first.b2b);
    const replacedCall = world.live.find(({ dialogid }) => dialogid !== first.dialogid);
    world.found = (callid) => world.live.filter((call) => call.legs.some((each) => each.callid === callid));
    const replaces = anna.agent.view(second)?.replaces;
    // Seed 4 of the campaign: by the time the replaced call was found it had ended, and nothing was published of it.
    world.findMs = 50;
    anna.tell({ type: 'refer', referTo: { ...numberOf('1003'), ...(replaces && { replaces }) } }, leg);
    await world.pass(200);
    const taken = carl.invites.find((invite) => invite.replaces !== undefined);
    t.is(taken?.from.uri, `sip:1002@${acme}`);
    t.is(carl.agent.view(second), undefined);
    t.deepEqual(anna.heard(leg).at(-1), 'notified refer SIP/2.0 200 OK');
    t.is(anna.heard(second).at(-1), 'ended remote');
    anna.tell({ type: 'end' }, leg);
    await world.pass();
    t.like(world.call, { localuri: `<sip:1002@${acme}>`, remoteuri: `<sip:1003@${acme}>`, status: 'dialog' });
    const replaced = world.events().filter(({ name }) => name === 'replaces_refer');
    t.deepEqual(
      replaced.map(({ data }) => [data['dialogid'], data['newinviteid']]),
      [[replacedCall?.dialogid, world.call.inviteid]],
    );
  });
}

// Seed 74368 of the campaign: the party was referred to the number that was called, whose phones have no such leg.
test('a party is connected with the one to which its call was diverted', async (t) => {
  const { world, anna, ben, leg } = await talk();
  follows(ben);
  const dora = world.phone('1004').always({ type: 'reject', status: 302, contacts: [numberOf('1003').uri] });
  const carl = world.phone('1003').always(answer);
  const second = anna.call('1004');
  await world.pass();
  const replaces = anna.agent.view(second)?.replaces;
  anna.tell({ type: 'refer', referTo: { ...numberOf('1004'), ...(replaces && { replaces }) } }, leg);
  await world.pass();
  t.deepEqual(
    carl.invites.map((invite) => invite.replaces?.callid),
    [undefined, carl.invites[0]?.callid],
  );
  t.is(dora.invites.length, 1);
});

// Seed 51101 of the campaign: the other call was looked for in the domain of the caller only.
test('a callee of another domain connects the caller with a party of its own, at another b2b', async (t) => {
  const world = await CallWorld.start();
  const anna = world.phone('1001', { domain: 'globex.root.test' });
  const [ben, carl] = [world.phone('1002').always(ring, answer), world.phone('1003').always(ring, answer)];
  follows(anna);
  anna.call(`sip:1002@${acme}`);
  await world.pass();
  const { leg } = ben;
  const second = await callUntil(world, ben, 'elsewhere');
  world.found = (callid) => world.live.filter((call) => call.legs.some((each) => each.callid === callid));
  const replaces = ben.agent.view(second)?.replaces;
  ben.tell({ type: 'refer', referTo: { ...numberOf('1003'), ...(replaces && { replaces }) } }, leg);
  await world.pass();
  const taken = carl.invites.find((invite) => invite.replaces !== undefined);
  t.true(
    carl.invites.some(({ callid }) => callid === taken?.replaces?.callid),
    'it names a leg of Carl',
  );
});

/** Calls Carl until the call is at the b2b that is wanted, or at another one. */
async function callUntil(world: CallWorld, anna: TestParty, b2b: string): Promise<string> {
  for (;;) {
    const before = new Set(world.live.map(({ dialogid }) => dialogid));
    const leg = anna.call('1003');
    await world.pass();
    const made = world.live.find(({ dialogid }) => !before.has(dialogid));
    const other = world.live.find(({ dialogid }) => before.has(dialogid));
    if (made?.b2b === b2b || (b2b === 'elsewhere' && made?.b2b !== other?.b2b)) return leg;
    anna.tell({ type: 'end' }, leg);
    await world.pass();
  }
}

test('a call that takes the place of another says so to all devices of the callee', async (t) => {
  const { world, ben } = await talk();
  const other = world.phone('1002', { device: 'ben-soft' }).always({ type: 'reject', status: 481 });
  const before = world.call;
  const replaces = ben.agent.view(ben.leg)?.replaces;
  const mine = { callid: ben.leg, toTag: replaces?.fromTag ?? '', fromTag: replaces?.toTag ?? '' };
  world.found = (callid) => world.live.filter((call) => call.legs.some((each) => each.callid === callid));
  const carl = world.phone('1003');
  for (let times = 0; times < 6; times += 1) carl.call('1002', { replaces: mine });
  await world.pass();
  t.is(other.invites.length, 6);
  t.is(ben.invites.length, 7);
  t.true([...other.invites, ...ben.invites.slice(1)].every(({ replaces: theirs }) => theirs?.callid === mine.callid));
  const events = world.events().filter(({ name }) => name === 'replaces_refer');
  const others = world.live.filter(({ dialogid }) => dialogid !== before.dialogid);
  t.true(new Set(others.map(({ b2b }) => b2b)).size > 1, 'at several b2b instances');
  t.deepEqual(
    events.map(({ data }) => `${data['dialogid']} ${data['newinviteid']}`).sort(),
    others.map(({ inviteid }) => `${before.dialogid} ${inviteid}`).sort(),
  );
});

test('a call that ends publishes no events of calls that replace it', async (t) => {
  const { world, anna, ben, leg } = await talk();
  const before = world.call;
  const replaces = ben.agent.view(ben.leg)?.replaces;
  const mine = { callid: ben.leg, toTag: replaces?.fromTag ?? '', fromTag: replaces?.toTag ?? '' };
  const carl = world.phone('1003');
  anna.tell({ type: 'end' }, leg);
  for (let times = 0; times < 6; times += 1) carl.call('1002', { replaces: mine });
  await world.pass();
  const names = world.events().flatMap(({ name, data }) => (data['dialogid'] === before.dialogid ? [name] : []));
  t.deepEqual(
    names.slice(names.indexOf('dlg_end')).filter((name) => name !== 'dlg_stop'),
    ['dlg_end'],
  );
  t.true(world.live.some(({ b2b }) => b2b === before.b2b));
});

test('the sender of a REFER with a token is notified of the progress of the call', async (t) => {
  const world = await CallWorld.start();
  const [ben, carl] = [world.phone('1002'), world.phone('1003')];
  const ivr = world.map.instanceNamed('ivr-225')?.address ?? '';
  const leg = ben.call('1003', { referredBy: { uri: `sip:ivr@${acme}`, token: `${ivr}|key-7` } });
  await world.pass();
  const { dialogid, inviteid } = world.call;
  carl.tell(ring);
  await world.pass();
  carl.tell(answer);
  await world.pass();
  const common = { key: 'key-7', acallid: leg, inviteid, dialogid };
  const heard = { ...common, bcallid: carl.leg };
  t.deepEqual(
    world.referrals.map(({ by, body }) => [by, body]),
    [
      ['ivr-225', { ...common, status: 0, reason: '' }],
      ['ivr-225', { ...heard, status: 180, reason: 'Ringing' }],
      ['ivr-225', { ...heard, status: 200, reason: 'OK' }],
    ],
  );
  t.is(carl.invites[0]?.referredBy?.token, undefined);
});

test('the sender is notified of the reason of a failure too', async (t) => {
  const world = await CallWorld.start();
  const ben = world.phone('1002');
  const token = `${world.map.instanceNamed('ivr-131')?.address}|k`;
  world.phone('1003').always({ type: 'reject', status: 486 });
  ben.call('1003', { referredBy: { uri: `sip:ivr@${acme}`, token } });
  ben.call('1004', { referredBy: { uri: `sip:ivr@${acme}`, token } });
  ben.call('1003', { referredBy: { uri: `sip:ivr@${acme}`, token: 'unknown|k' } });
  await world.pass();
  const statuses = world.referrals.map(({ body }) => body['status']);
  t.deepEqual(statuses.toSorted(), [0, 0, 480, 486]);
});

test('a caller that sends REFER before it is answered gets 491', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001').always(answer), world.phone('1002').always(ring)];
  const order = { domain: acme, from: '1001', to: '1002', mode: 'number', timeoutMs: 30_000, responseMode: 0 };
  void world.ask('b2b-214', 'dialog.originate', { request: order });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited']);
  anna.tell({ type: 'refer', referTo: numberOf('1003') });
  await world.pass();
  t.is(anna.heard().at(-1), 'refer.answered 491');
  t.is(world.call.status, 'forking');
});
