/** Parking sound files over HTTP: up and down, lists, conditions, ranges, and what is refused. */
import { limits } from '../../../src/model/limits.ts';
import { acmeUser, admin, FrontCluster, guest, oneNode } from '../../kit/front.ts';
import { bytesOf, FileClient, formOf, refusedFile } from '../../kit/http/files.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

let cluster: FrontCluster;
let client: FileClient;

test.before(async () => {
  cluster = await FrontCluster.start({ topology: oneNode });
  client = await FileClient.open(cluster);
});

test.afterEach(async () => {
  for (const name of await client.names()) await client.ask(`DELETE ./${encodeURIComponent(name)}`);
});

test('a form of several files is saved under their names, and each comes back as it was', async (t) => {
  const [a, b] = [bytesOf(300_000, 1), bytesOf(limits.filePieceBytes, 2)];
  const answer = await client.ask('POST .', { body: formOf(['a.wav', a], ['empty.mp3', ''], ['späte Musik.wav', b]) });
  t.is(answer.status, 200);
  const saved = [
    { name: 'a.wav', size: 300_000, last_modified: '2026-01-01 00:00:00' },
    { name: 'empty.mp3', size: 0, last_modified: '2026-01-01 00:00:00' },
    { name: 'späte Musik.wav', size: limits.filePieceBytes, last_modified: '2026-01-01 00:00:00' },
  ];
  t.deepEqual(JSON.parse(answer.text), { saved, refused: [] });
  t.deepEqual(JSON.parse((await client.ask('GET .')).text), saved);
  for (const [name, bytes] of [
    ['a.wav', a],
    ['empty.mp3', Buffer.alloc(0)],
    ['späte Musik.wav', b],
  ] as const) {
    const got = await client.ask(`GET ./${encodeURIComponent(name)}`);
    t.is(got.status, 200);
    t.true(got.bytes.equals(bytes), name);
    t.is(got.headers.get('content-length'), String(bytes.length));
    t.is(got.headers.get('content-type'), name.endsWith('.wav') ? 'audio/wav' : 'audio/mpeg');
    t.is(got.headers.get('content-disposition'), null);
  }
});

test('a name that is taken is refused, and its file left as it is; what was saved is said', async (t) => {
  const etag = await client.put('a.wav', 'first');
  const answer = await client.ask('POST .', { body: formOf(['a.wav', 'second'], ['b.wav', 'b']) });
  t.is(answer.status, 200);
  const { saved, refused } = JSON.parse(answer.text);
  t.deepEqual(
    saved.map(({ name }: { name: string }) => name),
    ['b.wav'],
  );
  t.deepEqual(refused, [{ name: 'a.wav', error_code: 1409, error_message: 'name: "a.wav" is taken; PUT replaces it' }]);
  const again = await client.ask('POST .', { body: formOf(['a.wav', 'third'], ['b.wav', 'third']) });
  refusedFile(t, again, 409, /^a\.wav: .* is taken.*; b\.wav: /);
  const got = await client.ask('GET ./a.wav');
  t.is(got.text, 'first');
  t.is(got.headers.get('etag'), etag);
});

test('a name comes twice in one form: the first one counts', async (t) => {
  const answer = await client.ask('POST .', { body: formOf(['a.wav', 'one'], ['a.wav', 'two']) });
  t.is(JSON.parse(answer.text).refused[0].error_code, 1409);
  t.is((await client.ask('GET ./a.wav')).text, 'one');
});

test('PUT replaces a file by its body, or by the first file of a form, whose name does not count', async (t) => {
  await client.put('a.wav', 'first');
  t.is((await client.ask('PUT ./a.wav', { body: 'raw', headers: { 'content-type': 'audio/wav' } })).status, 200);
  t.is((await client.ask('GET ./a.wav')).text, 'raw');
  const form = new FormData();
  form.append('title', 'no file');
  form.append('x', new Blob(['of a form']), 'other.wav');
  form.append('y', new Blob(['ignored']), 'a.wav');
  const answer = await client.ask('PUT ./a.wav', { body: form });
  t.deepEqual(JSON.parse(answer.text), { name: 'a.wav', size: 9, last_modified: '2026-01-01 00:00:00' });
  t.is((await client.ask('GET ./a.wav')).text, 'of a form');
  t.deepEqual(await client.names(), ['a.wav']);
  await client.put('new.wav', '');
  t.deepEqual(await client.names(), ['a.wav', 'new.wav']);
});

test('PUT of a part of a file is refused, and leaves the file as it was', async (t) => {
  await client.put('a.wav', 'whole');
  const headers = { 'content-type': 'audio/wav', 'content-range': 'bytes 0-3/9' };
  const answer = await client.ask('PUT ./a.wav', { body: 'part', headers });
  refusedFile(t, answer, 400, /^content-range: expected the whole file, got "bytes 0-3\/9"$/);
  t.is((await client.ask('GET ./a.wav')).text, 'whole');
});

test('HEAD says what GET would, without the bytes', async (t) => {
  await client.put('a.wav', bytesOf(200_000));
  for (const query of ['', '?attachment', '?attachment=false']) {
    const [get, head] = [await client.ask(`GET ./a.wav${query}`), await client.ask(`HEAD ./a.wav${query}`)];
    t.is(head.status, 200);
    t.is(head.bytes.length, 0);
    t.deepEqual([...head.headers], [...get.headers]);
  }
  t.is((await client.ask('HEAD ./b.wav')).status, 404);
});

test('as an attachment a file is saved under its name, and no copy is kept', async (t) => {
  await client.put("Ü 'a' (1).wav", 'x');
  const { headers } = await client.ask(`GET ./${encodeURIComponent("Ü 'a' (1).wav")}?attachment=true`);
  t.is(headers.get('content-type'), 'application/octet-stream');
  t.is(headers.get('content-disposition'), "attachment; filename*=UTF-8''%C3%9C%20%27a%27%20%281%29.wav");
  t.regex(headers.get('cache-control') ?? '', /no-store/);
  refusedFile(t, await client.ask('GET ./a.wav?attachment=perhaps'), 400, /^attachment: expected true, false, 1 or 0/);
});

test('a list is filtered, ordered, paged, masked and counted', async (t) => {
  for (const [name, size] of [
    ['c', 1],
    ['a', 3],
    ['d', 2],
    ['b', 3],
  ] as const)
    await client.put(name, 'x'.repeat(size));
  const list = async (query: string) => JSON.parse((await client.ask(`GET .?${query}`)).text);
  const names = async (query: string) => (await list(query)).map(({ name }: { name: string }) => name).join('');
  t.is(await names(''), 'abcd');
  for (const none of ['', '[]']) t.is(await names(`order=${none}`), 'abcd');
  t.is(await names('order=[{"size":"desc"},"name"]'), 'abdc');
  t.is(await names('offset=1&limit=2'), 'bc');
  t.is(await names(`filter=${encodeURIComponent('[">",["property","size"],1]')}`), 'abd');
  t.deepEqual(await list('mask=size&limit=1'), [{ size: 3 }]);
  t.deepEqual(await list('countonly'), { count: 4 });
  refusedFile(t, await client.ask('GET .?limit=-1'), 400, /^limit/);
  // What the list does not show, a query may not name: an order by it would give it away.
  const byId = encodeURIComponent('["!=",["property","id"],null]');
  refusedFile(t, await client.ask(`GET .?filter=${byId}`), 400, /name, size, last_modified/);
  refusedFile(t, await client.ask('GET .?order=["content"]'), 400, /name, size, last_modified/);
});

test('a file that is known by its tag or its time is not sent again', async (t) => {
  const etag = await client.put('a.wav', 'one');
  const { headers } = await client.ask('GET ./a.wav');
  const since = headers.get('last-modified') ?? '';
  for (const [known, status] of [
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-modified-since': since }, 304],
    [{ 'if-modified-since': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 200],
    [{ 'if-modified-since': since, 'if-none-match': '"x"' }, 200],
    [{ 'if-modified-since': 'soon' }, 200],
    [{ 'if-match': etag }, 200],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-unmodified-since': since }, 200],
    [{ 'if-unmodified-since': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 412],
  ] as const) {
    const got = await client.ask('GET ./a.wav', { headers: known });
    t.is(got.status, status, JSON.stringify(known));
    t.is(got.headers.get('etag'), etag);
    if (status === 304) t.is(got.bytes.length, 0);
  }
});

test('a change holds only for the file that its sender knows', async (t) => {
  const etag = await client.put('a.wav', 'one');
  const put = (headers: Record<string, string>, body = 'two') => client.ask('PUT ./a.wav', { headers, body });
  refusedFile(t, await put({ 'if-match': '"x"' }), 412, /"a\.wav" is not as expected/);
  refusedFile(t, await put({ 'if-none-match': '*' }), 412);
  refusedFile(t, await client.ask('PUT ./b.wav', { headers: { 'if-match': '*' }, body: 'b' }), 412);
  refusedFile(t, await client.ask('DELETE ./a.wav', { headers: { 'if-match': '"x"' } }), 412);
  const past = 'Wed, 31 Dec 2025 00:00:00 GMT';
  for (const stale of [
    { 'if-none-match': `"x", W/${etag}` },
    { 'if-match': etag, 'if-none-match': '*' },
    { 'if-match': '*', 'if-none-match': '*' },
    { 'if-unmodified-since': past },
  ] as Record<string, string>[]) {
    refusedFile(t, await put(stale), 412);
    refusedFile(t, await client.ask('DELETE ./a.wav', { headers: stale }), 412);
  }
  t.is((await client.ask('GET ./a.wav')).text, 'one');
  t.is((await put({ 'if-match': `"x", ${etag}`, 'if-unmodified-since': past })).status, 200);
  t.is((await put({ 'if-none-match': '"x"', 'if-unmodified-since': 'soon' }, 'three')).status, 200);
  const since = (await client.ask('GET ./a.wav')).headers.get('last-modified') ?? '';
  t.is((await put({ 'if-unmodified-since': since }, 'four')).status, 200);
  t.is((await client.ask('PUT ./c.wav', { headers: { 'if-unmodified-since': past }, body: 'c' })).status, 200);
  t.is((await client.ask('PUT ./b.wav', { headers: { 'if-none-match': '*' }, body: 'b' })).status, 200);
  t.is((await client.ask('DELETE ./a.wav', { headers: { 'if-match': '*' } })).status, 204);
  refusedFile(t, await client.ask('DELETE ./a.wav'), 404, /no file named "a\.wav"/);
});

test('one range of a file is given, or 416 where it has none of the bytes', async (t) => {
  const size = limits.filePieceBytes * 2 + 10;
  const bytes = bytesOf(size);
  const etag = await client.put('a.wav', bytes);
  for (const [range, from, to] of [
    ['bytes=0-0', 0, 1],
    [
      `bytes=${limits.filePieceBytes - 1}-${limits.filePieceBytes}`,
      limits.filePieceBytes - 1,
      limits.filePieceBytes + 1,
    ],
    [`bytes=5-${size * 2}`, 5, size],
    ['bytes=7-', 7, size],
    ['bytes=-11', size - 11, size],
    [`bytes=-${size + 1}`, 0, size],
  ] as const) {
    const got = await client.ask('GET ./a.wav', { headers: { range } });
    t.is(got.status, 206, range);
    t.is(got.headers.get('content-range'), `bytes ${from}-${to - 1}/${size}`);
    t.true(got.bytes.equals(bytes.subarray(from, to)), range);
  }
  for (const range of ['bytes=5-4', 'bytes=-', 'bytes=a-b', 'lines=1-2', 'bytes=0-1,3-4']) {
    t.is((await client.ask('GET ./a.wav', { headers: { range } })).status, 200, range);
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0']) {
    const got = await client.ask('GET ./a.wav', { headers: { range } });
    refusedFile(t, got, 416);
    t.is(got.headers.get('content-range'), `bytes */${size}`);
  }
  const range = 'bytes=1-2';
  t.is((await client.ask('GET ./a.wav', { headers: { range, 'if-range': etag } })).status, 206);
  t.is((await client.ask('GET ./a.wav', { headers: { range, 'if-range': '"x"' } })).status, 200);
});

const badNames: readonly [name: string, why: RegExp][] = [
  ['a/b.wav', /no path/],
  ['a\\b.wav', /no path/],
  ['..', /no path/],
  ['\u202egpj.wav', /no control characters/],
  [' a.wav', /no blanks around it/],
  [`${'a'.repeat(limits.fileNameChars)}b`, /1 to 200 characters/],
  ['ü'.repeat(limits.fileNameChars), /at most 255 bytes/],
];

for (const [name, why] of badNames) {
  test(`a file may not be called ${JSON.stringify(name).slice(0, 20)}`, async (t) => {
    refusedFile(t, await client.ask('POST .', { body: formOf([name, 'x']) }), 400, why);
    if (name !== '..') refusedFile(t, await client.ask(`PUT ./${encodeURIComponent(name)}`, { body: 'x' }), 400, why);
    t.deepEqual(await client.names(), []);
  });
}

test('what is no form of files is refused', async (t) => {
  refusedFile(t, await client.ask('POST .', { body: 'x', headers: { 'content-type': 'audio/wav' } }), 415);
  refusedFile(
    t,
    await client.ask('POST .', { body: 'x', headers: { 'content-type': 'multipart/form-data' } }),
    400,
    /Boundary/,
  );
  const broken = { 'content-type': 'multipart/form-data; boundary=x' };
  for (const body of [
    '',
    'junk',
    '--x\r\n',
    '--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nabc',
  ]) {
    refusedFile(t, await client.ask('POST .', { body, headers: broken }), 400, /malformed multipart\/form-data/);
    refusedFile(t, await client.ask('PUT ./a.wav', { body, headers: broken }), 400);
  }
  const form = new FormData();
  form.append('a', 'a field');
  refusedFile(t, await client.ask('POST .', { body: form }), 400, /expected a part with a file name/);
  refusedFile(t, await client.ask('PUT ./a.wav', { body: form }), 400, /expected a part with a file name/);
  t.deepEqual(await client.names(), []);
});

test('a form that breaks off leaves what came whole, and nothing of the rest', async (t) => {
  const part = (name: string) => `--x\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n`;
  const body = `${part('a.wav')}abc\r\n${part('b.wav')}half of`;
  const answer = await client.ask('POST .', { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } });
  t.is(answer.status, 200);
  const { saved, refused } = JSON.parse(answer.text);
  t.is(saved[0].name, 'a.wav');
  t.like(refused[0], { name: 'b.wav', error_code: 1400 });
  t.deepEqual(await client.names(), ['a.wav']);
});

test('past a limit of bytes a file is refused, and others of the form are saved', async (t) => {
  const megabyte = new Uint8Array(1024 * 1024);
  let given = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull: (c) => c.enqueue(megabyte.subarray(0, ++given && undefined)),
  });
  refusedFile(t, await client.ask('PUT ./a.wav', { body: endless }), 413, new RegExp(String(limits.fileBytes)));
  t.true(given <= limits.fileBytes / megabyte.length + 3, `${given} MiB were read`);
  const headers = { 'content-length': String(limits.fileBytes + 1) };
  refusedFile(t, await client.ask('PUT ./a.wav', { body: new ReadableStream(), headers }), 413);
  const form = formOf(...Array.from({ length: limits.fileParts + 1 }, (_, i) => [`${i}`, 'x'] as const));
  const { saved, refused } = JSON.parse((await client.ask('POST .', { body: form })).text);
  t.is(saved.length, limits.fileParts);
  t.regex(refused[0].error_message, /at most 100 parts/);
});

test('parts without a name count as well: a form of too many is refused', async (t) => {
  const body = `${'--x\r\nA: b\r\n\r\n\r\n'.repeat(3 * limits.fileParts)}--x--\r\n`;
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  refusedFile(t, await client.ask('POST .', { body, headers }), 413, /at most 100 parts/);
  t.deepEqual(await client.names(), []);
});

test('files are of one domain: those of another one have names of their own', async (t) => {
  await client.put('a.wav', 'of acme');
  const master = await FileClient.open(cluster, admin);
  t.deepEqual(await master.names(), []);
  await master.put('a.wav', 'of root');
  t.is((await client.ask('GET ./a.wav')).text, 'of acme');
  t.is((await master.ask('DELETE ./a.wav')).status, 204);
  t.is((await client.ask('GET ./a.wav')).text, 'of acme');
});

test('users read, administrators change, and others do neither', async (t) => {
  await client.put('a.wav', 'x');
  const reader = await FileClient.open(cluster, acmeUser);
  t.is((await reader.ask('GET ./a.wav')).status, 200);
  for (const line of ['PUT ./a.wav', 'POST .', 'DELETE ./a.wav']) {
    refusedFile(t, await reader.ask(line, line.startsWith('D') ? {} : { body: 'x' }), 403);
  }
  const other = await FileClient.open(cluster, { ...guest, domain: 'acme.root.test' });
  refusedFile(t, await other.ask('GET ./a.wav'), 403);
  t.is((await client.ask('GET .', { token: 'none' })).status, 401);
});
