/** Network filters of unreachable instances: crashed, cut off, or silent and not yet noticed. Each answer comes within 2 s. */
import type { ExecutionContext } from 'ava';
import { type Answer, emptied, FrontCluster, good, roles } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

interface Row {
  readonly srvidx: number;
  readonly online: boolean;
}

const bans = `${roles}/esg/bannedaddrs`;
const json = { ip: '10.9.8.7', expires: 600 };
/** Three pings that were missed, and some. */
const noticedMs = 5_000;
const edgeWaitMs = 2_000;
const north = { site: 'north', node: 'n2', srvidx: 221, addr: '10.2.0.12', online: false };
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ outside: false });
  token = await cluster.token();
  await cluster.world.wait(1_000);
});

function online(rows: readonly Row[]): Record<string, boolean> {
  return Object.fromEntries(rows.map((row) => [String(row.srvidx), row.online]));
}

async function get(at = 'hq', target = bans): Promise<Answer> {
  return cluster.ask(`GET ${target}`, { at, token });
}

/** Holds the three operations against an instance of north that is away, and others that are not. */
async function awayButAnswered(t: ExecutionContext, withinMs: number): Promise<void> {
  const listed = await get();
  t.deepEqual(online(good(t, listed)), { 113: true, 122: true, 221: false, 321: true });
  t.deepEqual(good<object[]>(t, listed)[2], north, 'an entry without `banned`');
  const done = await cluster.ask(`POST ${bans}`, { token, json });
  t.deepEqual(online(good(t, done)), { 113: true, 122: true, 221: false, 321: true });
  t.deepEqual(good<object[]>(t, done)[2], north, 'an entry without `result`');
  const freed = await cluster.ask(`DELETE ${bans}/10.9.8.7`, { token });
  const cleared = await cluster.ask(`DELETE ${bans}`, { token });
  for (const answer of [listed, done, freed, cleared]) t.true(answer.tookMs <= withinMs, `${answer.tookMs} ms`);
  emptied(t, freed);
  emptied(t, cleared);
  const scoped = await cluster.ask(`GET ${bans}?site=north`, { token });
  t.deepEqual(good<object[]>(t, scoped), [north]);
}

test('an instance that crashed is offline at once, and online again after its restart', async (t) => {
  cluster.world.faults.crashInstance('esg-221');
  await awayButAnswered(t, 100);
  await cluster.world.wait(2_000);
  t.deepEqual(online(good(t, await get())), { 113: true, 122: true, 221: true, 321: true });
});

test('an instance on a node that is known to be gone is offline, and is not waited for', async (t) => {
  cluster.world.faults.crashNode('n2');
  await cluster.world.wait(noticedMs);
  await awayButAnswered(t, 100);
  await cluster.restartNode('n2');
  t.deepEqual(online(good(t, await get())), { 113: true, 122: true, 221: true, 321: true });
});

test('an instance on a node that has just died is offline within 2 s', async (t) => {
  cluster.world.faults.crashNode('n2');
  await awayButAnswered(t, edgeWaitMs);
});

test('an instance on a node that is paused is offline within 2 s, before any ping is missed', async (t) => {
  cluster.world.faults.pauseNode('n2');
  const answer = await get();
  t.is(answer.tookMs, edgeWaitMs, 'it could still have answered');
  await awayButAnswered(t, edgeWaitMs);
});

test('an instance that does not answer in time does not apply the ban later', async (t) => {
  cluster.world.faults.pauseNode('n2');
  const done = await cluster.ask(`POST ${bans}`, { token, json });
  t.false(online(good(t, done))['221']);
  await cluster.world.wait(100);
  cluster.world.faults.resumeNode('n2');
  await cluster.world.wait(noticedMs);
  const rows = good<(Row & { banned: object[] })[]>(t, await get());
  t.deepEqual(
    rows.map((row) => row.banned.length),
    [1, 1, 0, 1],
  );
});

test('frames that take too long are an instance offline within 2 s', async (t) => {
  cluster.world.faults.delay({ from: 'hq', to: 'north' }, 1_500);
  const answer = await get();
  t.false(online(good(t, answer))['221']);
  t.true(answer.tookMs <= edgeWaitMs, `${answer.tookMs} ms`);
});

test('the two sides of a partition see each other offline, and themselves online', async (t) => {
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  t.deepEqual(online(good(t, await get('hq'))), { 113: true, 122: true, 221: false, 321: true });
  t.deepEqual(online(good(t, await get('south'))), { 113: true, 122: true, 221: false, 321: true });
  t.deepEqual(online(good(t, await get('north'))), { 113: false, 122: false, 221: true, 321: false });
  t.deepEqual(online(good(t, await get('north', `${roles}/ws/bannedaddrs`))), { 111: false, 211: true, 311: false });
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  for (const at of ['hq', 'north', 'south']) {
    t.deepEqual(online(good(t, await get(at))), { 113: true, 122: true, 221: true, 321: true }, at);
  }
});

test('in the first moments of a partition the other side is offline within 2 s', async (t) => {
  cluster.world.faults.cut({ from: 'north' });
  for (const at of ['hq', 'north']) {
    const answer = await get(at);
    const isNorth = at === 'north';
    t.deepEqual(online(good(t, answer)), { 113: !isNorth, 122: !isNorth, 221: isNorth, 321: !isNorth });
    t.true(answer.tookMs <= edgeWaitMs);
  }
});

test('each side of a partition bans on its own side, and both are seen after mending', async (t) => {
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  good(t, await cluster.ask(`POST ${bans}`, { at: 'hq', token, json }));
  good(t, await cluster.ask(`POST ${bans}`, { at: 'north', token, json: { ip: '10.9.8.6', expires: 600 } }));
  cluster.world.faults.mend();
  await cluster.world.wait(noticedMs);
  const rows = good<{ banned: { ip: string }[] }[]>(t, await get('south'));
  t.deepEqual(
    rows.map((row) => row.banned.map((each) => each.ip)),
    [['10.9.8.7'], ['10.9.8.7'], ['10.9.8.6'], ['10.9.8.7']],
  );
});

test('a site that lost its way to another is reached through the master site', async (t) => {
  cluster.world.faults.cut({ from: 'north', to: 'south' });
  await cluster.world.wait(noticedMs);
  for (const at of ['north', 'south']) {
    t.deepEqual(online(good(t, await get(at))), { 113: true, 122: true, 221: true, 321: true }, at);
  }
});

test('the whole site that answers may be the only one left', async (t) => {
  for (const node of ['h1', 'h2', 'h3', 's1', 's2']) cluster.world.faults.crashNode(node);
  await cluster.world.wait(noticedMs);
  t.deepEqual(online(good(t, await get('north'))), { 113: false, 122: false, 221: true, 321: false });
  await t.throwsAsync(get('hq'), { name: 'FrontAway' });
});
