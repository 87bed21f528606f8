/** The HTTP requests of scripts in the control interface: the log, the replay, stubs and faults on the way. */
import { createHmac } from 'node:crypto';
import type { DeliveryDetail, DeliveryView } from '../../../sim/outside/http/delivery-log.ts';
import type { ClientRequest } from '../../../src/ports/http-client.ts';
import { type Controlled, controlled } from '../../kit/http/control.ts';
import { scopedTest } from '../../kit/scoped.ts';
import { ScriptAuthor } from '../../kit/scripts.ts';

const test = scopedTest();

const url = 'https://hook.test/';
const hook = { type: 'http', method: 'POST', url: JSON.stringify(url), secret: '"s"', timeout: 5 };

let control: Controlled;
let author: ScriptAuthor;
let received: ClientRequest[];

test.before(async () => {
  control = await controlled();
  author = await ScriptAuthor.open(control.cluster);
});

test.beforeEach(async () => {
  await control.ask('DELETE /faults');
  received = [];
  control.cluster.world.outside.stubs.handle(url, (request) => {
    received.push(request);
    return { status: 200 };
  });
});

/** Sends a request with this body, and returns the result of the component and the delivery. */
async function deliver(body: string, more = {}): Promise<{ result: unknown; delivery: DeliveryView }> {
  const last = { next: 'answer', failed: 'answer', result: 'answer' };
  const result = await author.run({ go: { ...hook, body: JSON.stringify(body), ...last, ...more } });
  const delivery = ((await control.ask('GET /deliveries')).body as DeliveryView[]).at(-1);
  if (delivery === undefined) throw new Error('no delivery');
  return { result, delivery };
}

function isSigned({ headers, body }: ClientRequest): boolean {
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', 's').update(text).digest('base64')}`;
}

test('a delivery is listed with run, component, address, attempts and outcome', async (t) => {
  const { delivery } = await deliver('one');
  const runs = (await author.ask('GET /rest/v1/journal/scripts?order=startts')).body as { id: string; code: string }[];
  t.like(delivery, { run: runs.at(-1)?.id, script: runs.at(-1)?.code, component: 'go', method: 'POST', url });
  t.like(delivery, { outcome: 'definite', status: 200, webhookid: received[0]?.headers['webhook-id'] });
  t.deepEqual(
    delivery.attempts.map(({ atMs: _, endedMs: __, ...attempt }) => attempt),
    [{ by: 'script', status: 200 }],
  );
  const one = (await control.ask(`GET /deliveries/${delivery.id}`)).body as DeliveryDetail;
  t.is(one.body, 'one');
  t.is(one.headers['webhook-id'], delivery.webhookid);
  t.is((await control.ask('GET /deliveries/none')).status, 404);
});

test('the attempts of a delivery that is repeated are one delivery; its outcome is that of the last one', async (t) => {
  await control.ask('PUT /stubs', { url, answer: 'silent' });
  const { delivery } = await deliver('two', { retries: 1 });
  t.is(delivery.outcome, 'indefinite');
  t.deepEqual(
    delivery.attempts.map(({ by, problem, isDefinite }) => [by, problem, isDefinite]),
    Array(2).fill(['script', 'no answer within 5 s', false]),
  );
  t.deepEqual((await control.ask('GET /stubs')).body, [{ url, answer: 'silent' }]);
  t.is((await control.ask(`DELETE /stubs?url=${url}`)).status, 204);
  const refused = await deliver('three');
  t.like(refused.delivery, { outcome: 'definite', attempts: [{ isDefinite: true }] });
});

test('a replay has the same id, and a signature of its time', async (t) => {
  const { delivery } = await deliver('four');
  await control.cluster.world.wait(600_000);
  const again = (await control.ask(`POST /deliveries/${delivery.id}/replay`)).body as DeliveryDetail;
  t.deepEqual(
    again.attempts.map(({ by }) => by),
    ['script', 'replay'],
  );
  const [first, second] = received;
  t.is(second?.body, 'four');
  t.is(second?.headers['webhook-id'], first?.headers['webhook-id']);
  t.is(second?.headers['idempotency-key'], first?.headers['idempotency-key']);
  t.is(Number(second?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp']) >= 600, true);
  t.true(received.every(isSigned));
  t.is((await control.ask('POST /deliveries/none/replay')).status, 404);
});

test('a duplicated request arrives twice, under one id', async (t) => {
  await control.ask('POST /faults', { duplicateHttp: { url } });
  const { delivery } = await deliver('five');
  await control.cluster.world.wait(2_000);
  t.deepEqual(
    received.map(({ body }) => body),
    ['five', 'five'],
  );
  t.is(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
  const { attempts, outcome } = (await control.ask(`GET /deliveries/${delivery.id}`)).body as DeliveryDetail;
  t.deepEqual([attempts.map(({ by }) => by), outcome], [['script', 'fault'], 'definite']);
});

test('a delayed request arrives after its script has given it up', async (t) => {
  await control.ask('POST /faults', { delayHttp: { url, by: '8s' } });
  const { result } = await deliver('six');
  t.like(result, { problem: 'no answer within 5 s' });
  t.is(received.length, 0);
  await control.cluster.world.wait(4_000);
  t.is(received.length, 1);
  await control.ask('DELETE /faults');
  await control.ask('POST /faults', { delayHttp: { url, by: '2s' } });
  t.like((await deliver('seven')).result, { status: 200 });
});

test('a reordered request arrives after the next one; a request that has no next one is late', async (t) => {
  await control.ask('POST /faults', { reorderHttp: { url } });
  await author.define('pair', { go: { ...hook, body: 'startparam(4).n' } });
  const channel = { code: 'pair', token_local: 'the-token-of-the-pair', svcscriptcode: 'pair' };
  await author.ask('POST /rest/v1/domain/integrationchannels', { json: channel });
  const send = (n: number) => author.ask('POST /exec', { token: channel.token_local, json: { n } });
  const answers = await Promise.all([send(1), send(2)]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  t.deepEqual(
    received.map(({ body }) => body),
    ['2', '1'],
  );
  t.like((await deliver('eight')).result, { status: 200 });
});

test('a forged signature does not verify', async (t) => {
  await control.ask('POST /faults', { forgeHttp: { url }, name: 'forger' });
  await deliver('nine');
  t.deepEqual(received.map(isSigned), [false]);
  await control.ask('DELETE /faults/forger');
  await deliver('ten');
  t.true(isSigned(received[1] as ClientRequest));
});

test('half a body arrives, and the connection breaks', async (t) => {
  await control.ask('POST /faults', { truncateHttp: { url } });
  const { result, delivery } = await deliver('0123456789');
  t.like(result, { problem: 'the connection failed: ECONNRESET' });
  t.is(received[0]?.body, '01234');
  t.is(delivery.outcome, 'indefinite');
});

test('a refused request has certainly not arrived; a fault affects only the addresses that it names', async (t) => {
  await control.ask('POST /faults', { refuseHttp: { url } });
  const { result, delivery } = await deliver('eleven');
  t.like(result, { problem: 'the connection failed: ECONNREFUSED' });
  t.is(delivery.outcome, 'definite');
  await control.ask('DELETE /faults');
  await control.ask('POST /faults', { refuseHttp: { url: 'https://other.test/' } });
  t.like((await deliver('twelve')).result, { status: 200 });
  t.is((await control.ask('POST /faults', { refuseHttp: { url: 'hook.test' } })).status, 400);
});
