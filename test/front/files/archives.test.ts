/** Archives of role applications over HTTP: upload, download, atomic replacement, and access by role. */
import { limits } from '../../../src/model/limits.ts';
import { zipOf } from '../../kit/data/zips.ts';
import { acmeUser, admin, current, FrontCluster } from '../../kit/front.ts';
import { bytesOf, FileClient, formOf, refusedFile } from '../../kit/http/files.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const apps = '/rest/v1/domain/roleapps';
const zip = { 'content-type': 'application/zip' };
let cluster: FrontCluster;
let client: FileClient;
let id: string;
let attachment: string;

test.before(async () => {
  cluster = await FrontCluster.start({ outside: false });
  client = await FileClient.open(cluster);
});

test.beforeEach(async () => {
  ({ id } = await make({ folder: 'console' }));
  attachment = `${apps}/${id}/attachment`;
});

test.afterEach(async () => {
  await client.ask(`DELETE ${apps}/${id}`);
});

async function make(app: object): Promise<{ id: string; archive: { _links: { self: { href: string } } } }> {
  const { text } = await client.ask(`POST ${apps}`, {
    body: JSON.stringify(app),
    headers: { 'content-type': 'application/json' },
  });
  return JSON.parse(text);
}

/** An archive of an application in a version. */
function versionOf(version: string, more: Parameters<typeof zipOf>[0] = []): Uint8Array<ArrayBuffer> {
  const page = `<script src="js/app.js"></script>${version}`;
  return new Uint8Array(
    zipOf([{ name: 'index.html', content: page }, { name: 'js/app.js', content: version }, ...more]),
  );
}

test('an archive is found where the application says, and comes back as it was', async (t) => {
  const made = JSON.parse((await client.ask(`GET ${apps}/${id}`)).text);
  t.is(made.archive._links.self.href, attachment);
  refusedFile(t, await client.ask(`GET ${attachment}`), 404, /has no archive/);
  const body = versionOf('one', [{ name: 'big.bin', content: bytesOf(400_000) }]);
  const answer = await client.ask(`POST ${attachment}`, { body, headers: zip });
  t.is(answer.status, 200, answer.text);
  t.like(JSON.parse(answer.text), { size: body.length, files: 3 });
  for (const at of ['hq', 'north']) {
    const got = await client.ask(`GET ${attachment}?attachment`, { at });
    t.true(got.bytes.equals(body), at);
    t.is(got.headers.get('content-disposition'), "attachment; filename*=UTF-8''console.zip");
    t.is(got.headers.get('etag'), answer.headers.get('etag'));
  }
  t.is((await client.ask(`GET ${attachment}`)).headers.get('content-type'), 'application/zip');
  t.is((await client.ask(`GET ${attachment}`, { headers: { range: 'bytes=-22' } })).bytes.length, 22);
  t.is((await client.ask(`HEAD ${attachment}`)).headers.get('content-length'), String(body.length));
});

test('its files are served under its folder, whole and by range, each with a type and a tag', async (t) => {
  const data = bytesOf(300_000);
  const body = versionOf('one', [
    { name: 'sub dir/ä.png', content: data },
    { name: 'docs/index.html', content: 'docs' },
  ]);
  await client.ask(`PUT ${attachment}`, { body, headers: zip });
  for (const at of ['hq', 'north', 'south']) {
    for (const [path, type, text] of [
      ['', 'text/html; charset=utf-8', undefined],
      ['index.html', 'text/html; charset=utf-8', undefined],
      ['js/app.js?v=1', 'text/javascript; charset=utf-8', 'one'],
      ['docs/', 'text/html; charset=utf-8', 'docs'],
    ] as const) {
      const got = await client.ask(`GET /app/console/${path}`, { at });
      t.is(got.status, 200, path);
      t.is(got.headers.get('content-type'), type);
      if (text !== undefined) t.is(got.text, text);
      const known = { 'if-none-match': got.headers.get('etag') ?? '' };
      t.is((await client.ask(`GET /app/console/${path}`, { at, headers: known })).status, 304);
    }
    const image = await client.ask('GET /app/console/sub%20dir/%C3%A4.png', { at });
    t.true(image.bytes.equals(data));
    const range = { range: 'bytes=131000-131100' };
    t.true(
      (await client.ask('GET /app/console/sub%20dir/%C3%A4.png', { at, headers: range })).bytes.equals(
        data.subarray(131_000, 131_101),
      ),
    );
  }
  for (const [from, to] of [
    ['/app/console', '/app/console/'],
    ['/app/console/docs?a=b', '/app/console/docs/?a=b'],
  ] as const) {
    const got = await client.ask(`GET ${from}`);
    t.is(got.status, 302);
    t.is(got.headers.get('location'), to);
  }
  for (const path of [
    'nothing',
    'js/',
    'js',
    'docs/index.html/',
    '%2e%2e/js/app.js',
    '%ff',
    'js%2Fapp.js%00',
    '/js/app.js',
  ]) {
    refusedFile(t, await client.ask(`GET /app/console/${path}`), 404);
  }
  refusedFile(t, await client.ask('GET /app/other/'), 404, /no role application in the folder "other"/);
  refusedFile(t, await client.ask('GET /app/other'), 404);
});

test('an archive replaces all files of the one before', async (t) => {
  const first = await client.ask(`PUT ${attachment}`, {
    body: versionOf('one', [{ name: 'old.txt', content: 'old' }]),
    headers: zip,
  });
  t.is((await client.ask('GET /app/console/old.txt')).text, 'old');
  const second = await client.ask(`PUT ${attachment}`, {
    body: formOf(['any.zip', versionOf('two')]),
    headers: { 'if-match': first.headers.get('etag') ?? '' },
  });
  t.is(second.status, 200, second.text);
  refusedFile(t, await client.ask('GET /app/console/old.txt'), 404);
  t.is((await client.ask('GET /app/console/js/app.js')).text, 'two');
  const stale = { ...zip, 'if-match': first.headers.get('etag') ?? '' };
  refusedFile(t, await client.ask(`PUT ${attachment}`, { body: versionOf('three'), headers: stale }), 412);
  refusedFile(
    t,
    await client.ask(`PUT ${attachment}`, { body: 'no zip', headers: zip }),
    400,
    /^archive: expected a zip archive/,
  );
  const evil = new Uint8Array(zipOf([{ name: '../../etc/passwd', content: 'x' }]));
  refusedFile(
    t,
    await client.ask(`PUT ${attachment}`, { body: evil, headers: zip }),
    400,
    /^archive: "\.\.\/\.\.\/etc/,
  );
  const half = new Uint8Array(
    zipOf([
      { name: 'index.html', content: 'x'.repeat(300_000) },
      { name: 'b', content: 'b', crc: 1 },
    ]),
  );
  refusedFile(t, await client.ask(`PUT ${attachment}`, { body: half, headers: zip }), 400, /CRC-32/);
  t.is((await client.ask('GET /app/console/js/app.js')).text, 'two', 'what is refused leaves all as it was');
});

test('readers see one version or the other, never files of both', async (t) => {
  await client.ask(`PUT ${attachment}`, { body: versionOf('v0'), headers: zip });
  let isOver = false;
  const writing = (async () => {
    for (let i = 1; i <= 8; i += 1) {
      await client.ask(`PUT ${attachment}`, {
        body: versionOf(`v${i}`, [{ name: 'big', content: bytesOf(200_000, i) }]),
        headers: zip,
      });
    }
    isOver = true;
  })();
  let checks = 0;
  while (!isOver) {
    const before = (await client.ask('GET /app/console/js/app.js', { at: 'hq' })).text;
    const page = (await client.ask('GET /app/console/', { at: 'hq' })).text;
    const after = (await client.ask('GET /app/console/js/app.js', { at: 'hq' })).text;
    if (before === after) {
      t.true(page.endsWith(before), `${page} among ${before}`);
      checks += 1;
    }
  }
  await writing;
  t.true(checks > 3, `${checks}`);
});

test('it is open to its roles, to all where it names none, and to administrators', async (t) => {
  await client.ask(`PUT ${attachment}`, { body: versionOf('one'), headers: zip });
  const reader = await FileClient.open(cluster, acmeUser);
  const open = async (roles: string[]) => {
    const headers = { 'content-type': 'application/json' };
    await client.ask(`PATCH ${apps}/${id}`, { body: JSON.stringify({ roles }), headers });
    t.is((await client.ask('GET /app/console/')).status, 200);
    return (await reader.ask('GET /app/console/')).status;
  };
  t.is(await open([]), 200);
  t.is(await open(['kiosk', 'user']), 200);
  t.is(await open(['kiosk']), 403);
  refusedFile(t, await reader.ask('GET /app/console'), 403, /for the access roles kiosk/);
  t.is((await reader.ask('GET /app/console/', { token: 'none' })).status, 401);
  const master = await FileClient.open(cluster, admin);
  refusedFile(t, await master.ask('GET /app/console/'), 404, /no role application/);
  for (const line of [`PUT ${attachment}`, `DELETE ${attachment}`]) {
    refusedFile(t, await reader.ask(line, line.startsWith('P') ? { body: versionOf('x'), headers: zip } : {}), 403);
  }
});

test('an archive goes by itself, or with its application', async (t) => {
  await client.ask(`PUT ${attachment}`, { body: versionOf('one'), headers: zip });
  t.is((await client.ask(`DELETE ${attachment}`)).status, 204);
  refusedFile(t, await client.ask(`DELETE ${attachment}`), 404);
  refusedFile(t, await client.ask('GET /app/console/'), 404, /no file "index\.html"/);
  await client.ask(`PUT ${attachment}`, { body: versionOf('one'), headers: zip });
  await client.ask(`DELETE ${apps}/${id}`);
  for (const line of [`GET ${attachment}`, `DELETE ${attachment}`])
    refusedFile(t, await client.ask(line), 404, /no role application/);
  refusedFile(t, await client.ask(`PUT ${attachment}`, { body: versionOf('one'), headers: zip }), 404);
  ({ id } = await make({ folder: 'console' }));
  refusedFile(t, await client.ask('GET /app/console/'), 404, /no file/);
});

test('what is no archive of its size or type is refused unread', async (t) => {
  const text = { 'content-type': 'text/plain' };
  refusedFile(t, await client.ask(`PUT ${attachment}`, { body: 'x', headers: text }), 415, /application\/zip/);
  let given = 0;
  const body = new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(new Uint8Array(1024 * 1024).fill(++given)) });
  refusedFile(
    t,
    await client.ask(`PUT ${attachment}`, { body, headers: zip }),
    413,
    new RegExp(String(limits.archiveBytes)),
  );
  const form = new FormData();
  form.append('a', 'a field');
  refusedFile(t, await client.ask(`POST ${attachment}`, { body: form }), 400, /part with a file name/);
});

test('a site that is cut off goes on serving the application', async (t) => {
  const body = versionOf('one', [{ name: 'big', content: bytesOf(1_000_000) }]);
  await client.ask(`PUT ${attachment}`, { body, headers: zip });
  await cluster.world.wait(2_000);
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(5_000);
  const got = await client.ask('GET /app/console/big', { at: 'north' });
  t.true(got.bytes.equals(bytesOf(1_000_000)));
  t.truthy(got.headers.get('x-data-age'));
  refusedFile(t, await client.ask(`PUT ${attachment}`, { at: 'north', body, headers: zip }), 503);
  cluster.world.faults.mend();
  await cluster.world.wait(5_000);
});

test('a session lists the applications that are open to it, as their metadata files have them', async (t) => {
  const reader = await FileClient.open(cluster, acmeUser);
  const webApps = async (who: FileClient, at = 'hq') =>
    JSON.parse((await who.ask(`GET ${current}`, { at })).text).webapps as Record<string, unknown>[];
  const before = await webApps(reader);
  t.deepEqual(await webApps(reader), before, 'one without a page is none');
  const named = { ...{ name: 'Desk', description: 'For agents', order: 3 }, vendor: 'x', url: 'http://evil' };
  const body = versionOf('one', [{ name: 'webapp.json', content: JSON.stringify(named) }]);
  t.is((await client.ask(`PUT ${attachment}`, { body, headers: zip })).status, 200);
  const icon = '/static/icons/app.svg';
  const app = { ...named, icon, 'fa-icon': '', roles: [], url: '/app/console/' };
  t.deepEqual(
    (await webApps(reader, 'north')).find(({ name }) => name === 'Desk'),
    app,
  );
  await client.ask(`PUT ${attachment}`, { body: versionOf('two'), headers: zip });
  t.like((await webApps(reader)).at(-1), { name: 'console', order: 1_000, url: '/app/console/' });
  const headers = { 'content-type': 'application/json' };
  await client.ask(`PATCH ${apps}/${id}`, { body: JSON.stringify({ roles: ['kiosk'], title: 'T' }), headers });
  t.deepEqual(await webApps(reader), before);
  t.like((await webApps(client)).at(-1), { name: 'T', roles: ['kiosk'] });
  for (const [content, why] of [
    ['{', /expected JSON/],
    ['{"order":"first"}', /order: /],
    [JSON.stringify({ name: 'x'.repeat(5_000) }), /at most 4096 bytes/],
    ['{"icon":"console.svg"}', /icon: expected a file of the archive or a URL/],
  ] as const) {
    const bad = versionOf('three', [{ name: 'webapp.json', content }]);
    refusedFile(t, await client.ask(`PUT ${attachment}`, { body: bad, headers: zip }), 400, why);
  }
});

test('the icon of an application is the address of its file, whatever that is called', async (t) => {
  const name = 'icons/50% ü?.svg';
  const about = { name: 'webapp.json', content: JSON.stringify({ icon: name }) };
  const body = versionOf('one', [about, { name, content: '<svg/>' }]);
  t.is((await client.ask(`PUT ${attachment}`, { body, headers: zip })).status, 200);
  const { webapps } = JSON.parse((await client.ask(`GET ${current}`)).text) as { webapps: { icon: string }[] };
  const { icon } = webapps.find((app) => app.icon.startsWith('/app/console/'))!;
  const { pathname } = new URL(icon, 'http://hq');
  t.is(pathname, icon);
  t.is((await client.ask(`GET ${icon}`)).text, '<svg/>');
});

test('a session lists its applications where the only instance of the domain data is far away', async (t) => {
  t.is((await client.ask(`PUT ${attachment}`, { body: versionOf('one'), headers: zip })).status, 200);
  const lift = cluster.world.faults.delay({ from: 'h3' }, 150);
  const { webapps } = JSON.parse((await client.ask(`GET ${current}`)).text) as { webapps: { url: string }[] };
  lift();
  t.true(webapps.some(({ url }) => url === '/app/console/'));
});

test('a session is answered within its limit while an instance of the domain data is silent', async (t) => {
  cluster.world.faults.pauseNode('h3');
  const sentMs = cluster.world.now();
  t.is((await client.ask(`GET ${current}`)).status, 200);
  t.true(cluster.world.now() - sentMs <= limits.webAppsMs);
  cluster.world.faults.resumeNode('h3');
  await cluster.world.wait(5_000);
});

test('archives that are unpacked at once are bounded for a domain: more are refused with 503, and take nothing with them', async (t) => {
  const half = Buffer.alloc(limits.unpackedBytesAtOnceOfDomain / 4 + 1);
  const pad = { name: 'pad', content: bytesOf((4 * half.length) / limits.archiveRatio), isStored: true };
  const files = [
    { name: 'one', content: half },
    { name: 'two', content: half },
  ];
  const body = new Uint8Array(zipOf([...files, pad]));
  const master = await FileClient.open(cluster, admin);
  const app = await master.ask(`POST ${apps}`, {
    body: JSON.stringify({ folder: 'other' }),
    headers: { 'content-type': 'application/json' },
  });
  const other = `${apps}/${JSON.parse(app.text).id}/attachment`;
  const asked = [1, 2, 3, 4].map(() => client.ask(`PUT ${attachment}`, { body, headers: zip }));
  const small = master.ask(`PUT ${other}`, { body: versionOf('small'), headers: zip });
  const answers = await Promise.all(asked);
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 503, 503, 503]);
  const refused = answers.find(({ status }) => status === 503)!;
  t.regex(
    refused.text,
    /too many bytes of archives are being unpacked at once, here or for acme\.root\.test: try again soon/,
  );
  t.is(refused.headers.get('retry-after'), '1');
  t.is((await small).status, 200, 'another domain has a share of its own');
  t.is((await client.ask(`PUT ${attachment}`, { body: versionOf('again'), headers: zip })).status, 200);
  await master.ask(`DELETE ${other.slice(0, -'/attachment'.length)}`);
});
