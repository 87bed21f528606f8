/** The library: one cluster in a test, with its clock, waits, numbers, faults, journal and verdicts. */

import { startCluster } from '../../sim/embed/test-cluster.ts';
import { test } from '../kit/test.ts';
import { ask, calls, callTo, tokenOf } from './kit.ts';

test('a request is answered without a port, and moves time by what the cluster needs', async (t) => {
  await using cluster = await startCluster({ seed: 7 });
  const startMs = cluster.clock.now;
  const call = await callTo(cluster, '1002', await tokenOf(cluster));
  t.is(call['result'], 'ok');
  const tookMs = cluster.clock.now - startMs;
  t.true(tookMs > 3_000 && tookMs < 4_000, `1001 answers after 1 s, 1002 after 2 s; it took ${tookMs} ms`);
  const idleMs = cluster.clock.now;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.is(cluster.clock.now, idleMs, 'time does not move while no request is open');
});

test('ids and tokens depend on the seed alone', async (t) => {
  const run = async (seed: number) => {
    await using cluster = await startCluster({ seed, oracles: [] });
    const token = await tokenOf(cluster);
    return { token, call: await callTo(cluster, '1002', token), trace: cluster.traceHash };
  };
  const [first, again, other] = [await run(7), await run(7), await run(8)];
  t.deepEqual(again, first);
  t.not(other.token, first.token);
});

test('an address that is banned for 180 s is let in after them', async (t) => {
  await using cluster = await startCluster();
  const wrong = { domain: 'acme.root.test', login: 'admin', pwd: 'wrong', session_type: 'token' };
  const logIn = (pwd: string) => ask(cluster, 'POST /rest/v1/iam/sessions', { json: { ...wrong, pwd } });
  for (let failures = 0; failures < 5; failures += 1) t.is((await logIn('wrong')).status, 401);
  const banned = await logIn('admin');
  t.is(banned.status, 429);
  await cluster.clock.advance(`${Number(banned.headers.get('retry-after'))}s`);
  t.is((await logIn('admin')).status, 200);
});

test('time advances by a duration, to an instant and until a condition, and never back', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const { clock } = cluster;
  const startMs = clock.now;
  await clock.advance('1.5s');
  await clock.advance(500);
  t.is(clock.now, startMs + 2_000);
  await clock.advance(new Date(Math.ceil(startMs) + 5_000));
  t.is(clock.now, Math.ceil(startMs) + 5_000);
  await cluster.phone('1002').call('1003');
  await clock.until(() => cluster.phone('1003').calls.length > 0);
  t.is(cluster.phone('1003').calls[0]?.view?.state, 'ringing');
  // As in JavaScript, where no compiler asks for true or false.
  await clock.until((() => Number(cluster.phone('1003').calls[0]?.view?.state === 'talking')) as never);
  await t.throwsAsync(
    clock.until(() => false, { within: '1s' }),
    { message: /does not hold within 1000 ms/ },
  );
  const api = await cluster.client({ domain: 'acme.root.test', login: 'admin', pwd: 'admin' });
  await clock.until(async () => (await api.calls.list({ mask: ['status'] })).some(({ status }) => status === 'dialog'));
  const askedMs = clock.now;
  await t.throwsAsync(
    clock.until(async () => (await api.calls.count()) > 9, { within: '2s' }),
    { message: /does not hold within 2000 ms/ },
  );
  t.true(clock.now - askedMs >= 2_000);
  await t.throwsAsync(clock.until(true as never), { message: 'expected a function, got true' });
  await t.throwsAsync(clock.advance(new Date(startMs)), { message: /expected an instant from now on/ });
  await t.throwsAsync(clock.advance('soon'), { message: /expected a duration such as '3s'/ });
});

test('a wait sees events before and after it, by their fields, states, counts and SIP messages', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const dialogid = String((await callTo(cluster, '1002', await tokenOf(cluster)))['dialogid']);
  const started = await cluster.waitFor('callevents.dlg_start', { dialogid });
  t.true(started.atMs < cluster.clock.now, 'it was over before the wait');
  t.like(started.event?.data, { dialogid });
  await cluster.phone('1002').hangUp();
  const ended = await cluster.waitFor('dlg_end', { dialogid }, { within: '5s' });
  t.true(ended.atMs > started.atMs);
  await cluster.waitFor({ message: 'sip', method: 'BYE' });
  await cluster.waitFor({ state: 'gone', machine: 'dialog' });
  const late = cluster.waitFor('dlg_start', { dialogid }, { sinceMs: cluster.clock.now, within: '1s' });
  await t.throwsAsync(late, { message: /not seen within 1000 ms: \{"event":"dlg_start"\} with \{"dialogid"/ });
  // @ts-expect-error there is no such event
  await t.throwsAsync(cluster.waitFor('dlg_begin'), { message: /expected an event .*dlg_/ });
  // @ts-expect-error the event has no such field
  await t.throwsAsync(cluster.waitFor('dlg_start', { dialogId: dialogid }), {
    message: /fields: expected fields of dlg_start \(dialogid, .*got "dialogId"; did you mean "dialogid"\?/,
  });
  await t.throwsAsync(cluster.waitFor('dlg_start', { dialogid: undefined }), {
    message: 'fields.dialogid: expected a value, got undefined',
  });
  const many = cluster.waitFor({ event: 'callevents.fork_start', times: 9 }, { within: '1s' });
  await t.throwsAsync(many, { name: 'NotSeen', message: /only 2 of 9/ });
});

test('a number with the own domain is the number, also for a provider', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const headers = { authorization: `Bearer ${await tokenOf(cluster)}`, 'content-type': 'application/json' };
  const startMs = cluster.clock.now;
  for (const to of ['1002@acme.root.test', '0800@acme.root.test']) {
    const body = JSON.stringify({ from: '1001', to, response_mode: 3 });
    await cluster.fetch('north', '/rest/v1/uc/calls', { method: 'INVITE', headers, body });
  }
  const called = async (remoteuri: string) =>
    cluster.waitFor('callevents.fork_start', { remoteuri }, { sinceMs: startMs });
  t.truthy(await called('<sip:1002@acme.root.test>'));
  t.truthy(await called('<sip:0800@sip.telecom.test>'));
});

test('an event of a call that begins is picked by the numbers that were dialled', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  await cluster.phone('1001').call('1002');
  const { event } = await cluster.waitFor('callevents.invite');
  t.true(
    ['1001', '1002'].every((number) => event?.objects.includes(number)),
    JSON.stringify(event?.objects),
  );
});

test('a front that ends itself at the request of a client breaks no rule', async (t) => {
  await using cluster = await startCluster({ oracles: ['no-bugs'] });
  const api = await cluster.client({ site: 'north', domain: 'root.test', login: 'admin', pwd: 'admin' });
  await api.nodes.delete('ws-211');
  await cluster.clock.advance('5s');
  t.notThrows(() => cluster.assertRules());
});

test('numbers behave as set, and by their digits again when cleared', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const token = await tokenOf(cluster);
  await cluster.numbers.set('acme.root.test', '1002', { reject: 486 });
  t.regex(String((await callTo(cluster, '1002', token))['last_response']), /486/);
  t.deepEqual(cluster.numbers.list, [{ domain: 'acme.root.test', number: '1002', behaviour: { reject: 486 } }]);
  await cluster.numbers.clear();
  t.regex(String((await callTo(cluster, '1002', token))['last_response']), /200/);
  await t.throwsAsync(cluster.numbers.set('acme.root.test', '1002', { reject: 200 }), { message: /behaviour\.reject/ });
  await t.throwsAsync(cluster.load.set({ rate: -1 }), { message: /rate: expected a number from 0/ });
  await cluster.load.set({ rate: 2, holdingMs: 1_000 });
  await cluster.clock.advance('10s');
  t.true(cluster.load.view.started > 5);
});

test('a fault is typed, listed, and lifted at the end of its scope', async (t) => {
  await using cluster = await startCluster();
  const token = await tokenOf(cluster);
  const missing = async () => (await ask(cluster, `GET ${calls}`, { at: 'hq', token })).headers.get('x-missing-sites');
  {
    await using cut = await cluster.faults.cut({ from: 'north' }, { name: 'lines' });
    t.true(cut.isActive);
    t.like(cluster.faults.list(), [{ id: cut.id, name: 'lines', cut: { from: 'north' } }]);
    await cluster.clock.advance('5s');
    t.is(await missing(), 'north');
  }
  await cluster.clock.advance('5s');
  t.is(await missing(), null);
  const drained = await cluster.faults.drain('n2');
  await cluster.faults.restart('n2');
  t.deepEqual([drained.isActive, cluster.faults.list()], [true, []]);
  await t.throwsAsync(cluster.faults.crash('n9'), { message: /expected a site .*got "n9"/ });
  await t.throwsAsync(cluster.faults.lift('lines'), { message: /no active fault/ });
});

test('the journal of a call has its requests, SIP messages, cluster messages and states', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const token = await tokenOf(cluster);
  const { dialogid } = await callTo(cluster, '1002', token);
  await cluster.phone('1003').call('1004');
  await cluster.clock.advance('5s');
  const entries = cluster.journal.entries({ call: String(dialogid) });
  const kinds = new Set(entries.map(({ kind }) => kind));
  for (const kind of ['request.answered', 'outside.sent', 'envelope.sent', 'entity.state'] as const)
    t.true(kinds.has(kind));
  const text = cluster.journal.lines({ call: String(dialogid) });
  t.true(text.includes('1002'));
  t.false(text.includes('sip:1004@'), 'the other call is not in it');
  const diagram = cluster.journal.diagram({ call: String(dialogid) });
  t.regex(diagram, /^sequenceDiagram\n(.*\n)*.*: 200 INVITE\n(.*\n)*.*: sip ACK\n/);
  t.regex(diagram, / as acme\.root\.test\/1002\n/);
  t.regex(diagram, / as north\/n\d\/sg-2\d\d\n/);
  t.notRegex(diagram, / as [\d.]+:/, 'no participant is shown by its address');
  t.deepEqual(cluster.journal.entries({ fromMs: cluster.clock.now + 1 }), []);
});

test('a web socket receives events while time moves, and does not move it', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const token = await tokenOf(cluster);
  const socket = cluster
    .site('north')
    .socket('/ws?subscribe=callevents.*', { headers: { authorization: `Bearer ${token}` } });
  const received: string[] = [];
  socket.addEventListener('message', (event) => received.push(String((event as MessageEvent).data)));
  const startMs = cluster.clock.now;
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.deepEqual([received, cluster.clock.now], [[], startMs]);
  await callTo(cluster, '1002', token);
  await cluster.clock.advance('1s');
  t.true(received.some((text) => text.includes('"dlg_start"')));
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  socket.close();
  await cluster.clock.during(closed);
  t.is(socket.readyState, 3);
});

test('a user gets the events of a call that the platform begins to his phone, from the first one on', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  const admin = await tokenOf(cluster);
  const login = { domain: 'acme.root.test', login: 'user', pwd: 'user', session_type: 'token' };
  const { body } = await ask(cluster, 'POST /rest/v1/iam/sessions', { json: login });
  const authorization = `Bearer ${body['session_token']}`;
  for (const method of ['INVITE', 'POST']) {
    const socket = cluster.site('north').socket('/ws?subscribe=callevents.*', { headers: { authorization } });
    const names: string[] = [];
    socket.addEventListener('message', (event) =>
      names.push(JSON.parse(String((event as MessageEvent).data))[1]?.event),
    );
    await cluster.clock.advance('100ms');
    const json = { from: '1001', to: '1002', response_mode: 0 };
    t.is((await ask(cluster, `${method} ${calls}`, { token: admin, json })).status, 200);
    const { body: listed } = await ask(cluster, `GET ${calls}`, { token: admin });
    t.is((listed as unknown as { status: string }[]).at(-1)?.status, 'init', 'it is in the list at once');
    await cluster.clock.advance('5s');
    const first = names.filter((name) => name !== undefined).slice(0, 4);
    t.deepEqual(first, ['invite', 'dlg_init', 'dlg_call', 'fork_start'], method);
    socket.close();
  }
});

test('a request fails as fetch does when no front answers, and when the client aborts', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  await cluster.faults.crash('north');
  await t.throwsAsync(cluster.fetch('north', '/healthz'), { instanceOf: TypeError, message: 'fetch failed' });
  await t.throwsAsync(cluster.fetch('hq', '/healthz', { signal: AbortSignal.abort() }), {
    any: true,
    message: /aborted/,
  });
  t.throws(() => cluster.provider('x'), { message: /expected a provider \(sip\.telecom\.test, .*got "x"/ });
  await t.throwsAsync(cluster.restore({} as never), { instanceOf: TypeError, message: /format: expected/ });
  await t.throwsAsync(cluster.fetch('west', '/healthz'), { message: /expected a site with a front/ });
  t.throws(() => cluster.site('west'), { message: /expected a site with a front \(hq, north, south\), got "west"/ });
  await cluster.stop();
  await t.throwsAsync(cluster.clock.advance('1s'), { message: 'the cluster has been stopped' });
});

test('what is open when a cluster stops ends: requests, waits and web sockets', async (t) => {
  const cluster = await startCluster({ topology: 'single', oracles: [] });
  const token = await tokenOf(cluster, 'hq');
  const socket = cluster.site().socket('/ws', { headers: { authorization: `Bearer ${token}` } });
  await cluster.clock.during(new Promise((resolve) => socket.addEventListener('open', resolve)));
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  await cluster.phone('1002').attend();
  const settled = Promise.allSettled([
    ask(cluster, `POST ${calls}`, { at: 'hq', token, json: { from: '1001', to: '1002', response_mode: 3 } }),
    cluster.waitFor({ event: 'callevents.dlg_start', times: 9 }, { within: '10m' }),
    cluster.clock.advance('10m'),
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  await cluster.stop();
  await closed;
  const [request, wait, advance] = await settled;
  t.is(advance.status, 'fulfilled');
  t.regex(String(wait.status === 'rejected' && wait.reason), /not seen within 600000 ms/);
  t.true(request.status === 'fulfilled' || request.reason instanceof TypeError);
  await cluster.stop();
});

test('options that are wrong are refused with what was expected', async (t) => {
  await t.throwsAsync(startCluster({ topology: 'none' }), {
    message: /topology: expected a path relative to the working directory \(\.\/none\.yaml\), or a topology that ships/,
  });
  // @ts-expect-error there is no such clock
  await t.throwsAsync(startCluster({ clock: 'fast' }), { message: 'clock: expected virtual or real, got "fast"' });
  await t.throwsAsync(startCluster({ seed: -1 }), { message: /seed: expected a whole number from 0/ });
  // @ts-expect-error there is no such option
  await t.throwsAsync(startCluster({ toplogy: 'single' }), { message: /got "toplogy"; did you mean "topology"\?/ });
  await t.throwsAsync(startCluster({ oracles: ['none'] }), { message: /no oracle named "none"/ });
});

test('with a real clock time passes by itself, and a fork has its past', async (t) => {
  const cluster = await startCluster({ topology: 'single', clock: 'real' });
  t.teardown(() => cluster.stop());
  t.is(cluster.clock.pace, 1);
  const startMs = cluster.clock.now;
  while (cluster.clock.now === startMs) await new Promise((resolve) => setImmediate(resolve));
  cluster.clock.pause();
  const fork = await cluster.fork();
  t.teardown(() => fork.stop());
  t.is(fork.clock.now, cluster.clock.now);
  t.is(fork.traceHash, cluster.traceHash);
});
