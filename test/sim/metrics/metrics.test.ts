/** `/metrics` of the control interface: what a scraper reads, who may scrape, and that observing changes no run. */

import { loopbackHosts } from '../../../sim/control/access.ts';
import { createControl } from '../../../sim/control/control.ts';
import { LiveHost } from '../../../sim/embed/hosting/live-host.ts';
import { Worlds } from '../../../sim/embed/hosting/worlds.ts';
import { RecordedCluster } from '../../../sim/embed/recorded/recorded-cluster.ts';
import { ActiveFaults } from '../../../sim/metrics/active-faults.ts';
import { Metrics } from '../../../sim/metrics/metrics.ts';
import { loadTopology } from '../../../sim/topology/load-topology.ts';
import type { VirtualWorld } from '../../../sim/world/virtual.ts';
import { acmeAdmin, admin, FrontCluster, nodes, roles, sessions } from '../../kit/front.ts';
import { silentLog } from '../../kit/quiet.ts';
import { test } from '../../kit/test.ts';
import { type Exposition, readExposition } from './exposition.ts';

async function metered() {
  const cluster = await FrontCluster.start();
  const metrics = new Metrics();
  metrics.observe(cluster.world);
  const scrape = async () => readExposition(await metrics.text({ world: cluster.world, watch: undefined }));
  return { cluster, metrics, scrape };
}

const sampleOf = ({ samples }: Exposition, series: string) => samples.get(series);

test('a scrape counts requests by operation and status, with their fan-outs and asks', async (t) => {
  const { cluster, scrape } = await metered();
  const token = await cluster.token();
  t.is((await cluster.ask(`GET ${roles}/esg/bannedaddrs`, { token })).status, 200);
  t.is((await cluster.ask('GET /no/such/path')).status, 404);
  t.is((await cluster.ask('GET /another/path')).status, 404);
  t.is((await cluster.ask(`POST ${sessions}`, { json: { ...admin, pwd: 'wrong' } })).status, 401);
  const scraped = await scrape();
  const requests = (labels: string) => sampleOf(scraped, `strowger_http_requests_total{site="hq",${labels}}`);
  t.is(requests(`operation="GET ${roles}/esg/bannedaddrs",status="200"`), 1);
  t.is(requests('operation="other",status="404"'), 2, 'paths of clients make no series');
  t.is(requests(`operation="POST ${sessions}",status="401"`), 1);
  t.is(sampleOf(scraped, 'strowger_fan_outs_total{type="filter.list"}'), 1);
  t.is(sampleOf(scraped, 'strowger_asks_total{type="filter.list",outcome="ok"}'), 4);
  t.is(scraped.types.get('strowger_http_request_duration_seconds'), 'histogram');
  t.true((sampleOf(scraped, 'nodejs_eventloop_lag_seconds') ?? -1) >= 0);
});

test('a scrape shows calls, registrations, bans, quorum, elections, crashes and the lag of copies', async (t) => {
  const { cluster, scrape } = await metered();
  const { world } = cluster;
  const acme = await cluster.token(acmeAdmin);
  const placed = { from: '1001', to: '1002', response_mode: 3 };
  t.is((await cluster.ask('POST /rest/v1/uc/calls', { at: 'north', token: acme, json: placed })).status, 200);
  await world.wait(5_000);
  const before = await scrape();
  t.is(sampleOf(before, 'strowger_calls{site="north",state="talking"}'), 1);
  t.is(sampleOf(before, 'strowger_registrations{site="hq",instance="hq/h2/sr-129",state="registered"}'), 22);
  t.is(sampleOf(before, 'strowger_quorum{site="south",node="s2"}'), 1);
  const lag = 'strowger_replication_lag_seconds{site="north",instance="north/n1/sdc-218",group="133"}';
  t.true((sampleOf(before, lag) ?? -1) >= 0);

  t.is(sampleOf(before, 'strowger_faults_active'), 0);
  const mend = world.faults.cut({ from: 'south', to: '*' });
  world.faults.crashNode('h1');
  await world.wait(20_000);
  const after = await scrape();
  t.is(sampleOf(after, 'strowger_faults_active'), 2);
  t.is(sampleOf(after, 'strowger_crashes_total{address="hq/h1",cause="injected"}'), 1);
  t.is(sampleOf(after, 'strowger_node_up{site="hq",node="h1"}'), 0);
  t.is(sampleOf(after, 'strowger_quorum{site="hq",node="h2"}'), 1);
  t.is(sampleOf(after, 'strowger_elections_total{instance="hq/h2/mware-126"}'), 1, 'the standby took over');
  t.true(
    (sampleOf(after, 'strowger_replication_lag_seconds{site="south",instance="south/s1/sdc-318",group="133"}') ?? 0) >
      10,
  );
  t.is(sampleOf(after, 'strowger_calls{site="north",state="talking"}'), 1);
  mend();
  void world.faults.restartNode('h1');
  await world.wait(8_000);
  t.is(sampleOf(await scrape(), 'strowger_faults_active'), 0);
});

test('a fault is active until it is lifted, or until its target is repaired or runs again', async (t) => {
  const { cluster, scrape } = await metered();
  const { world } = cluster;
  const active = async () => sampleOf(await scrape(), 'strowger_faults_active');
  world.faults.pauseNode('s1');
  t.is(await active(), 1);
  world.faults.resumeNode('s1');
  t.is(await active(), 0);
  world.faults.pauseNode('s1');
  world.faults.crashNode('s1');
  t.is(await active(), 1, 'a node that is down is not paused');
  world.faults.crashInstance('esg-221');
  t.is(await active(), 2);
  await world.wait(20_000);
  t.is(await active(), 1, 'the instance was restarted');
  for (const verb of ['crashNode', 'crashInstance', 'pauseNode'] as const)
    t.throws(() => world.faults[verb]('n9'), { message: /"n9"/ });
  t.is(await active(), 1, 'what was refused is not active');
  world.faults.silence('sip.telecom.test');
  world.faults.delay({ from: 'north' }, 10);
  t.is(await active(), 3);
  world.faults.mend();
  world.faults.revive('sip.telecom.test');
  void world.faults.restartNode('s1');
  await world.wait(8_000);
  t.is(await active(), 0);
});

test('the scraper needs the token of the control interface, and reads the content type of the format', async (t) => {
  const { cluster, metrics } = await metered();
  const { world } = cluster;
  const host = new LiveHost({ name: 'main', loaded: loadTopology('default'), seed: undefined, make: () => world });
  const worlds = new Worlds(host, () => Promise.reject(new Error('no other worlds here')));
  const access = { hosts: loopbackHosts, token: 'a-token-of-the-scraper' };
  const control = createControl({ worlds, metrics, access, log: silentLog });
  const get = async (headers: Record<string, string>) => {
    const request = new Request('http://localhost:8079/metrics', { headers: { host: 'localhost:8079', ...headers } });
    return control(request, '127.0.0.1', (name) => request.headers.get(name));
  };
  t.is((await get({})).status, 401);
  const answer = await get({ authorization: `Bearer ${access.token}` });
  t.is(answer.status, 200);
  t.is(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.true(readExposition(await answer.text()).samples.size > 100);
});

test('after a reset the counters begin at zero, and the oracles are shown', async (t) => {
  const metrics = new Metrics();
  const onWorld = (world: VirtualWorld) => metrics.observe(world);
  const cluster = await RecordedCluster.start({ loaded: loadTopology('default'), seed: 7, oracles: 'all', onWorld });
  t.teardown(() => cluster.stop());
  const ask = () =>
    cluster.present.request({ do: 'request', site: 'hq', method: 'GET', target: '/healthz', headers: [] });
  const series = 'strowger_http_requests_total{site="hq",operation="GET /healthz",status="200"}';
  await ask();
  await ask();
  const before = readExposition(await metrics.text(cluster.present));
  t.is(sampleOf(before, series), 2);
  t.is(sampleOf(before, 'strowger_oracle_failures{oracle="one-active"}'), 0);
  await cluster.reset();
  t.is(sampleOf(readExposition(await metrics.text(cluster.present)), series), undefined);
});

test('observing for metrics changes no trace', async (t) => {
  const hashes = await Promise.all(
    [true, false].map(async (isMetered) => {
      const cluster = await FrontCluster.start();
      const metrics = new Metrics();
      if (isMetered) metrics.observe(cluster.world);
      const token = await cluster.token();
      await cluster.ask(`GET ${nodes}`, { token });
      if (isMetered) await metrics.text({ world: cluster.world, watch: undefined });
      await cluster.world.wait(3_000);
      return cluster.world.journal.hash();
    }),
  );
  t.is(hashes[0], hashes[1]);
});

test('a repair that is refused repairs nothing', (t) => {
  const faults = new ActiveFaults();
  const use = (fault: number, verb: string, isRefused: boolean) => {
    const published = { atMs: 0, fault, verb, args: ['n1'] };
    faults.see({ kind: 'fault.inflicted', ...published });
    faults.see({ kind: 'fault.mended', ...published, isRefused });
    return faults.size;
  };
  t.is(use(1, 'crashNode', false), 1);
  t.is(use(2, 'restartNode', true), 1);
  t.is(use(3, 'restartNode', false), 0);
});
