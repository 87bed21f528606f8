/** Conferences of rooms: how they begin, which participants are in them, how they end. */

import { SeededRandom } from '../../../sim/ports/random.ts';
import { isoTime } from '../../../src/model/time.ts';
import { acme, PlatformWorld } from '../../kit/calls/platform-world.ts';
import { test } from '../../kit/test.ts';

const answered = ['answered'];

test('the first call to a room makes its conference, and the next ones come to it', async (t) => {
  const world = await PlatformWorld.start();
  const anna = world.call('5501', '1001');
  await world.pass();
  const ben = world.call('5501', '1002', { via: 'b2b-223' });
  await world.pass();
  t.deepEqual(world.b2b().heard(anna), answered);
  t.deepEqual(world.b2b('b2b-223').heard(ben), answered);
  const [conference, ...others] = await world.conferences();
  t.deepEqual(others, []);
  const uri = `<sip:5501@${acme}>`;
  const { startts = 0, participants = [], ...rest } = conference ?? {};
  t.deepEqual(rest as object, {
    confid: '224-1',
    confroomnum: '01',
    confnumber: '157d',
    uri,
    conftype: 'conference',
    site: 'north',
    uris: [uri, `<sip:1001@${acme}>`, `<sip:1002@${acme}>`],
    domain: acme,
    conf: 'north/n2/conf-224',
  });
  t.true(Number.isInteger(startts) && startts >= 5_000 && startts < 5_100);
  const view = world.b2b().agent.view(anna);
  const { sincems, ...first } = participants[0] ?? {};
  t.deepEqual(first as object, {
    participantid: '224-1-1',
    state: 'active',
    callid: anna,
    luri: uri,
    ltag: view?.remote.tag,
    ruri: `<sip:1001@${acme}>`,
    rtag: view?.local.tag,
  });
  t.is(participants[1]?.luri, uri);
  t.is(participants[1]?.callid, ben);
  t.deepEqual(await world.conferences('conf-224', 'globex.root.test'), []);
});

test('a list may be without participants, or of one conference', async (t) => {
  const world = await PlatformWorld.start();
  world.call('5501');
  world.call('5502');
  await world.pass();
  const ask = (body: { confid?: string; brief?: boolean }) =>
    world.cluster.scope('mware-215').ask(world.address('conf-224'), 'conference.list', { domain: acme, ...body });
  const { value: brief } = await world.cluster.comes(ask({ brief: true }));
  const { value: one } = await world.cluster.comes(ask({ confid: '224-2' }));
  const { value: none } = await world.cluster.comes(ask({ confid: '224-3' }));
  t.deepEqual(brief.ok && brief.value.conferences.map((each) => [each.participants, each.uris.length]), [
    [[], 2],
    [[], 2],
  ]);
  t.deepEqual(one.ok && one.value.conferences.map(({ confid }) => confid), ['224-2']);
  t.like(none, { ok: true, value: { conferences: [] } });
});

test('more conferences than go into one answer are listed piece by piece', async (t) => {
  const world = await PlatformWorld.start();
  const scope = world.cluster.scope('mware-215');
  const address = world.address('conf-224');
  const numbers = Array.from({ length: 900 }, (_, index) => String(index));
  for (const number of numbers) {
    await world.cluster.comes(
      scope.ask(address, 'conference.create', {
        domain: acme,
        meeting: [`${number}-${'x'.repeat(600)}`, '2026-01-01T00:00:00.000Z'],
      }),
    );
  }
  const { value: first } = await world.cluster.comes(scope.ask(address, 'conference.list', { domain: acme }));
  if (!first.ok || first.value.rest === undefined) return t.fail('it is one piece');
  const found = [...first.value.conferences];
  for (let { rest } = first.value as { rest?: string | undefined }; rest !== undefined; ) {
    const { value: piece } = await world.cluster.comes(scope.ask(address, 'conference.rest', { rest }));
    if (!piece.ok) return t.fail(piece.fault.message);
    found.push(...piece.value.items);
    rest = piece.value.rest;
  }
  t.is(new Set(found.map(({ confid }) => confid)).size, numbers.length);
});

test('a participant on hold is listed as held until it resumes', async (t) => {
  const world = await PlatformWorld.start();
  world.call('5501');
  await world.pass();
  world.b2b().tell({ type: 'offer', media: 'sendonly' });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 held']);
  world.b2b().tell({ type: 'offer', media: 'sendrecv' });
  await world.pass();
  t.deepEqual(await world.people(), ['1001 active']);
});

test('a conference ends with its last participant, and says so three seconds later', async (t) => {
  const world = await PlatformWorld.start();
  const [anna, ben] = [world.call('5501', '1001'), world.call('5501', '1002')];
  await world.pass(1_000);
  const [conference] = await world.conferences();
  world.b2b().tell({ type: 'end' }, anna);
  await world.pass(1_000);
  t.deepEqual(await world.people(), ['1002 active']);
  t.deepEqual(world.eventsNamed('conf_stop'), []);
  const endMs = world.cluster.clock.now();
  world.b2b().tell({ type: 'end' }, ben);
  await world.pass(2_900);
  t.deepEqual(await world.conferences(), []);
  t.deepEqual(world.eventsNamed('conf_stop'), []);
  await world.pass(200);
  const names = world.events.map(({ name }) => name);
  t.deepEqual(names, ['conf_start', 'part_start', 'part_start', 'part_stop', 'part_stop', 'conf_stop']);
  const place = {
    confid: '224-1',
    confnum: '157d',
    room: '01',
    confdomain: acme,
    isrec: false,
    invitets: isoTime(conference?.startts ?? 0),
  };
  const [start] = world.eventsNamed('conf_start');
  const [stop] = world.eventsNamed('conf_stop');
  t.like(start, { class: 'confevents', domains: [acme], objects: ['224-1', '5501'] });
  t.like(start?.data, { ...place, participants: 0, participantsdata: [] });
  const { participantsdata, ...rest } = stop?.data ?? {};
  t.like(rest, { ...place, participants: 2, type: 'bye', reason: 'left', by: `<sip:1002@${acme}>` });
  t.like(participantsdata, [
    { participantid: '224-1-1', callid: anna, ruri: `<sip:1001@${acme}>`, direction: 'in' },
    { participantid: '224-1-2', callid: ben, ruri: `<sip:1002@${acme}>`, direction: 'in' },
  ]);
  const delayMs = (stop?.atMs ?? 0) - endMs;
  t.true(delayMs >= 3_000 && delayMs < 3_010, `${delayMs}`);
});

test('a room that is called again has another conference', async (t) => {
  const world = await PlatformWorld.start();
  const anna = world.call('5501');
  await world.pass();
  world.b2b().tell({ type: 'end' }, anna);
  world.call('5501', '1002');
  await world.pass();
  t.deepEqual(
    (await world.conferences()).map(({ confid, uris }) => [confid, uris.length]),
    [['224-2', 2]],
  );
});

test('numbers of no room, and unknown domains, are not found', async (t) => {
  const world = await PlatformWorld.start();
  const wrong = ['5', 'anna', 'conf-224-9', 'conf-224-1'].map((number) => world.call(number));
  wrong.push(world.call('5501', '1001', { domain: 'nowhere.test' }));
  await world.pass();
  for (const leg of wrong) t.deepEqual(world.b2b().heard(leg), ['failed 404']);
  t.deepEqual(world.events, []);
});

test('two domains have two conferences of the same room', async (t) => {
  const world = await PlatformWorld.start();
  world.call('5501');
  world.call('5501', '1001', { domain: 'globex.root.test' });
  await world.pass();
  t.deepEqual(
    (await world.conferences()).map(({ confid }) => confid),
    ['224-1'],
  );
  t.deepEqual(
    (await world.conferences('conf-224', 'globex.root.test')).map(({ uri }) => uri),
    ['<sip:5501@globex.root.test>'],
  );
  const other = world.call('conf-224-2');
  await world.pass();
  t.deepEqual(world.b2b().heard(other), ['failed 404'], 'it is of another domain');
});

test('rooms under two feature codes are two rooms, whatever their last digits', async (t) => {
  const world = await PlatformWorld.start();
  world.call('5501');
  world.call('*7701', '1002');
  await world.pass();
  const rooms = (await world.conferences()).map(({ confroomnum, confnumber, uri }) => [confroomnum, confnumber, uri]);
  t.deepEqual(rooms, [
    ['01', '157d', `<sip:5501@${acme}>`],
    ['01', '1e15', `<sip:*7701@${acme}>`],
  ]);
});

test('a conference is called by its id as well', async (t) => {
  const world = await PlatformWorld.start();
  world.call('5501');
  await world.pass();
  const ben = world.call('conf-224-1', '1002');
  await world.pass();
  t.deepEqual(world.b2b().heard(ben), answered);
  t.deepEqual(await world.people(), ['1001 active', '1002 active']);
});

test('a room that has a home elsewhere sends its callers there', async (t) => {
  const world = await PlatformWorld.start();
  world.call('5501', '1001', { at: 'conf-324' });
  await world.pass(200);
  const ben = world.call('5501', '1002');
  await world.pass(200);
  const [failed] = world.b2b().all('leg.failed');
  t.like(failed, { status: 302, contacts: [`sip:conf-324-1@${acme}`] });
  t.deepEqual(world.b2b().heard(ben), ['failed 302']);
  t.deepEqual(await world.conferences(), []);
  const again = world.call('conf-324-1', '1002', { at: 'conf-324' });
  await world.pass(200);
  t.deepEqual(world.b2b().heard(again), answered);
  t.deepEqual(await world.people('conf-324'), ['1001 active', '1002 active']);
});

test('a caller that is sent on to a conference that ends meanwhile gets another one of its room', async (t) => {
  const world = await PlatformWorld.start();
  const anna = world.call('5501', '1001', { at: 'conf-324' });
  await world.pass(200);
  world.call('5501', '1002');
  await world.pass(200);
  world.b2b().tell({ type: 'end' }, anna);
  await world.pass(200);
  const ben = world.call('conf-324-1', '1002', { at: 'conf-324' });
  await world.pass(200);
  t.deepEqual(world.b2b().heard(ben), answered);
  t.deepEqual(await world.people('conf-324'), ['1002 active']);
});

test('of instances that are called for one room, at once or nearly so, one becomes its home', async (t) => {
  const world = await PlatformWorld.start();
  const { clock } = world.cluster;
  const random = new SeededRandom(7).stream('phones');
  const at = ['conf-324', 'conf-224', 'conf-125', 'conf-132'] as const;
  const rooms = Array.from({ length: 40 }, (_, index) => `${5510 + index}`);
  const legs = new Map<string, string>();
  for (const room of rooms) {
    // A way between two sites takes some 20 ms.
    const withinMs = room < '5520' ? 0 : 40;
    for (const name of at) {
      clock.setTimer(random.integer(0, withinMs), () =>
        legs.set(`${room} ${name}`, world.call(room, '1001', { at: name })),
      );
    }
  }
  await world.pass(3_000);
  const homes = new Map<string, string[]>();
  for (const name of at) {
    for (const { uri } of await world.conferences(name)) {
      const room = /\d+/.exec(uri)?.[0] ?? '';
      homes.set(room, [...(homes.get(room) ?? []), name]);
    }
  }
  for (const room of rooms) {
    const [home, ...others] = homes.get(room) ?? [];
    t.deepEqual(others, [], `${room} is at ${home} as well`);
    const heard = at.map((name) => world.b2b().heard(legs.get(`${room} ${name}`)));
    t.deepEqual(
      heard,
      at.map((name) => (name === home ? ['answered'] : ['failed 302'])),
    );
  }
  t.true(new Set([...homes.values()].flat()).size > 1, 'not always the same one');
});

test('while the other instances are asked, callers wait together, and a caller that hangs up is dropped', async (t) => {
  const world = await PlatformWorld.start();
  world.cluster.faults.pauseNode('s2');
  const legs = ['1001', '1002', '1003'].map((login) => world.call('5501', login));
  await world.pass(100);
  t.deepEqual(await world.conferences(), []);
  world.b2b().tell({ type: 'end' }, legs[1]);
  await world.pass(1_000);
  t.deepEqual(await world.people(), ['1001 active', '1003 active']);
  const last = world.call('5502', '1004');
  await world.pass(100);
  world.b2b().tell({ type: 'end' }, last);
  await world.pass(2_000);
  t.deepEqual(world.b2b().heard(last), ['failed 487']);
  t.is(world.eventsNamed('conf_start').length, 1, 'no caller was left for another conference');
});
