/** What parties say and press by themselves, the recogniser that hears it, and the events of IVR scripts. */
import type { ExecutionContext } from 'ava';
import { VirtualSocket } from '../../../sim/world/virtual/virtual-socket.ts';
import { acmeAdmin, FrontCluster, good, refused } from '../../kit/front.ts';
import { notificationsOn } from '../../kit/http/sockets.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const acme = 'acme.root.test';
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start();
  token = await cluster.token(acmeAdmin);
});
test.afterEach(() => cluster.world.stop());

async function subscribed(events: string): Promise<VirtualSocket> {
  const socket = await cluster.world.socket(cluster.home, { headers: { authorization: `Bearer ${token}` } });
  if (!(socket instanceof VirtualSocket)) throw new Error(await socket.text());
  socket.send(['subscribe', { id: 'x', objects: 'any', events: [events], expires: 600 }]);
  await cluster.world.wait(500);
  return socket;
}

async function makeScript(t: ExecutionContext, components: readonly object[]): Promise<void> {
  const json = { code: 'menu', number: '700', components };
  good(t, await cluster.ask('POST /rest/v1/domain/ivrscripts', { token, json }));
}

test('SETUP_ASR: what a side says while it is transcribed is sent as an event, and nothing else', async (t) => {
  const says = [2_500, 4_500, 6_500].map((afterMs, index) => ({ afterMs, text: `sentence ${index}` }));
  cluster.world.outside.behave(acme, '1003', { answerMs: 0, says });
  const socket = await subscribed('callevents.transcription');
  const started = await cluster.ask(`POST ${calls}`, { token, json: { from: '1002', to: '1003', response_mode: 3 } });
  const { dialogid } = good<{ dialogid: string }>(t, started);
  const setUp = (action: string, side = 'b') =>
    cluster.ask(`SETUP_ASR ${calls}/${dialogid}`, { token, json: { side, action } });
  await cluster.world.wait(3_000);
  t.deepEqual(good(t, await setUp('start')), { dialogid, result: 'ok' });
  good(t, await setUp('start', 'a'));
  await cluster.world.wait(2_000);
  good(t, await setUp('stop'));
  await cluster.world.wait(5_000);
  const heard = notificationsOn(socket).map(({ data }) => [data['dialogid'], data['side'], data['text']]);
  t.deepEqual(heard, [[dialogid, 'b', 'sentence 1']]);
  good(t, await cluster.ask(`DELETE ${calls}/${dialogid}`, { token }));
  await cluster.world.wait(1_000);
  refused(t, await setUp('start'), 404);
});

test('a number presses its digits in calls that it makes, and in calls to it', async (t) => {
  cluster.world.outside.behave(acme, '1001', { answerMs: 0, presses: [{ afterMs: 1_000, digits: '12' }] });
  await makeScript(t, [
    { name: 'start', type: 'start', next: 'answer' },
    { name: 'answer', type: 'answer', next: 'menu' },
    { name: 'menu', type: 'menu', digits: 2, seconds: '20', next: 'stop' },
    { name: 'stop', type: 'stop' },
  ]);
  cluster.world.outside.call(`${acme}/1001`, '700');
  const invited = { from: '1001', ivrscript: 'menu', response_mode: 1 };
  await cluster.world.wait(5_000);
  good(t, await cluster.ask(`INVITEBYIVR ${calls}`, { token, json: invited }));
  await cluster.world.wait(5_000);
  const runs = good<{ id: string }[]>(t, await cluster.ask('GET /rest/v1/journal/scripts', { token }));
  t.is(runs.length, 2);
  for (const { id } of runs) {
    const run = good<{ variables: object }>(t, await cluster.ask(`GET /rest/v1/journal/scripts/${id}`, { token }));
    t.deepEqual(run.variables, { digits: '12' });
  }
});

test('ivrevents: a run begins, its components end, it stops; a caller who hangs up ends it', async (t) => {
  await makeScript(t, [
    { name: 'start', type: 'start', next: 'answer' },
    { name: 'answer', type: 'answer', next: 'menu' },
    { name: 'menu', type: 'menu', seconds: '20', next: 'bye' },
    { name: 'bye', type: 'hangup' },
  ]);
  const socket = await subscribed('ivrevents.*');
  cluster.world.outside.call(`${acme}/1001`, '700');
  await cluster.world.wait(2_000);
  cluster.world.outside.press(`${acme}/1001`, '1');
  await cluster.world.wait(2_000);
  const events = () =>
    notificationsOn(socket).map(({ event, data }) =>
      [event, data['component'], data['branch'], data['status']].filter((part) => part !== undefined).join(' '),
    );
  t.deepEqual(events(), [
    'ivr_start',
    'ivr_component answer next',
    'ivr_component menu next',
    'ivr_component bye next',
    'ivr_stop finished',
  ]);
  const first = notificationsOn(socket)[0]?.data;
  t.like(first, { scriptcode: 'menu', domain: acme, from: '1001', to: '700' });
  const inviteid = first?.['inviteid'];
  const record = await cluster.ask(`GET /rest/v1/journal/calls/${inviteid}`, { token });
  t.is(good<{ inviteid: string }>(t, record).inviteid, inviteid as string);
  cluster.world.outside.call(`${acme}/1001`, '700');
  await cluster.world.wait(2_000);
  cluster.world.outside.hangUp(`${acme}/1001`);
  await cluster.world.wait(2_000);
  t.deepEqual(events().slice(5), [
    'ivr_start',
    'ivr_component answer next',
    'ivr_component menu failed',
    'ivr_stop failed',
  ]);
});
