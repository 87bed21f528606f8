/** The audio matcher: reload and status over sites and nodes, with a load that takes time and may fail. */

import type { ExecutionContext } from 'ava';
import test from 'ava';
import { parse } from 'yaml';
import { readText, topologyFile } from '../../sim/topology/load.ts';
import { acmeAdmin, admin, FrontCluster, good, refused, user } from '../kit/front.ts';

const base = '/rest/v1/master/audiomatcher';
const idle = { is_loaded: false, is_reload_needed: false, samples_dir: '/srv/samples', jobs_count: 0 };
const topology = {
  ...parse(readText(topologyFile('default')), { merge: true }),
  matcher: { loadMs: 2_000, fails: 1, samplesDir: '/srv/samples' },
};

async function start(t: ExecutionContext) {
  const cluster = await FrontCluster.start({ topology });
  t.teardown(() => cluster.world.stop());
  const token = await cluster.token(admin);
  const status = async (query = '') => good(t, await cluster.ask(`GET ${base}/status${query}`, { token })) as Status;
  const reload = (json: object) => cluster.ask(`POST ${base}`, { token, json: { action: 'reload', ...json } });
  return { cluster, token, status, reload };
}

type Status = Record<string, { info: typeof idle; node: string }[]>;

test('every mware instance tells of its matcher, by site, those that stand by too', async (t) => {
  const { cluster, status } = await start(t);
  const shown = await status();
  const wanted = cluster.world.map.rowsOf('mware');
  t.deepEqual(Object.keys(shown), [...new Set(wanted.map(({ site }) => site))]);
  for (const [site, entries] of Object.entries(shown)) {
    t.deepEqual(
      entries,
      wanted.filter((each) => each.site === site).map(({ node }) => ({ info: idle, node })),
    );
  }
});

test('a reload takes its time, may fail, and helps the next time', async (t) => {
  const { cluster, status, reload } = await start(t);
  const [{ node = '' } = {}] = (await status('?sites=north'))['north'] ?? [];
  const info = async () => (await status(`?nodes=${node}`))['north']?.[0]?.info;
  t.is(good(t, await reload({ nodes: [node] })), 'ok');
  t.deepEqual(await info(), { ...idle, jobs_count: 1 });
  await reload({ sites: ['north'] });
  t.deepEqual(await info(), { ...idle, jobs_count: 2 });
  await cluster.world.wait(2_000);
  t.deepEqual(await info(), { ...idle, jobs_count: 1 });
  await cluster.world.wait(2_000);
  t.deepEqual(await info(), { ...idle, is_loaded: true });
  const others = (await status('?sites=north,hq'))['north']?.filter((each) => each.node !== node);
  t.deepEqual(
    others?.map((each) => each.info),
    others?.map(() => ({ ...idle, is_reload_needed: true })),
  );
  t.true((await status('?sites=hq'))['hq']?.every((each) => !each.info.is_reload_needed));
});

test('sites and nodes that there are not are refused, and a body that is none', async (t) => {
  const { cluster, token, status, reload } = await start(t);
  for (const query of ['?sites=nowhere', '?sites=north,', '?nodes=n99', '?sites=north&sites=hq']) {
    refused(t, await cluster.ask(`GET ${base}/status${query}`, { token }), 400);
  }
  for (const json of [
    { sites: ['nowhere'] },
    { nodes: ['n99'] },
    { sites: 'north' },
    { action: 'stop' },
    { site: [] },
  ]) {
    refused(t, await reload(json), 400);
  }
  t.is(good(t, await cluster.ask(`POST ${base}`, { token, json: {} })), 'ok');
  t.true(Object.values(await status()).every((entries) => entries.every(({ info }) => info.jobs_count === 0)));
});

test('who is out of reach is left out, and its site is named', async (t) => {
  const { cluster, token, reload } = await start(t);
  cluster.world.faults.cut({ from: 'north' });
  await cluster.world.wait(10_000);
  const answer = await cluster.ask(`GET ${base}/status`, { token });
  t.false('north' in good<Status>(t, answer));
  t.is(answer.headers.get('x-missing-sites'), 'north');
  refused(t, await reload({ sites: ['north'] }), 503);
  t.is((await reload({})).headers.get('x-missing-sites'), 'north');
});

test('only administrators of the master domain may reload, and all of it may read', async (t) => {
  const { cluster } = await start(t);
  const tokens = { user: await cluster.token(user), acme: await cluster.token(acmeAdmin) };
  refused(t, await cluster.ask(`POST ${base}`, { token: tokens.user, json: { action: 'reload' } }), 403);
  refused(t, await cluster.ask(`GET ${base}/status`, { token: tokens.acme }), 403);
  t.is((await cluster.ask(`GET ${base}/status`, { token: tokens.user })).status, 200);
});
