/** `strowger up`: a process for each node, under real faults. All tests but the last share one cluster. */
import { isDeepStrictEqual } from 'node:util';
import { scopedTest } from '../../kit/scoped.ts';
import { readExposition } from '../../sim/metrics/exposition.ts';
import { edited, type Owner, writeFile } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { type CollectedSpan, startCollector } from '../collector.ts';
import { loginAt, poll, Running } from '../command.ts';

const test = scopedTest();

interface View {
  readonly node: string;
  readonly state: string;
  readonly pid?: number;
  readonly restarts: number;
}

interface Up {
  readonly running: Running;
  readonly east: string;
  readonly control: string;
  readonly views: () => Promise<View[]>;
  /** Sends `METHOD /path` to the control interface. */
  readonly ask: (line: string, json?: unknown) => Promise<{ status: number; text: string }>;
}

async function up(t: Owner, ...more: string[]): Promise<Up> {
  const timings = [
    'pingIntervalMs: 200',
    'pingPatienceMs: 200',
    'edgeWaitMs: 500',
    'reconnectMaxMs: 200',
    'nodeRestartMs: 1000',
  ];
  const file = writeFile(t, 'small.yaml', edited(smallYaml, [['pingIntervalMs: 1000', timings.join('\n  ')]]));
  const args = ['up', '--topology', file, '--port', '0', '--control', '0', '--oracles', 'no-bugs'];
  const running = new Running(t, [...args, ...more]);
  const [, east = '', control = ''] = await running.says(/^ready east=(\S+) .*control=(\S+)$/m);
  const ask: Up['ask'] = async (line, json) => {
    const [method = '', path = ''] = line.split(' ');
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${control}/strowger/v1${path}`, { method, headers, ...body });
    return { status: answer.status, text: await answer.text() };
  };
  return { running, east, control, ask, views: async () => JSON.parse((await ask('GET /nodes')).text) as View[] };
}

/** Waits until the front of east shows the node in this status. */
async function shows(east: string, node: string, status: string): Promise<void> {
  const ask = await poll(`a login at ${east}`, () => loginAt(east).catch(() => undefined));
  await poll(`${node} is ${status}`, async () => {
    const answer = await ask(`/rest/v1/master/nodes/${node}`);
    return ((await answer.json()) as { status?: string }).status === status ? true : undefined;
  });
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

interface TracedUp extends Up {
  readonly spans: readonly CollectedSpan[];
}

const ends: (() => unknown)[] = [];
let shared: Promise<TracedUp> | undefined;

/** The cluster that the tests share, with a collector of its traces. */
function sharedCluster(): Promise<TracedUp> {
  const owner: Owner = { teardown: (end) => void ends.unshift(end) };
  shared ??= startCollector(owner).then(async ({ url, spans }) => ({
    ...(await up(owner, '--otlp', url, '--log-form', 'text')),
    spans,
  }));
  return shared;
}

test.after(async () => {
  for (const end of ends) await end();
});

test('phones and the verdicts of oracles are at the control interface, and faults of messages are refused', async (t) => {
  const { ask } = await sharedCluster();
  for (const [fault, reason] of [
    [{ lose: { from: 'west', probability: 0.5 } }, /lose: not for a cluster of processes: it needs whole messages/],
    [{ cut: { from: 'west', messages: ['peer.*'] } }, /cut: not for a cluster .*need whole messages/],
    [{ cut: { from: 'esg' } }, /cut: not for a cluster .*expected sites or nodes/],
    [{ crash: 'x9' }, /x9/],
  ] as const) {
    const answer = await ask('POST /faults', fault);
    t.is(answer.status, 400, answer.text);
    t.regex(answer.text, reason);
  }
  t.is((await ask('GET /faults')).text, '[]');
  t.is((await ask('GET /phones')).status, 200);
  const verdicts = JSON.parse((await ask('GET /verdicts')).text) as { name: string }[];
  t.deepEqual(
    verdicts.map(({ name }) => name),
    ['no-bugs'],
  );
  t.is((await ask('GET /nodes/x1/phones')).status, 404);
});

test('nodes are killed, paused, cut off and back, as the fronts see it', async (t) => {
  const { running, east, control, ask } = await sharedCluster();
  const lost = /^e1 \| \d\d:\d\d:\d\d warn {2}node\.lost node=w2 by=east\/e1$/m;
  await shows(east, 'w2', 'active');
  for (const { lift, ...inject } of [
    { crash: 'w2' },
    { pause: 'w2', lift: { resume: 'w2' } },
    { cut: { from: 'west' }, name: 'lines' },
  ]) {
    t.is((await ask('POST /faults', inject)).status, 200);
    await shows(east, 'w2', 'unreachable');
    // The front sees it at once, its node after three pings without an answer; a killed node may be back before.
    if ('pause' in inject) await poll('e1 has lost w2', () => Promise.resolve(lost.test(running.err) || undefined));
    if (lift !== undefined) t.is((await ask('POST /faults', lift)).status, 200);
    t.is((await ask('DELETE /faults')).status, 204);
    await shows(east, 'w2', 'active');
  }
  t.is((await ask('POST /faults', { halfOpen: { from: 'w1', to: 'w2' } })).status, 200);
  await shows(east, 'w2', 'active');

  const { samples } = readExposition((await ask('GET /nodes/w1/metrics')).text);
  t.is(samples.get('strowger_node_up{site="west",node="w1"}'), 1);
  const supervised = readExposition(await (await fetch(`${control}/metrics`)).text()).samples;
  t.is(supervised.get('strowger_crashes_total{address="west/w2",cause="injected"}'), 1);
  t.is(supervised.get('strowger_faults_active'), 1);
  t.is(supervised.get('strowger_oracle_failures{oracle="no-bugs"}'), 0);
  t.false(supervised.has('strowger_node_up{site="west",node="w1"}'), 'nodes have metrics of their own');
  t.regex((await ask('GET /targets')).text, /"labels":\{"node":"e1","site":"east"\}/);
  t.regex(running.err, /^w1 \| running west\/w1 control=/m);
  t.regex(running.err, lost);
});

test('a node that dies by itself is started again', async (t) => {
  const { views } = await sharedCluster();
  const of = async (node: string) => (await views()).find((each) => each.node === node);
  const { pid: before = 0, restarts = 0 } = (await of('w2')) ?? {};
  process.kill(before, 'SIGKILL');
  await poll('w2 runs again', async () => {
    const now = await of('w2');
    return now?.state === 'running' && now.restarts === restarts + 1 && now.pid !== before ? true : undefined;
  });
  t.pass();
});

test('up --otlp: a request that several processes handle is one trace, with the node of each span; SIGINT ends all nodes', async (t) => {
  const { running, east, spans, views } = await sharedCluster();
  await shows(east, 'w2', 'active');
  const ask = await loginAt(east);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  t.is((await ask('/rest/v1/master/logicalroles/esg/bannedaddrs', 'GET', { traceparent })).status, 200);
  const pids = (await views()).map(({ pid = 0 }) => pid);
  t.is(pids.length, 3);
  t.is(await running.end('SIGINT'), 0, running.err);
  t.deepEqual(pids.filter(isAlive), []);

  const own = spans.filter((span) => span.traceId === traceId);
  const nodeOf = ({ resource }: CollectedSpan) => resource['service.instance.id'];
  const front = own.find(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b7');
  t.is(front?.name, 'GET /rest/v1/master/logicalroles/esg/bannedaddrs');
  t.deepEqual(front && nodeOf(front), { stringValue: 'e1' });
  const far = own.filter((span) => isDeepStrictEqual(nodeOf(span), { stringValue: 'w2' }));
  const asks = own.filter(({ name }) => name.startsWith('ask '));
  t.true(far.length > 0, own.map(({ name }) => name).join('\n'));
  t.true(
    far.some((span) => asks.some((each) => each.spanId === span.parentSpanId && each.name === `ask ${span.name}`)),
  );
});

test('nodes end when their supervisor is killed', async (t) => {
  const { running, views } = await up(t);
  const pids = (await views()).map(({ pid = 0 }) => pid);
  t.is(await running.end('SIGKILL'), 'SIGKILL');
  await poll('all nodes have ended', async () => (pids.some(isAlive) ? undefined : true));
  t.pass();
});
