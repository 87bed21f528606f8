/** The clock of a served world: on demand, at a pace, paused; and waits that do not move it. */

import { createClient } from '../../../src/client/client.ts';
import { test } from '../../kit/test.ts';
import { type ServedWorlds, served } from './served.ts';

const acme = { domain: 'acme.root.test', login: 'admin', pwd: 'admin' };

interface Clock {
  readonly nowMs: number;
  readonly pace: number | null;
  readonly isPaused: boolean;
}

async function clockOf({ ask }: ServedWorlds): Promise<Clock> {
  return (await ask('GET /clock')).body as Clock;
}

test('time is stopped without a request, and an advance passes it until a matcher is seen', async (t) => {
  const world = await served(t);
  const { ask } = world;
  const before = await clockOf(world);
  t.like(before, { pace: null, isPaused: false });
  t.deepEqual(await clockOf(world), before);
  await ask('POST /calls', { from: 'acme.root.test/1001', to: '1005' });
  const until = { state: 'talking', machine: 'dialog' };
  const { body } = await ask('POST /clock/advance', { until, within: '1m' });
  t.true((body as Clock).nowMs >= before.nowMs + 5_000);
  t.like(body, { seen: { observation: { kind: 'entity.state', machine: 'dialog' } } });
  const missed = await ask('POST /clock/advance', { until: { event: 'callevents.dlg_dead' }, within: '1s' });
  t.is(missed.status, 409);
});

test('at a pace time passes without a request, and on demand again it does not', async (t) => {
  const world = await served(t);
  const { ask } = world;
  const before = await clockOf(world);
  t.like((await ask('PUT /clock/pace', { pace: 1_000 })).body, { pace: 1_000 });
  const seen = await ask('POST /waits', { for: { event: 'callevents.none' } });
  t.is(seen.status, 400);
  await ask('POST /calls', { from: 'acme.root.test/1001', to: '1002' });
  t.is((await ask('POST /waits', { for: { event: 'callevents.dlg_start' } })).status, 200);
  t.true((await clockOf(world)).nowMs >= before.nowMs + 2_000);
  await ask('PUT /clock/pace', { pace: null });
  const stopped = await clockOf(world);
  t.deepEqual(await clockOf(world), stopped);
});

test('a paused clock is stopped for open requests too, until it is advanced or resumed', async (t) => {
  const world = await served(t);
  const { ask, front } = world;
  const api = createClient({ url: front('north') });
  await api.logIn(acme);
  t.like((await ask('POST /clock/pause')).body, { isPaused: true });
  const before = await clockOf(world);
  const calling = api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  const arrived = await ask('POST /waits', { for: { answer: '/rest/v1/uc/calls' }, within: '50ms' });
  t.is(arrived.status, 409, 'the request is not answered while the clock is stopped');
  t.deepEqual(await clockOf(world), before);
  t.is(((await ask('POST /clock/advance', { by: '1500ms' })).body as Clock).nowMs, before.nowMs + 1_500);
  t.like((await ask('GET /clock')).body, { isPaused: true });
  t.like((await ask('POST /clock/resume')).body, { isPaused: false, pace: null });
  t.true((await calling).connected);
});

test('a wait, a web socket and a request that does not drive move no time, and each may ask to', async (t) => {
  const world = await served(t);
  const { ask, front } = world;
  const api = createClient({ url: front('north') });
  await api.logIn(acme);
  const events = api.events(['callevents.*']);
  await events.ready;
  await ask('POST /calls', { from: 'acme.root.test/1001', to: '1002' });
  const before = await clockOf(world);
  const passive = await ask('POST /waits', { for: { event: 'callevents.dlg_start' }, within: '50ms' });
  t.is(passive.status, 409);
  const headers = { 'x-strowger': JSON.stringify({ token: 'secret', drives: false }) };
  const healthz = fetch(`${front('north')}/rest/v1/uc/calls`, {
    headers: { ...headers, authorization: `Bearer ${api.token}` },
  });
  t.is((await ask('POST /waits', { for: { answer: '/rest/v1/uc/calls' }, within: '50ms' })).status, 409);
  t.deepEqual(await clockOf(world), before);
  t.is((await ask('POST /waits', { for: { event: 'callevents.dlg_start' }, drives: true })).status, 200);
  t.is((await healthz).status, 200);
  events.close();
});

test('a reset keeps the pace of the clock', async (t) => {
  const world = await served(t);
  await world.ask('POST /clock/pause');
  await world.ask('POST /reset');
  t.like(await clockOf(world), { isPaused: true });
});

test('the journal of a request has what happened until its answer, and no other request', async (t) => {
  const { ask, front } = await served(t);
  const api = createClient({ url: front('north') });
  await api.logIn(acme);
  await api.calls.create({ from: '1001', to: '1002', response_mode: 3 });
  const requests = (await ask('GET /journal?kinds=request.received')).body as { id: number; target: string }[];
  const { id } = requests.find(({ target }) => target === '/rest/v1/uc/calls') ?? { id: -1 };
  const entries = (await ask(`GET /journal?request=${id}`)).body as { kind: string; id?: number }[];
  t.is(entries[0]?.kind, 'request.received');
  t.is(entries.at(-1)?.kind, 'request.answered');
  t.true(entries.some(({ kind }) => kind === 'outside.sent'));
  t.deepEqual(
    entries.filter((entry) => entry.kind.startsWith('request.') && entry.id !== id),
    [],
  );
});
