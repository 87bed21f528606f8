/** Ending nodes through the interface: servers come back by themselves, role nodes by their supervisor. */
import type { ExecutionContext } from 'ava';
import { emptied, FrontCluster, good, nodes, refused } from '../../kit/front.ts';
import { scopedTest } from '../../kit/scoped.ts';

const test = scopedTest();

/** After this time a server is back (`nodeRestartMs`), and a little later all nodes have noticed. */
const restartMs = 15_000;
const noticedMs = 5_000;
let cluster: FrontCluster;
let token: string;

test.beforeEach(async () => {
  cluster = await FrontCluster.start({ outside: false });
  token = await cluster.token();
  await cluster.world.wait(1_000);
});

async function statusOf(t: ExecutionContext, name: string, at = 'hq'): Promise<unknown> {
  return good<{ status: unknown }>(t, await cluster.ask(`GET ${nodes}/${name}`, { at, token })).status;
}

test('a server that is ended is unreachable with all on it, and comes back', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/n2`, { token }));
  await cluster.world.wait(noticedMs);
  for (const at of ['hq', 'north']) {
    for (const name of ['n2', 'esg-221', 'sdc-229'])
      t.is(await statusOf(t, name, at), 'unreachable', `${name} at ${at}`);
  }
  t.is(await statusOf(t, 'n1'), 'active');
  await cluster.world.wait(restartMs);
  t.is(await statusOf(t, 'n2'), 'active');
  t.is(await statusOf(t, 'esg-221'), 'active');
  t.is(await statusOf(t, 'sdc-229'), 'standby');
});

test('a server that came back counts its time anew', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/n2`, { token }));
  await cluster.world.wait(restartMs + noticedMs);
  const { upTimeSec } = good<{ upTimeSec: number }>(t, await cluster.ask(`GET ${nodes}/n2`, { token }));
  t.true(upTimeSec <= noticedMs / 1_000, `${upTimeSec} s`);
});

test('a server that is away can not be ended: 503, and try again', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/n2`, { token }));
  await cluster.world.wait(noticedMs);
  refused(t, await cluster.ask(`DELETE ${nodes}/n2`, { token }), 503, /n2 is not reachable from site hq/);
  refused(t, await cluster.ask(`DELETE ${nodes}/esg-221`, { token }), 503, /n2 is not reachable from site hq/);
  await cluster.world.wait(restartMs);
  emptied(t, await cluster.ask(`DELETE ${nodes}/esg-221`, { token }));
});

test('a server behind a cut can not be ended from this side, but from its own', async (t) => {
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(noticedMs);
  refused(t, await cluster.ask(`DELETE ${nodes}/n2`, { at: 'hq', token }), 503, /not reachable from site hq/);
  t.is(await statusOf(t, 'n2', 'north'), 'active', 'it surely did not happen');
  emptied(t, await cluster.ask(`DELETE ${nodes}/n2`, { at: 'north', token }));
  await cluster.world.wait(noticedMs);
  t.is(await statusOf(t, 'n2', 'north'), 'unreachable');
});

test('a server that is silent answers 504 in time: it may have happened', async (t) => {
  cluster.world.faults.pauseNode('n2');
  const answer = await cluster.ask(`DELETE ${nodes}/n2`, { token });
  refused(t, answer, 504, /may have happened/);
  t.true(answer.tookMs <= 5_000, `${answer.tookMs} ms`);
});

test('a role node that is ended is started anew by its supervisor', async (t) => {
  const before = good<{ dtStart: string }>(t, await cluster.ask(`GET ${nodes}/esg-221`, { token }));
  emptied(t, await cluster.ask(`DELETE ${nodes}/esg-221`, { token }));
  t.is(await statusOf(t, 'esg-221'), 'stopped');
  t.is(await statusOf(t, 'n2'), 'active', 'its server goes on');
  t.is(await statusOf(t, 'b2b-223'), 'active', 'and what else is on it');
  await cluster.world.wait(noticedMs);
  const after = good<{ dtStart: string; status: string }>(t, await cluster.ask(`GET ${nodes}/esg-221`, { token }));
  t.is(after.status, 'active');
  t.true(Date.parse(after.dtStart) > Date.parse(before.dtStart));
});

test('when the active one of a group is ended, another takes over', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/mdc-133`, { token }));
  await cluster.world.wait(noticedMs);
  t.is(await statusOf(t, 'mdc-128'), 'active');
  t.is(await statusOf(t, 'mdc-133'), 'standby');
  await cluster.token();
});

test('the server that hosts the front which answers can be ended: it answers first', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/h1`, { token }));
  await cluster.world.wait(noticedMs);
  await t.throwsAsync(cluster.ask(`GET ${nodes}`, { token }), { name: 'FrontAway' });
  for (const name of ['h1', 'ws-111']) t.is(await statusOf(t, name, 'north'), 'unreachable');
  await cluster.world.wait(restartMs);
  t.is(await statusOf(t, 'h1'), 'active');
  t.is(await statusOf(t, 'ws-111'), 'active');
});

test('the front which answers can be ended: it answers first, and comes back', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/ws-111`, { token }));
  await cluster.world.wait(10);
  await t.throwsAsync(cluster.ask(`GET ${nodes}`, { token }), { name: 'FrontAway' });
  t.is(await statusOf(t, 'ws-111', 'north'), 'stopped');
  await cluster.world.wait(noticedMs);
  t.is(await statusOf(t, 'ws-111'), 'active');
});

test('the front of another site can be ended from here', async (t) => {
  emptied(t, await cluster.ask(`DELETE ${nodes}/ws-211`, { at: 'hq', token }));
  await t.throwsAsync(cluster.statusOf({ at: 'north', token }), { name: 'FrontAway' });
  await cluster.world.wait(noticedMs);
  t.is(await cluster.statusOf({ at: 'north', token }), 200);
});
