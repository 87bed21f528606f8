/** Registrars that can't see each other: each goes on, and when they meet again they agree. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { limits } from '../../../src/model/limits.ts';
import type { BindingCopy } from '../../../src/model/protocol/messages/registrar.ts';
import { mapWith } from '../../kit/calls/edges.ts';
import { RegistrarCluster, registrars, type SiteName } from '../../kit/calls/registrars.ts';
import { defaultMap } from '../../kit/maps.ts';
import { holds, runs } from '../../kit/property.ts';
import { test } from '../../kit/test.ts';

const sites = ['hq', 'north', 'south'] as const;

test('two sides of a partition register on their own, and agree when they meet: the later word counts', async (t) => {
  const cluster = await RegistrarCluster.start();
  await cluster.bind('north', cluster.binding({ device: 'd1' }));
  await cluster.bind('north', cluster.binding({ device: 'd2' }));
  await cluster.pass();
  cluster.probed.faults.cut({ from: 'south' });
  await cluster.pass(5_000);
  await cluster.bind('south', cluster.binding({ device: 'd3', path: 'south/s1/sg-313' }));
  await cluster.unbind('south', { device: 'd1' });
  await cluster.bind('north', cluster.binding({ device: 'd2', cseq: 2, contact: 'sip:new@10.100.0.2:5060' }));
  await cluster.pass();
  t.deepEqual(await cluster.devices('sr-217'), ['d1', 'd2']);
  t.deepEqual(await cluster.devices('sr-317'), ['d2', 'd3']);
  cluster.probed.faults.mend();
  await cluster.pass(5_000);
  for (const site of sites) {
    t.deepEqual(await cluster.devices(registrars[site]), ['d2', 'd3'], site);
    const [second] = (await cluster.lookup(registrars[site], ['1001'])).filter(({ device }) => device === 'd2');
    t.is(second?.contact, 'sip:new@10.100.0.2:5060');
  }
});

test('a device that is unregistered where it was never known does not come back', async (t) => {
  const cluster = await RegistrarCluster.start();
  cluster.probed.faults.cut({ from: 'south' });
  await cluster.pass(5_000);
  await cluster.bind('north', cluster.binding());
  await cluster.pass();
  t.deepEqual(await cluster.unbind('south', { device: 'd1' }), { removed: 0 });
  cluster.probed.faults.mend();
  await cluster.pass(5_000);
  for (const site of sites) t.deepEqual(await cluster.devices(registrars[site]), [], site);
});

test('a registrar that has to stand by passes on the bindings that it got before to the one that serves', async (t) => {
  const cluster = await RegistrarCluster.start();
  cluster.probed.faults.cut({ from: 'n1' });
  await cluster.pass(50);
  await cluster.bind('north', cluster.binding());
  await cluster.pass(8_000);
  t.deepEqual(await cluster.devices('sr-228', ['1001'], 'hq'), []);
  cluster.probed.faults.mend();
  await cluster.pass(5_000);
  t.deepEqual(await cluster.devices('sr-228', ['1001'], 'hq'), ['d1']);
  t.deepEqual(await cluster.devices('sr-134'), ['d1']);
});

test('a registrar that has to stand by gives the events that it published in its part of a split site', async (t) => {
  const cluster = await RegistrarCluster.start();
  cluster.probed.faults.cut({ from: 'n1' });
  await cluster.pass(50);
  await cluster.bind('north', cluster.binding());
  await cluster.pass(8_000);
  cluster.probed.faults.mend();
  await cluster.pass(5_000);
  await t.throwsAsync(cluster.devices('sr-217'), { message: /standby/ });
  const items = await cluster.publishedBy('sr-217');
  t.true(items.some(({ event }) => event?.name === 'register' && event.data['device'] === 'd1'));
});

test('a copy that was lost on its way is missed within a minute', async (t) => {
  const cluster = await RegistrarCluster.start();
  const mend = cluster.probed.faults.cut({ from: 'north' });
  await cluster.bind('north', cluster.binding());
  await cluster.pass(200);
  mend();
  await cluster.pass(200);
  t.deepEqual(await cluster.devices('sr-317'), []);
  await cluster.pass(limits.bindingsCheckMs + 200);
  t.deepEqual(await cluster.devices('sr-317'), ['d1']);
});

/** Registrars that rarely ping, for tests of hours. The users of the topology register for an hour at most. */
function forHours(): Promise<RegistrarCluster> {
  const { timings } = defaultMap.topology;
  return RegistrarCluster.start({ map: mapWith({ timings: { ...timings, pingIntervalMs: 60_000 } }) });
}

const hourMs = 3_600_000;

test('a registration for a day comes to a registrar that starts hours later', async (t) => {
  const cluster = await forHours();
  await cluster.bind('north', cluster.binding({ livesMs: 24 * hourMs }));
  await cluster.pass(2 * hourMs);
  for (const node of ['s1', 's2']) cluster.probed.faults.crashNode(node);
  await cluster.probed.start(['s1', 's2']);
  await cluster.pass(limits.bindingsCheckMs + 1_000);
  t.deepEqual(await cluster.devices('sr-317'), ['d1']);
});

test('a registration for a day that was removed does not come back from a site that was cut off for hours', async (t) => {
  const cluster = await forHours();
  await cluster.bind('north', cluster.binding({ livesMs: 24 * hourMs }));
  await cluster.pass();
  cluster.probed.faults.cut({ from: 'south' });
  // A shorter one takes its place: its life does not count alone.
  await cluster.bind('north', cluster.binding({ cseq: 2, livesMs: 60_000 }));
  await cluster.unbind('north', { device: 'd1' });
  await cluster.pass(2 * hourMs);
  cluster.probed.faults.mend();
  await cluster.pass(5 * limits.bindingsCheckMs);
  for (const site of sites) t.deepEqual(await cluster.devices(registrars[site]), [], site);
});

test('a registration for a day that its device removes at another site does not come back from one that was cut off for hours', async (t) => {
  const cluster = await forHours();
  cluster.probed.faults.cut({ from: 'south' });
  await cluster.pass(300_000);
  await cluster.bind('south', cluster.binding({ livesMs: 24 * hourMs }));
  await cluster.unbind('north', { device: 'd1', callid: 'c1', cseq: 2, lastsMs: 24 * hourMs });
  await cluster.pass(2 * hourMs);
  cluster.probed.faults.mend();
  await cluster.pass(5 * limits.bindingsCheckMs);
  for (const site of sites) t.deepEqual(await cluster.devices(registrars[site]), [], site);
});

interface Step {
  readonly site: SiteName;
  readonly device: string;
  readonly isRemoval: boolean;
  readonly livesMs: number;
  readonly passMs: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    site: fc.constantFrom(...sites),
    device: fc.constantFrom('d1', 'd2', 'd3'),
    isRemoval: fc.boolean(),
    livesMs: fc.constantFrom(3_000, 600_000),
    passMs: fc.integer({ min: 0, max: 2_000 }),
  }),
  { minLength: 1, maxLength: 12 },
);

/** All that two copies must agree on to the letter: each says how much time is left when it is asked. */
const who = ({ leftMs: _, ...rest }: BindingCopy) => rest;

test('whatever requests the sides of a partition get, after it all registrars agree', async (t) => {
  await holds(
    t,
    fc.asyncProperty(steps, fc.constantFrom<SiteName | '*'>('north', 'south', 'hq', '*'), async (sequence, cut) => {
      const cluster = await RegistrarCluster.start();
      for (const site of sites) if (cut === '*' || cut === site) cluster.probed.faults.cut({ from: site });
      await cluster.pass(4_500);
      for (const [index, { site, device, isRemoval, livesMs, passMs }] of sequence.entries()) {
        if (isRemoval) await cluster.unbind(site, { device });
        else await cluster.bind(site, cluster.binding({ device, livesMs, callid: `c-${index}` }), 9);
        await cluster.pass(passMs);
      }
      cluster.probed.faults.mend();
      await cluster.pass(6_000);
      const [one, ...others] = await Promise.all(sites.map((site) => cluster.lookup(registrars[site], ['1001'])));
      const sorted = (list: typeof one) => (list ?? []).toSorted((a, b) => (a.device < b.device ? -1 : 1));
      for (const other of others) {
        assert.deepEqual(sorted(other).map(who), sorted(one).map(who));
        for (const [index, { leftMs }] of sorted(other).entries()) {
          assert.ok(Math.abs(leftMs - (sorted(one)[index]?.leftMs ?? 0)) < 1_000, `it ends ${leftMs} ms from now`);
        }
      }
    }),
    { numRuns: runs(2) },
  );
});
