/** Call control while parts of the cluster are away: what is still shown, what is refused, and which role is named. */
import { done, failed, fault } from '../../../src/model/fault.ts';
import { callOf, conferenceOf, ScriptedCalls } from '../../kit/calls/scripted-calls.ts';
import { type Answer, acmeAdmin, admin, good, refused } from '../../kit/front.ts';
import { defaultMap } from '../../kit/maps.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const conferences = '/rest/v1/uc/conferences';
let script: ScriptedCalls;
let token: string;

test.beforeEach(async () => {
  script = await ScriptedCalls.start();
  token = await script.cluster.token(acmeAdmin, 'north');
  // The other sites hear of the session.
  await script.cluster.world.wait(1_000);
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '214-1' })]);
  script.calls.set('south', [callOf('1003', '1004', { dialogid: '314-1', site: 'south', b2b: 'south/s1/b2b-314' })]);
  script.conferences.set('conf-224', [conferenceOf('224-1', ['1001'])]);
  script.conferences.set('conf-324', [conferenceOf('324-1', [], { site: 'south', conf: 'south/s2/conf-324' })]);
  script.on('dialog.command', () => done({}));
});

function ask(line: string, json?: unknown, at = 'north') {
  return script.cluster.ask(line, { token, at, ...(json === undefined ? {} : { json }) });
}

function ids(answer: Answer, name: 'dialogid' | 'confid'): unknown[] {
  return (answer.body as Record<string, unknown>[]).map((item) => item[name]);
}

function missing(answer: Answer): string | null {
  return answer.headers.get('x-missing-sites');
}

async function cutSouth(): Promise<void> {
  script.cluster.world.faults.crashNode('s1');
  script.cluster.world.faults.crashNode('s2');
  await script.cluster.world.wait(10_000);
}

test('while a site is away, lists show the rest and name the site', async (t) => {
  await cutSouth();
  const listed = await ask(`GET ${calls}`);
  good(t, listed);
  t.deepEqual(ids(listed, 'dialogid'), ['214-1']);
  t.is(missing(listed), 'south');
  const counted = await ask(`GET ${calls}?countonly`);
  t.deepEqual(good(t, counted), { count: 1 });
  t.is(missing(counted), 'south');
  const found = await ask(`LOOKUP ${calls}`, { from: '1001' });
  t.deepEqual(good(t, found), ['214-1']);
  t.is(missing(found), 'south');
  const lost = await ask(`LOOKUP ${calls}`, { from: '1003' });
  refused(t, lost, 404, /^Lookup failed$/);
  t.is(missing(lost), 'south');
  const rooms = await ask(`GET ${conferences}`);
  good(t, rooms);
  t.deepEqual(ids(rooms, 'confid'), ['224-1']);
  t.is(missing(rooms), 'south');
});

test('a call at a site that is away is not said to be over; one that would be here is', async (t) => {
  await cutSouth();
  for (const verb of ['GET', 'DELETE']) {
    const answer = await ask(`${verb} ${calls}/314-1`);
    refused(t, answer, 503, /^callstore of site south is not reachable from site north$/);
    refused(t, await ask(`${verb} ${calls}/214-9`), 404, /^Call\/Participant not found$/);
    refused(t, await ask(`${verb} ${calls}/nonsense`), 404);
  }
  good(t, await ask(`DELETE ${calls}/214-1`));
  refused(t, await ask(`GET ${conferences}/324-1`), 503, /^conf-324 is not reachable from site north$/);
  refused(t, await ask(`GET ${conferences}/224-9`), 404);
});

test('a site that is silent is waited for no longer than the edge wait, and a call is shown at once', async (t) => {
  script.cluster.world.faults.pauseNode('s1');
  const listed = await ask(`GET ${calls}`);
  good(t, listed);
  t.is(missing(listed), 'south');
  t.true(listed.tookMs >= 1_900 && listed.tookMs <= 2_100, `${listed.tookMs}`);
  script.cluster.world.faults.resumeNode('s1');
  await script.cluster.world.wait(5_000);
  script.cluster.world.faults.pauseNode('s1');
  const shown = await ask(`GET ${calls}/214-1`);
  good(t, shown);
  t.true(shown.tookMs < 100, `${shown.tookMs}`);
});

test('the mware of another site serves where the own site has none', async (t) => {
  const { world } = script.cluster;
  for (const name of ['mware-226', 'mware-215']) world.faults.crashInstance(name);
  await world.wait(100);
  script.on('ivr.call', () => done({ result: 'ok' }));
  const listed = await ask(`GET ${calls}`);
  good(t, listed);
  t.deepEqual(ids(listed, 'dialogid'), ['214-1', '314-1']);
  good(t, await ask(`POST ${calls}`, { from: '1001', to: '1002' }));
  t.is(script.take('ivr.call')[0]?.at, 'ivr-131');
});

test('a mware that is silent is passed over by look-ups, and never by commands', async (t) => {
  const { world } = script.cluster;
  world.faults.pauseNode('n1');
  const listed = await ask(`GET ${calls}`, undefined, 'south');
  good(t, listed);
  world.faults.resumeNode('n1');
  await world.wait(10_000);
  // The front of north is at n1, and its mware then at n2.
  world.faults.crashInstance('mware-215');
  await world.wait(5_000);
  script.asked.length = 0;
  world.faults.pauseNode('n2');
  const slow = await ask(`GET ${calls}`);
  good(t, slow);
  t.true(slow.tookMs >= 2_900 && slow.tookMs < 5_000, `${slow.tookMs}`);
  world.faults.resumeNode('n2');
  await world.wait(10_000);
  const { map } = world;
  const active = ['mware-215', 'mware-226'].find(
    (name) => world.cluster.node('n1')?.view.statusOf(map.instanceNamed(name) as never) === 'active',
  );
  t.is(active, 'mware-226');
  script.on('ivr.call', () => done({ result: 'ok' }));
  world.faults.pauseNode('n2');
  script.asked.length = 0;
  const command = await ask(`POST ${calls}`, { from: '1001', to: '1002', response_mode: 0 });
  refused(t, command, 504, /it may have happened/);
  t.deepEqual(script.take('ivr.call'), []);
});

test('without any mware in reach the role is named: nothing has happened', async (t) => {
  const { world } = script.cluster;
  for (const node of ['h1', 'h2', 'h3', 'n2', 's1', 's2']) world.faults.crashNode(node);
  await world.wait(15_000);
  // n1 alone is no majority of its site.
  refused(t, await ask(`GET ${calls}`), 503, /^mware is not reachable from site north$/);
  refused(t, await ask(`POST ${calls}`, { from: '1001', to: '1002' }), 503, /^mware is not reachable from site north$/);
});

test('an unreachable role behind mware is named too', async (t) => {
  const { world } = script.cluster;
  for (const node of ['n2', 's2', 'h3']) world.faults.crashNode(node);
  await world.wait(10_000);
  const away = await ask(`POST ${calls}`, { from: '1001', to: '1002' });
  refused(t, away, 503, /^ivr is not reachable from site north$/);
  script.on('callstore.list', () => failed(fault('standby', 'it stands by')));
  refused(t, await ask(`GET ${calls}`), 503, /^callstore is not reachable from site north$/);
});

test('a command to a b2b that is away answers 503, to one that crashes on it 504, and neither says that the call is over', async (t) => {
  script.calls.set('north', [callOf('1001', '1002', { dialogid: '223-1', b2b: 'north/n2/b2b-223' })]);
  script.on('dialog.command', () => failed(fault('crashed', 'north/n2/b2b-223 crashed on it')));
  refused(t, await ask(`DELETE ${calls}/223-1`), 504, /b2b-223 crashed on it/);
  script.cluster.world.faults.crashNode('n2');
  await script.cluster.world.wait(10_000);
  refused(t, await ask(`DELETE ${calls}/223-1`), 503, /b2b-223 is not reachable from site north/);
});

test('a mware that is taken out of service finishes what it is at', async (t) => {
  const { world } = script.cluster;
  const master = await script.cluster.token(admin, 'hq');
  world.faults.crashInstance('mware-215');
  await world.wait(5_000);
  script.on('dialog.originate', (_, { clock }) => {
    return new Promise((resolve) => clock.setTimer(2_000, () => resolve(done({ result: 'ok' }))));
  });
  const answer = ask(`INVITE ${calls}`, { from: '1001', to: '1002' });
  await world.wait(500);
  t.is(script.take('dialog.originate')[0]?.at, 'b2b-214');
  t.is((await script.cluster.ask('DELETE /rest/v1/master/nodes/n2', { at: 'hq', token: master })).status, 204);
  t.deepEqual(good(t, await answer), { result: 'ok' });
});

test('a front that is taken out of service answers what is open after ten seconds with 504, rather than wait for the end of a call', async (t) => {
  const { world } = script.cluster;
  const master = await script.cluster.token(admin, 'hq');
  script.on('dialog.originate', (_, { clock }) => {
    return new Promise((resolve) => clock.setTimer(120_000, () => resolve(done({ result: 'ok' }))));
  });
  const answer = ask(`INVITE ${calls}`, { from: '1001', to: '1002', timeout: 180 });
  await world.wait(500);
  t.is((await script.cluster.ask('DELETE /rest/v1/master/nodes/n1', { at: 'hq', token: master })).status, 204);
  const began = world.now();
  refused(t, await answer, 504, /ws-211 stops before the answer of .*mware-\d+; it may have happened/);
  t.true(world.now() - began < 11_000);
  await world.wait(60_000);
  good(t, await ask(`GET ${calls}`));
});

test('where groups of a site split its domains, the group of the domain is asked, and no other', async (t) => {
  const topology = structuredClone(defaultMap.topology);
  const north = topology.sites.find(({ name }) => name === 'north');
  north?.groups.push({ group: 216, domains: ['globex.root.test'] }, { group: 227, domains: ['acme.root.test'] });
  for (const instance of north?.nodes.flatMap(({ instances }) => instances) ?? []) {
    if (instance.srvidx === 227) Object.assign(instance, { group: 227, order: 1 });
  }
  const split = await ScriptedCalls.start(topology);
  const asked = await split.cluster.token(acmeAdmin);
  good(t, await split.cluster.ask(`GET ${calls}`, { token: asked }));
  const places = split.take('callstore.list').map(({ at }) => at);
  t.deepEqual(places.sort(), ['callstore-116', 'callstore-227', 'callstore-316']);
});
