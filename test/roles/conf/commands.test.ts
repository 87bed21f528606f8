/** The commands of mware to conf: call a participant, remove one, end a conference, set which participants hear each other. */

import { limits } from '../../../src/model/limits.ts';
import { acme, PlatformWorld } from '../../kit/calls/platform-world.ts';
import { test } from '../../kit/test.ts';

const confid = '224-1';

/** Participants of room 01, in order; answers their legs at b2b-214. */
async function meeting(...logins: string[]): Promise<{ world: PlatformWorld; legs: string[] }> {
  const world = await PlatformWorld.start();
  const legs: string[] = [];
  for (const login of logins) {
    legs.push(world.call('5501', login));
    await world.pass();
  }
  return { world, legs };
}

test('a conference calls a number in, and shows how that goes', async (t) => {
  const { world } = await meeting('1001');
  // In turn those of the own site, north; the next one is 214 or 223.
  const called = await world.command('conference.call', { confid, invitations: [['1002', null]] });
  t.deepEqual(called, { ok: true, value: { participantids: ['224-1-2'] } });
  await world.pass();
  const via = ['b2b-214', 'b2b-223'].map((name) => world.b2b(name)).find(({ invites }) => invites.length > 0);
  const [invite] = via?.invites ?? [];
  t.like(invite, { uri: `sip:1002@${acme}`, to: { uri: `sip:1002@${acme}` }, domain: acme, confid });
  t.is(invite?.from.uri, `sip:5501@${acme}`);
  t.deepEqual(await world.people(), ['1001 active', '1002 calling']);
  via?.tell({ type: 'ring' });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active', '1002 ringing']);
  via?.tell({ type: 'answer' });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active', '1002 active']);
  const [, joined] = world.eventsNamed('part_start');
  t.like(joined?.data, { participantid: '224-1-2', ruri: `<sip:1002@${acme}>` });
});

test('a participant of a meeting is called once, also when two mware instances ask for it', async (t) => {
  const { world } = await meeting('1001');
  const request = { confid, invitations: [['1002', 'p'] as [string, string]] };
  const called = await world.command('conference.call', request);
  t.deepEqual(await world.command('conference.call', request), called);
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active', '1002 calling']);
});

test('a number of another domain is called there', async (t) => {
  const { world } = await meeting('1001');
  await world.command('conference.call', { confid, invitations: [['1002@globex.root.test', null]] });
  await world.pass();
  const invites = ['b2b-214', 'b2b-223'].flatMap((name) => world.b2b(name).invites);
  t.is(invites.length, 1);
  t.like(invites[0], { uri: 'sip:1002@globex.root.test', domain: acme });
});

test('a participant that refuses, or does not answer for too long, is removed', async (t) => {
  const { world } = await meeting('1001');
  for (const name of ['b2b-214', 'b2b-223']) world.b2b(name).always({ type: 'reject', status: 486 });
  await world.command('conference.call', { confid, invitations: [['1002', null]] });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active']);
  for (const name of ['b2b-214', 'b2b-223']) world.b2b(name).always({ type: 'ring' });
  await world.command('conference.call', { confid, invitations: [['1003', null]] });
  await world.pass(319_000);
  t.deepEqual(await world.people(), ['1001 active', '1003 ringing']);
  await world.pass(2_000);
  t.deepEqual(await world.people(), ['1001 active']);
  const ends = world.eventsNamed('part_stop').map(({ data: { type, reason } }) => ({ type, reason }));
  t.deepEqual(ends, [
    { type: 'call_final', reason: '486 Busy Here' },
    { type: 'timeout', reason: 'no answer' },
  ]);
});

test('without a reachable b2b a participant is not called, and the command fails at once', async (t) => {
  const { world } = await meeting('1001');
  for (const node of world.cluster.map.nodes.keys()) if (node !== 'n2') world.cluster.faults.crashNode(node);
  await world.pass(10_000);
  world.cluster.faults.crashInstance('b2b-223');
  await world.pass(100);
  const asked = world.cluster.scope('sdc-229').ask(world.address('conf-224'), 'conference.create', { domain: acme });
  const { value: made } = await world.cluster.comes(asked);
  t.like(made, { value: { confid: '224-2', uri: `<sip:conf-224-2@${acme}>` } });
  const scope = world.cluster.scope('sdc-229');
  const called = scope.ask(world.address('conf-224'), 'conference.call', {
    confid: '224-2',
    invitations: [['1002', null]],
  });
  const { value } = await world.cluster.comes(called);
  t.like(value, { ok: false, fault: { code: 'unreachable', message: 'b2b is not reachable from site north' } });
});

test('a participant is removed; the others stay', async (t) => {
  const { world, legs } = await meeting('1001', '1002');
  const removed = await world.command('conference.remove', { confid, participantid: '224-1-1' });
  t.deepEqual(removed, { ok: true, value: {} });
  await world.pass();
  t.deepEqual(world.b2b().heard(legs[0]), ['answered', 'ended remote']);
  t.deepEqual(await world.people(), ['1002 active']);
  t.like(world.eventsNamed('part_stop')[0]?.data, {
    participantid: '224-1-1',
    type: 'bye',
    reason: 'removed',
    by: 'api',
  });
  const again = await world.command('conference.remove', { confid, participantid: '224-1-1' });
  t.like(again, { ok: false, fault: { code: 'not_found' } });
  await world.command('conference.remove', { confid, participantid: '224-1-2' });
  await world.pass();
  t.deepEqual(await world.conferences(), []);
});

test('ending a conference sends BYE to participants, CANCEL to ringing ones, and frees the room at once', async (t) => {
  const { world, legs } = await meeting('1001', '1002');
  for (const name of ['b2b-214', 'b2b-223']) world.b2b(name).always({ type: 'ring' });
  await world.command('conference.call', { confid, invitations: [['1003', null]] });
  await world.pass();
  t.deepEqual(await world.command('conference.end', { confid }), { ok: true, value: {} });
  await world.pass();
  for (const leg of legs) t.deepEqual(world.b2b().heard(leg), ['answered', 'ended remote']);
  const rung = ['b2b-214', 'b2b-223'].flatMap((name) => world.b2b(name).heard().slice(-1));
  t.true(rung.includes('cancelled'));
  t.deepEqual(await world.conferences(), []);
  t.like(await world.command('conference.end', { confid }), { ok: false, fault: { code: 'not_found' } });
  world.call('5501', '1004');
  await world.pass();
  t.deepEqual(
    (await world.conferences()).map((each) => each.confid),
    ['224-2'],
  );
  await world.pass(3_000);
  const [stop, ...others] = world.eventsNamed('conf_stop');
  t.deepEqual(others, []);
  t.like(stop?.data, { confid, participants: 3, type: 'conf_terminate', reason: 'ended by command', by: 'api' });
});

test('a caller that joins while a conference is ending gets another conference', async (t) => {
  const { world } = await meeting();
  // It takes part word by word, and never answers BYE.
  const [from, to] = [{ uri: `sip:1001@${acme}`, tag: 'mine' }, { uri: `sip:5501@${acme}` }];
  const via = [world.address('sr-217')];
  const request = { kind: 'request', maxForwards: 70, callid: 'raw', from, cseq: 1, via } as const;
  world.say('sr-217', 'conf-224', { ...request, uri: 'sip:5501@conf-224', to, method: 'INVITE', domain: acme });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 calling'], 'its ACK has not come');
  const ok = world.sipAt('sr-217').find((message) => message.kind === 'response' && message.status === 200);
  world.say('sr-217', 'conf-224', { ...request, uri: 'sip:5501@conf-224', to: ok?.to ?? to, method: 'ACK' });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active']);
  await world.command('conference.end', { confid });
  await world.pass(1_000);
  t.deepEqual(await world.people(), ['1001 leaving']);
  t.like(await world.command('conference.call', { confid, invitations: [['1002', null]] }), {
    ok: false,
    fault: { code: 'conflict' },
  });
  const [ben, carl] = [world.call('5501', '1002'), world.call('conf-224-1', '1003')];
  await world.pass();
  t.deepEqual(world.b2b().heard(ben), ['answered']);
  t.deepEqual(world.b2b().heard(carl), ['failed 404']);
  t.deepEqual(
    (await world.conferences()).map((each) => [each.confid, each.participants.length]),
    [
      [confid, 1],
      ['224-2', 1],
    ],
  );
  await world.pass(45_000);
  t.deepEqual(
    (await world.conferences()).map((each) => each.confid),
    ['224-2'],
  );
  t.is(world.eventsNamed('conf_stop').length, 1);
});

test('a conference created by a command waits a minute for a participant', async (t) => {
  const world = await PlatformWorld.start();
  const [first, second] = [
    await world.command('conference.create', { domain: acme }),
    await world.command('conference.create', { domain: acme }),
  ];
  t.deepEqual(first, { ok: true, value: { confid, uri: `<sip:conf-224-1@${acme}>` } });
  t.true(second.ok);
  t.like((await world.conferences())[0], { confid, confroomnum: '', confnumber: '', participants: [] });
  await world.pass(59_000);
  const anna = world.call('conf-224-1', '1001');
  await world.pass(2_000);
  t.deepEqual(world.b2b().heard(anna), ['answered']);
  t.deepEqual(
    (await world.conferences()).map((each) => each.confid),
    [confid],
  );
  await world.pass(3_000);
  const [stop] = world.eventsNamed('conf_stop');
  t.like(stop?.data, {
    confid: '224-2',
    participants: 0,
    type: 'timeout',
    reason: 'no participant joined',
    by: 'platform',
  });
});

test('every participant hears all others, until the topology is set', async (t) => {
  const { world } = await meeting('1001', '1002', '1003');
  const [a, b, c] = ['224-1-1', '224-1-2', '224-1-3'] as const;
  const hears = async (change?: Record<string, string[]>) => {
    const reply = await world.command('conference.hears', { confid, ...(change && { hears: change }) });
    return reply.ok ? (reply.value as { hears: object }).hears : reply.fault;
  };
  t.deepEqual(await hears(), { [a]: [b, c], [b]: [a, c], [c]: [a, b] });
  t.deepEqual(await hears({ [a]: [c], [b]: [] }), { [a]: [c], [b]: [], [c]: [a, b] });
  t.like(await hears({ [a]: [b], [b]: ['224-1-9'] }), {
    code: 'invalid',
    message: 'hears: expected ids of participants, got "224-1-9"',
  });
  t.like(await hears({ '224-1-9': [a] }), { code: 'invalid' });
  t.like(await hears({ [a]: [a] }), { code: 'invalid' });
  t.deepEqual(await hears(), { [a]: [c], [b]: [], [c]: [a, b] }, 'a change that is refused changes nothing');
  await world.command('conference.remove', { confid, participantid: c });
  world.call('5501', '1004');
  await world.pass();
  const d = '224-1-4';
  t.deepEqual(
    await hears(),
    { [a]: [], [b]: [], [d]: [a, b] },
    'a later participant is heard by the participants that hear all',
  );
});

test('a full conference refuses the next call, and calls no participant', async (t) => {
  const { world } = await meeting();
  const most = limits.participants;
  const legs = Array.from({ length: most + 1 }, (_, index) => world.call('5501', `${2_000 + index}`));
  await world.pass(200);
  t.deepEqual(world.b2b().heard(legs[most - 1]), ['answered']);
  t.deepEqual(world.b2b().heard(legs[most]), ['failed 486']);
  t.like(await world.command('conference.call', { confid, invitations: [['1001', null]] }), {
    ok: false,
    fault: { code: 'overloaded' },
  });
  world.b2b().tell({ type: 'end' }, legs[0]);
  await world.pass();
  const next = world.call('5501', '1001');
  await world.pass();
  t.deepEqual(world.b2b().heard(next), ['answered']);
});

test('a server that has as many conferences as it may makes no other', async (t) => {
  const { world } = await meeting();
  const scope = world.cluster.scope('mware-215');
  const ask = () => scope.ask(world.address('conf-224'), 'conference.create', { domain: acme });
  const all = Promise.all(Array.from({ length: limits.conferences }, ask));
  t.true((await world.cluster.comes(all)).value.every((made) => made.ok));
  t.like(await world.command('conference.create', { domain: acme }), { ok: false, fault: { code: 'overloaded' } });
  const other = world.call('5501', '1001', { domain: 'globex.root.test' });
  await world.pass(200);
  t.deepEqual(world.b2b().heard(other), ['failed 503']);
});

test('a meeting has ended when its conference has, but not when one beside it is ended', async (t) => {
  const { world } = await meeting();
  const ended = async () => {
    const asked = world.cluster.scope('mware-215').ask(world.address('conf-224'), 'conference.list', { domain: acme });
    const { value } = await world.cluster.comes(asked);
    return value.ok ? Object.keys(value.value.ended ?? {}) : undefined;
  };
  for (const id of ['m1', 'm2'])
    await world.command('conference.create', { domain: acme, meeting: [id, '2026-01-01T00:00:00.000Z'] });
  t.deepEqual(await world.command('conference.end', { confid: '224-1', keepsMeeting: true }), { ok: true, value: {} });
  t.deepEqual(await world.command('conference.end', { confid: '224-2' }), { ok: true, value: {} });
  await world.pass(5_000);
  t.deepEqual(await world.conferences(), []);
  t.deepEqual(await ended(), ['m2']);
});
