/** Files over real sockets, and on disk: some megabytes up and down, slow senders, and a cluster that starts anew. */

import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storesIn } from '../../../sim/data/stores.ts';
import { LiveWorld } from '../../../sim/world/live.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { type HttpLimits, limits } from '../../../src/model/limits.ts';
import { topologySchema } from '../../../src/model/topology/schema.ts';
import { acmeAdmin, sessions, twoSites } from '../../kit/front.ts';
import { bytesOf, formOf, parking } from '../../kit/http/files.ts';
import { silentLog } from '../../kit/quiet.ts';
import { test } from '../../kit/test.ts';

const map = new ClusterMap(topologySchema.parse({ ...twoSites, secret: 'a secret of enough characters', timings: {} }));

interface Live {
  readonly world: LiveWorld;
  readonly token: string;
  ask(site: string, line: string, init?: RequestInit): Promise<Response>;
}

async function start(folder: string, fronts: Partial<HttpLimits> = {}): Promise<Live> {
  const world = new LiveWorld({
    map,
    webApps: () => [],
    log: silentLog,
    host: '127.0.0.1',
    port: 0,
    stores: storesIn(folder, silentLog),
    outside: false,
    limits: fronts,
  });
  await world.start();
  const urlOf = (site: string) => world.urls().get(site === 'hq' ? 'ws-11' : 'ws-21') ?? '';
  const login = { method: 'POST', body: JSON.stringify({ ...acmeAdmin, session_type: 'token' }) };
  const answer = await fetch(`${urlOf('hq')}${sessions}`, {
    ...login,
    headers: { 'content-type': 'application/json' },
  });
  const { session_token: token } = (await answer.json()) as { session_token: string };
  const ask = (site: string, line: string, init: RequestInit = {}) => {
    const [method = '', path = ''] = line.split(' ');
    const headers = { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) };
    return fetch(`${urlOf(site)}${parking}${path}`, { method, ...init, headers });
  };
  return { world, token, ask };
}

async function bytesIn(response: Promise<Response>): Promise<Buffer> {
  return Buffer.from(await (await response).arrayBuffer());
}

test('files of some megabytes go up and down at both sites, and are there after a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [big, other] = [bytesOf(3_000_000, 1), bytesOf(1_000_000, 2)];
  const first = await start(folder);
  const posted = await first.ask('north', 'POST', { body: formOf(['big.wav', big], ['other.wav', other]) });
  t.is(((await posted.json()) as { saved: unknown[] }).saved.length, 2);
  for (const site of ['hq', 'north']) t.true((await bytesIn(first.ask(site, 'GET /big.wav'))).equals(big), site);
  const range = { headers: { range: 'bytes=2000000-2000099' } };
  t.true((await bytesIn(first.ask('north', 'GET /big.wav', range))).equals(big.subarray(2_000_000, 2_000_100)));
  const head = await first.ask('hq', 'HEAD /big.wav');
  t.is(head.headers.get('content-length'), '3000000');
  const tooLarge = new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(new Uint8Array(1_000_000)) });
  const refused = await first.ask('hq', 'PUT /big.wav', { body: tooLarge, duplex: 'half' });
  t.is(refused.status, 413);
  t.regex(((await refused.json()) as { error_message: string }).error_message, new RegExp(String(limits.fileBytes)));
  await first.world.stop();
  const second = await start(folder);
  t.teardown(() => second.world.stop());
  t.true((await bytesIn(second.ask('hq', 'GET /big.wav'))).equals(big));
  t.true((await bytesIn(second.ask('north', 'GET /other.wav'))).equals(other));
});

/** Sends the head of a request and half of its body, and the rest after `pause`. Returns the status of the answer. */
function sendSlowly(
  method: string,
  url: string,
  { headers = {}, pause }: { headers?: Record<string, string>; pause: Promise<unknown> },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(url, { method, headers: { ...headers, 'content-length': '20' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sending.on('error', reject);
    sending.write('0123456789');
    void pause.then(() => sending.end('0123456789'));
  });
}

test('an upload may take longer than any other request, which is refused with 408', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const { world, ask, token } = await start(folder, { requestTimeMs: 1_000 });
  t.teardown(() => world.stop());
  const url = world.urls().get('ws-11') ?? '';
  const headers = { authorization: `Bearer ${token}` };
  const never = new Promise(() => {});
  const other = () => sendSlowly('POST', `${url}${sessions}`, { pause: never });
  // When the second one is refused, the upload is older than any other request may become.
  const others = other().then(async (first) => [first, await other()]);
  const [upload, refused, anonymous] = await Promise.all([
    sendSlowly('PUT', `${url}${parking}/slow.wav`, { headers, pause: others }),
    others,
    sendSlowly('PUT', `${url}${parking}/slow.wav`, { pause: Promise.resolve() }),
  ]);
  t.deepEqual({ upload, refused, anonymous }, { upload: 200, refused: [408, 408], anonymous: 401 });
  t.is(String(await bytesIn(ask('hq', 'GET /slow.wav'))), '01234567890123456789');
});
