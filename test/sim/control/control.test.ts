/** The control interface over a virtual cluster: what it breaks is broken for every client of the cluster. */

import { nodes } from '../../kit/front.ts';
import { type Controlled, controlled } from '../../kit/http/control.ts';
import { test } from '../../kit/test.ts';

async function statusOf({ cluster }: Controlled, name: string): Promise<string> {
  const answer = await cluster.ask(`GET ${nodes}/${name}`, { token: await cluster.token() });
  return (answer.body as { status: string }).status;
}

/** The ids of the faults that are listed. */
async function listed({ ask }: Controlled): Promise<string[]> {
  return ((await ask('GET /faults')).body as { id: string }[]).map(({ id }) => id);
}

test('a site is cut off by name, listed as it was written, and mended', async (t) => {
  const control = await controlled();
  const { cluster, ask } = control;
  const fault = { cut: { from: 'north' }, name: 'lines' };
  t.deepEqual((await ask('POST /faults', fault)).body, { id: 'f1', active: true });
  const [entry, ...more] = (await ask('GET /faults')).body as { since: string }[];
  t.deepEqual([entry, more], [{ id: 'f1', since: entry?.since, ...fault }, []]);
  t.regex(entry?.since ?? '', /^\d{4}-\d\d-\d\dT/);
  await cluster.world.wait(5_000);
  t.is(await statusOf(control, 'n1'), 'unreachable');
  t.is((await ask('DELETE /faults/lines')).status, 204);
  t.deepEqual((await ask('GET /faults')).body, []);
  await cluster.world.wait(5_000);
  t.is(await statusOf(control, 'n1'), 'active');
});

test('of two faults of one name the later replaces the earlier, whatever they are', async (t) => {
  const control = await controlled();
  const { cluster, ask } = control;
  const isSilent = (name: string) => cluster.world.outside.phones(name).some((phone) => phone.isSilent);
  await ask('POST /faults', { silence: 'acme.root.test/1002', name: 'q' });
  await ask('POST /faults', { silence: 'acme.root.test/1003', name: 'q' });
  t.deepEqual(await listed(control), ['f2']);
  t.false(isSilent('acme.root.test/1002'));
  t.true(isSilent('acme.root.test/1003'));
  await ask('POST /faults', { cut: { from: 'north' }, name: 'q' });
  t.deepEqual(await listed(control), ['f3']);
  t.false(isSilent('acme.root.test/1003'));
});

test('a fault without a name is listed, and ended by its id', async (t) => {
  const control = await controlled();
  const { cluster, ask } = control;
  await ask('POST /faults', { cut: { from: 'north' } });
  await ask('POST /faults', { delay: { from: 'south', by: '250ms' } });
  const list = (await ask('GET /faults')).body as Record<string, unknown>[];
  t.deepEqual(
    list.map(({ since: _since, ...fault }) => fault),
    [
      { id: 'f1', cut: { from: 'north' } },
      { id: 'f2', delay: { from: 'south', by: '250ms' } },
    ],
  );
  t.is((await ask('DELETE /faults/f1')).status, 204);
  t.deepEqual(await listed(control), ['f2']);
  await cluster.world.wait(5_000);
  t.is(await statusOf(control, 'n1'), 'active');
  t.is((await ask('DELETE /faults/f1')).status, 404, 'it has ended');
});

test('what ends by itself, and what mends, is not listed as active', async (t) => {
  const control = await controlled();
  const { ask } = control;
  t.deepEqual((await ask('POST /faults', { crash: 'b2b-214' })).body, { id: 'f1', active: false });
  t.deepEqual((await ask('POST /faults', { pause: 'n2' })).body, { id: 'f2', active: true });
  t.deepEqual(await listed(control), ['f2']);
  t.deepEqual((await ask('POST /faults', { resume: 'n2' })).body, { id: 'f3', active: false });
  t.deepEqual(await listed(control), [], 'a fault that another verb has undone is over');
});

test('one fault on several places is listed once, and ended whole', async (t) => {
  const control = await controlled();
  await control.ask('POST /faults', { pause: ['n1', 'n2', 's1'] });
  t.deepEqual(await listed(control), ['f1']);
  t.is((await control.ask('DELETE /faults/f1')).status, 204);
  await control.cluster.world.wait(5_000);
  t.is(await statusOf(control, 's1'), 'active');
});

test('all faults are ended at once: traffic, nodes and endpoints', async (t) => {
  const control = await controlled();
  const { cluster, ask } = control;
  for (const fault of [{ crash: 's2' }, { cut: { from: 'north' } }, { silence: 'acme.root.test/1002' }]) {
    t.is((await ask('POST /faults', fault)).status, 200);
  }
  await cluster.world.wait(5_000);
  t.deepEqual([await statusOf(control, 's2'), await statusOf(control, 'n1')], ['unreachable', 'unreachable']);
  t.deepEqual(await listed(control), ['f1', 'f2', 'f3']);
  t.is((await ask('DELETE /faults')).status, 204);
  t.deepEqual(await listed(control), []);
  await cluster.world.wait(5_000);
  t.deepEqual([await statusOf(control, 's2'), await statusOf(control, 'n1')], ['active', 'active']);
  const phones = (await ask('GET /phones')).body as { name: string; isSilent: boolean }[];
  t.deepEqual(
    phones.filter(({ isSilent }) => isSilent),
    [],
  );
});

test('a number behaves as it was set, a phone places a call, and both are seen', async (t) => {
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

test('a provider is listed by a name that a call may begin with', async (t) => {
  const { cluster, ask } = await controlled();
  const providers = async () => (await ask('GET /providers')).body as { name: string; calls: { state: string }[] }[];
  const [{ name: from } = {}] = await providers();
  t.is(from, 'sip.telecom.test');
  t.is((await ask('POST /calls', { from, to: '1001' })).status, 200);
  await cluster.world.wait(3_000);
  t.is((await providers())[0]?.calls[0]?.state, 'talking');
});

test('browsers get an icon for whatever they open', async (t) => {
  const { send } = await controlled();
  const answer = await send(new Request('http://localhost/favicon.ico', { headers: { host: 'localhost' } }));
  t.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/svg+xml']);
});

test('numbers that were set are listed, and cleared one by one or all at once', async (t) => {
  const { ask } = await controlled();
  const numbers = async () => (await ask('GET /numbers')).body;
  t.deepEqual(await numbers(), []);
  await ask('PUT /numbers/acme.root.test/1002', { reject: 486 });
  await ask('PUT /numbers/acme.root.test/1003', { silent: true });
  await ask('PUT /numbers/acme.root.test/1002', { answerMs: 100 });
  t.deepEqual(await numbers(), [
    { domain: 'acme.root.test', number: '1002', behaviour: { answerMs: 100 } },
    { domain: 'acme.root.test', number: '1003', behaviour: { silent: true } },
  ]);
  t.is((await ask('DELETE /numbers/acme.root.test/1002')).status, 204);
  t.deepEqual(await numbers(), [{ domain: 'acme.root.test', number: '1003', behaviour: { silent: true } }]);
  t.is((await ask('DELETE /numbers')).status, 204);
  t.deepEqual(await numbers(), []);
});

const noCalls = { started: 0, answered: 0, failed: 0, ended: 0, why: {} };

test('a load of calls is started, shown, replaced and ended, with its counts kept', async (t) => {
  const { cluster, ask } = await controlled();
  const view = async () => (await ask('GET /load')).body as { rate: number; started: number };
  t.deepEqual(await view(), { rate: 0, ...noCalls });
  t.is((await ask('PUT /load', { rate: 5, holdingMs: 1_000 })).status, 204);
  await cluster.world.wait(10_000);
  const { started, ...shown } = await view();
  t.like(shown, { rate: 5, holdingMs: 1_000 });
  t.true(started > 20 && started < 100, `${started}`);
  t.is((await ask('PUT /load', { rate: -1 })).status, 400);
  t.is((await view()).rate, 5, 'a refused load leaves the one that runs');
  t.is((await ask('PUT /load', { rate: 0 })).status, 204);
  await cluster.world.wait(10_000);
  t.like(await view(), { rate: 0, started });
  t.is((await ask('PUT /load', { rate: 1 })).status, 204);
  t.deepEqual(await view(), { rate: 1, ...noCalls }, 'another load has counts of its own');
});

test('the control interface shows and ends a load that was started elsewhere', async (t) => {
  const { cluster, load, ask } = await controlled();
  load.set({ rate: 5 });
  await cluster.world.wait(5_000);
  const before = (await ask('GET /load')).body as { rate: number; started: number };
  t.true(before.started > 0);
  t.is(before.rate, 5);
  t.is((await ask('PUT /load', { rate: 0 })).status, 204);
  await cluster.world.wait(5_000);
  t.like((await ask('GET /load')).body, { rate: 0, started: before.started });
});

const refused: readonly [line: string, body: unknown, status: number, message: RegExp][] = [
  [
    'POST /faults',
    { cut: { from: 'nort' } },
    400,
    /^cut\.from: expected a site \(hq, .*\), a node \(h1, .*\), a role, a role instance or \*, got "nort"; did you mean "north"\?$/,
  ],
  ['POST /faults', { crash: 'h1', pause: 'h2' }, 400, /expected exactly one verb/],
  ['POST /faults', { mend: 'lines' }, 400, /^mend: expected the name of an earlier fault \(none\), got "lines"$/],
  ['POST /faults', { explode: 'h1' }, 400, /^explode: no such field here, expected one of crash, /],
  ['POST /faults', { crash: 'h1', name: 'f7' }, 400, /^name: expected another form than that of an id, got "f7"$/],
  ['DELETE /faults/lines', undefined, 404, /^no active fault has the id or the name "lines"; no fault is active$/],
  ['DELETE /calls', undefined, 400, /^name: expected string, got nothing$/],
  ['PUT /faults', { crash: 'h1' }, 405, /^PUT is not a method of this path; expected one of GET, POST, DELETE, HEAD$/],
  ['PUT /numbers/nowhere.test/1', { answerMs: 1 }, 400, /^no domain named "nowhere\.test"; expected one of /],
  [
    'PUT /numbers/acme.root.test/1',
    { answer: 1 },
    400,
    /^answer: no such field here, expected one of .*; did you mean "answerMs"\?$/,
  ],
  [
    'POST /calls',
    { from: 'acme.root.test/9999', to: '1' },
    400,
    /^no phone or provider is named "acme\.root\.test\/9999"/,
  ],
  ['PUT /load', { rate: -1 }, 400, /^rate: expected a number from 0 to 1000 .*, got -1$/],
  ['GET /nothing', undefined, 404, /^no such path: \/strowger\/v1\/nothing/],
];

test('a request that names what does not exist is refused, and says why', async (t) => {
  const { ask } = await controlled();
  for (const [line, body, status, message] of refused) {
    const answer = await ask(line, body);
    t.is(answer.status, status, line);
    t.regex((answer.body as { error_message: string }).error_message, message);
  }
});
