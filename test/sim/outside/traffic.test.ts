/** A load of calls: how many, of which kinds, for how long, and what is counted. */

import type { TrafficOptions } from '../../../sim/outside/call-load.ts';
import { ClusterMap } from '../../../src/model/cluster/cluster-map.ts';
import { topologySchema } from '../../../src/model/topology/schema.ts';
import { defaultMap } from '../../kit/maps.ts';
import { test } from '../../kit/test.ts';
import { Scene, type SceneOptions } from './scene.ts';

const answering: NonNullable<SceneOptions['onReport']> = ({ leg, report }, gate) => {
  if (report.type === 'leg.invited') gate.control(leg, { type: 'answer' });
};

const outward = { phoneToPhone: 1 };

function loaded(options: TrafficOptions, scene = new Scene({ onReport: answering }).start()) {
  const traffic = scene.world.traffic(options);
  traffic.start();
  return { scene, traffic };
}

test('calls arrive at the rate that is asked for, at random, by the seed', (t) => {
  const arrivals = (seed: number) => {
    const { scene, traffic } = loaded({ rate: 5, mix: outward }, new Scene({ seed, onReport: answering }).start());
    scene.pass(200_000);
    const { started } = traffic.counts;
    t.true(started > 900 && started < 1_100, `${started} of 1000`);
    const times = scene.heard.filter(({ report }) => report.type === 'leg.invited').map(({ atMs }) => Math.round(atMs));
    return times;
  };
  const times = arrivals(1);
  t.deepEqual(arrivals(1), times);
  t.notDeepEqual(arrivals(2), times);
  const gaps = times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0));
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  t.true(deviation > 0.85 * mean && deviation < 1.15 * mean, 'as of a Poisson process: deviation and mean are alike');
});

test('calls last as long as was asked, in the mean or each', (t) => {
  const lengths = (holding: 'exponential' | 'fixed') => {
    const { scene, traffic } = loaded({ rate: 10, holdingMs: 5_000, holding, mix: outward });
    scene.pass(60_000);
    traffic.stop();
    scene.pass(120_000);
    const { started, answered, ended } = traffic.counts;
    t.deepEqual([answered, ended], [started, started]);
    const begun = new Map<string, number>();
    return scene.heard.flatMap(({ leg, report, atMs }) => {
      if (report.type === 'leg.answered') begun.set(leg, atMs);
      return report.type === 'leg.ended' ? [atMs - (begun.get(leg) ?? 0)] : [];
    });
  };
  const fixed = lengths('fixed');
  t.true(fixed.every((ms) => Math.abs(ms - 5_000) < 20));
  const random = lengths('exponential');
  const mean = random.reduce((sum, ms) => sum + ms, 0) / random.length;
  t.true(mean > 4_400 && mean < 5_600, `${mean}`);
  t.true(random.some((ms) => ms < 1_000) && random.some((ms) => ms > 12_000));
});

test('the mix decides which parties call which, and only phones call that can answer', (t) => {
  const { scene, traffic } = loaded({ rate: 20, holdingMs: 1_000 });
  scene.pass(60_000);
  traffic.stop();
  const invites = scene.requests('INVITE');
  const called = invites.map(({ uri }) => /^sip:(\d+)@/.exec(uri)?.[1] ?? '');
  const share = (pattern: RegExp) => called.filter((number) => pattern.test(number)).length / called.length;
  t.true(share(/^10\d\d$/) > 0.55, 'phones');
  t.true(share(/^49\d{6}0[0-3]$/) > 0.15, 'numbers behind providers that answer soon');
  t.true(share(/^550\d$/) > 0.05, 'rooms');
  const uris = invites.map(({ uri }) => uri);
  t.true(uris.includes('sip:1008@globex.root.test'));
  t.false(uris.includes('sip:1008@acme.root.test'), 'it is silent');
  t.false(uris.includes('sip:1009@acme.root.test'), 'it is busy');
  t.true(
    invites.every(({ from, uri }) => /\d+/.exec(from.uri)?.[0] !== /\d+/.exec(uri)?.[0]),
    'no phone calls itself',
  );
});

test('calls without an answer are counted as failed, and so are calls of providers without a registration', (t) => {
  const refusing: NonNullable<SceneOptions['onReport']> = ({ leg, report }, gate) => {
    if (report.type === 'leg.invited') gate.control(leg, { type: 'reject', status: 480 });
  };
  const { scene, traffic } = loaded({ rate: 10, mix: outward }, new Scene({ onReport: refusing }).start());
  scene.pass(10_000);
  traffic.stop();
  scene.pass(1_000);
  const { started, answered, failed, ended, why } = traffic.counts;
  t.deepEqual([answered, failed, ended], [0, started, 0]);
  t.deepEqual(why, { 480: started });
  t.true(started > 50);

  const inward = loaded({ rate: 10, mix: { providerToPhone: 1 } });
  inward.scene.pass(10_000);
  t.is(inward.traffic.counts.failed, inward.traffic.counts.started);
  t.deepEqual(Object.keys(inward.traffic.counts.why), ['no way']);
});

test('a load that is stopped begins no calls, and one that is started twice is one', (t) => {
  const { scene, traffic } = loaded({ rate: 10, mix: outward });
  traffic.start();
  scene.pass(100_000);
  const { started } = traffic.counts;
  t.true(started > 800 && started < 1_200, `${started}`);
  traffic.stop();
  scene.pass(300_000);
  t.is(traffic.counts.started, started);
  t.is(scene.world.calls, 0);
  t.notThrows(() => scene.assertQuiescent());
});

test('a load that can not be is refused', (t) => {
  const scene = new Scene();
  for (const rate of [0, -1, Number.NaN, Infinity]) {
    t.throws(() => scene.world.traffic({ rate }), { message: /^expected a rate of calls a second above 0, got / });
  }
  const noParties = 'the topology has no phones or providers that can make such calls';
  t.throws(() => scene.world.traffic({ rate: 1, mix: { phoneToPhone: 0 } }), { message: noParties });
  const lonely = new ClusterMap(
    topologySchema.parse({ ...defaultMap.topology, domains: [{ name: 'root.test' }, { name: 'acme.root.test' }] }),
  );
  t.throws(() => new Scene({ map: lonely }).world.traffic({ rate: 1 }), { message: noParties });
});
