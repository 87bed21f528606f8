/** Selector meetings that run: they begin by time, call their participants, and end. */
import { VirtualSocket } from '../../../sim/world/virtual/virtual-socket.ts';
import { acmeAdmin, FrontCluster, refused } from '../../kit/front.ts';
import { notificationsOn } from '../../kit/http/sockets.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

type Shown = Record<string, unknown> & { id: string };
const base = '/rest/v1/uc/selectors';
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start();
  token = await cluster.token(acmeAdmin);
});
test.afterEach(() => cluster.world.stop());

async function ask<T = Shown>(line: string, json?: unknown): Promise<T> {
  const answer = await cluster.ask(line, { token, ...(json !== undefined && { json }) });
  if (answer.status >= 300) throw new Error(`${line}: ${answer.status} ${answer.text}`);
  return answer.body as T;
}

/** A time that lies so far ahead. */
function inMs(ms: number): string {
  return new Date(cluster.world.now() + ms).toISOString();
}

/** A meeting that has begun, and the state that it began with. */
async function meet(
  more: object,
  numbers: readonly object[],
): Promise<{ id: string; members: string[]; state: string }> {
  const plan = { timestartutc: inMs(-1_000), topology_mode: 'direct', ...more };
  const { id } = await ask(`POST ${base}`, { enabled: false, ...plan });
  const members: string[] = [];
  for (const each of numbers) {
    members.push((await ask(`POST ${base}/${id}/participants`, { topology_type: 'speaker', ...each })).id);
  }
  const { state } = await ask(`PATCH ${base}/${id}`, { enabled: true });
  return { id, members, state: String(state) };
}

const states = async (id: string) =>
  (await ask<Shown[]>(`GET ${base}/${id}/participants`)).map(({ number, state }) => [number, state]);
const conferences = () => ask<Shown[]>('GET /rest/v1/uc/conferences');

test('a meeting whose time has come calls its participants, is online, and is removed when it is over', async (t) => {
  const { id } = await meet({ calldurationsec: 20 }, [{ number: '1001' }, { number: '1002' }, { number: 'group#7' }]);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'initing');
  await cluster.world.wait(6_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  t.is((await ask(`PATCH ${base}/${id}`, { comment: 'begun' }))['state'], 'online');
  t.deepEqual(await states(id), [
    ['1001', 'active'],
    ['1002', 'active'],
    ['group#7', 'waiting'],
  ]);
  t.is((await ask<Shown[]>(`GET ${base}?filter=["==",["property","state"],"online"]&mask=state`)).length, 1);
  t.is((await conferences()).length, 1);
  t.deepEqual(await ask('GET /rest/v1/uc/conferences_by_participation'), [] as never);
  await cluster.world.wait(25_000);
  t.is((await cluster.ask(`GET ${base}/${id}`, { token })).status, 404);
  t.deepEqual(await conferences(), []);
});

for (const [cause, end] of [['its longest time'], ['a DELETE of its conference', 'DELETE']] as const) {
  test(`a meeting that ${cause} ends is terminating until it is removed, in GET and in events`, async (t) => {
    const socket = await cluster.world.socket('north', { headers: { authorization: `Bearer ${token}` } });
    if (!(socket instanceof VirtualSocket)) return t.fail(await socket.text());
    socket.send(['subscribe', { id: 'x', objects: 'any', events: ['selectorevents.*'], expires: 600 }]);
    const { id, state: first } = await meet({ calldurationsec: 20 }, [{ number: '1001' }]);
    const seen = [first];
    for (let i = 0; i < 600; i += 1) {
      const { status, body } = await cluster.ask(`GET ${base}/${id}`, { token });
      const state = status === 200 ? String((body as Shown)['state']) : String(status);
      if (seen.at(-1) !== state) seen.push(state);
      if (status === 404) break;
      const [conference] = state === 'online' && end !== undefined ? await conferences() : [];
      if (conference !== undefined) await ask(`${end} /rest/v1/uc/conferences/${conference['confid']}`);
      await cluster.world.wait(50);
    }
    t.deepEqual(seen, ['initing', 'connecting', 'online', 'terminating', '404']);
    await cluster.world.wait(1_000);
    const events = notificationsOn(socket);
    t.deepEqual(
      events.map(({ data }) => data['state']),
      ['$connecting', '$online', '$terminating'],
    );
    for (const { event, data } of events) t.like({ event, ...data }, { event: 'state_changed', selectorid: id });
  });
}

test('a meeting calls all its participants, also when the first one is refused at once', async (t) => {
  const { faults, outside } = cluster.world;
  outside.behave('acme.root.test', '1003', { answerMs: 0, reject: 486 });
  faults.delay({ from: 'mware-115' }, 200);
  const { id } = await meet({}, [{ number: '1003' }, { number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(10_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  t.deepEqual(
    (await states(id)).map(([, state]) => state),
    ['waiting', 'active', 'active'],
  );
});

test('a participant whose number is changed while the meeting runs is called at the new one, and its call ends', async (t) => {
  const { id, members } = await meet({}, [{ number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(6_000);
  await ask(`PATCH ${base}/${id}/participants/${members[1]}`, { number: '1003' });
  await cluster.world.wait(8_000);
  t.deepEqual(await states(id), [
    ['1001', 'active'],
    ['1003', 'active'],
  ]);
  const [conference] = await conferences();
  const participants = await ask<Shown[]>(`GET /rest/v1/uc/conferences/${conference?.['confid']}/participants`);
  t.deepEqual(
    participants.map(({ ruri }) => ruri),
    ['<sip:1001@acme.root.test>', '<sip:1003@acme.root.test>'],
  );
});

test('a meeting whose only participant is replaced by another one goes on', async (t) => {
  const { id, members } = await meet({}, [{ number: '1001' }]);
  await cluster.world.wait(6_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  cluster.world.faults.delay({ from: 'mware-115' }, 200);
  await Promise.all([
    cluster.ask(`POST ${base}/${id}/participants`, { token, json: { topology_type: 'speaker', number: '1002' } }),
    cluster.ask(`DELETE ${base}/${id}/participants/${members[0]}`, { token }),
  ]);
  await cluster.world.wait(10_000);
  t.deepEqual(await states(id), [['1002', 'active']]);
});

test('a participant with recall is called again while others are there; with the last one the meeting ends', async (t) => {
  const recall = true;
  const { id } = await meet({}, [
    { number: '1001', recall },
    { number: '1002', recall },
  ]);
  const leave = async (number: string) => {
    cluster.world.outside.hangUp(`acme.root.test/${number}`);
    await cluster.world.wait(1_000);
  };
  await cluster.world.wait(8_000);
  await leave('1002');
  t.not((await states(id))[1]?.[1], 'active');
  await cluster.world.wait(10_000);
  t.deepEqual(await states(id), [
    ['1001', 'active'],
    ['1002', 'active'],
  ]);
  cluster.world.outside.hangUp('acme.root.test/1002');
  await leave('1001');
  await cluster.world.wait(10_000);
  t.is((await cluster.ask(`GET ${base}/${id}`, { token })).status, 404);
  t.deepEqual(await conferences(), []);
});

test('one that is planned for later, or not enabled, waits; deleted, it ends', async (t) => {
  const later = await meet({ timestartutc: inMs(10_000) }, [{ number: '1001' }]);
  await cluster.world.wait(5_000);
  t.is((await ask(`GET ${base}/${later.id}`))['state'], 'waiting');
  t.deepEqual(await conferences(), []);
  await cluster.world.wait(10_000);
  t.is((await ask(`GET ${base}/${later.id}`))['state'], 'online');
  t.is((await cluster.ask(`DELETE ${base}/${later.id}`, { token })).status, 204);
  await cluster.world.wait(3_000);
  t.deepEqual(await conferences(), []);
});

test('one that is put off, or disabled, while it runs begins again at its new time, or when it is enabled', async (t) => {
  const { id } = await meet({}, [{ number: '1001' }]);
  const state = async () => (await ask(`GET ${base}/${id}`))['state'];
  await cluster.world.wait(5_000);
  t.is(await state(), 'online');
  const changes = [
    [{ timestartutc: inMs(20_000) }, undefined],
    [{ enabled: false }, { enabled: true }],
  ] as const;
  for (const [stop, start] of changes) {
    await ask(`PATCH ${base}/${id}`, stop);
    await cluster.world.wait(3_000);
    t.is(await state(), 'waiting');
    t.deepEqual(await conferences(), []);
    await cluster.world.wait(15_000);
    t.is(await state(), 'waiting');
    if (start !== undefined) await ask(`PATCH ${base}/${id}`, start);
    await cluster.world.wait(10_000);
    t.is(await state(), 'online');
    t.deepEqual(await states(id), [['1001', 'active']]);
  }
});

test('a meeting that is put off just after a command has ended it begins at its new time', async (t) => {
  const { id } = await meet({}, [{ number: '1001' }]);
  await cluster.world.wait(6_000);
  const [conference] = await conferences();
  await ask(`DELETE /rest/v1/uc/conferences/${conference?.['confid']}`);
  t.is((await ask(`PATCH ${base}/${id}`, { timestartutc: inMs(20_000) }))['state'], 'waiting');
  await cluster.world.wait(19_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'waiting');
  await cluster.world.wait(10_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  t.deepEqual(await states(id), [['1001', 'active']]);
});

test('a meeting that is made again with its id while it runs begins anew, with its new participants, and lasts as long as it says', async (t) => {
  const plan = { calldurationsec: 30, topology_mode: 'direct' };
  const { id } = await meet(plan, [{ number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(20_000);
  await ask(`DELETE ${base}/${id}`);
  await ask(`POST ${base}`, { id, timestartutc: inMs(-1_000), ...plan });
  for (const number of ['1001', '1003'])
    await ask(`POST ${base}/${id}/participants`, { number, topology_type: 'speaker' });
  await cluster.world.wait(20_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  t.deepEqual(await states(id), [
    ['1001', 'active'],
    ['1003', 'active'],
  ]);
  t.is((await conferences()).length, 1);
  await cluster.world.wait(15_000);
  t.is((await cluster.ask(`GET ${base}/${id}`, { token })).status, 404);
});

test('a meeting that is made again with its id while it runs does not show the state of the former one', async (t) => {
  const { id } = await meet({}, [{ number: '1001' }]);
  await cluster.world.wait(6_000);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  await ask(`DELETE ${base}/${id}`);
  const plan = { id, timestartutc: inMs(60_000), topology_mode: 'direct' };
  t.is((await ask(`POST ${base}`, plan))['state'], 'waiting');
  t.is((await ask(`GET ${base}/${id}`))['state'], 'waiting');
});

test('a meeting that is disabled just after its end is removed as any other, and not when it is enabled again', async (t) => {
  const { id } = await meet({}, [{ number: '1001' }]);
  await cluster.world.wait(6_000);
  const [conference] = await conferences();
  await ask(`DELETE /rest/v1/uc/conferences/${conference?.['confid']}`);
  await cluster.world.wait(100);
  t.is((await ask(`PATCH ${base}/${id}`, { enabled: false }))['state'], 'terminating');
  await cluster.world.wait(2_000);
  t.is((await cluster.ask(`GET ${base}/${id}`, { token })).status, 404);
});

test('a participant with recall is called again after hanging up, and no other is', async (t) => {
  const { id } = await meet({}, [{ number: '1001' }, { number: '1002', recall: true }, { number: '1003' }]);
  await cluster.world.wait(8_000);
  const [conference] = await conferences();
  const list = `/rest/v1/uc/conferences/${conference?.['confid']}/participants`;
  const there = await ask<Shown[]>(`GET ${list}`);
  for (const { participantid, ruri } of there) {
    if (!String(ruri).includes('1001')) await ask(`DELETE ${list}/${participantid}`);
  }
  await cluster.world.wait(500);
  t.deepEqual(
    (await states(id)).map(([, state]) => state === 'active'),
    [true, false, false],
  );
  await cluster.world.wait(10_000);
  t.deepEqual(
    (await states(id)).map(([, state]) => state),
    ['active', 'active', 'waiting'],
  );
});

test('the audio links follow types, microphones and the topology, also during the conference', async (t) => {
  const { id, members } = await meet({ topology_mode: 'topology' }, [
    { number: '1001' },
    { number: '1002', topology_type: 'listener' },
    { number: '1003', topology_type: 'assistant' },
  ]);
  const [speaker = '', listener = '', assistant = ''] = members;
  const byType = { [speaker]: [assistant], [listener]: [speaker], [assistant]: [speaker, listener] };
  t.deepEqual((await ask(`GET ${base}/${id}/topology`))['hears'], byType);
  await cluster.world.wait(8_000);
  const [conference] = await conferences();
  const heard = async () => {
    const { hears } = await ask<{ hears: Record<string, string[]> }>(
      `GET /rest/v1/uc/conferences/${conference?.['confid']}/topology`,
    );
    return Object.values(hears).map((each) => each.length);
  };
  t.deepEqual(await heard(), [1, 1, 2]);
  await ask(`PATCH ${base}/${id}/participants/${speaker}`, { mic: false });
  await cluster.world.wait(2_000);
  t.deepEqual(await heard(), [1, 0, 1]);
  await ask(`PATCH ${base}/${id}/topology`, { hears: { [listener]: [assistant] } });
  await cluster.world.wait(2_000);
  t.deepEqual(await heard(), [1, 1, 1]);
  await ask(`DELETE ${base}/${id}/topology`);
  await cluster.world.wait(2_000);
  t.deepEqual(await heard(), [1, 0, 1]);
  const refusal = await cluster.ask(`PATCH ${base}/${id}/topology`, { token, json: { hears: { unknown: [] } } });
  refused(t, refusal, 400, /^hears: expected a uuid as a name, got "unknown"$/);
});

test('a failover of mware neither starts a meeting twice nor loses it; one whose conf dies begins anew', async (t) => {
  const { id } = await meet({ calldurationsec: 60 }, [{ number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(6_000);
  const [before] = await conferences();
  await cluster.world.faults.crashInstance('mware-115');
  await cluster.world.wait(8_000);
  const after = await conferences();
  t.deepEqual(
    after.map(({ confid }) => confid),
    [before?.['confid']],
  );
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
  await cluster.world.faults.crashInstance(`conf-${String(before?.['confid']).split('-')[0]}`);
  await cluster.world.wait(20_000);
  t.is((await conferences()).length, 1);
  t.is((await ask(`GET ${base}/${id}`))['state'], 'online');
});

for (const afterMs of [100, 500]) {
  test(`a meeting whose conf dies ${afterMs} ms after its end is over: no participant is called again`, async (t) => {
    const { id } = await meet({}, [{ number: '1001' }, { number: '1002' }]);
    await cluster.world.wait(6_000);
    const [conference] = await conferences();
    await ask(`DELETE /rest/v1/uc/conferences/${conference?.['confid']}`);
    await cluster.world.wait(afterMs);
    await cluster.world.faults.crashInstance(`conf-${String(conference?.['confid']).split('-')[0]}`);
    await cluster.world.wait(6_000);
    t.deepEqual(await conferences(), []);
    t.is((await cluster.ask(`GET ${base}/${id}`, { token })).status, 404);
  });
}

for (const afterMs of [0, 100, 500, 900]) {
  test(`a meeting that a command has ended is over also when its conf and the mware that runs it die ${afterMs} ms later`, async (t) => {
    const { id } = await meet({}, [{ number: '1001' }, { number: '1002' }]);
    await cluster.world.wait(6_000);
    const [conference] = await conferences();
    await ask(`DELETE /rest/v1/uc/conferences/${conference?.['confid']}`);
    await cluster.world.wait(afterMs);
    await cluster.world.faults.crashInstance(`conf-${String(conference?.['confid']).split('-')[0]}`);
    await cluster.world.faults.crashInstance('mware-115');
    await cluster.world.wait(12_000);
    t.deepEqual(await conferences(), []);
    t.is((await cluster.ask(`GET ${base}/${id}`, { token })).status, 404);
  });
}

test('cut off from the mware that ran its meetings, a site runs them within seconds', async (t) => {
  const { id } = await meet(
    { timestartutc: inMs(4_000) },
    ['1005', '1006'].map((number) => ({ number })),
  );
  cluster.world.faults.cut({ from: 'south' });
  await cluster.world.wait(15_000);
  const { body } = await cluster.ask(`GET ${base}/${id}`, { token, at: 'south' });
  t.like(body, { state: 'online' });
});
