/** Effects of scripts in a cluster: HTTP requests, the journal of runs, and an mware that is lost in mid script. */
import { createHmac } from 'node:crypto';
import type { ClientRequest } from '../../../src/ports/http-client.ts';
import { acmeUser, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';
import { ScriptAuthor } from '../../kit/scripts.ts';

const test = scopedTest();

const runs = '/rest/v1/journal/scripts';

let cluster: FrontCluster;
let author: ScriptAuthor;

test.before(async () => {
  cluster = await FrontCluster.start();
  author = await ScriptAuthor.open(cluster);
});

/** Sends one request, and returns the result of the component. */
function send(fields: Record<string, unknown>): Promise<unknown> {
  return author.run({ go: { type: 'http', result: 'answer', next: 'answer', failed: 'answer', ...fields } });
}

test('a request carries method, headers, body and an idempotency key; the script gets the answer', async (t) => {
  let sent: ClientRequest | undefined;
  cluster.world.outside.stubs.handle('https://crm.test/', (request) => {
    sent = request;
    return { status: 201, headers: { 'content-type': 'application/json' }, body: '{"id":7}' };
  });
  const fields = { method: 'POST', url: '"https://crm.test/x?y=1"', headers: { 'X-Mark': '"m"' }, body: '{a: [1]}' };
  const headers = { 'content-type': 'application/json' };
  t.deepEqual(await send(fields), { status: 201, headers, body: { id: 7 }, attempts: 1 });
  t.like(sent, { method: 'POST', url: 'https://crm.test/x?y=1', body: '{"a":[1]}' });
  t.like(sent?.headers, { 'x-mark': 'm', 'content-type': 'application/json' });
  t.regex(sent?.headers['idempotency-key'] ?? '', /^[\w-]{36}\/\d+$/);
});

test('a receiver can verify the signature of a request with a secret (Standard Webhooks)', async (t) => {
  const secret = Buffer.from('a-secret-of-24-bytes-abc');
  let sent: ClientRequest | undefined;
  cluster.world.outside.stubs.handle('https://hook.test/', (request) => {
    sent = request;
    return { status: 204 };
  });
  await send({
    method: 'POST',
    url: '"https://hook.test/"',
    body: '{a: 1}',
    secret: JSON.stringify(`whsec_${secret.toString('base64')}`),
  });
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = sent?.headers ?? {};
  const own = createHmac('sha256', secret).update(`${id}.${at}.{"a":1}`).digest('base64');
  t.is(signature, `v1,${own}`);
  t.is(Number(at), Math.floor(cluster.world.now() / 1_000));
});

test('a receiver that fails is tried again with growing waits, under the same key and signature id', async (t) => {
  const requests: { atMs: number; request: ClientRequest }[] = [];
  cluster.world.outside.stubs.handle('https://slow.test/', (request) => {
    requests.push({ atMs: cluster.world.now(), request });
    if (requests.length === 1) return 'silent';
    if (requests.length === 2) return 'reset';
    return { status: requests.length === 3 ? 503 : 200 };
  });
  t.like(
    await send({ method: 'POST', url: '"https://slow.test/"', body: '1', timeout: 2, retries: 5, secret: '"s"' }),
    { status: 200, attempts: 4 },
  );
  const waits = requests.slice(1).map(({ atMs }, n) => atMs - (requests[n]?.atMs ?? 0));
  t.true((waits[0] ?? 0) >= 2_500 && (waits[1] ?? 0) >= 1_000 && (waits[2] ?? 0) >= 2_000, waits.join(', '));
  t.is(new Set(requests.map(({ request }) => request.headers['idempotency-key'])).size, 1);
  t.is(new Set(requests.map(({ request }) => request.headers['webhook-id'])).size, 1);
});

test('a request that gets no answer fails with the reason; a status is an answer', async (t) => {
  cluster.world.outside.stubs.handle('https://no.test/', () => ({ status: 404 }));
  t.like(await send({ url: '"https://no.test/"' }), { status: 404 });
  t.like(await send({ url: '"https://nowhere.test/"' }), {
    problem: 'the connection failed: ECONNREFUSED',
    code: 'unreachable',
  });
  t.like(await send({ url: '"ftp://x.test/"' }), {
    problem: 'url: expected an address that begins with http:// or https://, got "ftp://x.test/"',
    code: 'invalid',
  });
  t.like(await send({ url: '"https://no.test/"', body: '1' }), {
    problem: 'body: expected none for GET',
    code: 'invalid',
  });
});

test('the journal lists runs, and shows one with its steps, to administrators', async (t) => {
  await author.run({ note: { type: 'log', text: '"hello " + (1 + 1)', next: 'answer' } });
  const list = good<{ id: string; code: string; status: string }[]>(t, await author.ask(`GET ${runs}?order=startts`));
  const last = list.at(-1);
  t.like(last, { status: 'finished', by: 'exec', site: 'north', passed: 3 });
  const run = good<{ startts: number; endts: number; steps: { at: number }[] }>(
    t,
    await author.ask(`GET ${runs}/${last?.id}`),
  );
  for (const atMs of [run.startts, run.endts, ...run.steps.map(({ at }) => at)]) t.is(atMs, Math.floor(atMs));
  t.deepEqual(
    run.steps.map((step) => ({ ...step, at: 0 })),
    [
      { at: 0, script: last?.code, component: 'start', type: 'start', note: 'next' },
      { at: 0, script: last?.code, component: 'note', type: 'log', note: 'hello 2' },
      { at: 0, script: last?.code, component: 'answer', type: 'code', note: 'next' },
    ],
  );
  refused(t, await author.ask(`GET ${runs}/none`), 404, /no run of a script/);
  refused(t, await author.ask(`GET ${runs}`, { token: await cluster.token(acmeUser, 'north') }), 403);
  t.like(good(t, await author.ask(`GET ${runs}?countonly=true`)), { count: list.length });
});

test('an mware that is lost in mid script loses no run, and nothing happens twice', async (t) => {
  const received = new Map<string, number>();
  cluster.world.outside.stubs.handle('https://bill.test/', ({ headers }) => {
    const key = headers['idempotency-key'] ?? '';
    received.set(key, (received.get(key) ?? 0) + 1);
    return { status: 200, afterMs: 300 };
  });
  const bill = (n: number, next: string) => ({
    type: 'http',
    method: 'POST',
    url: '"https://bill.test/"',
    body: String(n),
    next,
  });
  await author.define('pay', {
    one: bill(1, 'pause'),
    pause: { type: 'wait', seconds: '0.4', next: 'text' },
    text: { type: 'sms', to: '"+49"', text: '"paid " + startparam(4).n', next: 'two' },
    two: bill(2, 'done'),
    done: { type: 'assign', set: { total: '3' } },
  });
  const bearer = 'the-token-of-payments';
  const channel = { code: 'pay', token_local: bearer, svcscriptcode: 'pay', opts: { recv_timeout: 30 } };
  good(t, await author.ask('POST /rest/v1/domain/integrationchannels', { json: channel }));
  const ids = new Set<string>();
  for (let n = 0; n < 24; n += 1) {
    received.clear();
    const answer = author.ask('POST /exec', { token: bearer, json: { n } });
    await cluster.world.wait(40 + n * 47);
    const active = ['mware-215', 'mware-226'].find(
      (name) => cluster.world.cluster.node(name === 'mware-215' ? 'n1' : 'n2')?.instance(name)?.status === 'active',
    );
    cluster.world.faults.crashInstance(active ?? '');
    t.true([200, 503, 504].includes((await answer).status));
    await cluster.world.wait(30_000);
    const list = good<{ id: string; code: string; status: string; problem?: string }[]>(
      t,
      await author.ask(`GET ${runs}?filter=${encodeURIComponent('{"code":"pay"}')}`),
    );
    const own = list.filter(({ id }) => !ids.has(id));
    for (const { id } of list) ids.add(id);
    const status = (await answer).status;
    // Where the front was answered before the run was stored, it surely did not run.
    if (own.length === 0) t.not(status, 200);
    else {
      t.deepEqual(
        own.map((run) => [run.status, run.problem]),
        [['finished', undefined]],
        `crash after ${40 + n * 47} ms`,
      );
      t.is(received.size, 2, 'each request has arrived under a key of its own');
      const texts = cluster.world.outside.sms.messages.filter(({ text }) => text === `paid ${n}`);
      t.is(texts.length, 1);
    }
  }
  t.true(ids.size >= 20, `${ids.size} runs`);
});

test('a change whose answer is lost with mware is repeated, and succeeds: an item is created and deleted once', async (t) => {
  const mwares = ['mware-215', 'mware-226'] as const;
  const change = (operation: string, params: Record<string, string>) => ({
    ...{ type: 'operation', operation, unknown: 'repeat', result: 'answer', next: 'answer', failed: 'answer' },
    params: { kind: '"contactgroup"', ...params },
  });
  const answer = { type: 'log', text: 'JSON.stringify(answer)' };
  const groups = '/rest/v1/domain/contactgroups';
  const taken = good<{ id: string }>(t, await author.ask(`POST ${groups}`, { json: { code: 'taken' } }));
  const runsOf = async (name: string) => {
    const found = await author.ask(`GET ${runs}?filter=${encodeURIComponent(JSON.stringify({ code: name }))}`);
    return good<{ id: string; status: string }[]>(t, found);
  };
  /** mware crashes when the change is made. Returns the result of the repeated change. */
  const repeat = async (name: string, operation: string, params: Record<string, string>) => {
    await author.define(name, { go: change(operation, params), answer });
    const token = `the-token-of-${name}`;
    const channel = { code: name, token_local: token, svcscriptcode: name, opts: { recv_timeout: 60 } };
    good(t, await author.ask('POST /rest/v1/domain/integrationchannels', { json: channel }));
    const messages = ['data.create', 'data.delete'];
    const kinds = ['reply', 'fault'] as const;
    const lift = cluster.world.faults.hold({ from: 'mdc', to: [...mwares], oneWay: true, messages, kinds: [...kinds] });
    const answered = author.ask('POST /exec', { token, json: {} });
    await cluster.world.wait(1_000);
    t.is((await runsOf(name))[0]?.status, 'running');
    const active = mwares.find(
      (each) => cluster.world.cluster.node(each === 'mware-215' ? 'n1' : 'n2')?.instance(each)?.status === 'active',
    );
    cluster.world.faults.crashInstance(active ?? '');
    lift();
    await answered;
    await cluster.world.wait(30_000);
    const [run] = await runsOf(name);
    t.is(run?.status, 'finished');
    const { steps } = good<{ steps: { note: string }[] }>(t, await author.ask(`GET ${runs}/${run?.id}`));
    return JSON.parse(steps.at(-1)?.note ?? '') as { id?: string; code: string };
  };
  const made = await repeat('make', 'entity.create', { values: '({ code: "made-once" })' });
  t.is(made.code, 'made-once');
  const list = `GET ${groups}?filter=${encodeURIComponent('["like",["property","code"],"made-once"]')}`;
  t.deepEqual(
    good<{ id: string }[]>(t, await author.ask(list)).map(({ id }) => id),
    [String(made.id)],
  );
  t.deepEqual(await repeat('drop', 'entity.delete', { id: JSON.stringify(made.id) }), { id: made.id });
  t.deepEqual(good(t, await author.ask(list)), []);
  const refusal = await repeat('refused', 'entity.create', { values: '({ code: "taken" })' });
  t.is(refusal.code, 'conflict');
  good(t, await author.ask(`GET ${groups}/${taken.id}`));
});
