/** `strowger record`: what passed a proxy, played again as a scenario, and written as a test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'acorn';
import type { ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { startCluster } from '../../../sim/embed/test-cluster.ts';
import { type Played, playedFrom } from '../../../sim/record/played.ts';
import { RecordingProxy } from '../../../sim/record/recording-proxy.ts';
import { scenarioTextOf } from '../../../sim/record/scenario-text.ts';
import { testTextOf } from '../../../sim/record/test-text.ts';
import { loadScenario } from '../../../sim/scenario/load-scenario.ts';
import { runScenario } from '../../../sim/scenario/run/runner.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import { VirtualWorld } from '../../../sim/world/virtual.ts';
import { test } from '../../kit/test.ts';
import { makeFolder } from '../../topology/edits.ts';

const { map } = loadTopology('default');
const calls = '/rest/v1/uc/calls';
const secret = 'password-to-be-masked';
const about = { name: 'recorded', target: 'http://platform.test', topology: 'default', map, site: 'north' };

type Send = (line: string, json?: unknown) => Promise<{ status: number; body: Record<string, string> }>;

/** Starts a cluster behind a proxy and logs in. */
async function recording(t: ExecutionContext) {
  const cluster = await startCluster({ seed: 2, oracles: [] });
  const { north = '' } = await cluster.listen();
  let now = 0;
  const proxy = new RecordingProxy({ target: north, host: '127.0.0.1', port: 0, now: () => (now += 10) });
  const url = await proxy.open();
  t.teardown(async () => {
    await proxy.close();
    await cluster.stop();
  });
  let token: string | undefined;
  const send: Send = async (line, json) => {
    const [method = '', path = ''] = line.split(' ');
    const headers = {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, string> };
  };
  const login = { domain: 'acme.root.test', login: 'admin', pwd: 'admin', session_type: 'token' };
  token = (await send('POST /rest/v1/iam/sessions', login)).body['session_token'];
  const passed = (ms: number) => {
    now += ms;
  };
  return { proxy, url, send, token: token ?? '', passed };
}

/** A call that a client starts, finds, looks at, and that is then looked up in vain; and a user with a password. */
async function play(send: Send): Promise<void> {
  const started = await send(`POST ${calls}`, { from: '1001', to: '1002', response_mode: 3 });
  const dialogid = started.body['dialogid'] ?? '';
  await send(`GET ${calls}/${dialogid}?mask=dialogid,status,startts`);
  await send(`LOOKUP ${calls}`, { dialogid });
  await send(`REFER ${calls}/${dialogid}`, { by: 'a', referto: '1003', response_mode: 0 });
  await send(`GET ${calls}/none-such`);
  await send('POST /rest/v1/uc/sipusers', { login: '1999', pwd: secret, name: 'New' });
}

async function runOf(t: ExecutionContext, played: Played) {
  const file = join(makeFolder(t), 'recorded.yaml');
  const text = scenarioTextOf(played, about);
  writeFileSync(file, text);
  const { scenario, webApps } = loadScenario(file);
  const report = await runScenario(scenario, new VirtualWorld({ map, webApps, seed: 9 }), { seed: 9 });
  return { text, report };
}

test('a recorded session passes as a scenario with another seed: ids are variables, secrets are masked', async (t) => {
  const { proxy, send, passed } = await recording(t);
  await play(send);
  passed(4_000);
  await send(`GET ${calls}?limit=1`);
  const played = playedFrom(proxy.traffic);
  const { text, report } = await runOf(t, played);
  t.deepEqual(report.failures, [], text);
  t.regex(text, /save:\n +dialogid: dialogid\n/);
  t.regex(text, /path: \/rest\/v1\/uc\/calls\/\$dialogid\?mask/);
  t.regex(text, /- wait: 4s/);
  t.regex(text, /status: 404/);
  t.false(text.includes(secret));
  t.false(text.includes('session_token'));
});

test('a recorded session is a test with the typed client, for AVA and for Vitest', async (t) => {
  const { proxy, send } = await recording(t);
  await play(send);
  const played = playedFrom(proxy.traffic);
  const ava = testTextOf(played, { ...about, framework: 'ava' });
  t.regex(
    ava,
    /const admin = await cluster\.client\(\{ site: "north", domain: "acme\.root\.test", login: "admin", pwd: "admin" \}\);/,
  );
  t.regex(
    ava,
    /const outcome1 = await admin\.attempt\.calls\.create\(\{ from: "1001", to: "1002", response_mode: 3 \}\);/,
  );
  t.regex(ava, /const dialogid = outcome1\.value\?\.dialogid;/);
  t.regex(ava, /admin\.attempt\.calls\.get\(dialogid, \{ mask: \["dialogid", "status", "startts"\] \}\)/);
  t.regex(ava, /t\.like\(outcome5, \{ ok: false, error: \{ status: 404 \} \}\);/);
  const vitest = testTextOf(played, { ...about, framework: 'vitest' });
  t.regex(
    vitest,
    /expect\(outcome1\)\.toMatchObject\(\{ ok: true, value: \{ result: "ok", last_response: "SIP\/2\.0 200 OK" \} \}\);/,
  );
  t.regex(vitest, /\nconst test = base\.extend\(\{ cluster: clusterFixture\(\) \}\);\n/);
  for (const text of [ava, vitest]) {
    t.false(text.includes(secret));
    // Node 20 has no `await using`.
    t.notThrows(() => parse(text, { ecmaVersion: 2022, sourceType: 'module' }));
  }
});

test('web sockets pass the proxy, and the events that were sent are expected', async (t) => {
  const { proxy, url, send, token } = await recording(t);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?subscribe=callevents.*`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const started = new Promise((resolve) => {
    socket.on('message', (data) => {
      if (String(data).includes('dlg_start')) resolve(undefined);
    });
  });
  await new Promise((resolve) => socket.on('open', resolve));
  await send(`POST ${calls}`, { from: '1001', to: '1002', response_mode: 3 });
  await started;
  socket.terminate();
  const played = playedFrom(proxy.traffic);
  t.true(played.events.includes('callevents.dlg_start'));
  const { text, report } = await runOf(t, played);
  t.deepEqual(report.failures, [], text);
  t.regex(text, /name: callevents\.dlg_start is sent\n +within: 61s\n/);
});

test('a platform that does not answer, and a web socket that it refuses, are answered as such', async (t) => {
  const { proxy, url } = await recording(t);
  const refused = new WebSocket(`${url.replace('http', 'ws')}/ws`);
  const status = await new Promise((resolve) => {
    refused.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    refused.on('error', () => {});
  });
  t.is(status, 401);
  const lone = new RecordingProxy({ target: 'http://127.0.0.1:1', host: '127.0.0.1', port: 0, now: () => 0 });
  const answer = await fetch(`${await lone.open()}/healthz`);
  t.is(answer.status, 502);
  t.regex(await answer.text(), /http:\/\/127\.0\.0\.1:1 does not answer/);
  await lone.close();
  t.is(lone.traffic.exchanges.length, 0);
  t.is(proxy.traffic.exchanges.length, 1);
});
