/** Forks, snapshots and replays: a cluster is its seed and its inputs. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { repeat } from '../../sim/embed/recorded/recording-file.ts';
import { startCluster, type TestCluster } from '../../sim/embed/test-cluster.ts';
import { holds, runs, sized } from '../kit/property.ts';
import { test } from '../kit/test.ts';
import { ask, calls, callTo, tokenOf } from './kit.ts';

/** Something that a test does to a cluster. */
type Act = (cluster: TestCluster, token: string) => Promise<unknown>;

const acts: Readonly<Record<string, Act>> = {
  call: (cluster, token) => callTo(cluster, '1002', token),
  list: (cluster, token) => ask(cluster, `GET ${calls}`, { at: 'hq', token }),
  'two at once': (cluster, token) =>
    Promise.all([callTo(cluster, '1003', token), ask(cluster, `GET ${calls}`, { at: 'south', token })]),
  'a call and an advance': (cluster, token) =>
    Promise.all([callTo(cluster, '1004', token), cluster.clock.advance('700ms')]),
  'a request without a wait': async (cluster, token) => {
    void callTo(cluster, '1005', token).catch(() => {});
    await cluster.clock.advance('100ms');
  },
  'real time between': async (cluster, token) => {
    const open = callTo(cluster, '1006', token);
    await new Promise((resolve) => setTimeout(resolve, 2));
    await cluster.phone('1007').hangUp();
    await open;
  },
  cut: (cluster) => cluster.faults.cut({ from: 'south' }),
  lift: (cluster) => cluster.faults.liftAll(),
  phone: (cluster) =>
    cluster
      .phone('1003')
      .call('1001')
      .catch(() => {}),
  number: (cluster) => cluster.numbers.set('acme.root.test', '1002', { reject: 486 }),
  load: (cluster) => cluster.load.set({ rate: 3, holdingMs: 500 }),
  wait: (cluster) => cluster.clock.advance('1s'),
};

test('a fork equals its original until its first own input, for drawn inputs of parallel clients', async (t) => {
  const drawn = fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 1, maxLength: 6 });
  await holds(
    t,
    fc.asyncProperty(fc.integer({ min: 0, max: 1_000 }), drawn, async (seed, names) => {
      await using cluster = await startCluster({ seed, oracles: [] });
      const token = await tokenOf(cluster);
      for (const name of names) await acts[name]?.(cluster, token);
      const [forking, snapshot, trace] = [cluster.fork(), cluster.snapshot(), cluster.traceHash];
      await using fork = await forking;
      assert.equal(fork.traceHash, trace);
      assert.deepEqual(fork.snapshot(), snapshot);
      // A request that is open moves the original on.
      if (names.includes('a request without a wait')) return;
      for (const each of [cluster, fork]) {
        await each.clock.advance('2s');
        await callTo(each, '1002', token);
      }
      assert.equal(fork.traceHash, cluster.traceHash, 'the same inputs lead to the same future');
      await fork.phone('1008').hangUp();
      await fork.clock.advance('1s');
      await fork
        .phone('1001')
        .call('1002')
        .catch(() => {});
      await fork.clock.advance('1s');
      assert.notEqual(fork.traceHash, cluster.traceHash, 'its own inputs lead to its own future');
    }),
    // The body of the call is read while the list is being answered.
    { numRuns: runs(2), examples: [[0, ['call', 'two at once']]] },
  );
});

test('a fork does not call the handlers of its original, but has what they decided', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  let rung = 0;
  await cluster.phone('1002').onCall(async (call) => {
    rung += 1;
    await call.reject(603);
  });
  const { last_response: refused } = await callTo(cluster, '1002', await tokenOf(cluster));
  t.regex(String(refused), /603/);
  await using fork = await cluster.fork();
  t.is(rung, 1);
  t.is(fork.traceHash, cluster.traceHash);
});

test('a fork, a restore and a replay have what stubs of other systems answered, and do not call them', async (t) => {
  await using cluster = await startCluster({ oracles: [] });
  let asked = 0;
  cluster.onHttp('https://crm.test/', ({ url }) => {
    asked += 1;
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ url, asked }) };
  });
  const token = await tokenOf(cluster);
  const components = [
    { name: 'start', type: 'start', next: 'go' },
    { name: 'go', type: 'http', url: '"https://crm.test/x"', result: 'answer', next: 'say', failed: 'say' },
    { name: 'say', type: 'code', code: 'response_content = JSON.stringify(answer)' },
  ];
  const define = await ask(cluster, 'POST /rest/v1/domain/svcscripts', { token, json: { code: 'crm', components } });
  t.is(define.status, 200, JSON.stringify(define.body));
  const channel = { code: 'crm', token_local: 'the-token-of-the-crm', svcscriptcode: 'crm' };
  await ask(cluster, 'POST /rest/v1/domain/integrationchannels', { token, json: channel });
  const run = (on: typeof cluster) => ask(on, 'POST /exec', { token: channel.token_local, json: {} });
  t.like((await run(cluster)).body, { status: 200, body: { asked: 1 } });
  const [trace, snapshot] = [cluster.traceHash, JSON.stringify(cluster.snapshot())];
  await using fork = await cluster.fork();
  t.is(asked, 1, 'the fork has not called the stub');
  t.is(fork.traceHash, trace);
  t.false('status' in (await run(fork)).body, 'a fork has no stubs of its own');
  fork.onHttp('https://crm.test/', () => ({ status: 204 }));
  t.like((await run(fork)).body, { status: 204 });
  t.like((await run(cluster)).body, { status: 200, body: { asked: 2 } });
  await cluster.restore(JSON.parse(snapshot));
  t.is(cluster.traceHash, trace);
  const repeated = await repeat(cluster.recording('kept'));
  t.is(repeated.world.journal.hash(), trace);
  await repeated.stop();
  t.is(asked, 2);
});

test('a cluster is reset to its start and restored to a snapshot, which is plain JSON', async (t) => {
  await using cluster = await startCluster({ seed: 3, oracles: [] });
  const fresh = cluster.traceHash;
  const token = await tokenOf(cluster);
  await callTo(cluster, '1002', token);
  const [trace, snapshot] = [cluster.traceHash, JSON.stringify(cluster.snapshot())];
  await cluster.faults.crash('north');
  await cluster.reset();
  t.is(cluster.traceHash, fresh);
  t.is((await ask(cluster, `GET ${calls}`, { token })).status, 401, 'the session is gone');
  await cluster.restore(JSON.parse(snapshot));
  t.is(cluster.traceHash, trace);
  t.is((await ask(cluster, `GET ${calls}`, { token })).status, 200, 'the session is there again');
  await using other = await startCluster({ seed: 4, oracles: [] });
  await t.throwsAsync(other.restore(JSON.parse(snapshot)), {
    message: 'expected a snapshot of seed 4, got one of seed 3',
  });
});

test('many clusters in one process do not reach each other, whatever runs beside them', async (t) => {
  const play = async (seed: number) => {
    await using cluster = await startCluster({ seed, oracles: [], topology: { draw: small } });
    const site = cluster.sites[0] ?? '';
    const token = await tokenOf(cluster, site);
    await cluster.faults.lose({ from: '*', probability: 0.1 });
    await cluster.load.set({ rate: 2, holdingMs: 500 });
    const answers = [];
    for (let round = 0; round < 3; round += 1) {
      await cluster.clock.advance('500ms');
      answers.push((await ask(cluster, `GET ${calls}`, { at: site, token })).body);
    }
    return { answers, trace: cluster.traceHash };
  };
  const small = { sites: 1, nodes: 1, domains: 1, phones: 4, providers: 0 };
  const seeds = Array.from({ length: sized(6, 50) }, (_, seed) => seed);
  const together = await Promise.all(seeds.map(play));
  for (const seed of seeds.slice(0, 4)) t.deepEqual(await play(seed), together[seed]);
  t.is(new Set(together.map(({ trace }) => trace)).size, seeds.length);
});
