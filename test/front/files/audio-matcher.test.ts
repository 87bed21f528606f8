/** The audio matcher: reload and status over sites and nodes, with a load that takes time and may fail. */

import type { ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { SimulatedSamples } from '../../../sim/ports/samples.ts';
import { readText, topologyFile } from '../../../sim/topology/load-topology.ts';
import type { StreamItem } from '../../../src/model/protocol/messages/stream.ts';
import { acmeAdmin, admin, FrontCluster, good, refused, user } from '../../kit/front.ts';
import { test } from '../../kit/test.ts';

const base = '/rest/v1/master/audiomatcher';
const idle = { is_loaded: false, is_reload_needed: true, samples_dir: '/srv/samples', jobs_count: 0 };
const loaded = { ...idle, is_loaded: true, is_reload_needed: false };
const topology = merged(parse(readText(topologyFile('default')), { merge: true }), {
  matcher: { loadMs: 2_000, fails: 1, samplesDir: '/srv/samples', samples: ['busy', 'off'] },
  numbers: {
    '1001': { ringMs: 0, announcement: 'busy' },
    '1002': { announcement: 'unknown', reject: 480, answerMs: 10_000 },
    '1003': { announcement: 'busy', answerMs: 1_000 },
  },
});

function merged(
  file: { domains: { name: string }[] },
  { matcher, numbers }: { matcher: object; numbers: object },
): object {
  const domains = file.domains.map((domain) => (domain.name === 'acme.root.test' ? { ...domain, numbers } : domain));
  return { ...file, domains, matcher };
}

async function start(t: ExecutionContext) {
  const samples = new SimulatedSamples({ samplesDir: '/srv/samples', samples: ['busy', 'off'] });
  const cluster = await FrontCluster.start({ topology, samples });
  t.teardown(() => cluster.world.stop());
  const token = await cluster.token(admin);
  const status = async (query = '') => good(t, await cluster.ask(`GET ${base}/status${query}`, { token })) as Status;
  const reload = (json: object) => cluster.ask(`POST ${base}`, { token, json: { action: 'reload', ...json } });
  return { cluster, token, status, reload, samples };
}

type Status = Record<string, { info: typeof idle; node: string }[]>;

test('the status lists the matcher of every mware instance by site, standby instances too', async (t) => {
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

test('a reload takes its time, may fail, and succeeds the next time', async (t) => {
  const { cluster, status, reload } = await start(t);
  const [{ node = '' } = {}] = (await status('?sites=north'))['north'] ?? [];
  const info = async () => (await status(`?nodes=${node}`))['north']?.[0]?.info;
  t.is(good(t, await reload({ nodes: [node] })), 'ok');
  t.deepEqual(await info(), idle);
  await reload({ sites: ['north'] });
  await cluster.world.wait(2_000);
  t.deepEqual(await info(), idle);
  await cluster.world.wait(2_000);
  t.deepEqual(await info(), loaded);
  const others = (await status('?sites=north,hq'))['north']?.filter((each) => each.node !== node);
  t.deepEqual(
    others?.map((each) => each.info),
    others?.map(() => idle),
  );
});

test('a reload is needed when the folder differs from what was loaded', async (t) => {
  const { cluster, status, reload, samples } = await start(t);
  const info = async () => (await status('?sites=north'))['north']?.[0]?.info;
  await load(cluster, reload);
  t.deepEqual(await info(), loaded);
  samples.write({ name: 'busy', bytes: 9, changedMs: 5 });
  t.deepEqual(await info(), { ...loaded, is_reload_needed: true });
  samples.write({ name: 'busy', bytes: 8_044, changedMs: 0 });
  t.deepEqual(await info(), loaded);
  samples.remove('off');
  t.true((await info())?.is_reload_needed);
  await load(cluster, reload);
  t.deepEqual(await info(), loaded);
});

test('an announcement that equals a sample is recognised while it plays, with an event', async (t) => {
  const { cluster, status, reload } = await start(t);
  /** By the id of the event: several instances get it. */
  const heard = new Map<unknown, Readonly<Record<string, unknown>>>();
  cluster.world.observe(
    ({ envelope }) => {
      const { items } = envelope.body as { readonly items: readonly StreamItem[] };
      for (const { event } of items)
        if (event?.name === 'fork_announcement') heard.set(event.data['eventid'], event.data);
    },
    { kinds: ['envelope.delivered'], types: ['stream.published'] },
  );
  const dial = (from: string, to: string) => cluster.world.outside.call(`acme.root.test/${from}`, to);
  const jobs = async () =>
    Object.values(await status())
      .flat()
      .reduce((sum, { info }) => sum + info.jobs_count, 0);
  dial('1010', '1001');
  await cluster.world.wait(3_000);
  t.is(heard.size, 0);
  t.is(await jobs(), 0, 'a matcher that is off compares nothing');
  // The mware of another node listens, and what instances of two nodes say to each other comes twice.
  cluster.world.faults.crashInstance('mware-115');
  await cluster.world.wait(2_000);
  await load(cluster, reload);
  cluster.world.faults.duplicate({ from: 'h1' }, 1);
  dial('1010', '1001');
  dial('1009', '1002');
  dial('1007', '1003');
  await cluster.world.wait(1_200);
  t.is(await jobs(), 2, 'two play, the third was answered');
  await cluster.world.wait(2_000);
  t.deepEqual(
    [...heard.values()].map((data) => [data['sample'], data['remoteuri']]),
    [['busy', '<sip:1001@acme.root.test>']],
  );
  t.is(await jobs(), 1, 'the unknown announcement still plays');
  await cluster.world.wait(10_000);
  t.is(await jobs(), 0);
});

async function load(cluster: FrontCluster, reload: (json: object) => Promise<unknown>): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    await reload({});
    await cluster.world.wait(2_000);
  }
}

test('unknown sites and nodes and a malformed body are refused', async (t) => {
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

test('an unreachable instance is left out, and its site is named', async (t) => {
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
