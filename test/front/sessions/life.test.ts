/** How long a session lives, when its cookie is renewed, and how many a user may have. */
import {
  type Answer,
  acmeAdmin,
  admin,
  client,
  cookieIn,
  current,
  emptied,
  FrontCluster,
  httpDate,
  nodes,
  oneNode,
  refused,
  roles,
  sessions,
  user,
} from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const hourMs = 3_600_000;
const halfMs = 1_800_000;
let cluster: FrontCluster;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ topology: oneNode });
});

function look(asked: { token?: string; cookie?: string }): Promise<Answer> {
  return cluster.ask(`GET ${current}`, asked);
}

/** Requests that use the session one after the other, so long after each other. */
async function use(asked: { token?: string; cookie?: string }, waitsMs: readonly number[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const waitMs of waitsMs) {
    await cluster.world.wait(waitMs);
    statuses.push(await cluster.statusOf(asked));
  }
  return statuses;
}

test('an unused session is over after 3600 s', async (t) => {
  const early = { token: await cluster.token() };
  const late = { token: await cluster.token() };
  await cluster.world.wait(hourMs - 1);
  t.is(await cluster.statusOf(early), 200);
  await cluster.world.wait(1);
  refused(t, await look(late), 401);
});

test('every use prolongs a session to 3600 s from then', async (t) => {
  const token = { token: await cluster.token() };
  const cookie = { cookie: await cluster.cookie() };
  t.deepEqual(await use(token, [hourMs - 1, hourMs - 1, hourMs - 1, hourMs]), [200, 200, 200, 401]);
  // The other session was not used meanwhile.
  t.is(await cluster.statusOf(cookie), 401);
});

test('a request that is refused uses the session all the same', async (t) => {
  const token = await cluster.token(acmeAdmin);
  await cluster.world.wait(halfMs);
  refused(t, await cluster.ask(`GET ${nodes}`, { token }), 403);
  await cluster.world.wait(hourMs - 1);
  t.is(await cluster.statusOf({ token }), 200);
});

test('switching the domain prolongs a session', async (t) => {
  const token = await cluster.token();
  await cluster.world.wait(halfMs);
  const answer = await cluster.ask(`PATCH ${current}`, { token, json: { domain: 'acme.root.test' } });
  emptied(t, answer);
  await cluster.world.wait(hourMs - 1 - answer.tookMs);
  t.is(await cluster.statusOf({ token }), 200);
});

test('a clone prolongs neither itself by its model nor its model by itself', async (t) => {
  const cookie = await cluster.cookie();
  const answer = await cluster.ask(`POST ${sessions}`, { cookie, json: { session_type: 'token_clone_cookie' } });
  const { session_token: token } = answer.body as { session_token: string };
  t.deepEqual(await use({ token }, [halfMs, hourMs - 1]), [200, 200]);
  t.is(await cluster.statusOf({ cookie }), 401);
});

test('the cookie is set anew when less than half of its time is left, not before', async (t) => {
  const cookie = await cluster.cookie();
  await cluster.world.wait(halfMs);
  t.is((await look({ cookie })).headers.get('set-cookie'), null, 'exactly half is left');
  await cluster.world.wait(1);
  const answer = await look({ cookie });
  t.is(answer.status, 200);
  const { id, attributes } = cookieIn(answer);
  t.is(id, cookie);
  t.is(attributes, `Expires=${httpDate(cluster.world.now() + hourMs)}; Path=/; SameSite=Strict; HttpOnly`);
  await cluster.world.wait(halfMs);
  t.is((await look({ cookie })).headers.get('set-cookie'), null);
  await cluster.world.wait(1);
  t.is(cookieIn(await look({ cookie })).id, cookie);
});

test('the cookie is renewed by whatever path is asked', async (t) => {
  for (const line of [`GET ${nodes}`, `GET ${roles}/esg/dashboards/count`, `DELETE ${roles}/esg/bannedaddrs`]) {
    const cookie = await cluster.cookie();
    await cluster.world.wait(halfMs + 1);
    t.is(cookieIn(await cluster.ask(line, { cookie })).id, cookie, line);
  }
});

test('a cookie that a switch of the domain has set counts for its renewal', async (t) => {
  const cookie = await cluster.cookie();
  await cluster.world.wait(halfMs - 1);
  cookieIn(await cluster.ask(`PATCH ${current}`, { cookie, json: { domain: 'acme.root.test' } }));
  await cluster.world.wait(halfMs);
  t.is((await look({ cookie })).headers.get('set-cookie'), null, 'half of its time is left');
  await cluster.world.wait(1);
  t.is(cookieIn(await look({ cookie })).id, cookie);
});

test('a session shown by token never gets a cookie, not even beside one', async (t) => {
  const token = await cluster.token();
  const cookie = await cluster.cookie();
  for (let i = 0; i < 3; i += 1) {
    await cluster.world.wait(halfMs + 1);
    for (const asked of [{ token }, { token, cookie }]) {
      const answer = await look(asked);
      t.is(answer.status, 200);
      t.is(answer.headers.get('set-cookie'), null);
    }
  }
});

test('a user has 10 sessions; an eleventh login closes the one idle longest', async (t) => {
  const tokens: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    tokens.push(await cluster.token());
    await cluster.world.wait(10_000);
  }
  t.is(await cluster.statusOf({ token: tokens[0] }), 200);
  await cluster.world.wait(10_000);
  tokens.push(await cluster.token());
  const statuses: number[] = [];
  for (const token of tokens) statuses.push(await cluster.statusOf({ token }));
  t.deepEqual(statuses, [200, 401, ...Array.from({ length: 9 }, () => 200)]);
});

test('cookies and clones count among the 10 sessions, other users do not', async (t) => {
  const others: string[] = [];
  for (const who of [user, acmeAdmin, { ...admin, domain: 'globex.root.test' }]) others.push(await cluster.token(who));
  await cluster.world.wait(10_000);
  const first = await cluster.token();
  await cluster.world.wait(10_000);
  const cookie = await cluster.cookie();
  const json = { session_type: 'token_clone_cookie' };
  for (let i = 0; i < 8; i += 1) t.is((await cluster.ask(`POST ${sessions}`, { cookie, json })).status, 200);
  t.is(await cluster.statusOf({ token: first }), 200);
  await cluster.world.wait(10_000);
  t.is(await cluster.statusOf({ cookie }), 200);
  for (let i = 0; i < 9; i += 1) t.is((await cluster.ask(`POST ${sessions}`, { cookie, json })).status, 200);
  t.is(await cluster.statusOf({ cookie }), 200, 'used last of the old ones');
  t.is(await cluster.statusOf({ token: first }), 401);
  for (const token of others) t.is(await cluster.statusOf({ token }), 200);
});

test('a session that is over makes room for another', async (t) => {
  const tokens: string[] = [];
  for (let i = 0; i < 10; i += 1) tokens.push(await cluster.token());
  emptied(t, await cluster.ask(`DELETE ${current}`, { token: tokens[4] }));
  tokens.splice(4, 1, await cluster.token());
  for (const token of tokens) t.is(await cluster.statusOf({ token }), 200);
});

test('the ids of sessions that ran out count as failures', async (t) => {
  const token = await cluster.token();
  await cluster.world.wait(hourMs);
  for (let i = 0; i < 5; i += 1) refused(t, await look({ token }), 401);
  refused(t, await look({ token }), 429, new RegExp(client.replaceAll('.', '\\.')));
});
