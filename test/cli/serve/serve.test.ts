/** `strowger serve`: it starts, answers and stops, whatever comes between. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { LevelStores } from '../../../src/adapters/level-store.ts';
import { test } from '../../kit/test.ts';
import { edited, makeFolder, writeFile } from '../../topology/edits.ts';
import { smallYaml } from '../../topology/small.ts';
import { loginAt, poll, Running, takenPort } from '../command.ts';
import { strowger, strowgerIn } from '../in-process.ts';

const nodes = '/rest/v1/master/nodes';

function serve(t: ExecutionContext, ...args: string[]): Running {
  return new Running(t, ['serve', '--port', '0', ...args]);
}

function smallFile(t: ExecutionContext): string {
  return writeFile(t, 'small.yaml', smallYaml);
}

/** The number of the last start of node w2, from its data folder. */
async function epochOf(folder: string): Promise<number> {
  const store = await new LevelStores(join(folder, 'w2')).open('node');
  const epoch = Number(await store.get('epoch'));
  await store.close();
  return epoch;
}

/** The URLs of the ready line, by site. */
async function ready(running: Running): Promise<Record<string, string>> {
  const [, sites = ''] = await running.says(/^ready (.*)\n/m);
  return Object.fromEntries(sites.split(' ').map((each) => each.split('=') as [string, string]));
}

test('serve prints the default cluster with its accounts, answers at every site, and stops at SIGINT', async (t) => {
  const running = serve(t);
  const { control = '', ...urls } = await ready(running);
  t.deepEqual(await (await fetch(`${control}/strowger/v1/faults`)).json(), []);
  t.deepEqual(Object.keys(urls), ['hq', 'north', 'south'], 'in the order of the topology');
  t.is(new Set(Object.values(urls)).size, 3);
  for (const [site, url] of Object.entries(urls)) {
    t.regex(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    t.true(running.out.includes(url));
    const health = await fetch(`${url}/healthz`);
    t.is(health.status, 200);
    t.true(((await health.json()) as { instance: string }).instance.startsWith(`${site}/`));
  }
  t.regex(running.out, /^Cluster "default"/);
  t.regex(running.out, /\n {2}acme\.root\.test +admin\/admin +admin\n/);
  t.regex(running.out, /\n {2}curl .*\/rest\/v1\/iam\/sessions /);
  const ask = await loginAt(urls['hq'] ?? '');
  t.is((await ask(nodes)).status, 200);
  const code = await running.end('SIGINT');
  t.is(code, 0, running.err);
  t.is(running.err, '');
  await t.throwsAsync(fetch(`${urls['hq']}/healthz`));
});

test('serve stops when npx has ended, whose shell passes no signal on', async (t) => {
  const args = ['serve', '--port', '0', '--quiet', '--topology', smallFile(t)];
  const running = new Running(t, args, { npm_lifecycle_event: 'npx' }, { inShell: true });
  const [url = ''] = Object.values(await ready(running));
  t.is((await fetch(`${url}/healthz`)).status, 200);
  t.is(await running.end('SIGTERM'), 'SIGTERM', 'of the shell, when the output of the server has ended as well');
  await t.throwsAsync(fetch(`${url}/healthz`));
});

test('with a virtual clock an hour passes at once, and options that need real time are refused', async (t) => {
  const running = serve(t, '--clock', 'virtual', '--quiet', '--topology', smallFile(t));
  const { control = '', ...urls } = await ready(running);
  const [url] = Object.values(urls);
  t.is((await fetch(`${url}/healthz`)).status, 200);
  const clock = async (path: string, init: RequestInit = {}) =>
    (await (await fetch(`${control}/strowger/v1/clock${path}`, init)).json()) as { mode: string; nowMs: number };
  const before = await clock('');
  t.is(before.mode, 'virtual');
  const headers = { 'content-type': 'application/json' };
  const after = await clock('/advance', { method: 'POST', headers, body: JSON.stringify({ by: '5m' }) });
  t.is(after.nowMs, before.nowMs + 300_000);
  t.is(await running.end('SIGINT'), 0, running.err);
  const wrong = await strowger(t, 'serve', '--clock', 'virtual', '--strict', '--data', 'x');
  t.is(wrong.code, 64);
  t.regex(wrong.err, /--clock virtual: expected no --data, --strict/);
});

const token = 'correct-horse-battery';

test('the control interface is open to other machines with a token, and its listings name the --load', async (t) => {
  const args = ['--quiet', '--control-host', '0.0.0.0', '--control-allow-host', 'Bench.test'];
  const running = new Running(t, ['serve', '--port', '0', '--load', '1/s', ...args], {
    STROWGER_CONTROL_TOKEN: token,
  });
  const { control = '', hq = '' } = await ready(running);
  t.regex(control, /^http:\/\/0\.0\.0\.0:\d+$/);
  t.regex(hq, /^http:\/\/127\.0\.0\.1:\d+$/, 'the fronts listen elsewhere');
  const url = `${control.replace('0.0.0.0', '127.0.0.1')}/strowger/v1/load`;
  const ask = async (headers: Record<string, string>, method = 'GET', body?: string) =>
    (await fetch(url, { method, headers: { 'content-type': 'application/json', ...headers }, ...(body && { body }) }))
      .status;
  t.is(await ask({}), 401);
  const authorization = `Bearer ${token}`;
  t.is(await ask({ authorization, origin: 'http://evil.test' }), 403);
  t.is(await ask({ authorization, 'content-type': 'text/plain' }, 'PUT', '{"rate":0}'), 415);
  t.is(await ask({ authorization }, '__proto__'), 405);
  const load = async () => ((await (await fetch(url, { headers: { authorization } })).json()) as { rate: number }).rate;
  t.is(await load(), 1, 'what --load started');
  t.is(await ask({ authorization }, 'PUT', '{"rate":0}'), 204);
  t.is(await load(), 0);
  t.is(await running.end('SIGINT'), 0, running.err);
});

test('a token that is too short is refused before the cluster starts', async (t) => {
  const { code, err } = await strowgerIn({ STROWGER_CONTROL_TOKEN: 'short' }, 'serve', '--port', '0');
  t.is(code, 64);
  t.is(err, 'strowger: STROWGER_CONTROL_TOKEN: expected at least 16 visible ASCII characters without a space\n');
});

test('a control port in use is reported in one line, and serve exits 1', async (t) => {
  const port = await takenPort(t);
  const { code, err } = await strowger(t, 'serve', '--port', '0', '--control', `${port}`, '--topology', smallFile(t));
  t.is(code, 1);
  const reason = 'the address is taken; try --control 0';
  t.is(err, `strowger: the control interface can't listen on 127.0.0.1:${port}: ${reason}\n`);
});

test('it stops while a node is down and waits for its restart', async (t) => {
  const file = writeFile(t, 'slow.yaml', edited(smallYaml, [['pingIntervalMs: 1000', 'nodeRestartMs: 600000']]));
  const running = serve(t, '--quiet', '--topology', file);
  const { east = '' } = await ready(running);
  const ask = await loginAt(east);
  t.true((await ask(`${nodes}/w2`, 'DELETE')).ok);
  await poll('w2 is gone', async () => {
    const { status } = (await (await ask(`${nodes}/w2`)).json()) as { status: string };
    return status === 'unreachable' ? status : undefined;
  });
  const code = await running.end('SIGINT');
  t.is(code, 0);
});

test('it stops before it is ready', async (t) => {
  const running = serve(t, '--quiet', '--log', 'info', '--topology', smallFile(t));
  await running.says(/instance\.status/, 'err');
  const code = await running.end('SIGINT');
  t.is(code, 0);
  t.is(running.out, '');
});

test('a port in use is reported in one line, and serve exits 1', async (t) => {
  const port = await takenPort(t);
  const { code, out, err } = await strowger(t, 'serve', '--port', `${port}`, '--topology', smallFile(t));
  t.is(code, 1);
  t.is(out, '');
  t.is(err, `strowger: the front of east can't listen on 127.0.0.1:${port}: the address is taken; try --port 0\n`);
});

test('a port of a front that is in use is reported in one line, and up exits 1 before a node starts', async (t) => {
  const port = await takenPort(t);
  const { code, out, err } = await strowger(t, 'up', '--port', `${port}`, '--control', '0', '--topology', 'single');
  t.is(code, 1);
  t.is(out, '');
  t.is(err, `strowger: the front of h1 can't listen on 127.0.0.1:${port}: the address is taken; try --port 0\n`);
});

test('an address that this machine does not have is reported in one line, and serve exits 1', async (t) => {
  const file = smallFile(t);
  const cases = [
    ['--host', 'the front of east', '192.0.2.1:8080', '--port', '8080'],
    ['--host', 'the front of east', '192.0.2.1:0', '--port', '0'],
  ];
  for (const [option = '', of, at, ...more] of cases) {
    const { code, out, err } = await strowger(t, 'serve', option, '192.0.2.1', '--topology', file, ...more);
    t.is(code, 1);
    t.is(out, '');
    const expected = `expected one of its own in ${option}, such as 127.0.0.1, or 0.0.0.0 for all`;
    t.is(err, `strowger: ${of} can't listen on ${at}: this machine has no address "192.0.2.1"; ${expected}\n`);
  }
});

test('data is kept in folders of nodes and of the master site, and it serves again from there', async (t) => {
  const folder = join(makeFolder(t), 'made', 'on', 'the', 'way');
  const args = ['--quiet', '--topology', smallFile(t), '--data', folder];
  const first = serve(t, ...args);
  await ready(first);
  t.deepEqual(
    readdirSync(folder).sort(),
    ['e1', 'east', 'strowger-data.json', 'w1', 'w2'],
    'and one of the master site, and the marker of the folder',
  );
  t.is(await first.end('SIGINT'), 0);
  const firstEpoch = await epochOf(folder);
  const second = serve(t, ...args);
  const { west = '' } = await ready(second);
  t.is((await fetch(`${west}/healthz`)).status, 200);
  t.is(await second.end('SIGTERM'), 0);
  t.regex(
    second.out,
    /^ready east=http:\/\/\S+ west=http:\/\/\S+ control=http:\/\/\S+\n$/,
    '--quiet leaves only the ready line',
  );
  t.true((await epochOf(folder)) > firstEpoch);
  t.is(first.err + second.err, '');
});
