/** The control interface over a virtual cluster: what it breaks is broken for whoever asks the cluster. */
import test from 'ava';
import { createControl } from '../../sim/control/control.ts';
import { FrontCluster, nodes } from '../kit/front.ts';
import { silentLog } from '../kit/quiet.ts';

async function controlled() {
  const cluster = await FrontCluster.start();
  const control = createControl(cluster.world, silentLog);
  const token = await cluster.token();
  const ask = async (line: string, json?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { 'content-type': 'application/json' };
    const response = await control(new Request(`http://control/strowger/v1${path}`, { method, headers, ...body }));
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const statusOf = async (name: string) => {
    const answer = await cluster.ask(`GET ${nodes}/${name}`, { token });
    return (answer.body as { status: string }).status;
  };
  return { cluster, ask, statusOf };
}

test('a site is cut off by name, listed, and mended', async (t) => {
  const { cluster, ask, statusOf } = await controlled();
  t.is((await ask('POST /faults', { cut: { from: 'north' }, name: 'lines' })).status, 204);
  t.deepEqual((await ask('GET /faults')).body, ['lines']);
  await cluster.world.wait(5_000);
  t.is(await statusOf('n1'), 'unreachable');
  t.is((await ask('DELETE /faults/lines')).status, 204);
  t.deepEqual((await ask('GET /faults')).body, []);
  await cluster.world.wait(5_000);
  t.is(await statusOf('n1'), 'active');
});

test('a node is crashed, and all faults are mended at once', async (t) => {
  const { cluster, ask, statusOf } = await controlled();
  t.is((await ask('POST /faults', { crash: 's2' })).status, 204);
  t.is((await ask('POST /faults', { cut: { from: 'north' } })).status, 204);
  await cluster.world.wait(5_000);
  t.deepEqual([await statusOf('s2'), await statusOf('n1')], ['unreachable', 'unreachable']);
  t.is((await ask('DELETE /faults')).status, 204);
  await cluster.world.wait(5_000);
  t.deepEqual([await statusOf('s2'), await statusOf('n1')], ['unreachable', 'active']);
});

test('a number behaves as told, a phone calls by itself, and all are seen', async (t) => {
  const { cluster, ask } = await controlled();
  t.is((await ask('PUT /numbers/acme.root.test/1002', { answerMs: 100 })).status, 204);
  t.is((await ask('POST /calls', { from: 'acme.root.test/1001', to: '1002' })).status, 200);
  await cluster.world.wait(1_000);
  const phones = async () => (await ask('GET /phones')).body as { name: string; calls: { state: string }[] }[];
  const talking = (await phones()).filter(({ calls }) => calls.length > 0).map(({ name }) => name);
  t.deepEqual(talking, ['acme.root.test/1001', 'acme.root.test/1002']);
  const token = await cluster.token({ domain: 'acme.root.test', login: 'admin', pwd: 'admin' });
  const calls = await cluster.ask('GET /rest/v1/uc/calls?mask=status', { token });
  t.deepEqual(calls.body, [{ status: 'dialog' }]);
  t.is((await ask('DELETE /calls?name=acme.root.test/1001')).status, 204);
  await cluster.world.wait(1_000);
  t.true((await phones()).every((phone) => phone.calls.length === 0));
});

test('a load of calls is started, counted and ended', async (t) => {
  const { cluster, ask } = await controlled();
  t.is((await ask('PUT /load', { rate: 5, holdingMs: 1_000 })).status, 204);
  await cluster.world.wait(10_000);
  const { started } = (await ask('GET /load')).body as { started: number };
  t.true(started > 20 && started < 100, `${started}`);
  t.is((await ask('PUT /load', { rate: 0 })).status, 204);
  t.deepEqual((await ask('GET /load')).body, {});
});

const refused: readonly [line: string, body: unknown, status: number, message: RegExp][] = [
  [
    'POST /faults',
    { cut: { from: 'nort' } },
    400,
    /^cut\.from: expected a site \(hq, .*\), a node \(h1, .*\), a role, a role instance or \*, got "nort"; did you mean "north"\?$/,
  ],
  ['POST /faults', { crash: 'h1', pause: 'h2' }, 400, /expected exactly one verb/],
  ['POST /faults', { mend: 'lines' }, 400, /^mend: no fault before this step is named "lines"$/],
  ['POST /faults', { explode: 'h1' }, 400, /^explode: no such field here, expected one of crash, /],
  ['DELETE /faults/lines', undefined, 404, /^no fault that stands is named "lines"$/],
  ['PUT /numbers/nowhere.test/1', { answerMs: 1 }, 400, /^no domain named "nowhere\.test"; there are /],
  [
    'PUT /numbers/acme.root.test/1',
    { answer: 1 },
    400,
    /^answer: no such field here, expected one of .*; did you mean "answerMs"\?$/,
  ],
  ['POST /calls', { from: 'acme.root.test/9999', to: '1' }, 400, /^nobody outside is named "acme\.root\.test\/9999"/],
  ['PUT /load', { rate: -1 }, 400, /^rate: expected a number from 0 to 1000, got -1$/],
  ['GET /nothing', undefined, 404, /^no such path: \/strowger\/v1\/nothing/],
];

test('what it can not do is refused, and says why', async (t) => {
  const { ask } = await controlled();
  for (const [line, body, status, message] of refused) {
    const answer = await ask(line, body);
    t.is(answer.status, status, line);
    t.regex(answer.body.error_message, message);
  }
});
