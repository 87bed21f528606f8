/** The control interface of a cluster in virtual time, and its fronts on ports. */
import test, { type ExecutionContext } from 'ava';
import { loopbackHosts } from '../../../sim/control/access.ts';
import { controlPath, controlRoutes, createControl } from '../../../sim/control/control.ts';
import { withDirectives } from '../../../sim/control/directives.ts';
import { ServedFronts } from '../../../sim/embed/hosting/served-fronts.ts';
import { RecordedCluster } from '../../../sim/embed/recorded/recorded-cluster.ts';
import { loadTopology } from '../../../sim/topology/load.ts';
import { NodeHttpServer } from '../../../src/adapters/http-server.ts';
import { createClient } from '../../../src/client/client.ts';
import type { HttpHandler } from '../../../src/ports/http-server.ts';
import { silentLog } from '../../kit/quiet.ts';

interface Served {
  readonly front: (site: string) => string;
  readonly ask: (line: string, json?: unknown) => Promise<{ status: number; body: unknown; text: string }>;
}

/** A cluster on free ports, as `serve --clock virtual` serves it. */
async function served(t: ExecutionContext): Promise<Served> {
  const cluster = await RecordedCluster.start({ loaded: loadTopology('default'), seed: 7, oracles: [] });
  const wrap = (handler: HttpHandler) =>
    withDirectives(handler, { wait: (ms) => cluster.present.world.wait(ms), token: 'secret' });
  const fronts = await ServedFronts.open(cluster, { host: '127.0.0.1', port: 0, wrap });
  const access = { hosts: loopbackHosts };
  const handler = createControl({ operated: () => cluster.present, virtual: cluster, access, log: silentLog });
  const control = await new NodeHttpServer({ host: '127.0.0.1', port: 0 }).open(handler);
  t.teardown(async () => {
    control.abort();
    fronts.abort();
    await cluster.stop();
  });
  const ask: Served['ask'] = async (line, json) => {
    const [method = '', path = ''] = line.split(' ');
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${control.url}${controlPath}${path}`, { method, headers, ...body });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: answer.status, body: isJson ? JSON.parse(text) : undefined, text };
  };
  return { front: (site) => fronts.urls.get(site) ?? '', ask };
}

const acme = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

test.serial(
  'a client on a port lets a ban pass, sees events, and loses the connection to a front that crashed',
  async (t) => {
    const { front, ask } = await served(t);
    const api = createClient({ url: front('north') });
    for (let failures = 0; failures < 5; failures += 1) {
      await api.attempt.sessions.logIn({ ...acme, pwd: 'wrong', session_type: 'token' });
    }
    const banned = await api.attempt.sessions.logIn({ ...acme, session_type: 'token' });
    t.like(banned, { ok: false, error: { status: 429, isRetriable: true } });
    t.is((await ask('POST /clock/advance', { by: '180s' })).status, 200);
    await api.logIn(acme);
    const events = api.events(['callevents.*']);
    await events.ready;
    const { dialogid = '', connected } = await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
    t.true(connected);
    t.like((await events.next()).value, { event: 'invite' });
    events.close();
    t.like((await ask('POST /waits', { for: { event: 'dlg_start' }, fields: { dialogid } })).body, {
      event: { name: 'dlg_start', data: { dialogid } },
    });
    t.deepEqual((await ask('POST /faults', { crash: 'north' })).body, { id: 'f1', active: true });
    t.like(await api.attempt.calls.list(), { ok: false, error: { kind: 'unanswered', status: undefined } });
  },
);

test.serial('a cluster is reset, and returns to a snapshot', async (t) => {
  const { front, ask } = await served(t);
  const api = createClient({ url: front('hq') });
  await api.logIn(acme);
  await ask('PUT /numbers/acme.root.test/1002', { reject: 486 });
  const { body: snapshot } = await ask('GET /snapshot');
  t.is((await ask('POST /reset')).status, 204);
  t.like(await api.attempt.calls.list(), { ok: false, error: { status: 401 } });
  t.deepEqual((await ask('GET /numbers')).body, []);
  t.is((await ask('PUT /snapshot', snapshot)).status, 204);
  t.like(await api.attempt.calls.list(), { ok: true });
  t.like((await ask('GET /numbers')).body, [{ number: '1002', behaviour: { reject: 486 } }]);
  const other = { ...(snapshot as object), seed: 8 };
  t.like((await ask('PUT /snapshot', other)).body, {
    error_message: 'expected a snapshot of seed 7, got one of seed 8',
  });
});

test.serial(
  'phones ring until they are answered, rejected and hung up here, and the journal has the call',
  async (t) => {
    const { ask } = await served(t);
    const name = 'acme.root.test/1002';
    t.is((await ask('POST /phones/attend', { name })).status, 204);
    const ringing = async () => {
      await ask('POST /clock/advance', { by: '1s' });
      const phones = (await ask('GET /phones')).body as {
        name: string;
        endpoint: string;
        calls: { callid: string; state: string }[];
      }[];
      const phone = phones.find((each) => each.name === name);
      const [call] = phone?.calls ?? [];
      return { endpoint: phone?.endpoint ?? '', callid: call?.callid ?? '', state: call?.state };
    };
    const placed = (await ask('POST /calls', { from: 'acme.root.test/1001', to: '1002' })).body as { callid: string };
    const { state, ...first } = await ringing();
    t.is(state, 'ringing');
    t.is((await ask('POST /calls/reject', { ...first, status: 603 })).status, 204);
    t.is((await ask('POST /calls/reject', first)).status, 404);
    await ask('POST /calls', { from: 'acme.root.test/1003', to: '1002' });
    const second = await ringing();
    t.is((await ask('POST /calls/answer', { endpoint: second.endpoint, callid: second.callid })).status, 204);
    t.is((await ringing()).state, 'talking');
    t.is((await ask('POST /calls/hangup', { name })).status, 204);
    t.is((await ringing()).state, undefined);
    const diagram = (await ask(`GET /journal?call=${placed.callid}&form=diagram`)).text;
    t.regex(diagram, /^sequenceDiagram\n/);
    t.regex(diagram, /603 INVITE/);
    const lines = (await ask('GET /journal?kinds=outside.sent&form=lines')).text.trim().split('\n');
    t.true(lines.length > 10);
    t.is((await ask('GET /journal?fromMs=soon')).status, 400);
  },
);

const refused: readonly (readonly [line: string, json: unknown, status: number, message: RegExp])[] = [
  ['POST /clock/advance', {}, 400, /expected either "by" or "to"/],
  ['POST /clock/advance', { to: '2025-01-01T00:00:00Z' }, 400, /to: expected an instant from 2026-/],
  ['POST /waits', { for: { event: 'none' } }, 400, /event: expected an event/],
  ['POST /waits', { for: { event: 'callevents.dlg_dead' }, within: '1s' }, 409, /not seen within 1000 ms/],
  ['PUT /snapshot', { format: 'none' }, 400, /format/],
  ['POST /phones', { domain: 'acme.root.test', login: 'a b' }, 400, /login: expected 1 to 100 characters/],
  ['POST /phones', { domain: 'other.test', login: 'desk' }, 400, /no sg serves the domain "other.test"/],
  ['POST /phones/register', { name: 'acme.root.test/9999' }, 400, /no phone or provider is named/],
];

test.serial('a request that cannot be carried out is refused, and says why', async (t) => {
  const { ask } = await served(t);
  for (const [line, json, status, message] of refused) {
    const answer = await ask(line, json);
    t.is(answer.status, status, line);
    t.regex((answer.body as { error_message: string }).error_message, message);
  }
});

test.serial('the header X-Strowger affects its own request alone', async (t) => {
  const { front, ask } = await served(t);
  const api = createClient({ url: front('hq') });
  await api.logIn(acme);
  const order = (directive: object) => ({
    headers: { 'x-strowger': JSON.stringify({ token: 'secret', ...directive }) },
  });
  const create = (login: string, directive: object) =>
    api.attempt.sipUsers.create({ name: login, login, pwd: 'p', phonenumber: login }, order(directive));
  const nowMs = async () => ((await ask('GET /clock')).body as { nowMs: number }).nowMs;
  t.like(await create('1701', { fail: 503 }), { ok: false, error: { status: 503, isDefinite: true } });
  t.like(await create('1702', { drop: 'before' }), { ok: false, error: { status: undefined, isDefinite: false } });
  t.like(await create('1703', { drop: 'after' }), { ok: false, error: { status: undefined, isDefinite: false } });
  t.like(await create('1704', { half: true }), { ok: false, error: { isDefinite: false } });
  const beforeMs = await nowMs();
  t.true((await create('1705', { delayMs: 2_000 })).ok);
  t.true((await nowMs()) >= beforeMs + 2_000);
  const logins = (await api.sipUsers.list({ mask: ['login'] }))
    .map(({ login }) => login)
    .filter((login) => login >= '17');
  t.deepEqual(logins.toSorted(), ['1703', '1704', '1705'], 'a dropped answer says nothing about the effect');
  t.like(await create('1706', { token: 'wrong' }), { ok: false, error: { status: 401 } });
  t.like(await create('1706', { slow: true }), { ok: false, error: { status: 400 } });
});

test('every route is in the OpenAPI document of the control interface, and on its page', async (t) => {
  const routes = controlRoutes(() => {
    throw new Error('not asked');
  });
  const open = async (path: string) =>
    routes
      .find((each) => each.path === path)
      ?.answer({ params: {}, query: new URLSearchParams(), url: '', body: undefined });
  const document = (await open('/openapi.json')) as { paths: Record<string, Record<string, unknown>> };
  const page = await ((await open('/docs')) as Response).text();
  for (const { method, path, does } of routes) {
    const shown = `${controlPath}${path.replaceAll(/:(\w+)/g, '{$1}')}`;
    t.truthy(document.paths[shown]?.[method.toLowerCase()], `${method} ${shown}`);
    t.true(page.includes(shown), does);
  }
});
