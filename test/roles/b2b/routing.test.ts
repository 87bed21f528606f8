/** Which target a number leads to, and which callers b2b lets call. */

import type { SipUserRecord } from '../../../src/model/protocol/messages/directory.ts';
import { credentialsFor, wrongCredentials } from '../../../src/model/sip/digest.ts';
import { transferToken } from '../../../src/model/sip/message.ts';
import { namedUuid } from '../../../src/model/uuid.ts';
import { acme, CallWorld } from '../../kit/calls/call-world.ts';
import { mapWith } from '../../kit/calls/edges.ts';
import type { TestParty } from '../../kit/calls/party.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';

const ring = { type: 'ring' } as const;
const answer = { type: 'answer' } as const;
const outside = '79991234567';

function statuses(party: TestParty): number[] {
  return party.all('leg.failed').map(({ status }) => status);
}

/** The default cluster, where acme has a second provider and a script. */
const wide = mapWith({
  domains: defaultMap.topology.domains.map((domain) =>
    domain.name !== acme
      ? domain
      : {
          ...domain,
          providers: [
            ...domain.providers,
            ...domain.providers.map((provider) => ({ ...provider, code: 'acme-second', username: 'second', esg: 321 })),
          ],
          features: [...domain.features, { prefix: '77', type: 'ivr' as const }],
        },
  ),
});

test('an unknown number is not found', async (t) => {
  const world = await CallWorld.start({
    map: mapWith({ domains: defaultMap.topology.domains.map((domain) => ({ ...domain, providers: [] })) }),
  });
  const anna = world.phone('1001');
  anna.call('4711');
  await world.pass();
  t.deepEqual(statuses(anna), [404]);
  t.deepEqual(world.eventNames(), ['invite', 'dlg_end']);
  t.like(world.events()[1]?.data, { type: 'error', sipcode: 404 });
  t.deepEqual(world.live, []);
});

test('a SIP user without a device is not available', async (t) => {
  const world = await CallWorld.start();
  const anna = world.phone('1001');
  anna.call('1002');
  await world.pass();
  t.deepEqual(statuses(anna), [480]);
});

test('a SIP user of another domain is called by number and domain', async (t) => {
  const world = await CallWorld.start();
  const [anna, gus] = [world.phone('1001'), world.phone('1002', { domain: 'globex.root.test' }).always(ring, answer)];
  anna.call('sip:1002@globex.root.test');
  await world.pass();
  t.deepEqual(gus.heard(), ['invited', 'answered']);
  t.deepEqual(world.call.domains, [acme, 'globex.root.test']);
  t.is(world.call.remoteuri, '<sip:1002@globex.root.test>');
});

test('a domain has no case: that of the caller, and that of the URI that is called', async (t) => {
  const world = await CallWorld.start();
  const ben = world.phone('1002').always(answer);
  const [anna, gus] = [world.phone('1001'), world.phone('1002', { domain: 'globex.root.test' }).always(answer)];
  anna.call('sip:1002@ACME.root.test', { from: { uri: 'sip:1001@Acme.Root.Test' } });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited', 'answered']);
  anna.call('sip:1002@Globex.Root.Test');
  await world.pass();
  t.deepEqual(gus.heard(), ['invited', 'answered']);
});

test('a number of a domain that is not here is not found: it is not dialled in the own domain', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  for (const host of ['elsewhere.test', 'globex2.root.test']) {
    anna.call(`sip:1002@${host}`);
    await world.pass();
  }
  t.deepEqual(statuses(anna), [404, 404]);
  t.deepEqual(ben.heard(), []);
  anna.call('sip:1002@10.1.0.12');
  await world.pass();
  t.deepEqual(ben.heard(), ['invited', 'answered']);
});

test('while directory or registrar is away, calls fail with 503', async (t) => {
  const world = await CallWorld.start();
  const anna = world.phone('1001');
  for (const name of ['sr-217', 'sr-228', 'sr-317', 'sr-328', 'sr-134', 'sr-129'])
    world.edges.probed.faults.crashInstance(name);
  anna.call('1002');
  await world.pass();
  t.deepEqual(statuses(anna), [503]);
  for (const name of ['sdc-218', 'sdc-229', 'sdc-318', 'sdc-329', 'mdc-133', 'mdc-128']) {
    world.edges.probed.faults.crashInstance(name);
  }
  anna.call('1002');
  await world.pass();
  t.deepEqual(statuses(anna), [503, 503]);
});

test('a phone that is not where its user registered must show who it is', async (t) => {
  const world = await CallWorld.start();
  const [anna, ben] = [world.phone('1001', { isRegistered: false }), world.phone('1002').always(answer)];
  const leg = anna.call('1002');
  await world.pass();
  const [refusal] = anna.all('leg.failed');
  t.like(refusal, { status: 407, challenge: { realm: acme } });
  t.deepEqual(world.streamItems, [], 'no call came of it');
  const { uri, challenge } = { uri: `sip:1002@${acme}`, ...refusal };
  const prove = (pwd: string) =>
    credentialsFor({ username: '1001', pwd }, challenge as NonNullable<typeof challenge>, { method: 'INVITE', uri });
  anna.call('1002', { callid: leg, credentials: prove('wrong') });
  await world.pass();
  t.like(anna.all('leg.failed')[1], { status: 403, reason: wrongCredentials.reason });
  t.deepEqual(world.streamItems, []);
  anna.call('1002', { callid: leg, credentials: prove('1001') });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited', 'answered']);
  t.is(world.call.acallid, leg);
});

test('neither a caller of another domain nor an unknown user learns where a number leads', async (t) => {
  const world = await CallWorld.start();
  const unknown = world.phone('9999');
  unknown.call('1002');
  await world.pass();
  t.deepEqual(statuses(unknown), [407]);
  const foreign = world.phone('1001', { domain: 'elsewhere.test' });
  foreign.call(`sip:1002@${acme}`);
  await world.pass();
  t.deepEqual(statuses(foreign), [403]);
  t.deepEqual(world.streamItems, []);
});

test('a number outside goes by the account of the domain', async (t) => {
  const world = await CallWorld.start();
  const [anna, provider] = [world.phone('1001'), world.provider().always(ring, answer)];
  await world.pass(40_000);
  anna.call(outside);
  await world.pass();
  t.like(provider.invites[0], { uri: `sip:${outside}@sip.telecom.test`, from: { uri: 'sip:acme@sip.telecom.test' } });
  t.deepEqual(anna.heard(), ['rang 180', 'answered']);
  t.like(world.call.participations[1], { kind: 'account', domain: acme, name: 'acme-telecom', number: outside });
  t.is(world.events().find(({ name }) => name === 'fork_start')?.data['forkdir'], 'outer');
});

test('the next account has its turn when the one before is lost or has no room', async (t) => {
  const world = await CallWorld.start({ map: wide });
  const [anna, provider] = [world.phone('1001'), world.provider('esg-321')];
  await world.pass(40_000);
  provider.onReport = (leg, report) => {
    if (report.type !== 'leg.invited') return;
    const isFirst = report.request.from.uri.includes('acme@');
    provider.agent.control(leg, isFirst ? { type: 'reject', status: 503 } : answer);
  };
  anna.call(outside);
  await world.pass();
  t.is(provider.invites.length, 2);
  t.deepEqual(anna.heard(), ['answered']);
  t.is(world.call.participations[1]?.name, 'acme-second');
  world.edges.probed.faults.crashInstance('esg-221');
  anna.tell({ type: 'end' });
  await world.pass();
  anna.call(outside);
  await world.pass();
  t.is(provider.invites.length, 3, 'no one tries the account that is lost');
});

test('an account that refuses has spoken for all', async (t) => {
  const world = await CallWorld.start({ map: wide });
  const [anna, provider] = [world.phone('1001'), world.provider().always({ type: 'reject', status: 486 })];
  await world.pass(40_000);
  anna.call(outside);
  await world.pass();
  t.is(provider.invites.length, 1);
  t.deepEqual(statuses(anna), [486]);
});

test('a call from a provider is routed in the domain of its account', async (t) => {
  const world = await CallWorld.start();
  const [provider, ben] = [world.provider(), world.phone('1002').always(ring, answer)];
  await world.pass(40_000);
  provider.call('sip:acme@sip.telecom.test', { to: { uri: `sip:1002@sip.telecom.test` } });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited', 'answered']);
  t.is(ben.invites[0]?.from.uri, provider.uri);
  const { esgdlg, participations, localuri } = world.call;
  t.regex(esgdlg, /^221-\d+$/);
  t.is(localuri, `<${provider.uri}>`);
  t.like(participations[0], { side: 'a', kind: 'account', domain: acme, name: 'acme-telecom', number: '79990001' });
});

const confs = ['conf-125', 'conf-132', 'conf-224', 'conf-324'];

test('a room is at one conference server, from wherever it is called', async (t) => {
  const world = await CallWorld.start();
  for (const conf of confs) world.inside(conf).always(answer);
  const callers = [
    world.phone('1001'),
    world.phone('1005', { gate: 'sg-313' }),
    world.phone('1009', { gate: 'sg-123' }),
  ];
  const homes = new Map<string, Set<string>>();
  for (let room = 10; room < 20; room += 1) {
    for (const caller of callers) caller.call(`55${room}`);
    await world.pass();
    for (const conf of confs) {
      for (const { uri } of world.inside(conf).invites.filter(({ to }) => to.uri === `sip:55${room}@${acme}`)) {
        t.is(uri, `sip:55${room}@${conf}`);
        homes.set(`55${room}`, (homes.get(`55${room}`) ?? new Set()).add(conf));
      }
    }
  }
  t.deepEqual(
    [...homes.values()].map((set) => set.size),
    new Array(10).fill(1),
  );
  t.true(new Set([...homes.values()].flatMap((set) => [...set])).size > 1, 'rooms are spread');
});

test('a call that reaches b2b with one hop left gets to a room, and one without any is refused', async (t) => {
  const world = await CallWorld.start();
  for (const conf of confs) world.inside(conf).always(answer);
  const [anna, ben] = [world.phone('1001'), world.phone('1002')];
  anna.call('5507', { maxForwards: 2 });
  ben.call('5507', { maxForwards: 1 });
  await world.pass();
  t.deepEqual(anna.heard(), ['answered']);
  t.deepEqual(statuses(ben), [483]);
});

test('which conference a room has come to be is shown once it has answered', async (t) => {
  const world = await CallWorld.start();
  for (const conf of confs) world.inside(conf).always(answer);
  const anna = world.phone('1001');
  anna.call('5510');
  await world.pass();
  const [home] = confs.filter((conf) => world.inside(conf).invites.length > 0);
  const party = { side: 'b', kind: 'conference', domain: acme, name: `${home?.slice(5)}-1`, number: '5510' };
  t.deepEqual(world.call.participations[1] as unknown, party);
});

test("a conference's own URI leads to the instance that has it", async (t) => {
  const world = await CallWorld.start();
  world.inside('conf-324').always(answer);
  const anna = world.phone('1001');
  anna.call('conf-324-7');
  await world.pass();
  t.deepEqual(anna.heard(), ['answered']);
  t.like(world.call.participations[1], { kind: 'conference', name: '324-7', number: 'conf-324-7' });
  anna.tell({ type: 'end' });
  anna.call('conf-999-7');
  await world.pass();
  t.deepEqual(statuses(anna), [404]);
});

test('a script is at an ivr of the own site; when that refuses for want of room, at another', async (t) => {
  const world = await CallWorld.start({ map: wide });
  world.inside('ivr-225').always({ type: 'reject', status: 503 });
  for (const name of ['ivr-131', 'ivr-325']) world.inside(name).always(answer);
  const anna = world.phone('1001');
  anna.call('7712');
  await world.pass();
  t.is(world.inside('ivr-225').invites.length, 1);
  t.deepEqual(anna.heard(), ['answered']);
  t.like(world.call.participations[1], { kind: 'ivr', domain: acme, number: '7712' });
  t.is(world.inside('ivr-225').invites[0]?.domain, acme);
});

test('conf calls in the name of a domain', async (t) => {
  const world = await CallWorld.start();
  const ben = world.phone('1002').always(answer);
  const conf = world.inside('conf-224');
  const b2b = world.map.instanceNamed('b2b-214')?.address ?? '';
  conf.call(`sip:1002@${acme}`, { hop: b2b, domain: acme, from: { uri: `sip:conf-224-3@${acme}` } });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited', 'answered']);
  t.like(world.call.participations[0], { kind: 'conference', domain: acme, name: '224-3' });
});

test('a conference calls no other conference, neither by number nor by way of a phone', async (t) => {
  const world = await CallWorld.start();
  for (const conf of confs) world.inside(conf).always(answer);
  const ben = world.phone('1002').always({ type: 'reject', status: 302, contacts: [`sip:5511@${acme}`] });
  const carl = world.phone('1003').always({ type: 'reject', status: 302, contacts: [`sip:1004@${acme}`] });
  const dora = world.phone('1004').always(answer);
  const conf = world.inside('conf-224');
  const b2b = world.map.instanceNamed('b2b-214')?.address ?? '';
  const call = async (number: string, more: object = {}) => {
    conf.call(`sip:${number}@${acme}`, { hop: b2b, domain: acme, from: { uri: `sip:5510@${acme}` }, ...more });
    await world.pass();
    return conf.heard().at(-1);
  };
  t.is(await call('5511'), 'failed 482');
  t.is(await call('conf-324-1', { confid: '224-1' }), 'failed 482');
  t.is(await call('1002'), 'failed 482');
  t.is(ben.invites.length, 1);
  t.deepEqual(
    confs.filter((name) => world.inside(name).invites.length > 0),
    [],
    'nothing has reached a conference',
  );
  t.like(world.events().at(-1), { name: 'dlg_end', data: { sipcode: 482 } });
  t.deepEqual(world.live, []);
  t.is(await call('1003'), 'answered');
  t.deepEqual([carl.invites.length, dora.invites.length], [1, 1]);
});

test('two rooms are not connected by a call started between them either', async (t) => {
  const world = await CallWorld.start();
  for (const conf of confs) world.inside(conf).always(answer);
  const ben = world.phone('1002').always(answer);
  const order = { domain: acme, from: '5510', mode: 'number', timeoutMs: 5_000, responseMode: 3 };
  const asked = world.ask('b2b-214', 'dialog.originate', { request: { ...order, to: '5511' } });
  await world.pass();
  t.like(await asked, { ok: true, value: { last_response: 'SIP/2.0 482 Loop Detected' } });
  t.deepEqual(
    confs.flatMap((name) => world.inside(name).invites).map(({ to }) => to.uri),
    [`sip:5510@${acme}`],
  );
  void world.ask('b2b-214', 'dialog.originate', { request: { ...order, to: '1002' } });
  await world.pass();
  t.deepEqual(ben.heard(), ['invited', 'answered']);
  t.like(world.call.participations[0], { kind: 'conference', number: '5510' });
  t.regex(world.call.participations[0]?.name ?? '', /^\d+-1$/);
});

test('a callee hears what a conference played before the callee had answered', async (t) => {
  const world = await CallWorld.start();
  const ben = world.phone('1002').always({ type: 'ring' });
  const confs = world.map.instancesOf('conf').map(({ name }) => world.inside(name).always(answer));
  const request = { domain: acme, from: '5501', to: '1002', mode: 'number', timeoutMs: 30_000, responseMode: 1 };
  void world.ask('b2b-214', 'dialog.originate', { request });
  await world.pass();
  const conf = confs.find(({ invites }) => invites.length > 0);
  conf?.tell({ type: 'play', plays: 'first.wav' });
  conf?.tell({ type: 'play', plays: 'wait.wav' });
  await world.pass();
  ben.tell(answer);
  await world.pass();
  t.deepEqual(
    ben.all('leg.plays').map(({ plays }) => plays),
    ['wait.wav'],
  );
});

async function limited(change: Partial<SipUserRecord>): Promise<CallWorld> {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1001', change);
  return world;
}

test('a SIP user has no more calls at once than its trunks', async (t) => {
  const world = await limited({ trunks: 1 });
  const [anna, ben, carl] = [
    world.phone('1001').always(answer),
    world.phone('1002').always(answer),
    world.phone('1003'),
  ];
  const leg = anna.call('1002');
  await world.pass();
  const [{ b2b } = { b2b: '' }] = world.live;
  // Whether here or at the other b2b instance of the site, which only callstore knows.
  const id = namedUuid(`${acme}/sip/1001`);
  world.found = (value) => (value === id ? world.live.filter((call) => call.b2b === b2b) : []);
  for (let times = 0; times < 4; times += 1) anna.call('1003');
  for (let times = 0; times < 4; times += 1) carl.call('1001');
  // That ivr has referred it, by a leg of its own.
  const token = transferToken({ address: 'north/n1/ivr-215', key: leg });
  for (let times = 0; times < 4; times += 1) anna.call('1003', { referredBy: { uri: `sip:1002@${acme}`, token } });
  await world.pass();
  t.deepEqual(statuses(anna), new Array(8).fill(403));
  t.deepEqual(statuses(carl), [486, 486, 486, 486]);
  ben.tell({ type: 'end' });
  await world.pass();
  carl.call('1001');
  await world.pass();
  t.is(carl.heard().at(-1), 'answered');
});

for (const { when, routeMs, rings } of [
  { when: 'after its phone has rung', routeMs: 0, rings: ['invited', 'cancelled'] },
  { when: 'before its phone rings', routeMs: 500, rings: [] },
])
  test(`the user that one of two devices redirects to keeps its trunk when the other one answers ${when}`, async (t) => {
    const world = await CallWorld.start();
    world.directory?.change(acme, '1003', { trunks: 1 });
    const [anna, dora] = [world.phone('1001'), world.phone('1004')];
    const [desk, soft] = ['desk', 'soft'].map((device) => world.phone('1002', { device }));
    const carl = world.phone('1003').always({ type: 'ring' });
    anna.call('1002');
    await world.pass(600);
    world.routeMs = routeMs;
    desk?.tell({ type: 'reject', status: 302, contacts: [`sip:1003@${acme}`] });
    await world.pass();
    soft?.tell(answer);
    await world.pass();
    await world.pass(1_000);
    t.deepEqual(carl.heard(), rings);
    world.routeMs = 0;
    carl.always(answer);
    // Some of these calls are at the b2b instance that has the one of Anna.
    for (let times = 0; times < 6; times += 1) {
      dora.call('1003');
      await world.pass();
      t.is(dora.heard().at(-1), 'answered');
      dora.tell({ type: 'end' });
      await world.pass();
    }
    t.is(world.call.participations[1]?.name, '1002');
  });

test('a number is modified on its way to the provider, and kept as it was dialled', async (t) => {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1001', { modextout: '8/+7,/00' });
  const [anna, ben, provider] = [world.phone('1001'), world.phone('1002'), world.provider().always(answer)];
  anna.call('89991234567');
  await world.pass();
  t.like(provider.invites[0], { uri: 'sip:+79991234567@sip.telecom.test' });
  const [, side] = world.call.participations;
  t.is(side?.number, '89991234567');
  ben.call('89991234568');
  await world.pass();
  t.like(provider.invites[1], { uri: 'sip:89991234568@sip.telecom.test' }, 'of a SIP user without a modifier');
});

test('a number of a SIP user is not modified', async (t) => {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1001', { modextout: '/9' });
  world.directory?.change(acme, '1002', { modextin: '/9' });
  const [anna, ben] = [world.phone('1001'), world.phone('1002').always(answer)];
  anna.call('1002');
  await world.pass();
  t.like(ben.invites[0]?.from, { uri: `sip:1001@${acme}` });
  t.is(world.call.remoteuri, `<sip:1002@${acme}>`);
});

test('a SIP user sees the number of a caller from a provider as its modifier says', async (t) => {
  const world = await CallWorld.start();
  world.directory?.change(acme, '1002', { modextin: '+7/8,7/8' });
  const [provider, ben] = [world.provider(), world.phone('1002').always(answer)];
  provider.call('sip:acme@sip.telecom.test', { to: { uri: `sip:1002@sip.telecom.test` } });
  await world.pass();
  t.is(ben.invites[0]?.from.uri, 'sip:89990001@sip.telecom.test');
  t.is(world.call.localuri, `<${provider.uri}>`, 'lists and records show the number that called');
});
