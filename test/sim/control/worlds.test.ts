/** Worlds of one process over the control interface: each has its own fronts, time, phones and past. */

import { createClient } from '../../../src/client/client.ts';
import { test } from '../../kit/test.ts';
import { type ServedWorlds, served } from './served.ts';

const acme = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

interface Shown {
  readonly name: string;
  readonly seed: number;
  readonly clock: string;
  readonly nowMs: number;
  readonly sites: Readonly<Record<string, string>>;
}

async function create({ ask }: ServedWorlds, wanted: object): Promise<Shown> {
  return (await ask('POST /worlds', wanted)).body as Shown;
}

test('a world is created, listed and deleted, and shares nothing with the others', async (t) => {
  const main = await served(t);
  const { ask } = main;
  const other = await create(main, { name: 'other', seed: 3 });
  t.like(other, { name: 'other', seed: 3, clock: 'virtual' });
  t.deepEqual(
    ((await ask('GET /worlds')).body as Shown[]).map(({ name }) => name),
    ['main', 'other'],
  );
  await ask('PUT /worlds/other/numbers/acme.root.test/1002', { reject: 486 });
  await ask('POST /worlds/other/clock/advance', { by: '1m' });
  const api = createClient({ url: other.sites['north'] ?? '' });
  await api.logIn(acme);
  t.regex((await api.calls.create({ from: '1001', to: '1002', response_mode: 3 })).last_response ?? '', /486/);
  t.deepEqual((await ask('GET /numbers')).body, []);
  t.deepEqual((await ask('GET /journal?kinds=request.received')).body, []);
  const [mainNow = 0, otherNow = 0] = ((await ask('GET /worlds')).body as Shown[]).map(({ nowMs }) => nowMs);
  t.true(otherNow >= mainNow + 60_000);
  t.is((await ask('DELETE /worlds/other')).status, 204);
  t.is((await ask('GET /worlds/other/clock')).status, 404);
  await t.throwsAsync(fetch(`${other.sites['north']}/healthz`));
});

test('a fork has the past of its world, and goes on alone', async (t) => {
  const main = await served(t);
  const { ask, front } = main;
  const api = createClient({ url: front('north') });
  await api.logIn(acme);
  const { dialogid = '' } = await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  const fork = (await ask('POST /fork', { name: 'b' })).body as Shown;
  t.is(fork.nowMs, ((await ask('GET /worlds/main')).body as Shown).nowMs);
  await api.calls.delete(dialogid);
  await ask('POST /clock/advance', { until: { event: 'callevents.dlg_stop' } });
  const there = createClient({ url: fork.sites['north'] ?? '', token: api.token });
  t.deepEqual(await api.calls.list({ mask: ['dialogid'] }), []);
  t.true((await there.calls.list()).some((call) => call.dialogid === dialogid));
  const { body: snapshot } = await ask('GET /snapshot');
  const third = await create(main, { name: 'c', snapshot });
  t.is(third.nowMs, ((await ask('GET /worlds/main')).body as Shown).nowMs);
});

test('a POST whose fields are all optional needs no body', async (t) => {
  const { ask } = await served(t, { topology: 'single' });
  t.like((await ask('POST /worlds')).body, { name: 'w1', topology: 'single' });
  t.like((await ask('POST /fork')).body, { name: 'w2' });
  const advance = await ask('POST /clock/advance');
  t.is(advance.status, 400);
  t.regex(advance.text, /expected JSON, got nothing/);
});

const refused: readonly (readonly [line: string, json: unknown, status: number, message: RegExp])[] = [
  ['POST /worlds', { name: 'main' }, 409, /there is a world named "main"/],
  ['POST /worlds', { name: 'Über' }, 400, /name: expected 1 to 64 lower-case letters/],
  ['POST /worlds', { topology: '../../etc/passwd' }, 400, /topology: expected the name of a topology that ships/],
  [
    'POST /worlds',
    { topology: 'nowhere' },
    400,
    /topology: expected the name of a topology that ships \(default, pair, single\), got "nowhere"/,
  ],
  ['POST /worlds', { seed: -1 }, 400, /seed/],
  ['DELETE /worlds/main', undefined, 409, /main is the world of the command line/],
  ['GET /worlds/none/faults', undefined, 404, /no world named "none"; expected one of main/],
  ['PUT /clock/pace', { pace: 0 }, 400, /pace/],
  ['GET /journal?kinds=all', undefined, 400, /kinds: expected some of envelope\.sent/],
  ['GET /journal?form=xml', undefined, 400, /form: expected one of json, lines, diagram, got "xml"/],
  ['GET /journal?request=first', undefined, 400, /request: expected the id of a request, got "first"/],
  ['POST /scenarios/none/run', {}, 404, /no scenario named "none"/],
  ['PUT /scenarios/site-cut', { text: '' }, 409, /a scenario named "site-cut" ships/],
];

test('a request about a world that cannot be carried out is refused, and says why', async (t) => {
  const { ask } = await served(t);
  for (const [line, json, status, message] of refused) {
    const answer = await ask(line, json);
    t.is(answer.status, status, line);
    t.regex((answer.body as { error_message: string }).error_message, message);
  }
});

test('a live world waits, keeps a journal and verdicts, and is reset; it has no pace, no snapshot and no fork', async (t) => {
  const { ask, front } = await served(t, { clock: 'real', oracles: 'all' });
  const waiting = ask('POST /waits', { for: { event: 'callevents.dlg_start' }, within: '20s' });
  await ask('POST /calls', { from: 'acme.root.test/1001', to: '1000' });
  t.like((await waiting).body, { event: { name: 'dlg_start' } });
  t.like((await ask('GET /clock')).body, { mode: 'live', pace: 1, isPaused: false });
  t.true(((await ask('GET /journal?kinds=outside.sent')).body as unknown[]).length > 0);
  const verdicts = (await ask('GET /verdicts')).body as { name: string; verdict: string }[];
  t.deepEqual(
    verdicts.filter(({ verdict }) => verdict === 'fail'),
    [],
  );
  t.true(verdicts.some(({ verdict }) => verdict === 'pass'));
  for (const line of ['GET /snapshot', 'POST /fork', 'PUT /clock/pace', 'POST /clock/pause', 'POST /clock/advance']) {
    const json = { 'PUT /clock/pace': { pace: 2 }, 'POST /clock/advance': { by: '1s' }, 'POST /fork': {} }[line];
    t.is((await ask(line, json)).status, 409, line);
  }
  const before = front('north');
  t.is((await ask('POST /reset')).status, 204);
  t.is(front('north'), before);
  t.deepEqual((await ask('GET /journal?kinds=request.received')).body, []);
  t.is((await fetch(`${before}/healthz`)).status, 200);
});

test('a scenario is uploaded, checked, run in a world of its own, and removed', async (t) => {
  const { ask } = await served(t);
  const text = `name: a-ban
why: A client bans an address, and asks for it again.
sessions: { boss: { through: hq, domain: acme.root.test, login: admin, pwd: admin } }
steps:
  - request: { through: hq, as: boss, method: GET, path: /rest/v1/uc/calls }
    expect: { status: 200, body: [] }
`;
  t.deepEqual((await ask('PUT /scenarios/mine', { text })).body, { name: 'mine', steps: 1 });
  const report = (await ask('POST /scenarios/mine/run', { seed: 5 })).body;
  t.like(report, { name: 'a-ban', seed: 5, failures: [] });
  t.deepEqual((await ask('POST /scenarios/mine/run', { seed: 5 })).body, report, 'the same seed gives the same run');
  const listed = (await ask('GET /scenarios')).body as { name: string; isShipped: boolean }[];
  t.true(listed.some(({ name, isShipped }) => name === 'site-cut' && isShipped));
  t.deepEqual(listed.at(-1), { name: 'mine', isShipped: false });
  const wrong = await ask('PUT /scenarios/mine', { text: text.replace('through: hq, as', 'through: nowhere, as') });
  t.is(wrong.status, 400);
  t.regex((wrong.body as { error_message: string }).error_message, /mine\.yaml:5:\d+ .*nowhere/);
  t.is((await ask('DELETE /scenarios/mine')).status, 204);
  t.is((await ask('DELETE /scenarios/mine')).status, 404);
});
