/** Sessions over sites: opened at one, good at all; closed at one, over at all; and what a partition does to that. */
import { acmeAdmin, admin, current, emptied, FrontCluster, good, refused, twoSites } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

const sites = ['hq', 'north', 'south'];
/** Time for a word to get around, and for a peer that is gone or back to be noticed. */
const spreadMs = 100;
const noticedMs = 5_000;
let cluster: FrontCluster;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ outside: false });
});

async function statuses(asked: { token?: string; cookie?: string }): Promise<number[]> {
  const all: number[] = [];
  for (const at of sites) all.push(await cluster.statusOf({ ...asked, at }));
  return all;
}

test('a session opened at one site is good at every other at once', async (t) => {
  for (const at of sites) {
    const token = await cluster.token(admin, at);
    t.deepEqual(await statuses({ token }), [200, 200, 200], `token of ${at}`);
    const cookie = await cluster.cookie(admin, at);
    t.deepEqual(await statuses({ cookie }), [200, 200, 200], `cookie of ${at}`);
  }
});

test('a session outlives the ws instance that opened it, and is good there again after its restart', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  cluster.world.faults.crashInstance('ws-111');
  await t.throwsAsync(cluster.statusOf({ token, at: 'hq' }), { name: 'FrontAway' });
  t.is(await cluster.statusOf({ token, at: 'north' }), 200);
  t.is(await cluster.statusOf({ token, at: 'south' }), 200);
  await cluster.world.wait(noticedMs);
  t.deepEqual(await statuses({ token }), [200, 200, 200]);
});

test('a session outlives the node that opened it, and is good there again after its restart', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  cluster.world.faults.crashNode('h1');
  t.is(await cluster.statusOf({ token, at: 'north' }), 200);
  await cluster.restartNode('h1');
  t.deepEqual(await statuses({ token }), [200, 200, 200]);
  t.not(await cluster.token(admin, 'hq'), token, 'ids never repeat');
});

test('a logout at one site holds at every other', async (t) => {
  for (const at of sites) {
    const token = await cluster.token(admin, 'hq');
    t.deepEqual(await statuses({ token }), [200, 200, 200]);
    emptied(t, await cluster.ask(`DELETE ${current}`, { at, token }));
    await cluster.world.wait(spreadMs);
    t.deepEqual(await statuses({ token }), [401, 401, 401], `closed at ${at}`);
  }
});

test('a logout at another site than that of the login holds after the restart of the first', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  emptied(t, await cluster.ask(`DELETE ${current}`, { at: 'north', token }));
  cluster.world.faults.crashInstance('ws-111');
  await cluster.world.wait(noticedMs);
  t.deepEqual(await statuses({ token }), [401, 401, 401]);
});

test('a switch of the domain at one site holds at every other', async (t) => {
  const token = await cluster.token(admin, 'hq');
  t.deepEqual(await statuses({ token }), [200, 200, 200]);
  emptied(t, await cluster.ask(`PATCH ${current}`, { at: 'north', token, json: { domain: 'acme.root.test' } }));
  await cluster.world.wait(spreadMs);
  for (const at of sites) {
    t.like(good(t, await cluster.ask(`GET ${current}`, { at, token })), { domain: 'acme.root.test' }, at);
  }
});

test('an eleventh login at another site closes the session idle longest at every site', async (t) => {
  const tokens: string[] = [];
  for (let i = 0; i < 11; i += 1) {
    tokens.push(await cluster.token(admin, sites[i % 3]));
    await cluster.world.wait(2_000);
  }
  t.deepEqual(await statuses({ token: tokens[0]! }), [401, 401, 401]);
  for (const token of tokens.slice(1)) t.deepEqual(await statuses({ token }), [200, 200, 200]);
});

test('of logins at several sites at the same time ten sessions are left, the same at every site', async (t) => {
  const tokens = await Promise.all(Array.from({ length: 14 }, (_, at) => cluster.token(acmeAdmin, sites[at % 2])));
  await cluster.world.wait(1_000);
  const all: number[][] = [];
  for (const token of tokens) all.push(await statuses({ token }));
  t.is(all.filter(([status]) => status === 200).length, 10);
  for (const [first, ...others] of all) t.deepEqual(others, [first, first] as number[]);
});

test('a login after a cut closes all sessions of the user above ten, the ones idle longest first', async (t) => {
  cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(noticedMs);
  const tokens: string[] = [];
  for (let i = 0; i < 16; i += 1) {
    tokens.push(await cluster.token(acmeAdmin, i % 2 === 0 ? 'hq' : 'north'));
    await cluster.world.wait(2_000);
  }
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  for (const token of tokens) {
    t.deepEqual(await statuses({ token }), [200, 200, 200]);
    await cluster.world.wait(2_000);
  }
  tokens.push(await cluster.token(acmeAdmin, 'hq'));
  await cluster.world.wait(spreadMs);
  const open: string[] = [];
  for (const token of tokens) if ((await cluster.statusOf({ token, at: 'north' })) === 200) open.push(token);
  t.deepEqual(open, tokens.slice(-10));
});

test('while sites are apart, each goes on with the sessions that it knows', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(noticedMs);
  t.deepEqual(await statuses({ token }), [200, 200, 200]);
});

test('a switch of the domain while sites are apart holds at all when they meet again', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(noticedMs);
  emptied(t, await cluster.ask(`PATCH ${current}`, { at: 'hq', token, json: { domain: 'acme.root.test' } }));
  await cluster.world.wait(60_000);
  t.is(await cluster.statusOf({ token, at: 'north' }), 200);
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  await statuses({ token });
  await cluster.world.wait(60_000);
  await statuses({ token });
  await cluster.world.wait(spreadMs);
  for (const at of sites) {
    t.like(good(t, await cluster.ask(`GET ${current}`, { at, token })), { domain: 'acme.root.test' }, at);
  }
});

test('a session opened while sites are apart is unknown to the other side until they meet again', async (t) => {
  cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(noticedMs);
  const token = await cluster.token(admin, 'hq');
  t.deepEqual(await statuses({ token }), [200, 401, 401]);
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  t.deepEqual(await statuses({ token }), [200, 200, 200]);
});

test('a logout while sites are apart wins after they meet again', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(noticedMs);
  emptied(t, await cluster.ask(`DELETE ${current}`, { at: 'hq', token }));
  t.deepEqual(await statuses({ token }), [401, 200, 200], 'the logout can not reach them');
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  await statuses({ token });
  await cluster.world.wait(spreadMs);
  t.deepEqual(await statuses({ token }), [401, 401, 401]);
});

test('a logout on the far side of a partition wins over use on this side', async (t) => {
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(spreadMs);
  cluster.world.faults.cut({ from: 'hq' });
  await cluster.world.wait(noticedMs);
  emptied(t, await cluster.ask(`DELETE ${current}`, { at: 'north', token }));
  for (let i = 0; i < 4; i += 1) {
    await cluster.world.wait(30_000);
    t.is(await cluster.statusOf({ token, at: 'hq' }), 200);
  }
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  await statuses({ token });
  await cluster.world.wait(spreadMs);
  t.deepEqual(await statuses({ token }), [401, 401, 401]);
});

test('an unknown id is refused in time even when a peer that could know it is silent', async (t) => {
  cluster.world.faults.pauseNode('n1');
  const answer = await cluster.ask(`GET ${current}`, { at: 'hq', token: 'never-was' });
  refused(t, answer, 401);
  t.true(answer.tookMs <= 2_000, `${answer.tookMs} ms`);
  await cluster.world.wait(noticedMs);
  const later = await cluster.ask(`GET ${current}`, { at: 'hq', token: 'never-was' });
  refused(t, later, 401);
  t.true(later.tookMs < 100, 'a peer that is known to be gone is not waited for');
});

test('use at one site keeps a session alive at the others', async (t) => {
  cluster = await FrontCluster.start({ topology: twoSites });
  const token = await cluster.token(admin, 'hq');
  for (let i = 0; i < 4; i += 1) {
    await cluster.world.wait(3_000_000);
    t.is(await cluster.statusOf({ token, at: 'north' }), 200);
  }
  await cluster.world.wait(3_599_000);
  t.is(await cluster.statusOf({ token, at: 'hq' }), 200);
});

test('a session is over at all sites when it was not used at any for 3600 s', async (t) => {
  cluster = await FrontCluster.start({ topology: twoSites });
  const token = await cluster.token(admin, 'hq');
  await cluster.world.wait(1_800_000);
  t.is(await cluster.statusOf({ token, at: 'north' }), 200);
  await cluster.world.wait(3_600_000);
  t.is(await cluster.statusOf({ token, at: 'north' }), 401);
  t.is(await cluster.statusOf({ token, at: 'hq' }), 401);
});
