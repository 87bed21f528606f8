/** `strowger up`: a process for each node, under real faults. */
import test, { type ExecutionContext } from 'ava';
import { readExposition } from '../../sim/metrics/exposition.ts';
import { edited, writeFile } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { loginAt, poll, Running } from '../command.ts';

interface View {
  readonly node: string;
  readonly state: string;
  readonly pid?: number;
  readonly restarts: number;
}

interface Up {
  readonly running: Running;
  readonly east: string;
  readonly views: () => Promise<View[]>;
  /** Sends `METHOD /path` to the control interface. */
  readonly ask: (line: string, json?: unknown) => Promise<{ status: number; text: string }>;
}

async function up(t: ExecutionContext): Promise<Up> {
  const timings = ['pingIntervalMs: 200', 'pingPatienceMs: 200', 'edgeWaitMs: 500', 'reconnectMaxMs: 200'];
  const file = writeFile(t, 'small.yaml', edited(smallYaml, [['pingIntervalMs: 1000', timings.join('\n  ')]]));
  const running = new Running(t, ['up', '--topology', file, '--port', '0', '--control', '0', '--oracles', 'no-bugs']);
  const [, east = '', control = ''] = await running.says(/^ready east=(\S+) .*control=(\S+)$/m);
  const ask: Up['ask'] = async (line, json) => {
    const [method = '', path = ''] = line.split(' ');
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${control}/strowger/v1${path}`, { method, headers, ...body });
    return { status: answer.status, text: await answer.text() };
  };
  return { running, east, ask, views: async () => JSON.parse((await ask('GET /nodes')).text) as View[] };
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

test.serial(
  'nodes are killed, paused, cut off and back, as the fronts see it, and end with the supervisor',
  async (t) => {
    const { running, east, ask, views } = await up(t);
    await shows(east, 'w2', 'active');
    for (const [inject, lift] of [
      [{ crash: 'w2' }, undefined],
      [{ pause: 'w2' }, { resume: 'w2' }],
      [{ cut: { from: 'west' }, name: 'lines' }, undefined],
    ]) {
      t.is((await ask('POST /faults', inject)).status, 200);
      await shows(east, 'w2', 'unreachable');
      if (lift !== undefined) t.is((await ask('POST /faults', lift)).status, 200);
      t.is((await ask('DELETE /faults')).status, 204);
      await shows(east, 'w2', 'active');
    }
    t.is((await ask('POST /faults', { halfOpen: { from: 'w1', to: 'w2' } })).status, 200);
    await shows(east, 'w2', 'active');

    const { samples } = readExposition((await ask('GET /nodes/w1/metrics')).text);
    t.is(samples.get('strowger_node_up{site="west",node="w1"}'), 1);
    t.regex((await ask('GET /targets')).text, /"labels":\{"node":"e1","site":"east"\}/);

    const pids = (await views()).map(({ pid = 0 }) => pid);
    t.is(pids.length, 3);
    t.is(await running.end('SIGINT'), 0, running.err);
    t.deepEqual(pids.filter(isAlive), []);
    t.regex(running.err, /^w1 \| running west\/w1 control=/m);
  },
);

test.serial('a node that dies by itself is started again; nodes end when their supervisor is killed', async (t) => {
  const { running, views } = await up(t);
  const pidOf = async (node: string) => (await views()).find((each) => each.node === node)?.pid ?? 0;
  const before = await pidOf('w2');
  process.kill(before, 'SIGKILL');
  await poll('w2 runs again', async () => {
    const found = (await views()).find(({ node }) => node === 'w2');
    return found?.state === 'running' && found.restarts === 1 && found.pid !== before ? true : undefined;
  });
  const pids = (await views()).map(({ pid = 0 }) => pid);
  t.is(await running.end('SIGKILL'), 'SIGKILL');
  await poll('all nodes have ended', async () => (pids.some(isAlive) ? undefined : true));
  t.pass();
});

test.serial(
  'phones and the verdicts of oracles are at the control interface, and faults of messages are refused',
  async (t) => {
    const { ask } = await up(t);
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
  },
);
