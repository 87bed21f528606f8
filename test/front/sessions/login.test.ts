/** Logging in: the three kinds of login, and what is refused. */
import {
  type Asked,
  admin,
  cookieIn,
  current,
  emptied,
  FrontCluster,
  good,
  httpDate,
  oneNode,
  refused,
  sessions,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const login = `POST ${sessions}`;
const hourMs = 3_600_000;
let cluster: FrontCluster;

test.before(async () => {
  cluster = await FrontCluster.start({ topology: oneNode });
});

/** Forgets the failures of the test before: every test has four of its own. */
test.beforeEach(() => cluster.world.wait(180_000));

test('a login without session_type answers 204 with a cookie that lives for an hour', async (t) => {
  const answer = await cluster.ask(login, { json: admin });
  emptied(t, answer);
  const { id, attributes } = cookieIn(answer);
  t.is(attributes, `Expires=${httpDate(cluster.world.now() + hourMs)}; Path=/; SameSite=Strict; HttpOnly`);
  t.regex(id, /^[A-Za-z0-9_-]{43}$/, '256 bits, safe in a header');
  t.is(await cluster.statusOf({ cookie: id }), 200);
});

test('a login for a token answers 200 with the token and without a cookie', async (t) => {
  const answer = await cluster.ask(login, { json: { ...admin, session_type: 'token' } });
  const body = good<{ session_token: string }>(t, answer);
  t.deepEqual(Object.keys(body), ['session_token']);
  t.regex(body.session_token, /^[A-Za-z0-9_-]{43}$/);
  t.is(answer.headers.get('set-cookie'), null);
  t.is(await cluster.statusOf({ token: body.session_token }), 200);
});

test('every login opens a session of its own', async (t) => {
  const ids = [await cluster.token(), await cluster.token(), await cluster.cookie()];
  t.is(new Set(ids).size, 3);
  emptied(t, await cluster.ask(`DELETE ${current}`, { token: ids[0] }));
  t.is(await cluster.statusOf({ token: ids[1] }), 200);
  t.is(await cluster.statusOf({ cookie: ids[2] }), 200);
});

test('one logs into the domain that one names', async (t) => {
  for (const domain of ['root.test', 'acme.root.test', 'west.acme.root.test']) {
    const token = await cluster.token({ ...admin, domain });
    t.like((await cluster.ask(`GET ${current}`, { token })).body, { domain, domain_is_master: domain === 'root.test' });
  }
});

test('token_clone_cookie opens another session beside the one of the cookie', async (t) => {
  const cookie = await cluster.cookie({ ...admin, domain: 'acme.root.test' });
  const answer = await cluster.ask(login, { cookie, json: { session_type: 'token_clone_cookie' } });
  const body = good<{ session_token: string }>(t, answer);
  t.deepEqual(Object.keys(body), ['session_token']);
  t.is(answer.headers.get('set-cookie'), null);
  t.not(body.session_token, cookie);
  const clone = { token: body.session_token };
  t.like((await cluster.ask(`GET ${current}`, clone)).body, { domain: 'acme.root.test', login: 'admin' });
  emptied(t, await cluster.ask(`DELETE ${current}`, { cookie }));
  t.is(await cluster.statusOf({ cookie }), 401);
  t.is(await cluster.statusOf(clone), 200, 'the clone outlives its model');
});

test('a clone is bound to the domain that its model is bound to', async (t) => {
  const cookie = await cluster.cookie();
  emptied(t, await cluster.ask(`PATCH ${current}`, { cookie, json: { domain: 'globex.root.test' } }));
  const answer = await cluster.ask(login, { cookie, json: { session_type: 'token_clone_cookie' } });
  const { session_token: token } = good<{ session_token: string }>(t, answer);
  t.like((await cluster.ask(`GET ${current}`, { token })).body, { domain: 'globex.root.test' });
  emptied(t, await cluster.ask(`PATCH ${current}`, { token, json: { domain: 'root.test' } }));
  t.like((await cluster.ask(`GET ${current}`, { cookie })).body, { domain: 'globex.root.test' });
});

test('token_clone_cookie ignores domain, login and pwd', async (t) => {
  const cookie = await cluster.cookie();
  const others = [
    { domain: 'acme.root.test', login: 'user', pwd: 'user' },
    { domain: 'nowhere.test', login: 'unknown', pwd: 'wrong' },
    { domain: 1, login: null, pwd: ['x'] },
  ];
  for (const other of others) {
    const answer = await cluster.ask(login, { cookie, json: { ...other, session_type: 'token_clone_cookie' } });
    const { session_token: token } = good<{ session_token: string }>(t, answer);
    t.like((await cluster.ask(`GET ${current}`, { token })).body, { domain: 'root.test', login: 'admin' });
  }
});

test('token_clone_cookie needs the cookie of a session', async (t) => {
  const json = { ...admin, session_type: 'token_clone_cookie' };
  refused(t, await cluster.ask(login, { json }), 401, /cookie/);
  refused(t, await cluster.ask(login, { json, token: await cluster.token() }), 401, /cookie/);
  refused(t, await cluster.ask(login, { json, cookie: 'never-was' }), 401);
});

const wrong: readonly [what: string, credentials: object][] = [
  ['password', { ...admin, pwd: 'Admin' }],
  ['empty password', { ...admin, pwd: '' }],
  ['login', { ...admin, login: 'unknown' }],
  ['login that every object has', { ...admin, login: '__proto__' }],
  ['domain', { ...admin, domain: 'nowhere.test' }],
  ['spelling of the domain', { ...admin, domain: 'root.test.' }],
  ['domain that holds the login', { domain: 'root.test/admin', login: '', pwd: 'admin' }],
];

for (const [what, json] of wrong) {
  test(`a wrong ${what} answers 401, for a cookie and for a token, and sets none`, async (t) => {
    for (const session_type of [undefined, 'token']) {
      const answer = await cluster.ask(login, { json: { ...json, session_type } });
      refused(t, answer, 401);
      t.is(answer.headers.get('set-cookie'), null);
    }
  });
}

test('a wrong password and an unknown login get the same answer', async (t) => {
  const pwd = await cluster.ask(login, { json: { ...admin, pwd: 'wrong' } });
  const unknown = await cluster.ask(login, { json: { ...admin, login: 'unknown' } });
  t.deepEqual(pwd.body, unknown.body);
});

const malformed: readonly [what: string, asked: Asked, message: RegExp][] = [
  ['no body', {}, /^body: .*nothing/],
  ['text that is no JSON', { raw: 'domain=root.test' }, /^body: /],
  ['half an object', { raw: '{"domain":"root.test"' }, /^body: /],
  ['an array', { json: [] }, /^body: .*object/],
  ['a string', { json: 'admin' }, /^body: .*object/],
  ['null', { json: null }, /^body: .*object/],
  ['an empty object', { json: {} }, /^domain: .*nothing/],
  ['no domain', { json: { login: 'admin', pwd: 'admin' } }, /^domain: expected string, got nothing$/],
  ['no login', { json: { domain: 'root.test', pwd: 'admin' } }, /^login: expected string, got nothing$/],
  ['no pwd', { json: { domain: 'root.test', login: 'admin' } }, /^pwd: expected string, got nothing$/],
  ['a number for a domain', { json: { ...admin, domain: 7 } }, /^domain: expected string, got 7$/],
  ['null for a login', { json: { ...admin, login: null } }, /^login: expected string, got null$/],
  ['an object for a pwd', { json: { ...admin, pwd: { a: 1 } } }, /^pwd: expected string, got \{"a":1\}$/],
  ['a domain too long', { json: { ...admin, domain: 'a'.repeat(254) } }, /^domain: expected string .*253.*, got "aaa/],
  ['a login too long', { json: { ...admin, login: 'a'.repeat(1_001) } }, /^login: expected string .*1000.*, got "aaa/],
  ['an unknown session_type', { json: { ...admin, session_type: 'cookie' } }, /^session_type: .*, got "cookie"$/],
  ['null for a session_type', { json: { ...admin, session_type: null } }, /^session_type: .*, got null$/],
  ['an unknown field', { json: { ...admin, remember: true } }, /^remember: no such field/],
  ['an unknown field beside token', { json: { ...admin, session_type: 'token', ttl: 1 } }, /^ttl: no such field/],
  ['an unknown field of a clone', { json: { session_type: 'token_clone_cookie', ttl: 1 } }, /^ttl: no such field/],
];

for (const [what, asked, message] of malformed) {
  test(`a login with ${what} answers 400 and says where`, async (t) => {
    refused(t, await cluster.ask(login, { cookie: await cluster.cookie(), ...asked }), 400, message);
  });
}

test('a malformed login is no failed login and does not ban', async (t) => {
  for (let i = 0; i < 10; i += 1) refused(t, await cluster.ask(login, { json: { domain: 'root.test' } }), 400);
  emptied(t, await cluster.ask(login, { json: admin }));
});
