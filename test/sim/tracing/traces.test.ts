/** Traces: of a request through the instances of several nodes, and of a call; in virtual time, to a collector. */
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { SeededRandom } from '../../../sim/ports/random.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { tracesTo } from '../../../sim/tracing/exporter.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { startCollector } from '../../cli/collector.ts';
import { strowger } from '../../cli/in-process.ts';
import { test } from '../../kit/test.ts';

const loaded = loadTopology('default');
const json = { 'content-type': 'application/json' };
const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${clientTrace}-00f067aa0ba902b7-01`;

interface Session {
  readonly world: VirtualWorld;
  ask(method: string, path: string, options?: { headers?: Record<string, string>; body?: unknown }): Promise<Response>;
}

/** A request and a call at hq; `tracing`: absent for the same without traces. */
async function play(tracing?: ReturnType<typeof tracesTo>['tracing']): Promise<VirtualWorld> {
  const world = new VirtualWorld({ ...loaded, seed: 3, tracing });
  await world.start();
  const ask: Session['ask'] = (method, path, { headers = {}, body } = {}) =>
    world.request(
      'hq',
      new Request(`http://hq/rest/v1${path}`, {
        method,
        headers: { ...json, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  const login = { domain: 'root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
  const { session_token: operator } = (await (await ask('POST', '/iam/sessions', { body: login })).json()) as never;
  await ask('GET', '/master/logicalroles/esg/bannedaddrs', {
    headers: { authorization: `Bearer ${operator}`, traceparent },
  });
  const clerk = { ...login, domain: 'acme.root.test' };
  const { session_token: token } = (await (await ask('POST', '/iam/sessions', { body: clerk })).json()) as never;
  const headers = { authorization: `Bearer ${token}` };
  const body = { from: '1001', to: '1002', response_mode: 3 };
  const call = (await (await ask('POST', '/uc/calls', { headers, body })).json()) as { dialogid: string };
  await ask('DELETE', `/uc/calls/${call.dialogid}`, { headers });
  await world.wait(10_000);
  await world.stop();
  return world;
}

async function spansOf(): Promise<{ readonly spans: readonly ReadableSpan[]; readonly hash: string }> {
  const exporter = new InMemorySpanExporter();
  const kept: ReadableSpan[] = [];
  const onFailure = (reason: string) => {
    throw new Error(reason);
  };
  // The exporter forgets its spans at its end.
  const traces = tracesTo(
    {
      export: (spans, done) => {
        kept.push(...spans);
        exporter.export(spans, done);
      },
      shutdown: () => exporter.shutdown(),
    },
    { version: '0.0.0', random: new SeededRandom(3).stream('ids'), onFailure },
  );
  const world = await play(traces.tracing);
  await traces.end(10_000);
  return { spans: kept, hash: world.journal.hash() };
}

const placeOf = ({ attributes }: ReadableSpan) => String(attributes['strowger.to'] ?? '');

test('a request of a client is one trace over all nodes that it reaches, with the times of the world', async (t) => {
  const { spans } = await spansOf();
  const own = spans.filter((span) => span.spanContext().traceId === clientTrace);
  const front = own.find(({ parentSpanContext }) => parentSpanContext?.spanId === '00f067aa0ba902b7');
  t.is(front?.name, 'GET /rest/v1/master/logicalroles/esg/bannedaddrs');
  t.is(front?.attributes['http.response.status_code'], 200);
  const asks = own.filter(({ name }) => name.startsWith('ask '));
  const handled = own.filter(({ name }) => asks.some((ask) => ask.name === `ask ${name}`));
  const edges = [...loaded.map.instancesOf('esg')].map(({ address }) => address);
  t.deepEqual(handled.map(placeOf).toSorted(), edges.toSorted());
  for (const span of handled) {
    const ask = asks.find((each) => each.spanContext().spanId === span.parentSpanContext?.spanId);
    t.is(ask && placeOf(ask), placeOf(span));
  }
  t.true(asks.every(({ parentSpanContext }) => parentSpanContext?.spanId === front?.spanContext().spanId));
  const [seconds] = front?.startTime ?? [0];
  t.true(seconds * 1_000 < Date.now() && new Date(seconds * 1_000).getUTCFullYear() >= 2026);
  const far = asks.find((ask) => placeOf(ask).startsWith('south/'));
  t.true(far !== undefined && far.duration[1] > 8_000_000, 'two links between sites take 8 ms or more of virtual time');
});

test('a call is a span with its states, in one trace with its request, its instances and the SIP of its phone', async (t) => {
  const { spans } = await spansOf();
  const call = spans.find(({ name }) => name === 'call');
  const own = spans.filter((span) => span.spanContext().traceId === call?.spanContext().traceId);
  t.truthy(call?.attributes['strowger.dialogid']);
  t.true((call?.events.length ?? 0) > 1);
  const names = new Set(own.map(({ name }) => name));
  t.true(names.has('POST /rest/v1/uc/calls') && names.has('SIP 200 INVITE'), [...names].join('\n'));
  const roles = new Set(own.map((span) => placeOf(span).split('/').at(-1)?.split('-')[0]));
  for (const role of ['mware', 'ivr', 'b2b', 'sg']) t.true(roles.has(role), role);
  t.true(own.some(({ attributes }) => attributes['sip.call_id'] !== undefined));
});

test('traces change nothing in a run, and a seed has the same spans again', async (t) => {
  const [first, second, without] = [await spansOf(), await spansOf(), await play()];
  t.is(first.hash, without.journal.hash());
  const ids = ({ spans }: typeof first) => spans.map((span) => `${span.name} ${span.spanContext().spanId}`);
  t.deepEqual(ids(first), ids(second));
});

test('run --otlp sends the spans of a scenario to a collector as OTLP over HTTP', async (t) => {
  const { url, paths, spans } = await startCollector(t);
  const { code, err } = await strowger(t, 'run', 'site-cut', '--otlp', url);
  t.is(code, 0, err);
  t.deepEqual([...paths], ['/v1/traces']);
  t.true(spans.some(({ name }) => name === 'POST /rest/v1/master/logicalroles/esg/bannedaddrs'));
  t.deepEqual(spans[0]?.resource['service.name'], { stringValue: 'strowger' });
});

test('an exporter that fails at its end is reported, and fails nothing', async (t) => {
  const reasons: string[] = [];
  const exporter = new InMemorySpanExporter();
  exporter.shutdown = () => Promise.reject(new Error('it took too long'));
  const random = new SeededRandom(1).stream('ids');
  const traces = tracesTo(exporter, { version: 'test', random, onFailure: (reason) => reasons.push(reason) });
  await traces.end(1_000);
  t.deepEqual(reasons, ['Error: it took too long']);
});

test('a collector that is away is reported once, and the run goes on', async (t) => {
  const { code, out, err } = await strowger(t, 'run', 'site-cut', '--otlp', 'http://127.0.0.1:9');
  t.is(code, 0, `${out}${err}`);
  t.is(err.match(/--otlp http:\/\/127\.0\.0\.1:9: spans could not be sent/g)?.length, 1, err);
  const wrong = await strowger(t, 'run', 'site-cut', '--otlp', 'collector:4318');
  t.is(wrong.code, 64);
  t.regex(wrong.err, /--otlp: expected a URL such as/);
});
