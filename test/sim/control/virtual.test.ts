/** The control interface of a cluster in virtual time, and its fronts on ports. */

import { createClient } from '../../../src/client/client.ts';
import { test } from '../../kit/test.ts';
import { served } from './served.ts';

const acme = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

test('a client on a port lets a ban pass, sees events, and loses the connection to a front that crashed', async (t) => {
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
  t.like((await ask('POST /waits', { for: { event: 'dlg_start' }, fields: { dialogid }, drives: true })).body, {
    event: { name: 'dlg_start', data: { dialogid } },
  });
  t.deepEqual((await ask('POST /faults', { crash: 'north' })).body, { id: 'f1', active: true });
  t.like(await api.attempt.calls.list(), { ok: false, error: { kind: 'unanswered', status: undefined } });
});

test('a cookie lasts as long by the clock of its client as by that of the cluster', async (t) => {
  const { front } = await served(t);
  const logIn = (pwd: string, cookie?: string) =>
    fetch(`${front('hq')}/rest/v1/iam/sessions${cookie === undefined ? '' : '/current'}`, {
      method: cookie === undefined ? 'POST' : 'DELETE',
      headers: { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }) },
      ...(cookie === undefined && { body: JSON.stringify({ ...acme, pwd }) }),
    });
  const [cookie = ''] = (await logIn('admin')).headers.getSetCookie();
  const leftMs = Date.parse(/Expires=([^;]+)/.exec(cookie)?.[1] ?? '') - Date.now();
  t.true(Math.abs(leftMs - 3_600_000) < 60_000, cookie);
  const [deleted = ''] = (await logIn('', cookie.split(';')[0])).headers.getSetCookie();
  t.regex(deleted, /Expires=Thu, 01 Jan 1970/);
});

test('a cluster is reset, and returns to a snapshot', async (t) => {
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

test('phones ring until they are answered, rejected and hung up here, and the journal has the call', async (t) => {
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
  const transfer = { endpoint: second.endpoint, callid: second.callid, to: 'sip:1004@acme.root.test' };
  t.is((await ask('POST /calls/transfer', transfer)).status, 404, 'it rings');
  const whose = { endpoint: second.endpoint, callid: second.callid };
  t.regex((await ask('POST /calls/hold', whose)).text, /no call to hold: it is not answered, or is over/);
  t.is((await ask('POST /calls/answer', whose)).status, 204);
  t.is((await ringing()).state, 'talking');
  t.is((await ask('POST /calls/transfer', transfer)).status, 204);
  t.is((await ask('POST /calls/hangup', { name })).status, 204);
  t.is((await ringing()).state, undefined);
  const diagram = (await ask(`GET /journal?call=${placed.callid}&form=diagram`)).text;
  t.regex(diagram, /^sequenceDiagram\n/);
  t.regex(diagram, /603 INVITE/);
  const lines = (await ask('GET /journal?kinds=outside.sent&form=lines')).text.trim().split('\n');
  t.true(lines.length > 10);
  t.is((await ask('GET /journal?fromMs=soon')).status, 400);
});

const refused: readonly (readonly [line: string, json: unknown, status: number, message: RegExp])[] = [
  ['POST /clock/advance', {}, 400, /expected exactly one of "by", "to" and "until"/],
  ['POST /clock/advance', { to: '9999-01-01T00:00:00Z' }, 400, /expected at most 31 days/],
  ['POST /clock/advance', { to: '2025-01-01T00:00:00Z' }, 400, /to: expected an instant from 2026-/],
  ['POST /waits', { for: { event: 'none' } }, 400, /event: expected an event/],
  [
    'POST /waits',
    { for: { event: 'callevents.dlg_dead' }, within: '1s', drives: true },
    409,
    /not seen within 1000 ms/,
  ],
  ['PUT /snapshot', { format: 'none' }, 400, /format/],
  ['POST /phones', { domain: 'acme.root.test', login: 'a b' }, 400, /login: expected 1 to 100 characters/],
  ['POST /phones', { domain: 'other.test', login: 'desk' }, 400, /no sg serves the domain "other.test"/],
  ['POST /phones/register', { name: 'acme.root.test/9999' }, 400, /no phone or provider is named/],
];

test('a request that cannot be carried out is refused, and says why', async (t) => {
  const { ask } = await served(t);
  for (const [line, json, status, message] of refused) {
    const answer = await ask(line, json);
    t.is(answer.status, status, line);
    t.regex((answer.body as { error_message: string }).error_message, message);
  }
});

test('the header X-Strowger affects its own request alone', async (t) => {
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
