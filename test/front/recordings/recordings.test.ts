/** Recordings of calls that live: a rule or a command records, and the files are listed, played, and deleted. */
import type { ExecutionContext } from 'ava';
import type { RecordingEntry } from '../../../src/model/shapes/call-shapes.ts';
import { pitchOf, readWav } from '../../kit/data/wav.ts';
import { acmeAdmin, acmeUser, admin, emptied, FrontCluster, good, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const calls = '/rest/v1/uc/calls';
const rules = '/rest/v1/uc/recordrules';
const journal = '/rest/v1/journal/calls';
const own = '/rest/v1/journal/calls_by_participation';

let cluster: FrontCluster;
let token: string;

test.before(async () => {
  cluster = await FrontCluster.start();
  await cluster.world.wait(10_000);
  token = await cluster.token(acmeAdmin, 'north');
  await cluster.world.wait(1_000);
});

test.afterEach(async () => {
  const made = (await ask(`GET ${rules}`)).body as { id: string }[];
  for (const { id } of made) await ask(`DELETE ${rules}/${id}`);
});

function ask(line: string, json?: unknown, as = token, at = 'north') {
  return cluster.ask(line, { at, token: as, ...(json !== undefined && { json }) });
}

/** The same, of something that is no text. */
async function fetchBytes(line: string, headers: Record<string, string> = {}, as = token) {
  const [method = '', path = ''] = line.split(' ');
  const sent = { authorization: `Bearer ${as}`, ...headers };
  const response = await cluster.world.request('north', new Request(`http://north${path}`, { method, headers: sent }));
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** Calls `from` and `to` directly; answers the call of the two once it is answered. */
async function connect(t: ExecutionContext, from: string, to: string) {
  const json = { from, to, response_mode: 3 };
  const { dialogid } = good<{ dialogid: string }>(t, await ask(`INVITE ${calls}`, json));
  const { inviteid } = good<{ inviteid: string }>(t, await ask(`GET ${calls}/${dialogid}`));
  return { dialogid, inviteid };
}

/** Ends a call, and waits until its record is there. */
async function end(t: ExecutionContext, { dialogid, inviteid }: { dialogid: string; inviteid: string }) {
  good(t, await ask(`DELETE ${calls}/${dialogid}`));
  await cluster.world.wait(5_000);
  return good<{ talkms: number; recordings: number }>(t, await ask(`GET ${journal}/${inviteid}`));
}

async function filesOf(t: ExecutionContext, inviteid: string) {
  const entries = good<RecordingEntry[]>(t, await ask(`GET ${journal}/${inviteid}/attachments`));
  return entries.flatMap(({ site, files }) => files.map((file) => ({ site, ...file, href: file._links.self.href })));
}

test('a call that a rule covers leaves a sound file as long as the talk', async (t) => {
  good(t, await ask(`POST ${rules}`, { rec: 1, tonumber: '1003' }));
  await cluster.world.wait(1_000);
  const call = await connect(t, '1002', '1003');
  t.deepEqual(good<{ opts: object }>(t, await ask(`GET ${calls}/${call.dialogid}`)).opts, { recording: true });
  await cluster.world.wait(4_321);
  t.deepEqual(await filesOf(t, call.inviteid), []);
  const { talkms, recordings } = await end(t, call);
  t.is(recordings, 1);
  const [file, ...others] = await filesOf(t, call.inviteid);
  t.deepEqual(others, []);
  t.like(file, { site: 'north', name: `${call.dialogid}-1.wav`, size: 44 + talkms * 32 });
  t.is(file?.href, `${journal}/${call.inviteid}/attachments/${file?.name}`);
  const { status, headers, bytes } = await fetchBytes(`GET ${file?.href}`);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'audio/wav');
  t.is(headers.get('content-length'), String(file?.size));
  const wav = readWav(bytes);
  t.is(wav.ms, talkms);
  const recorded = encodeURIComponent('[">",["property","recordings"],0]');
  const listed = good(t, await ask(`GET ${journal}?filter=${recorded}&mask=inviteid,recordings`));
  t.deepEqual(listed, [{ inviteid: call.inviteid, recordings: 1 }]);
  t.deepEqual([wav.rate, wav.channels, pitchOf(wav, 0), pitchOf(wav, 1)], [8_000, 2, 400, 500]);
});

test('a call that no rule covers has no recording', async (t) => {
  good(t, await ask(`POST ${rules}`, { rec: 1, tonumber: '1003', priority: 2 }));
  good(t, await ask(`POST ${rules}`, { rec: 0, fromnumber: '1004', priority: 1 }));
  for (const [from, to] of [
    ['1002', '1006'],
    ['1004', '1003'],
  ] as const) {
    const call = await connect(t, from, to);
    await cluster.world.wait(1_000);
    t.is((await end(t, call)).recordings, 0);
    t.deepEqual(await filesOf(t, call.inviteid), []);
  }
});

test('a file is given as documented: whole, by range, its head, and to be saved', async (t) => {
  good(t, await ask(`POST ${rules}`, { rec: 1 }));
  const call = await connect(t, '1002', '1003');
  await cluster.world.wait(2_000);
  await end(t, call);
  const [file] = await filesOf(t, call.inviteid);
  const whole = await fetchBytes(`GET ${file?.href}`);
  const head = await fetchBytes(`HEAD ${file?.href}`);
  t.deepEqual([head.status, head.bytes.length], [200, 0]);
  for (const name of ['content-length', 'content-type', 'etag']) t.is(head.headers.get(name), whole.headers.get(name));
  const part = await fetchBytes(`GET ${file?.href}`, { range: 'bytes=20-70019' });
  t.is(part.status, 206);
  t.is(part.headers.get('content-range'), `bytes 20-${Math.min(70_019, whole.bytes.length - 1)}/${whole.bytes.length}`);
  t.deepEqual(Buffer.from(part.bytes), Buffer.from(whole.bytes.subarray(20, 70_020)));
  const saved = await fetchBytes(`GET ${file?.href}?attachment=true`);
  t.is(saved.headers.get('content-type'), 'application/octet-stream');
  t.is(saved.headers.get('content-disposition'), `attachment; filename*=UTF-8''${file?.name}`);
  t.regex(saved.headers.get('cache-control') ?? '', /no-store/);
  t.deepEqual(saved.bytes, whole.bytes);
  refused(t, await ask(`GET ${file?.href}?attachment=perhaps`), 400, /^attachment: expected/);
  refused(t, await ask(`GET ${file?.href}x`), 404, /^Call record not found$/);
});

test('while a side is on hold it is silent', async (t) => {
  good(t, await ask(`POST ${rules}`, { rec: 1, dir: 'inner' }));
  const call = await connect(t, '1002', '1003');
  await cluster.world.wait(1_000);
  good(t, await ask(`NOTIFY ${calls}/${call.dialogid}`, { to: 'a', event: 'hold' }));
  await cluster.world.wait(1_000);
  good(t, await ask(`NOTIFY ${calls}/${call.dialogid}`, { to: 'a', event: 'talk' }));
  await cluster.world.wait(1_000);
  await end(t, call);
  const [file] = await filesOf(t, call.inviteid);
  const wav = readWav((await fetchBytes(`GET ${file?.href}`)).bytes);
  const sides = (from: number) => [0, 1].map((channel) => pitchOf(wav, channel, [from, from + 500]));
  t.deepEqual(
    [sides(200), sides(1_300), sides(2_400)],
    [
      [400, 500],
      [400, 0],
      [400, 500],
    ],
  );
});

test('SETUP_RECORD records a stretch of a call, more than once', async (t) => {
  const call = await connect(t, '1002', '1003');
  const record = (action: string) => ask(`SETUP_RECORD ${calls}/${call.dialogid}`, { action });
  for (const ms of [1_500, 700]) {
    for (const action of ['start', 'start', 'stop', 'stop']) {
      good(t, await record(action));
      await cluster.world.wait(action === 'start' ? ms / 2 : 300);
    }
  }
  t.is((await end(t, call)).recordings, 2);
  const files = await filesOf(t, call.inviteid);
  t.deepEqual(
    files.map(({ name }) => name),
    [`${call.dialogid}-1.wav`, `${call.dialogid}-2.wav`],
  );
  const lengths = files.map(({ size }) => (size - 44) / 32);
  for (const [index, ms] of [1_500, 700].entries()) {
    t.true((lengths[index] ?? 0) >= ms && (lengths[index] ?? 0) < ms + 100, `${lengths[index]} ms`);
  }
});

test('DELETE removes one file or all of a call, for administrators', async (t) => {
  const call = await connect(t, '1001', '1003');
  for (const action of ['start', 'stop', 'start', 'stop', 'start']) {
    good(t, await ask(`SETUP_RECORD ${calls}/${call.dialogid}`, { action }));
    await cluster.world.wait(200);
  }
  t.is((await end(t, call)).recordings, 3);
  const all = `${journal}/${call.inviteid}/attachments`;
  const [first, second] = await filesOf(t, call.inviteid);
  const user = await cluster.token(acmeUser, 'north');
  refused(t, await ask(`DELETE ${first?.href}`, undefined, user), 403);
  refused(t, await ask(`DELETE ${own}/${call.inviteid}/attachments/${first?.name}`, undefined, user), 403);
  emptied(t, await ask(`DELETE ${first?.href}`));
  refused(t, await ask(`DELETE ${first?.href}`), 404, /^Call record not found$/);
  refused(t, await ask(`GET ${first?.href}`), 404, /^Call record not found$/);
  t.is((await filesOf(t, call.inviteid)).length, 2);
  t.is(good<{ recordings: number }>(t, await ask(`GET ${journal}/${call.inviteid}`)).recordings, 2);
  t.is((await fetchBytes(`GET ${second?.href}`)).status, 200);
  emptied(t, await ask(`DELETE ${all}`));
  emptied(t, await ask(`DELETE ${all}`));
  t.deepEqual(await filesOf(t, call.inviteid), []);
  refused(t, await ask(`DELETE ${journal}/unknown/attachments`), 404, /^Call record not found$/);
  refused(t, await ask(`GET ${journal}/unknown/attachments`), 404, /^Call record not found$/);
});

test('a user plays recordings of the domain, and under the other path those of its own calls', async (t) => {
  good(t, await ask(`POST ${rules}`, { rec: 1 }));
  const user = await cluster.token(acmeUser, 'north');
  for (const [from, isOwn] of [
    ['1001', true],
    ['1002', false],
  ] as const) {
    const call = await connect(t, from, '1003');
    await end(t, call);
    good(t, await ask(`GET ${journal}/${call.inviteid}/attachments`, undefined, user));
    const mine = await ask(`GET ${own}/${call.inviteid}/attachments`, undefined, user);
    if (!isOwn) {
      refused(t, mine, 404, /^Call record not found$/);
      continue;
    }
    const [entry] = good<RecordingEntry[]>(t, mine);
    const href = entry?.files[0]?._links.self.href ?? '';
    t.true(href.startsWith(`${own}/`));
    t.is((await fetchBytes(`GET ${href}`, {}, user)).status, 200);
  }
});

test('the master domain has no recordings', async (t) => {
  const master = await cluster.token(admin);
  refused(t, await ask(`GET ${journal}/x/attachments`, undefined, master, 'hq'), 403);
  refused(t, await ask(`DELETE ${journal}/x/attachments/y.wav`, undefined, master, 'hq'), 403);
});

test('other domains see only the recordings of calls that they take part in', async (t) => {
  const globex = await cluster.token({ ...acmeAdmin, domain: 'globex.root.test' }, 'north');
  good(t, await ask(`POST ${rules}`, { rec: 1, crossdomain: 'globex.*' }));
  const inside = await connect(t, '1002', '1003');
  const across = await connect(t, '1002', '1003@globex.root.test');
  await cluster.world.wait(1_000);
  t.is((await end(t, inside)).recordings, 0);
  t.is((await end(t, across)).recordings, 1);
  t.is(good<object[]>(t, await ask(`GET ${journal}/${across.inviteid}/attachments`, undefined, globex)).length, 1);
  refused(t, await ask(`GET ${journal}/${inside.inviteid}/attachments`, undefined, globex), 404);
});
