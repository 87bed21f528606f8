/** The ban filter of ws: an address with too many failed logins is banned for a while, by that one instance. */
import {
  type Answer,
  type Asked,
  admin,
  client,
  current,
  emptied,
  FrontCluster,
  good,
  refused,
  roles,
  sessions,
  twoSites,
  user,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const windowMs = 180_000;
const bans = `${roles}/ws/bannedaddrs`;
let cluster: FrontCluster;
/** A session from before any failure. */
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ topology: twoSites });
  token = await cluster.token();
  await cluster.world.wait(1_000);
});

function tryLogin(at = 'hq'): Promise<Answer> {
  return cluster.ask(`POST ${sessions}`, { at, json: admin });
}

async function fail(times: number, at = 'hq'): Promise<number[]> {
  const statuses: number[] = [];
  const json = { ...admin, login: 'unknown' };
  for (let i = 0; i < times; i += 1) statuses.push((await cluster.ask(`POST ${sessions}`, { at, json })).status);
  return statuses;
}

async function banned(at = 'hq'): Promise<Record<string, { ip: string; expires: number }[]>> {
  const rows = (await cluster.ask(`GET ${bans}`, { at, token })).body as { site: string; banned: [] }[];
  return Object.fromEntries(rows.map((row) => [row.site, row.banned]));
}

function refusedAsBanned(t: Parameters<typeof refused>[0], answer: Answer): void {
  refused(t, answer, 429, /127\.0\.0\.1/);
  t.is(answer.headers.get('retry-after'), '180');
  t.is(answer.headers.get('set-cookie'), null);
}

test('four failures do not ban an address', async (t) => {
  t.deepEqual(await fail(4), [401, 401, 401, 401]);
  t.deepEqual((await banned())['hq'], []);
  emptied(t, await tryLogin());
});

test('the fifth failure bans: the sixth attempt is refused even with the right credentials', async (t) => {
  t.deepEqual(await fail(5), [401, 401, 401, 401, 401]);
  refusedAsBanned(t, await tryLogin());
  refusedAsBanned(t, await cluster.ask(`POST ${sessions}`, { json: { ...admin, session_type: 'token' } }));
});

test('wrong domain, login and pwd count alike', async (t) => {
  const wrong = [
    { domain: 'nowhere.test' },
    { login: 'unknown' },
    { pwd: 'wrong' },
    { domain: 'acme.root.test', pwd: '' },
  ];
  for (const each of [...wrong, { login: '' }]) {
    refused(t, await cluster.ask(`POST ${sessions}`, { json: { ...admin, ...each } }), 401);
  }
  refusedAsBanned(t, await tryLogin());
});

test('of many attempts at the same time at most five get a verdict; the rest get 429', async (t) => {
  const guesses = Array.from({ length: 20 }, (_, i) => ({ ...admin, pwd: i === 19 ? 'admin' : `guess-${i}` }));
  const answers = await Promise.all(guesses.map((json) => cluster.ask(`POST ${sessions}`, { json })));
  t.deepEqual(
    answers.map((answer) => answer.status),
    [...Array.from({ length: 5 }, () => 401), ...Array.from({ length: 15 }, () => 429)],
  );
});

const unknownIds: readonly [what: string, line: string, asked: Asked][] = [
  ['a token', `GET ${current}`, { token: 'never-was' }],
  ['a cookie', `GET ${current}`, { cookie: 'never-was' }],
  ['a token for PATCH', `PATCH ${current}`, { token: 'never-was', json: { domain: 'root.test' } }],
  ['a cookie for DELETE', `DELETE ${current}`, { cookie: 'never-was' }],
  ['a token on a path of the master', `GET ${bans}`, { token: 'never-was' }],
  ['a cookie to clone', `POST ${sessions}`, { cookie: 'never-was', json: { session_type: 'token_clone_cookie' } }],
];

for (const [what, line, asked] of unknownIds) {
  test(`a session id that does not exist is a failure: ${what}`, async (t) => {
    for (let i = 0; i < 5; i += 1) refused(t, await cluster.ask(line, asked), 401);
    refusedAsBanned(t, await cluster.ask(line, asked));
    refusedAsBanned(t, await tryLogin());
  });
}

test('an id that a silent instance may know is no failure', async (t) => {
  cluster.world.faults.pauseNode('n1');
  const asked = [1, 2, 3, 4, 5].map((n) => cluster.ask(`GET ${current}`, { token: `of-${n}` }));
  for (const each of asked) refused(t, await each, 401);
  emptied(t, await tryLogin());
});

test('wrong logins and unknown ids add up', async (t) => {
  await fail(3);
  t.is(await cluster.statusOf({ token: 'never-was' }), 401);
  t.is(await cluster.statusOf({ cookie: 'never-was' }), 401);
  refusedAsBanned(t, await tryLogin());
});

test('requests without an id, or with a header that holds none, are no failures', async (t) => {
  for (let i = 0; i < 6; i += 1) {
    refused(t, await cluster.ask(`GET ${current}`), 401);
    refused(t, await cluster.ask(`GET ${current}`, { headers: { authorization: 'Basic YTpi' } }), 401);
  }
  emptied(t, await tryLogin());
});

test('an attempt while banned is refused unread', async (t) => {
  await fail(5);
  refusedAsBanned(t, await cluster.ask(`POST ${sessions}`));
  refusedAsBanned(t, await cluster.ask(`POST ${sessions}`, { raw: '{' }));
  refusedAsBanned(t, await cluster.ask(`POST ${sessions}`, { raw: 'x', headers: { 'content-type': 'text/plain' } }));
});

test('the ban shows at that one instance, with the seconds left', async (t) => {
  await fail(5);
  t.deepEqual(await banned('hq'), { hq: [{ ip: client, expires: 180 }], north: [] });
  await cluster.world.wait(30_000);
  t.deepEqual(await banned('north'), { hq: [{ ip: client, expires: 150 }], north: [] });
  t.deepEqual(good<{ site: string }[]>(t, await cluster.ask(`GET ${bans}/site`, { at: 'north', token })), [
    { site: 'north', node: 'n1', srvidx: 21, addr: '10.2.0.11', online: true, banned: [] },
  ] as never);
});

test('failures at one site do not ban at another, and do not add up over sites', async (t) => {
  await fail(4, 'hq');
  await fail(4, 'north');
  emptied(t, await tryLogin('hq'));
  emptied(t, await tryLogin('north'));
  await fail(1, 'hq');
  refusedAsBanned(t, await tryLogin('hq'));
  emptied(t, await tryLogin('north'));
});

test('a session that exists goes on from a banned address', async (t) => {
  const cookie = await cluster.cookie(user);
  await fail(5);
  t.is(await cluster.statusOf({ token }), 200);
  t.is(await cluster.statusOf({ cookie }), 200);
  emptied(t, await cluster.ask(`PATCH ${current}`, { token, json: { domain: 'acme.root.test' } }));
  emptied(t, await cluster.ask(`DELETE ${current}`, { cookie }));
  refusedAsBanned(t, await tryLogin());
});

test('the use of a session that exists is no attempt', async (t) => {
  await fail(5);
  await cluster.world.wait(windowMs - 1);
  t.is(await cluster.statusOf({ token }), 200);
  await cluster.world.wait(1);
  emptied(t, await tryLogin());
});

test('a ban ends after 180 s without an attempt, not before', async (t) => {
  await fail(5);
  await cluster.world.wait(windowMs - 1);
  t.deepEqual((await banned())['hq'], [{ ip: client, expires: 1 }]);
  await cluster.world.wait(1);
  t.deepEqual((await banned())['hq'], []);
  emptied(t, await tryLogin());
});

test('each attempt while banned prolongs the ban to 180 s from then', async (t) => {
  await fail(5);
  await cluster.world.wait(windowMs - 1);
  refusedAsBanned(t, await tryLogin());
  await cluster.world.wait(windowMs - 1);
  refusedAsBanned(t, await cluster.ask(`GET ${current}`, { token: 'never-was' }));
  await cluster.world.wait(windowMs - 1);
  refusedAsBanned(t, await cluster.ask(`POST ${sessions}`, { raw: 'nonsense' }));
  await cluster.world.wait(windowMs);
  emptied(t, await tryLogin());
});

test('failures count within 180 s only', async (t) => {
  await fail(4);
  await cluster.world.wait(windowMs);
  await fail(4);
  emptied(t, await tryLogin());
});

test('the 180 s slide: old failures drop out one by one', async (t) => {
  for (let i = 0; i < 12; i += 1) {
    t.deepEqual(await fail(1), [401], `failure ${i + 1}`);
    await cluster.world.wait(windowMs / 4);
  }
  emptied(t, await tryLogin());
  // The last three are still within the window.
  t.deepEqual(await fail(2), [401, 401]);
  refusedAsBanned(t, await tryLogin());
});

for (const target of [`${bans}/${client}`, bans, `${bans}/site`, `${bans}/site/${client}`]) {
  test(`DELETE ${target} lifts the ban, and counting starts anew`, async (t) => {
    await fail(5);
    emptied(t, await cluster.ask(`DELETE ${target}`, { token }));
    t.deepEqual((await banned())['hq'], []);
    t.deepEqual(await fail(4), [401, 401, 401, 401]);
    emptied(t, await tryLogin());
    await fail(1);
    refusedAsBanned(t, await tryLogin());
  });
}

test('a ban is lifted through another site', async (t) => {
  await fail(5);
  emptied(t, await cluster.ask(`DELETE ${bans}/10.0.0.1`, { at: 'north', token }));
  emptied(t, await cluster.ask(`DELETE ${bans}/site`, { at: 'north', token }));
  emptied(t, await cluster.ask(`DELETE ${bans}?site=north`, { at: 'north', token }));
  t.is((await banned())['hq']?.length, 1, 'that was another address, and another site');
  emptied(t, await cluster.ask(`DELETE ${bans}/${client}?site=hq`, { at: 'north', token }));
  t.deepEqual((await banned())['hq'], []);
  emptied(t, await tryLogin());
});

test('a crash of the ws instance forgets its bans', async (t) => {
  await fail(5);
  cluster.world.faults.crashInstance('ws-11');
  await cluster.world.wait(2_000);
  emptied(t, await tryLogin());
});
