/** Participants of selector meetings: groups, defaults, raised hands, audio links, files and scripts that they hear. */
import { VirtualSocket } from '../../../sim/world/virtual/virtual-socket.ts';
import { acmeAdmin, acmeUser, FrontCluster, good, refused } from '../../kit/front.ts';
import { FileClient } from '../../kit/http/files.ts';
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

async function meet(more: object, people: readonly object[]): Promise<{ id: string; members: string[] }> {
  const plan = { timestartutc: new Date(cluster.world.now() - 1_000).toISOString(), topology_mode: 'direct', ...more };
  const { id } = await ask(`POST ${base}`, { enabled: false, ...plan });
  const members: string[] = [];
  for (const each of people) {
    members.push((await ask(`POST ${base}/${id}/participants`, { topology_type: 'speaker', ...each })).id);
  }
  await ask(`PATCH ${base}/${id}`, { enabled: true });
  return { id, members };
}

const callOf = (login: string) => cluster.world.outside.phones(`acme.root.test/${login}`)[0]?.calls[0];
const participant = (id: string, member = '') => ask(`GET ${base}/${id}/participants/${member}`);

test('group#CODE calls each number of the contact group; a number that joins it later is called too', async (t) => {
  const group = await ask('POST /rest/v1/domain/contactgroups', { code: 'sales', members: ['1001', '1002', '1001'] });
  const { id, members } = await meet({}, [{ number: '1003' }, { number: 'group#sales' }, { number: 'group#none' }]);
  t.is((await participant(id, members[1]))['state'], 'waiting');
  await cluster.world.wait(8_000);
  t.deepEqual(
    ['1001', '1002', '1003'].map((login) => callOf(login)?.state),
    ['talking', 'talking', 'talking'],
  );
  t.is((await participant(id, members[1]))['state'], 'active');
  t.is((await participant(id, members[2]))['state'], 'waiting');
  const [conference] = await ask<Shown[]>('GET /rest/v1/uc/conferences');
  const { hears } = await ask<{ hears: Record<string, string[]> }>(
    `GET /rest/v1/uc/conferences/${conference?.['confid']}/topology`,
  );
  t.deepEqual(
    Object.values(hears).map((each) => each.length),
    [2, 2, 2],
  );
  await ask(`PATCH /rest/v1/domain/contactgroups/${group.id}`, { members: ['1002', '1004'] });
  await cluster.world.wait(8_000);
  t.is(callOf('1001'), undefined);
  t.is(callOf('1004')?.state, 'talking');
  await ask(`PATCH /rest/v1/domain/contactgroups/${group.id}`, { members: ['1001', '1002', '1004'] });
  await cluster.world.wait(8_000);
  t.is(callOf('1001')?.state, 'talking', 'a number that is back is called again');
});

test('a participant that is removed and created again with the same id is called again', async (t) => {
  const { id, members } = await meet({}, [{ number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(6_000);
  await cluster.ask(`DELETE ${base}/${id}/participants/${members[1]}`, { token });
  await cluster.world.wait(3_000);
  t.is(callOf('1002'), undefined);
  await ask(`POST ${base}/${id}/participants`, { id: members[1], number: '1003', topology_type: 'speaker' });
  await cluster.world.wait(6_000);
  t.is(callOf('1003')?.state, 'talking');
});

test('a participant that is created again at once, with the same id and number, has nothing of the removed one', async (t) => {
  const { id, members } = await meet({}, [{ number: '1001' }, { number: '1002' }]);
  const [again] = members;
  await cluster.world.wait(6_000);
  cluster.world.outside.press('acme.root.test/1001', '*9');
  await cluster.world.wait(1_000);
  t.like(await participant(id, again), { state: 'active', is_hand_raised: true });
  const former = callOf('1001')?.callid;
  await cluster.ask(`DELETE ${base}/${id}/participants/${again}`, { token });
  await ask(`POST ${base}/${id}/participants`, { id: again, number: '1001', topology_type: 'speaker' });
  t.like(await participant(id, again), { state: 'waiting', is_hand_raised: false });
  await cluster.world.wait(8_000);
  t.is(callOf('1001')?.state, 'talking');
  t.not(callOf('1001')?.callid, former);
  t.like(await participant(id, again), { state: 'active', is_hand_raised: false });
});

test('a user who is in a meeting finds no conference by its own calls: meetings belong to no user', async (t) => {
  await meet({}, [{ number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(8_000);
  const [conference] = await ask<Shown[]>('GET /rest/v1/uc/conferences');
  const as = await cluster.token(acmeUser);
  const json = { sipuserlogin: '1001' };
  const found = await cluster.ask('LOOKUP /rest/v1/uc/conferences', { token: as, json });
  t.deepEqual(good(t, found), [conference?.['confid']]);
  const own = await cluster.ask('LOOKUP /rest/v1/uc/conferences_by_participation', { token: as, json });
  refused(t, own, 404, /^Lookup failed$/);
});

test('listeners of one group do not hear each other; speakers of one do', async (t) => {
  await ask('POST /rest/v1/domain/contactgroups', { code: 'two', members: ['1001', '1002'] });
  const heard = async (more: object) => {
    const { id } = await meet({ topology_mode: 'abonent' }, [{ number: 'group#two', ...more }]);
    await cluster.world.wait(6_000);
    const [conference] = await ask<Shown[]>('GET /rest/v1/uc/conferences');
    const { hears } = await ask<{ hears: Record<string, string[]> }>(
      `GET /rest/v1/uc/conferences/${conference?.['confid']}/topology`,
    );
    await cluster.ask(`DELETE ${base}/${id}`, { token });
    await cluster.world.wait(8_000);
    return Object.values(hears).map((each) => each.length);
  };
  t.deepEqual(await heard({ topology_type: 'listener' }), [0, 0]);
  t.deepEqual(await heard({ topology_type: 'speaker' }), [1, 1]);
});

test('a new participant has the defaults of its meeting, unless its own fields are given', async (t) => {
  const { id, members } = await meet({ enabled: false, default_mic: false, default_recall: true }, [
    { number: '1001' },
    { number: '1002', mic: true, recall: false },
  ]);
  t.like(await participant(id, members[0]), { mic: false, spk: true, recall: true });
  t.like(await participant(id, members[1]), { mic: true, spk: true, recall: false });
});

test('a phone raises its hand by *9 and lowers it by #9; the participant and the events show it', async (t) => {
  const socket = await cluster.world.socket(cluster.home, { headers: { authorization: `Bearer ${token}` } });
  if (!(socket instanceof VirtualSocket)) return t.fail(await socket.text());
  const { id, members } = await meet({}, [{ number: '1001' }, { number: '1002' }]);
  await cluster.world.wait(6_000);
  socket.send(['subscribe', { id: 'x', objects: 'any', events: ['selectorevents.hand_changed'], expires: 600 }]);
  cluster.world.outside.press('acme.root.test/1001', '5*9');
  await cluster.world.wait(1_000);
  t.is((await participant(id, members[0]))['is_hand_raised'], true);
  t.is((await participant(id, members[1]))['is_hand_raised'], false);
  const raised = await ask<Shown[]>(
    `GET ${base}/${id}/participants?mask=number&filter=["==",["property","is_hand_raised"],true]`,
  );
  t.deepEqual(
    raised.map(({ number }) => number),
    ['1001'],
  );
  cluster.world.outside.press('acme.root.test/1001', '*9#9');
  await cluster.world.wait(1_000);
  t.is((await participant(id, members[0]))['is_hand_raised'], false);
  t.deepEqual(
    notificationsOn(socket).map(({ data }) => [data['selectorid'], data['participantid'], data['is_hand_raised']]),
    [
      [id, members[0], true],
      [id, members[0], false],
    ],
  );
});

test('topology_mode: the topology that was set counts in the mode topology only; direct connects all', async (t) => {
  const people = [{ number: '1001' }, { number: '1002', topology_type: 'listener' }];
  const { id, members } = await meet({ enabled: false, topology_mode: 'topology' }, people);
  const [speaker = '', listener = ''] = members;
  await ask(`PATCH ${base}/${id}/topology`, { hears: { [speaker]: [listener], [listener]: [] } });
  const hears = async (topology_mode: string) => {
    await ask(`PATCH ${base}/${id}`, { topology_mode });
    return (await ask(`GET ${base}/${id}/topology`))['hears'];
  };
  t.deepEqual(await hears('direct'), { [speaker]: [listener], [listener]: [speaker] });
  t.deepEqual(await hears('abonent'), { [speaker]: [], [listener]: [speaker] });
  t.deepEqual(await hears('topology'), { [speaker]: [listener], [listener]: [] });
});

test('a participant that hears no other one hears the mediafile, if the domain has such a file', async (t) => {
  const files = await FileClient.open(cluster);
  const path = '/rest/v1/fs/targets/selector';
  const put = await files.ask(`PUT ${path}/music.wav`, { body: Buffer.alloc(16_044) });
  t.is(put.status, 200, put.text);
  t.deepEqual((await ask<Shown[]>(`GET ${path}?mask=name,size`)) as unknown, [{ name: 'music.wav', size: 16_044 }]);
  t.is((await files.ask('GET ./music.wav')).status, 404);
  const { id } = await meet({ mediafile: ':SYNC_DOMAIN_DATA/selector/music.wav' }, [{ number: '1001' }]);
  await cluster.world.wait(5_000);
  t.is(callOf('1001')?.hears, ':SYNC_DOMAIN_DATA/selector/music.wav');
  await ask(`POST ${base}/${id}/participants`, { number: '1002', topology_type: 'speaker' });
  await cluster.world.wait(6_000);
  t.is(callOf('1001')?.hears, undefined);
  t.is(callOf('1002')?.hears, undefined);
  cluster.world.outside.hangUp('acme.root.test/1002');
  await cluster.world.wait(3_000);
  t.is(callOf('1001')?.hears, ':SYNC_DOMAIN_DATA/selector/music.wav');
  await ask(`PATCH ${base}/${id}`, { mediafile: 'missing.wav' });
  await cluster.world.wait(3_000);
  t.is(callOf('1001')?.hears, undefined);
});

test('an IVR script takes part in a meeting: all hear what it plays, and it records the meeting', async (t) => {
  const [file] = await ask<{ name: string }[]>('GET /rest/v1/fs/targets/parking');
  const components = [
    { name: 'start', type: 'start', next: 'answer' },
    { name: 'answer', type: 'answer', next: 'play' },
    { name: 'play', type: 'play', file: `':SYNC_COMMON/parking/${file?.name}'`, seconds: '10', next: 'record' },
    { name: 'record', type: 'record', seconds: '5' },
  ];
  await ask('POST /rest/v1/domain/ivrscripts', { code: 'recorder', components });
  await meet({}, [{ number: '1001' }, { number: '1002' }, { number: 'ivr-recorder' }]);
  await cluster.world.wait(7_000);
  for (const login of ['1001', '1002']) t.is(callOf(login)?.hears, `:SYNC_COMMON/parking/${file?.name}`);
  await cluster.world.wait(5_000);
  t.is(callOf('1001')?.hears, undefined);
  await cluster.world.wait(12_000);
  const [run] = await ask<Shown[]>('GET /rest/v1/journal/scripts');
  const { variables } = await ask<{ variables: { recording: { inviteid: string; name: string } } }>(
    `GET /rest/v1/journal/scripts/${run?.id}`,
  );
  const { inviteid, name } = variables.recording;
  const [listed] = await ask<{ files: { name: string }[] }[]>(`GET /rest/v1/journal/calls/${inviteid}/attachments`);
  t.deepEqual(
    listed?.files.map((each) => each.name),
    [name],
  );
});
