/** The typed client over clusters in the same process. */

import { startCluster } from '../../sim/embed/test-cluster.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { ApiError } from '../../src/client/errors.ts';
import { SubscriptionRefused } from '../../src/client/event-stream.ts';
import { test } from '../kit/test.ts';

const acme = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

/** A client whose requests are answered by a function. */
function answeredBy(answer: (url: string, init: RequestInit) => Response): Client {
  const send = async (url: unknown, init: RequestInit = {}) => answer(String(url), init);
  return createClient({ url: 'http://front/', token: 't', fetch: send as typeof fetch });
}

test('operations on calls are typed, and say whether the callee has answered', async (t) => {
  await using cluster = await startCluster();
  const api = await cluster.client({ site: 'north', ...acme });
  const call = await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  t.true(call.connected);
  const id = call.dialogid ?? '';
  t.deepEqual(await api.calls.list({ mask: ['dialogid', 'site'], filter: { dialogid: id } }), [
    { dialogid: id, site: 'north' },
  ]);
  t.is(await api.calls.count({ filter: ['==', ['property', 'dialogid'], id] }), 1);
  t.deepEqual(await api.calls.lookup({ dialogid: id }), [id]);
  const moved = await api.calls.refer(id, { by: 'a', referto: '1003', response_mode: 3 });
  t.true(moved.connected);
  const busy = await api.calls.create({ from: '1004', to: '1009', response_mode: 3 });
  t.false(busy.connected);
  t.regex(busy.last_response ?? '', /^SIP\/2\.0 486/);
  const user = await api.sipUsers.create({ name: 'x', login: '1777', pwd: 'p', phonenumber: '1777' });
  t.is((await api.sipUsers.update(user.id, { name: 'y' })).name, 'y');
  t.is((await api.sipUsers.get(user.id, { mask: ['login'] })).login, '1777');
  await api.sipUsers.delete(user.id);
  await api.sessions.logOut();
  await t.throwsAsync(api.calls.list(), {
    instanceOf: ApiError,
    message: 'GET /rest/v1/uc/calls: 401 no session with this id: it has ended or does not exist; log in',
  });
});

test('files are uploaded and downloaded, whole and in ranges', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const api = await cluster.client(acme);
  const bytes = new Uint8Array([1, 2, 3, 4]);
  await api.parkingFiles.upload({ 'one.wav': bytes });
  await api.parkingFiles.put('two.wav', new Blob([bytes]));
  const names = (await api.parkingFiles.list({ mask: ['name'] })).map(({ name }) => name);
  t.true(names.includes('one.wav') && names.includes('two.wav'));
  const range = await api.parkingFiles.download('two.wav', {}, { headers: { range: 'bytes=1-2' } });
  t.deepEqual([range.status, new Uint8Array(await range.arrayBuffer())], [206, new Uint8Array([2, 3])]);
  await api.parkingFiles.delete('one.wav');
  t.like(await api.attempt.parkingFiles.delete('one.wav'), { ok: false, error: { status: 404, kind: 'refused' } });
});

test('arguments become the path, the query and the body in the form of the interface', async (t) => {
  const sent: string[] = [];
  const api = answeredBy((url, { method, body, headers }) => {
    sent.push(`${method} ${decodeURIComponent(url.replaceAll('+', ' '))} ${body ?? ''}`.trim());
    t.is(new Headers(headers).get('authorization'), 'Bearer t');
    return Response.json([]);
  });
  await api.conferenceParticipants.get('a/b', 'p?');
  await api.calls.list({
    filter: ['like', ['property', 'site'], 'n%'],
    mask: ['site'],
    order: [{ startts: 'desc' }],
    limit: 5,
  });
  await api.esgBans.ban({ ip: '10.0.0.1', expires: 5 }, { sites: ['hq', 'north'] });
  await api.users.lookup('d1', 'admin');
  t.deepEqual(sent, [
    'GET http://front/rest/v1/uc/conferences/a/b/participants/p?',
    'GET http://front/rest/v1/uc/calls?filter=["like",["property","site"],"n%"]&mask=site&order=[{"startts":"desc"}]&limit=5',
    'POST http://front/rest/v1/master/logicalroles/esg/bannedaddrs?sites=hq,north {"ip":"10.0.0.1","expires":5}',
    'LOOKUP http://front/rest/v1/domain/domains/d1/users "admin"',
  ]);
});

test('what is missing is named, and not sent', async (t) => {
  const api = answeredBy(() => t.fail() as never);
  await t.throwsAsync(api.calls.get(undefined as never), {
    instanceOf: TypeError,
    message: 'GET /rest/v1/uc/calls/:dialogid: dialogid: expected a string, got undefined',
  });
  t.throws(() => createClient({} as never), { message: /^url: expected that of a front, such as http:/ });
  await using cluster = await startCluster({ topology: 'single', oracles: [] });
  await t.throwsAsync(cluster.client(undefined as never), {
    message: 'client: domain: expected a string, got undefined',
  });
  await t.throwsAsync(cluster.phone('1001').onCall(undefined as never), { message: /^onCall: expected a function/ });
});

test('a text that is not Unicode is sent as the path can have it, like one in the query', async (t) => {
  const sent: string[] = [];
  const api = answeredBy((url) => {
    sent.push(url);
    return Response.json({ error_code: 1404, error_message: 'no such file' }, { status: 404 });
  });
  const lone = 'a\ud800';
  t.like(await api.attempt.parkingFiles.delete(lone), { ok: false, error: { kind: 'refused' } });
  t.like(await api.attempt.sipUsers.list({ order: lone }), { ok: false, error: { kind: 'refused' } });
  for (const url of sent) t.regex(url, /a%EF%BF%BD/);
});

test('an error says whether the request was carried out, and whether to repeat it', async (t) => {
  const rows = [
    [400, 'refused', true, false, false],
    [404, 'refused', true, false, false],
    [409, 'refused', true, false, false],
    [429, 'unavailable', true, true, true],
    [500, 'unanswered', false, true, false],
    [503, 'unavailable', true, true, true],
    [504, 'unanswered', false, true, false],
    [0, 'unanswered', false, true, false],
  ] as const;
  for (const [status, kind, isDefinite, readsAgain, writesAgain] of rows) {
    const api = answeredBy(() => {
      if (status === 0) throw new TypeError('fetch failed');
      const body = { error_code: 1000 + status, error_message: 'why' };
      return Response.json(body, { status, headers: { 'retry-after': '3' } });
    });
    const read = await api.attempt.calls.list();
    const write = await api.attempt.calls.create({ from: '1', to: '2' });
    if (read.ok || write.ok) return t.fail('expected errors');
    const { error } = read;
    const code = status === 0 ? undefined : 1000 + status;
    t.deepEqual([error.kind, error.isDefinite, error.isRetriable], [kind, isDefinite, readsAgain], `${status}`);
    t.deepEqual([error.code, error.retryAfterMs], [code, status === 0 ? undefined : 3_000]);
    t.is(write.error.isRetriable, writesAgain, `${status}`);
  }
});

test('an outcome names the sites that did not answer', async (t) => {
  await using cluster = await startCluster();
  const api = await cluster.client({ site: 'hq', ...acme });
  await cluster.faults.cut({ from: 'north' });
  await cluster.clock.advance('5s');
  t.like(await api.attempt.calls.list(), { ok: true, value: [], missingSites: ['north'] });
});

test('events continue without a gap or a repetition when the front crashes', async (t) => {
  await using cluster = await startCluster();
  const [north, south] = [
    await cluster.client({ site: 'north', ...acme }),
    await cluster.client({ site: 'south', ...acme }),
  ];
  const streams = [north.events(['callevents.*']), south.events(['callevents.*'])] as const;
  for (const { ready } of streams) await cluster.clock.during(ready);
  await south.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  await cluster.faults.crash({ site: 'north', role: 'ws' });
  await cluster.phone('1002').hangUp();
  await cluster.clock.advance('30s');
  await south.calls.create({ from: '1003', to: '1004', response_mode: 3 });
  await cluster.clock.advance('20s');
  const ids = await Promise.all(
    streams.map(async (stream) => {
      stream.close();
      const seen: unknown[] = [];
      for (const items = stream; ; ) {
        const { done, value } = await items.next();
        if (done) return seen;
        if (value.type === 'gap') t.fail('no event is missing');
        else seen.push(value.data['eventid']);
      }
    }),
  );
  t.true((ids[0] ?? []).length > 15);
  t.deepEqual(ids[0]?.toSorted(), ids[1]?.toSorted());
  t.is(new Set(ids[0]).size, (ids[0] ?? []).length);
});

test('the streams of a session that is over reject, and do not get the address banned', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const api = await cluster.client(acme);
  const stream = api.events(['callevents.*']);
  await cluster.clock.during(stream.ready);
  await api.sessions.logOut();
  const over = { instanceOf: ApiError, message: /401/ };
  const [next, late] = [stream.next(), api.events(['callevents.*']).next()];
  next.catch(() => {});
  late.catch(() => {});
  await cluster.clock.advance('60s');
  await t.notThrowsAsync(cluster.client(acme));
  await t.throwsAsync(cluster.clock.during(next), over);
  await t.throwsAsync(cluster.clock.during(late), over);
});

test('a stream that has begun waits while the platform cannot take it, and a new one rejects', async (t) => {
  const answers = [
    { result: 'ok', cursor: 'c' },
    { result: 'error', error_code: 1503 },
    { result: 'ok', cursor: 'd' },
  ];
  const sent: string[] = [];
  const open = () => {
    const socket = Object.assign(new EventTarget(), {
      send: (text: string) => {
        sent.push(text);
        const data = JSON.stringify(['subscribe', answers.shift() ?? { result: 'error', error_code: 1503 }]);
        socket.dispatchEvent(new MessageEvent('message', { data }));
        if (sent.length === 1) socket.close();
        if (sent.length === 3) {
          const event = ['event', { class: 'callevents', event: 'dlg_start', data: {}, cursor: 'e' }];
          socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
        }
      },
      close: () => void setImmediate(() => socket.dispatchEvent(new Event('close'))),
    });
    setImmediate(() => socket.dispatchEvent(new Event('open')));
    return socket;
  };
  const fetch = (async () => Response.json({})) as typeof globalThis.fetch;
  const api = createClient({ url: 'http://front', token: 't', fetch, openSocket: open, wait: async () => {} });
  const stream = api.events(['callevents.*']);
  t.like(await stream.next(), { value: { event: 'dlg_start', cursor: 'e' } });
  t.is(sent.length, 3);
  stream.close();
  await t.throwsAsync(api.events(['callevents.*']).next(), { instanceOf: SubscriptionRefused });
});

test('a stream that is closed ends its wait for the next connection', async (t) => {
  const api = createClient({ url: 'http://127.0.0.1:1', openSocket: () => Promise.reject(new Error('no front')) });
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const before = timers();
  const streams = Array.from({ length: 100 }, () => api.events(['callevents.*']));
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.true(timers() >= before + 100);
  for (const stream of streams) stream.close();
  t.true(timers() < before + 100);
});

test('the error of a socket that is closed before it is open is taken', async (t) => {
  const closed = new Promise<boolean>((resolve) => {
    const types = new Set<string>();
    const socket = {
      send: () => {},
      close: () => resolve(types.has('error')),
      addEventListener: (type: string) => void types.add(type),
    };
    const api = createClient({ url: 'http://front', token: 't', openSocket: async () => socket });
    api.events(['callevents.*']).close();
  });
  t.true(await closed, 'the package ws reports an error, which ends a process that does not take it');
});

test('a stream continues after the cursor of another, and a refused subscription rejects', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const api = await cluster.client(acme);
  const first = api.events(['callevents.*']);
  await cluster.clock.during(first.ready);
  await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  const { value: invite } = await cluster.clock.during(first.next());
  first.close();
  const second = api.events(['callevents.*'], { cursor: invite?.cursor ?? '' });
  const { value: next } = await cluster.clock.during(second.next());
  t.is(next?.type === 'event' ? next.event : '', 'dlg_init');
  // @ts-expect-error there is no such class
  const refused = api.events(['none.*']);
  await t.throwsAsync(cluster.clock.during(refused.next()), { message: /events/ });
});
